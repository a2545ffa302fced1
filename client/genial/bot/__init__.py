"""A player without a screen: the session of a client, and a level that decides.

    python -m genial.bot --stdio     many seats, told by JSON lines (see `genial.services.bots`)
    python -m genial.bot --levels    the levels there are, as JSON
    genial bot ADDRESS TABLE         one seat, for people who bring a bot to a table

The event loop only talks to hosts. Deciding happens in worker processes of low priority
(`thinker`), so that no seat waits for another one's thoughts.
"""
