"""Deciding well: playout state, evaluation, search, levels.

Pure like the engine: no I/O, no asyncio, nothing of the wire. Imports `genial.engine` only.
"""
