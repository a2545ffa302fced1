"""Tables: where people sit down, get ready, are dealt to, and play game after game.

    table      what a table is: frozen values, questions about them, no clock and no chance
    deal       the commit-and-reveal of one deal
    seating    who sits where: join, leave, kick, return, bots
    commands   what seated people tell the table: ready, agreements, nonces, putting away
    match      games one after the other: ends, standings, rematch, putting away
    passing    what time does to a table: grace, limits, games that ready themselves
    wording    names and chat made harmless
    codec      a table as JSON for the disk
    messages   a table as the message that one viewer gets
    store      tables, chat and answers on disk
    runtime    one running table: its lock, its watchers, what it asks of other services
    passwords  who knows the password of a table
    standing   tables that are always open
    lobby      all tables of a host: calls in, answers out
    looking    LobbyService, the part that changes nothing
    handler    LobbyService, the part that does
    answers    the first answer to every command, for repeats
    errands    what tables want of rooms and bots

The first seven are pure. A change is worked out as a new `Table`, written to disk, and only then
shown. What a table wants of others (a room, a takeover) is kept in the table itself until it is
done, so a host that dies in between does it after its restart.
"""
