"""The naive referee and its bag, by counting and by positions made by hand."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from tests.referee import naive, policies, shuffle

# The board


@pytest.mark.parametrize(
    ("players", "cells", "free", "pairs", "at_a_symbol"),
    [(1, 91, 85, 222, 9), (2, 91, 85, 222, 9), (3, 127, 121, 306, 17), (4, 169, 163, 426, 24)],
)
def test_start_position(players: int, cells: int, free: int, pairs: int, at_a_symbol: int) -> None:
    zone = naive.zone(players)
    board = naive.START_SYMBOLS
    assert len(zone) == cells
    assert len(zone - set(board)) == free
    assert len(naive.free_pairs(board, zone)) == pairs
    mode = "solo" if players == 1 else "free"
    game = naive.NaiveGame("genial", mode, players)
    game.racks[0] = ["RG"]
    assert len(game.allowed_pairs(0)) == 6 * at_a_symbol
    assert len(game.legal_placements(0)) == 2 * 6 * at_a_symbol
    for symbol in board:
        game.claimed = set(board) - {symbol}
        assert len(game.allowed_pairs(0)) == at_a_symbol


def test_a_double_comes_one_way_round_and_a_repeated_tile_once() -> None:
    game = two([["RR", "RR", "RG", "RB", "RB", "RP"], YELLOWS])
    game.first_done.add(0)
    placements = game.legal_placements(0)
    assert len(placements) == len(set(placements)) == 222 * (1 + 2 * 3)
    listed = naive.scored_placements(game.board, game.cells, game.racks[0])
    assert {(letters, tuple(sorted(cells))) for letters, cells, _, _ in listed} == {
        (letters, tuple(sorted(cells))) for letters, cells in placements
    }
    assert len(listed) == len(placements)


# Positions


YELLOWS = ["YY", "YY", "YY", "YY", "YY", "YP"]


def two(racks: list[list[str]], preset: str = "genial") -> naive.NaiveGame:
    """A game of two in its first turn."""
    return naive.NaiveGame(preset, "free", 2, 0, racks)


def fill(game: naive.NaiveGame, letter: str, *free: naive.Cell) -> None:
    """Put one letter on all free cells of the zone but these."""
    for cell in game.cells - set(free):
        game.board.setdefault(cell, letter)


def test_scoring_looks_along_five_directions_and_not_past_a_gap() -> None:
    board = {
        (1, 0): "R",
        (2, 0): "R",
        (4, 0): "R",  # beyond a gap
        (0, 1): "R",
        (-1, 1): "G",
        (-2, 2): "R",  # beyond another symbol
        (0, -1): "R",
        (-2, 0): "R",  # beyond the other half
    }
    assert naive.half_points(board, "R", (0, 0), (-1, 0)) == 4
    assert naive.half_points(board, "G", (0, 0), (-1, 0)) == 1


def test_a_double_counts_nothing_of_itself_but_each_half_its_own_lines() -> None:
    game = two([["RR"] * 5 + ["RG"], YELLOWS])
    assert game.points_of("RR", ((0, -4), (1, -4))) == {"R": 1}
    assert game.points_of("RR", ((0, -4), (1, -5))) == {"R": 2}
    assert game.points_of("RR", ((0, -4), (0, -3))) == {"R": 1}
    assert game.points_of("RG", ((3, 0), (4, 0))) == {}


def test_first_placement_needs_a_symbol_of_its_own() -> None:
    game = two([["RG"] * 5 + ["RR"], YELLOWS])
    with pytest.raises(naive.Illegal, match="start symbol"):
        game.place(0, "RG", ((0, 0), (1, 0)))
    game.place(0, "GR", ((1, -5), (2, -5)))
    assert game.claimed == {(0, -5)}
    game.refill(0, ["BB"])
    with pytest.raises(naive.Illegal, match="start symbol"):
        game.place(1, "YY", ((0, -4), (0, -3)))
    game.place(1, "YY", ((4, 0), (3, 0)))
    game.refill(1, ["BB"])
    game.place(0, "RG", ((-1, 0), (0, 0)))
    assert game.claimed == {(0, -5), (5, 0)}


def test_without_any_free_symbol_a_first_placement_goes_anywhere() -> None:
    game = two([["RG"] * 5 + ["RR"], YELLOWS])
    for symbol in naive.START_SYMBOLS:
        if symbol != (0, -5):
            game.board.update((c, "P") for c in naive.neighbours(symbol) if c in game.cells)
    game.claimed.add((0, -5))
    assert len(game.allowed_pairs(0)) == len(naive.free_pairs(game.board, game.cells))
    game.place(0, "RG", ((0, 0), (1, 0)))
    assert game.claimed == {(0, -5)}
    assert game.first_done == {0}


def test_free_cells_beside_a_symbol_that_make_no_pair_do_not_bind() -> None:
    game = two([["RG"] * 5 + ["RR"], YELLOWS])
    game.claimed = set(naive.START_SYMBOLS) - {(5, 0)}
    around = {c for c in naive.neighbours((5, 0)) if c in game.cells}
    lonely = (4, 0)
    for cell in (around | set(naive.neighbours(lonely))) - {lonely, (5, 0)}:
        game.board[cell] = "P"
    assert len(game.allowed_pairs(0)) == len(naive.free_pairs(game.board, game.cells)) > 0


def test_a_counter_stops_at_18_and_each_that_gets_there_owes_a_bonus() -> None:
    game = two([["RG", "RG", "BB", "BO", "BO", "BO"], YELLOWS])
    game.first_done.add(0)
    game.tracks[0] = {"R": 17, "G": 17, "B": 18, "O": 0, "Y": 0, "P": 0}
    game.board.update({(0, 1): "R", (0, 2): "R", (-1, 1): "R", (2, 0): "G", (0, -1): "B"})
    assert game.place(0, "RG", ((0, 0), (1, 0))) == {"R": 1, "G": 1}
    assert game.bonus_owed == 2
    with pytest.raises(naive.Illegal, match="bonus"):
        game.refill(0, ["PP"])
    with pytest.raises(naive.Illegal, match="bonus"):
        game.exchange(0, ["PP"] * 6)
    assert not game.may_exchange()
    assert game.place(0, "BB", ((-1, -1), (0, -2))) == {}, "a full counter earns nothing"
    assert game.bonus_owed == 1
    game.place(0, "BO", ((3, -2), (3, -1)))
    assert game.bonus_owed == 0
    with pytest.raises(naive.Illegal, match="no bonus"):
        game.place(0, "BO", ((2, 1), (2, 2)))
    game.refill(0, ["PP", "PP", "PP"])
    assert game.turn == 1


def test_a_bonus_placement_earns_another() -> None:
    game = two([["RG", "BB", "BO", "BO", "BO", "RG"], YELLOWS])
    game.first_done.add(0)
    game.tracks[0] = {"R": 17, "G": 0, "B": 17, "O": 0, "Y": 0, "P": 0}
    game.board.update({(0, 1): "R", (-3, 0): "B"})
    game.place(0, "RG", ((0, 0), (1, 0)))
    assert game.bonus_owed == 1
    game.place(0, "BO", ((-4, 0), (-4, 1)))
    assert game.bonus_owed == 1
    game.place(0, "BO", ((-4, 2), (-4, 3)))
    assert game.bonus_owed == 0


def test_owed_bonuses_lapse_when_the_rack_is_empty_and_not_before() -> None:
    game = two([["RG", "BB", "BO", "BO", "BO", "RG"], YELLOWS])
    game.first_done.add(0)
    game.racks[0] = ["RG", "BB"]
    game.tracks[0] = {"R": 17, "G": 17, "B": 0, "O": 0, "Y": 0, "P": 0}
    game.board.update({(0, 1): "R", (2, 0): "G"})
    game.place(0, "RG", ((0, 0), (1, 0)))
    assert game.bonus_owed == 2, "one tile is left, two are owed"
    game.place(0, "BB", ((-4, 2), (-4, 3)))
    assert game.bonus_owed == 0
    assert not game.may_exchange(), "never with an empty rack"
    game.refill(0, ["PP"] * 5 + ["GG"])


def test_all_at_cap_cancels_bonuses_and_goes_before_a_full_board() -> None:
    game = two([["RG", "BB", "BO", "BO", "BO", "RG"], YELLOWS])
    game.first_done.add(0)
    fill(game, "R", (0, 0), (1, 0))
    game.tracks[0] = dict.fromkeys("RGBOYP", 18) | {"R": 17}
    game.tracks[1] = dict.fromkeys("RGBOYP", 17)
    assert game.place(0, "RG", ((0, 0), (1, 0))) == {"R": 1}
    assert (game.reason, game.bonus_owed, game.ranking) == ("all_at_cap", 0, [[0], [1]])


def test_a_full_board_ends_the_game_at_once() -> None:
    game = two([["RG", "BB", "BO", "BO", "BO", "RG"], YELLOWS])
    game.first_done.add(0)
    fill(game, "R", (0, 0), (1, 0), (3, 0))  # one free cell is no place for a tile
    game.tracks[0]["R"] = 17
    game.place(0, "RG", ((0, 0), (1, 0)))
    assert (game.reason, game.bonus_owed) == ("board_full", 0)
    assert len(game.racks[0]) == 5
    with pytest.raises(naive.Illegal, match="over"):
        game.refill(0, ["PP"])
    with pytest.raises(naive.Illegal, match="after the game"):
        game.resign(1)
    with pytest.raises(naive.Illegal, match="after the game"):
        game.takeover(1, "human")
    with pytest.raises(naive.Illegal, match="not running"):
        game.end_early("agreed")


def test_exchange_if_no_tile_shows_a_lowest_symbol() -> None:
    for preset in naive.PRESETS:
        game = two([["RG", "RG", "RB", "RB", "BB", "BB"], YELLOWS], preset)
        game.tracks[0] = {"R": 5, "G": 5, "B": 5, "O": 2, "Y": 3, "P": 2}
        assert not game.may_exchange(), "a tile has to be placed first"
        game.place(0, "RB", ((0, -4), (1, -4)))
        assert game.may_exchange()
        game.racks[0][-1] = "BP"  # P is one of two lowest
        assert not game.may_exchange()
        game.racks[0][-1] = "BY"
        assert game.may_exchange()


def test_exchange_if_no_placement_finds_a_like_symbol() -> None:
    genial, official = (two([["GY"] * 6, ["BB"] * 5 + ["RR"]], p) for p in naive.PRESETS)
    for game in (genial, official):
        game.placed = True
        fill(game, "R", (0, 0), (1, 0))
    assert genial.may_exchange()
    assert not official.may_exchange()
    genial.board[(2, 0)] = "Y"
    genial.tracks[0]["Y"] = 18
    assert not genial.may_exchange(), "a match in a full counter counts as a match"
    genial.board[(2, 0)] = "R"
    genial.racks[0] = ["GY", "GR"]
    assert not genial.may_exchange()


def test_exchange_draws_first_and_gives_back_then() -> None:
    game = two([["GB", "PP", "OO", "RG", "RR", "YY"], ["YY"] * 4 + ["YP"] * 2])
    game.tracks[0] = dict.fromkeys("RGBOYP", 3) | {"B": 0}
    game.place(0, "GB", ((0, -4), (1, -4)))
    assert game.may_exchange()
    with pytest.raises(naive.Illegal, match="the bag holds"):
        game.exchange(0, ["YY", "BB", "BB", "BB", "BB", "BB"])
    with pytest.raises(naive.Illegal, match="tiles are drawn"):
        game.exchange(0, ["BB"] * 5)
    assert game.exchange(0, ["BB"] * 5 + ["RB"]) == ["RR", "RG", "OO", "YY", "PP"]
    assert game.turn == 1
    assert game.bag["YY"] == 1
    assert game.bag.total() == 120 - 12 - 1


def test_a_short_bag_gives_what_is_there() -> None:
    game = two([["GB", "PP", "OO", "RG", "RR", "YY"], YELLOWS[:4] + ["YP"] * 2])
    game.place(0, "GB", ((0, -4), (1, -4)))
    game.bag = Counter()
    game.refill(0, [])
    assert len(game.racks[0]) == 5


# Partners and solitaire


def partners(racks: list[list[str]] | None = None) -> naive.NaiveGame:
    """A game of two pairs; all seats have made their first placement."""
    game = naive.NaiveGame("genial", "partners", 4, 0, racks or [["RR", "RG", "RB"] * 2] * 4)
    game.first_done = {0, 1, 2, 3}
    return game


def joint(rack: list[str]) -> naive.NaiveGame:
    """The same with this rack on seat 0, and lines of 2 and of 5 `R` about (0,1) and (1,1)."""
    game = naive.NaiveGame("genial", "partners", 4, 0)
    for seat in range(4):
        game.deal(seat, ["OO", "OY", "OY", "OY", "OP", "OP"] if seat == 0 else _other(seat))
    game.racks[0] = rack
    game.first_done = {0, 1, 2, 3}
    for q in (-1, -2, 2, 3, 4, 5, 6):
        game.board[(q, 1)] = "R"
    return game


def _other(seat: int) -> list[str]:
    return [["BB"] * 5 + ["GO"], ["GG"] * 5 + ["GO"], ["PP"] * 5 + ["GO"]][seat - 1]


@pytest.mark.parametrize(
    ("before", "after", "owed"),
    [
        (10, 17, 0),
        (11, 18, 1),  # exactly
        (12, 18, 1),  # either order stops at the second half
        (13, 20, 1),  # the five first, to 18, then two more
        (15, 20, 1),  # two first: 17, then 18; five first: 18, then 20
        (16, 23, 1),  # two first: 18, then 23; five first: 18, then 20
        (17, 23, 1),
        (18, 25, 0),  # past the stop it counts on
        (30, 36, 1),
        (34, 36, 1),
        (36, 36, 0),
    ],
)
def test_a_double_on_the_double_track(before: int, after: int, owed: int) -> None:
    game = joint(["RR", "GG", "GG"])
    game.tracks[0]["R"] = before
    points = game.place(0, "RR", ((1, 1), (0, 1)))
    assert points == ({"R": after - before} if after > before else {})
    assert game.bonus_owed == owed
    assert game.scores[0] == game.scores[2] == {**dict.fromkeys("RGBOYP", 0), "R": after}
    assert game.scores[1]["R"] == 0


def test_two_stops_in_one_placement_owe_two_bonuses() -> None:
    game = joint(["RR", "GG", "GG"])
    for dq, dr in naive.DIRECTIONS:
        if (dq, dr) == (-1, 0):
            continue
        for step in range(1, 8):
            cell = (1 + dq * step, 1 + dr * step)
            if cell in game.cells and game.board.get(cell, "R") == "R":
                game.board[cell] = "R"
    game.tracks[0]["R"] = 17
    second = naive.half_points(game.board, "R", (1, 1), (0, 1))
    assert second >= 18
    assert game.place(0, "RR", ((0, 1), (1, 1))) == {"R": 19}
    assert game.bonus_owed == 2


def test_a_mixed_tile_on_the_double_track_stops_at_18() -> None:
    game = joint(["RG", "GG", "GG"])
    game.tracks[0]["R"] = 15
    assert game.place(0, "RG", ((1, 1), (0, 1))) == {"R": 3}


def test_exchange_of_partners_looks_at_the_joint_track() -> None:
    game = joint(["RG", "OO", "OO"])
    game.tracks[0] = {"R": 4, "G": 4, "B": 0, "O": 1, "Y": 4, "P": 4}
    game.place(0, "RG", ((1, 1), (0, 1)))
    assert game.may_exchange()


def test_partners_win_with_36_everywhere() -> None:
    game = joint(["RG", "OO", "OO"])
    game.tracks[0] = dict.fromkeys("RGBOYP", 36) | {"R": 35}
    game.place(0, "RG", ((1, 1), (0, 1)))
    assert (game.reason, game.bonus_owed) == ("all_at_cap", 0)
    assert game.ranking == [[0, 2], [1, 3]]


def test_18_everywhere_is_no_win_on_a_double_track() -> None:
    game = joint(["RG", "OO", "OO"])
    game.tracks[0] = dict.fromkeys("RGBOYP", 18) | {"R": 17}
    game.place(0, "RG", ((1, 1), (0, 1)))
    assert (game.reason, game.bonus_owed) == (None, 1)


def test_solitaire_has_the_stops_but_no_bonus_and_no_exchange() -> None:
    game = naive.NaiveGame("genial", "solo", 1, 0, [["GO"]])
    game.first_done.add(0)
    game.board.update({(2, 0): "G", (3, 0): "G"})
    game.tracks[0] |= {"G": 17, "R": 5}
    assert game.place(0, "GO", ((1, 0), (0, 0))) == {"G": 1}
    assert game.bonus_owed == 0
    assert not game.may_exchange()
    with pytest.raises(naive.Illegal):
        game.skip(0, ["GG"])
    game.refill(0, ["GG"])
    assert game.place(0, "GG", ((1, 1), (1, 2))) == {"G": 2}
    game.refill(0, ["GG"])
    game.resign(0)
    assert (game.reason, game.ranking) == ("resigned", [[0]])


# Ranking, resigning, leaving


def test_ranking_compares_the_lowest_first_and_shares_ranks() -> None:
    game = naive.NaiveGame("genial", "free", 4)
    for track, numbers in zip(
        game.tracks,
        ([9, 12, 13, 18, 18, 18], [14, 9, 12, 14, 14, 14], [18, 13, 9, 18, 12, 18], [9] * 6),
        strict=True,
    ):
        track.update(zip("RGBOYP", numbers, strict=True))
    assert game.ranking == [[1], [0, 2], [3]]


def test_ranking_of_partners() -> None:
    game = partners([["OO", "OY", "OY", "OP", "OP", "OP"], *(_other(seat) for seat in (1, 2, 3))])
    assert game.ranking == [[0, 1, 2, 3]]
    game.tracks[1] = dict.fromkeys("RGBOYP", 1)
    assert game.ranking == [[1, 3], [0, 2]]
    game.resign(3)
    assert (game.reason, game.ranking) == ("resigned", [[0, 2], [1, 3]])


def four() -> naive.NaiveGame:
    """A game of four, all dealt to."""
    racks = [["OO", "OY", "OY", "OP", "OP", "OP"], *(_other(seat) for seat in (1, 2, 3))]
    return naive.NaiveGame("genial", "free", 4, 0, racks)


def test_resigned_seats_are_passed_over_and_rank_below() -> None:
    game = four()
    game.resign(1)  # off turn
    assert game.turn == 0
    game.place(0, "OO", ((0, -4), (1, -4)))
    game.tracks[0]["R"] = 17
    bag = game.bag.copy()
    game.bonus_owed = 2
    game.resign(0)  # on turn: what is owed lapses, nothing is drawn
    assert (game.turn, game.placed, game.bonus_owed, game.bag) == (2, False, 0, bag)
    game.tracks[1] = dict.fromkeys("RGBOYP", 18)
    assert game.ranking == [[2, 3], [0], [1]]
    with pytest.raises(naive.Illegal, match="resigned already"):
        game.resign(0)
    with pytest.raises(naive.Illegal, match="has resigned"):
        game.takeover(1, "human")
    game.resign(3)
    assert (game.reason, game.ranking) == ("resigned", [[2], [3], [0], [1]])


def test_a_skipped_seat_is_refilled_and_owes_nothing() -> None:
    game = four()
    with pytest.raises(naive.Illegal, match="skipped"):
        game.skip(0, [])
    game.leaving = "skip"
    with pytest.raises(naive.Illegal, match="turn of seat 0"):
        game.skip(1, [])
    game.skip(0, [])
    game.place(1, "GO", ((0, -4), (1, -4)))
    game.bonus_owed = 1
    game.skip(1, ["RR"])
    assert (game.turn, game.bonus_owed, len(game.racks[1])) == (2, 0, 6)
    with pytest.raises(naive.Illegal, match="no bot"):
        game.takeover(0, "bot")
    game.takeover(0, "human")


def test_only_people_agree_or_abandon() -> None:
    game = four()
    game.kinds, game.had_human = ["bot"] * 4, False
    for reason in ("agreed", "abandoned"):
        with pytest.raises(naive.Illegal, match="without any human"):
            game.end_early(reason)
    game.takeover(2, "human")
    game.takeover(2, "bot")
    game.end_early("abandoned")
    assert game.ranking == [[0, 1, 2, 3]]


@pytest.mark.parametrize(
    ("mode", "players", "policy"),
    [
        ("solo", 1, policies.greedy_policy),
        ("free", 2, policies.greedy_policy),
        ("free", 3, policies.random_policy),
        ("free", 4, policies.random_policy),
        ("partners", 4, policies.random_policy),
    ],
)
def test_a_whole_game(mode: str, players: int, policy: policies.Policy) -> None:
    game = policies.play_game(players, random.Random(1), policy=policy, mode=mode)
    assert game.reason == "board_full"
    on_board = (len(game.board) - 6) // 2
    assert on_board + sum(map(len, game.racks)) + game.bag.total() == 120


# The bag


def test_the_standard_tiles() -> None:
    tiles = Counter(shuffle.standard_tiles())
    assert tiles.total() == 120
    assert Counter(tiles.values()) == {5: 6, 6: 15}
    assert shuffle.standard_tiles()[4:12] == ["RR"] + ["RG"] * 6 + ["RB"]


def test_drawing_takes_from_the_end_and_an_exchange_goes_on_with_the_words() -> None:
    bag, again = (shuffle.Bag(b"s" * 32, [b"n" * 32], chance=False) for _ in range(2))
    last = bag.tiles[:-4:-1]
    assert bag.draw(3) == last
    drawn = again.draw(3)
    bag.put_back(drawn)
    again.put_back(drawn[::-1])
    assert bag.tiles == again.tiles, "the tiles go back in canonical order"
    assert Counter(bag.tiles) == Counter(shuffle.standard_tiles())
    assert bag.first_seat is None
