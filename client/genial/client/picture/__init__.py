"""Pictures of boards and games as SVG: pure, from engine values to a document's text.

    record.py   a recorded game: board, tracks, and how they grew
    race.py     the race of the tracks, a panel for each
    board.py    a board with tiles, marks and lines, as large as wanted
    shapes.py   the six symbols
    svg.py      elements

Every symbol shows its shape, its colour and its letter (docs/rules.md, section 1).
"""
