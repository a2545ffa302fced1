"""The rules of the game, pure: no clock, no network, no randomness of its own.

Import from the modules: `hexgrid`, `tiles`, `board`, `rules`, `refusal`,
`shuffle`, `game`, `view`, `record`. The rules themselves are told in docs/rules.md.
"""
