"""The client's side: finding hosts, sitting at a table, playing in a terminal.

`session` is the way in for anything that plays (the screens, the plain client,
bots); `browse` finds hosts; `plain` and `app` are the two faces for people.
"""
