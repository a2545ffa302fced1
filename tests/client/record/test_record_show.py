from __future__ import annotations

import re
from pathlib import Path

import pytest

from genial.client.record_files import OpenedRecord, open_bytes, open_record
from genial.client.record_show import board_lines, show_game, show_position
from genial.client.replay import Replay
from genial.engine.board import START_SYMBOLS, Board, cell_name
from genial.engine.hexgrid import Axial
from tests.client.record.vectors import (
    FREE_2,
    FREE_4,
    GOOD,
    PARTNERS,
    SOLO,
    changed,
    renamed,
)

CELL = re.compile(r"[:<]?([RGBOYP.,-])[:>]?")


def read(path: Path) -> tuple[OpenedRecord, Replay]:
    opened = open_record(path)
    return opened, Replay.of(opened.record)


def letters(lines: list[str], board: Board) -> dict[Axial, str]:
    """What a drawn board shows, cell by cell, read with the names at its edges alone."""
    found = {}
    radius = board.zone.radius
    for r, line in zip(range(-radius, radius + 1), lines, strict=True):
        first, *cells, last = line.split()
        row = [Axial(q, r) for q in range(max(-radius, -radius - r), min(radius, radius - r) + 1)]
        assert (first, last) == (cell_name(row[0]), cell_name(row[-1]))
        for cell, text in zip(row, cells, strict=True):
            match = CELL.fullmatch(text)
            assert match is not None, text
            found[cell] = match[1]
    return found


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.stem)
def test_the_board_shows_every_cell_by_its_letter(path: Path) -> None:
    _opened, replay = read(path)
    for at in (replay.start, replay.dealt + 7, replay.end):
        board = replay.positions[at].game.board
        for cell, letter in letters(board_lines(board), board).items():
            symbol = board[cell]
            assert letter in ".,-" if symbol is None else letter == symbol.letter


def test_the_board_marks_printed_symbols_and_the_last_tile() -> None:
    _opened, replay = read(FREE_4)
    position = replay.positions[replay.end]
    text = "\n".join(board_lines(position.game.board, position.last_placed))
    assert len(re.findall(r":[RGBOYP]:", text)) == len(START_SYMBOLS)
    assert re.findall(r"<([RGBOYP])>", text) == ["G", "P"]


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.stem)
def test_a_game_is_shown_in_ascii_within_80_columns(path: Path) -> None:
    opened, replay = read(path)
    shown = [show_game(opened, replay)]
    shown += [show_position(replay, at) for at in range(replay.end + 1)]
    for text in shown:
        assert text.isascii()
        assert text.endswith("\n")
        assert all(line == line.rstrip() for line in text.splitlines())
    # A ranking with all its counters is a sentence, and as long as it is.
    lines = [line for line in "".join(shown).splitlines() if not line.startswith("Rank ")]
    assert max(map(len, lines)) <= 80


def test_a_whole_game_is_told_from_the_rules_to_the_ranking() -> None:
    opened, replay = read(FREE_4)
    text = show_game(opened, replay)
    assert "Rules: free for all, 4 players, rules genial" in text
    assert "Verified: every draw follows from the seed" in text
    assert "  0  P0  bot, begins, as named before the game" in text
    placed = re.findall(r"^ +(\d+) +(\d+)  P\d  [RGBOYP]{2} [A-O]\d+ [A-O]\d+ ", text, re.M)
    assert [int(move) for _n, move in placed] == list(range(1, 71))
    assert [int(n) for n, _move in placed] == [
        position.n
        for position in replay.positions
        if position.led is not None and "Placed" in type(position.led.event).__name__
    ]
    assert text.count("Ingenious!") == sum(bool(replay.calls(at)) for at in range(replay.end + 1))
    assert text.count("The game is over: a track is full in all six symbols.") == 2
    assert re.search(r"^Rank 1: P0, lowest first 18 18 18 18 18 18", text, re.M)
    assert "  P1  Y  8  R 18  G 18  B 18  O 18  P 18" in text


def test_a_position_shows_all_racks_the_bag_and_whose_turn_it_is() -> None:
    _opened, replay = read(FREE_4)
    at = replay.place_of(60)
    text = show_position(replay, at)
    assert text.startswith("AFTER EVENT 60\nP2 drew BO.\n")
    for rack in replay.positions[at].racks:
        assert ", ".join(map(str, rack)) in text
    assert "The bag holds 67 tiles." in text
    assert "It is the turn of P3." in text
    assert show_position(replay, replay.start).startswith("BEFORE THE DEAL\n")


def test_partners_share_a_line_and_solitaire_has_one() -> None:
    text = show_game(*read(PARTNERS))
    assert "Rules: partners, rules genial" in text
    assert "  P1 and P3  P 30  B 33  Y 34  O 35  R 36  G 36" in text
    text = show_game(*read(SOLO))
    assert "Rules: solitaire, rules genial\n" in text
    assert "begins" not in text


def test_what_a_header_may_hold_besides_is_told() -> None:
    def change(lines: list[dict[str, object]]) -> None:
        lines[0] |= {
            "match": {"id": "m", "game": 2, "of": 3},
            "deal": 2,
            "software": "genial-lan 9.9\x1b[31m",
        }

    opened = open_bytes("more", changed(FREE_2, change))
    text = show_game(opened, Replay.of(opened.record))
    assert "Match: game 2 of 3\n" in text
    assert "Deal 2: earlier ones were void\n" in text
    assert "Written by genial-lan 9.9?[31m\n" in text


def test_an_unfinished_game_says_where_it_breaks_off() -> None:
    lines = FREE_2.read_bytes().splitlines(keepends=True)
    opened = open_bytes("half", b"".join(lines[:9]))
    text = show_game(opened, Replay.of(opened.record))
    assert "Consistent, but the deal cannot be verified: the game is unfinished." in text
    assert "The record breaks off here.\nIt is the turn of P" in text
    opened = open_bytes("header", lines[0])
    assert "The record breaks off here." in show_game(opened, Replay.of(opened.record))


def test_wide_names_keep_the_columns_straight() -> None:
    opened = open_bytes("wide", renamed(FREE_2, ["李雷", "Bo"]))
    text = show_game(opened, Replay.of(opened.record))
    assert "  李雷  " in text
    assert re.search(r"^  Bo    [RGBOYP] +\d", text, re.M)
