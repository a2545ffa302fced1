"""The host: the authority over games, tables, bots, history, and what puts them together."""
