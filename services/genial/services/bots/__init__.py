"""Bot processes: who starts them, and how the host talks to one.

A bot is an ordinary client in a process of its own. It gets nothing from the host but an address
and a seat token, and everything that it learns of a game comes over the wire. The host's own bots
run as::

    python -m genial.bot --stdio

One such process may hold many seats. Its standard input carries commands, its standard output
reports: JSON Lines both ways, UTF-8, one object a line, each with exactly one key, the kind.
Unknown kinds and unknown fields are ignored by both sides. Standard error is free text for the
host's log; a token must never appear there, nor on standard output.

Commands (host to bot process):

``{"seat": {"address": "127.0.0.1:7718", "table_id": "…", "seat": 1, "token": "…", "name": "Max",
"level": "medium", "fingerprint": "…", "password": "…"}}``
    Take this seat and play it until the table is finished. ``address`` is what a client would type;
    ``token`` is the seat token (base64url of 32 bytes), to be sent as the metadata
    ``genial-seat-token``; ``fingerprint`` is that of the host's certificate (empty or absent: the
    host does not encrypt), ``password`` the host's (empty or absent: none). The seat is held by
    this token already: ``JoinTable`` with ``bot_level`` set to the level, ``seat`` and ``name``
    confirms it, ``WatchTable`` with the token is the presence. Bots count as ready always, so the
    process answers deals (CommitNonce, RevealNonce) and plays games; it never calls SetReady,
    StartGame or Rematch. When the connection drops it tries again until the command is taken back.
    A second command for the same table and seat replaces the first.
``{"release": {"table_id": "…", "seat": 1}}``
    Stop playing this seat: close its streams, send nothing more for it. Not an error when the
    seat is not held. Do not call LeaveTable: the lobby has settled the seat already.
end of standard input
    Exit at once with 0, leaving every seat as a lost connection would. So a killed host leaves no
    orphans.

Reports (bot process to host):

``{"ready": {"protocol": 1}}``
    Once, before anything else: the imports are done and commands are read.
``{"seated": {"table_id": "…", "seat": 1}}``
    The seat's WatchTable stream stands.
``{"done": {"table_id": "…", "seat": 1, "reason": "finished", "message": ""}}``
    The seat is no longer played: ``finished`` (the table is finished or abandoned), ``released``
    (answer to the command), ``lost`` (the token holds no seat there any more, or a newer stream of
    the same token took over), ``failed`` (``message`` says in a sentence what went wrong, for
    example that the level is unknown). After ``failed`` the host may command the seat again.

A process that dies is replaced, and every seat that it held is commanded anew, with the same
tokens: nothing changes for the table.

The supervisor holds no knowledge of any game. Names of levels come from
``python -m genial.bot --levels``, which prints one JSON document
``[{"level": "medium", "description": "…"}]`` on standard output and exits 0.
"""
