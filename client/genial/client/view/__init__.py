"""Model to styled text: pure functions that draw into a character grid."""
