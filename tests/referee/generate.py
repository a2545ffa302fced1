"""Whole games written as records, and records spoilt at random, to feed to a record checker.

Everything follows from one integer: `record(plan_for(7))` gives the same bytes every time. On the
command line, from the repository's root:

    python -m tests.referee.generate --count 200 --from 0 DIRECTORY
"""

from __future__ import annotations

import argparse
import dataclasses
import datetime
import hashlib
import json
import random
from collections.abc import Callable
from pathlib import Path

from tests.referee import naive, shuffle

NAMES = ("Ana", "Max", "Zoë", "李雷", "O'Brien", 'the "fox"', "Ж", "🙂")
START = datetime.datetime(2026, 1, 1, 20, tzinfo=datetime.UTC)


@dataclasses.dataclass(frozen=True)
class Plan:
    """What kind of game to play and what to write; probabilities are per step of the game."""

    seed: int
    mode: str = "free"
    players: int = 2
    preset: str = "genial"
    leaving: str = "bot"
    first_by: str = "named"
    look: int = 0
    """How many placements are compared for points; 0: play any at random."""
    level: bool = False
    """Points for low counters are worth more: leads to games that end with all at the cap."""
    humans: bool = True
    """Do people sit there at the start (bots otherwise)?"""
    exchange: float = 0.5
    resign: float = 0.0
    takeover: float = 0.0
    skip: float = 0.0
    """Only where the mode and `leaving` allow it."""
    idle: int = 0
    """For so many steps all seats but the first are skipped (where skipping is allowed), so that
    one player gets to the cap everywhere, or the others find no start symbol left."""
    notes: float = 0.0
    """Events of a type `x-...`, which a reader passes over."""
    early: str | None = None
    """`agreed` or `abandoned`: end so after `steps` steps, if a human ever sat there."""
    steps: int = 0
    clock: bool = False
    at: bool = False
    extras: bool = False
    """Optional keys, and keys that no reader knows."""
    revealed: bool = True
    """Does the end reveal the seed?"""
    finished: bool = True
    """False: the record breaks off before its end."""


def plan_for(seed: int) -> Plan:
    """A plan of any kind, chosen by the seed."""
    rng = random.Random(seed)
    mode = rng.choice(("free", "free", "free", "partners", "solo"))
    trouble = rng.random() < 0.5
    players = {"partners": 4, "solo": 1}.get(mode) or rng.choice((2, 3, 4))
    fill = {1: 42, 2: 42, 3: 60, 4: 81}[players] * (players + 1)  # steps, if one seat fills all
    return Plan(
        seed=seed,
        mode=mode,
        players=players,
        preset=rng.choice(naive.PRESETS),
        leaving=rng.choice(naive.LEAVING),
        first_by=rng.choice(("named", "chance", "rotation")),
        look=rng.choice((0, 10, 60, 200)),
        level=rng.random() < 0.5,
        humans=rng.random() < 0.7,
        resign=rng.choice((0.002, 0.02)) if trouble else 0.0,
        takeover=rng.choice((0.0, 0.05)) if trouble else 0.0,
        skip=rng.choice((0.02, 0.3)) if trouble else 0.0,
        idle=int(fill * rng.uniform(0.7, 1.1)) if rng.random() < 0.3 else 0,
        notes=rng.choice((0.0, 0.0, 0.1)),
        early=rng.choice((None, None, None, "agreed", "abandoned")),
        steps=rng.randrange(60),
        clock=rng.random() < 0.2,
        at=rng.random() < 0.4,
        extras=rng.random() < 0.3,
        revealed=rng.random() < 0.9,
        finished=rng.random() < 0.95,
    )


class Writer:
    """Collects the lines of a record; numbers the events and stamps them."""

    def __init__(self, plan: Plan, rng: random.Random) -> None:
        self.plan, self.rng = plan, rng
        self.lines: list[str] = []
        self.moment = START

    def header(self, header: dict[str, object]) -> None:
        """Write line 1."""
        self.lines.append(json.dumps(header, ensure_ascii=False, separators=(",", ":")))

    def event(self, type_: str, /, **fields: object) -> None:
        """Write the next event."""
        event: dict[str, object] = {"n": len(self.lines), "type": type_, **fields}
        self.moment += datetime.timedelta(milliseconds=self.rng.choice((0, 1, 999, 61_234)))
        if self.plan.clock or (self.plan.at and self.rng.random() < 0.5):
            event["at"] = stamp(self.moment)
        if self.plan.extras and self.rng.random() < 0.1:
            event["remark"] = {"mood": 1.5}
        self.lines.append(json.dumps(event, ensure_ascii=False, separators=(",", ":")))


def stamp(moment: datetime.datetime) -> str:
    """A moment of UTC as a record writes it."""
    return moment.replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"


def seed_of(plan: Plan) -> bytes:
    """The 32 bytes of the deal's seed."""
    return hashlib.sha256(f"seed {plan.seed}".encode()).digest()


def nonce_of(plan: Plan, seat: int) -> bytes:
    """The 32 bytes of a seat's nonce."""
    return hashlib.sha256(f"nonce {plan.seed} {seat}".encode()).digest()


def record(plan: Plan) -> bytes:
    """Play the game that the plan describes; the bytes of its record."""
    rng = random.Random(f"play {plan.seed}")
    writer = Writer(plan, rng)
    seed = seed_of(plan)
    nonces = [nonce_of(plan, seat) for seat in range(plan.players)]
    bag = shuffle.Bag(seed, nonces, chance=plan.first_by == "chance")
    first_seat = rng.randrange(plan.players) if bag.first_seat is None else bag.first_seat
    kinds = ["human" if plan.humans and rng.random() < 0.7 else "bot" for _ in range(plan.players)]
    writer.header(_header(plan, rng, first_seat, kinds, seed, nonces))
    game = naive.NaiveGame(
        plan.preset, plan.mode, plan.players, first_seat, leaving=plan.leaving, kinds=kinds
    )
    for step in range(plan.players):
        seat = (first_seat + step) % plan.players
        drawn = bag.draw(1 if plan.mode == "solo" else naive.RACK)
        _note(plan, rng, writer)
        game.deal(seat, drawn)
        writer.event("deal", seat=seat, drawn=drawn)

    steps = 0
    while not game.finished:
        if plan.early and steps >= plan.steps and game.had_human:
            game.end_early(plan.early)
            break
        _note(plan, rng, writer)
        _step(plan, rng, writer, game, bag, steps)
        steps += 1

    if plan.finished:
        ending: dict[str, object] = {
            "reason": game.reason,
            "ranking": game.ranking,
            "scores": game.scores,
        }
        if plan.revealed:
            ending["shuffle"] = {"seed": seed.hex()}
        writer.event("end", **ending)
    else:
        del writer.lines[rng.randrange(1, len(writer.lines) + 1) :]
    return "\n".join(writer.lines).encode() + rng.choice((b"", b"\n"))


def _header(
    plan: Plan,
    rng: random.Random,
    first_seat: int,
    kinds: list[str],
    seed: bytes,
    nonces: list[bytes],
) -> dict[str, object]:
    rules: dict[str, object] = {
        "preset": plan.preset,
        "mode": plan.mode,
        "players": plan.players,
        "leaving": plan.leaving,
    }
    seats: list[dict[str, object]] = [
        {"seat": seat, "name": rng.choice(NAMES), "kind": kind} for seat, kind in enumerate(kinds)
    ]
    header: dict[str, object] = {
        "record": "genial/1",
        "game_id": f"generated-{plan.seed}",
        "started_at": stamp(START),
        "rules": rules,
        "seats": seats,
        "first_seat": first_seat,
        "first_by": plan.first_by,
    }
    if plan.clock:
        header["clock"] = "10m+10s"
    if plan.extras:
        rules["partners_talk"] = rng.random() < 0.5
        header["software"] = "referee 1"
        header["match"] = {"id": "m", "game": 1, "of": 3}
        header["deal"] = 2
        header["weather"] = ["rain", 1.0, None]
        seats[0]["level"] = "medium"
    header["shuffle"] = {
        "scheme": shuffle.SCHEME,
        "commitment": shuffle.commitment_of(seed),
        "nonce_hashes": [shuffle.nonce_hash_of(nonce) for nonce in nonces],
        "nonces": [nonce.hex() for nonce in nonces],
    }
    return header


def _note(plan: Plan, rng: random.Random, writer: Writer) -> None:
    if rng.random() < plan.notes:
        writer.event(rng.choice(("x-pause", "x-", "x-chat")), seat="anybody", text=[1.0, True])


def _step(
    plan: Plan,
    rng: random.Random,
    writer: Writer,
    game: naive.NaiveGame,
    bag: shuffle.Bag,
    steps: int,
) -> None:
    """One event, other than a note, on or off turn, after so many earlier ones."""
    seat = game.turn
    idle = steps < plan.idle and seat != game.first_seat
    if rng.random() < plan.resign:
        leaver = rng.choice([s for s in range(plan.players) if not game.has_resigned(s)])
        game.resign(leaver)
        writer.event("resign", seat=leaver)
        return
    if rng.random() < plan.takeover:
        taken = rng.choice([s for s in range(plan.players) if not game.has_resigned(s)])
        kind = rng.choice(naive.KINDS) if plan.leaving == "bot" else "human"
        game.takeover(taken, kind)
        writer.event("takeover", seat=taken, name=rng.choice(NAMES), kind=kind)
        return
    skips = plan.leaving == "skip" and plan.mode != "solo"
    if skips and (idle or rng.random() < plan.skip):
        drawn = bag.draw(game.missing(seat))
        game.skip(seat, drawn)
        writer.event("skip", seat=seat, drawn=drawn)
        return
    if game.may_place():
        letters, cells = _choose(plan, rng, game)
        points = game.place(seat, letters, cells)
        writer.event(
            "place",
            seat=seat,
            tile=letters,
            cells=cells,
            points=points,
            scores=game.track_of(seat),
            bonus_owed=game.bonus_owed,
        )
        return
    if rng.random() < plan.exchange and game.may_exchange():
        drawn = bag.draw(naive.RACK)
        returned = game.exchange(seat, drawn)
        bag.put_back(returned)
        writer.event("exchange", seat=seat, returned=returned, drawn=drawn)
        return
    drawn = bag.draw(game.missing(seat))
    game.refill(seat, drawn)
    writer.event("refill", seat=seat, drawn=drawn)


def _choose(plan: Plan, rng: random.Random, game: naive.NaiveGame) -> naive.Placement:
    """The best of as many placements as the plan looks at, letters in either order."""
    pairs = game.allowed_pairs(game.turn)
    tried: list[tuple[int, naive.Placement]] = []
    for _ in range(max(1, plan.look)):
        letters = rng.choice(game.racks[game.turn])
        first, second = rng.choice(pairs)
        if rng.random() < 0.5:
            first, second = second, first
        if rng.random() < 0.5:
            letters = letters[::-1]
        worth = _worth(plan, game, letters, (first, second)) if plan.look else 0
        tried.append((worth, (letters, (first, second))))
    return max(tried, key=lambda one: one[0])[1]


def _worth(plan: Plan, game: naive.NaiveGame, letters: str, cells: naive.Pair) -> int:
    """What a placement is worth to the player of this plan: points, low counters first."""
    track = game.track_of(game.turn)
    full = game.stops[-1] + 1
    return sum(
        points * ((full - track[letter]) if plan.level else 1)
        for letter, points in game.points_of(letters, cells).items()
    )


# Spoiling


def spoil(found: bytes, rng: random.Random) -> tuple[bytes, str]:
    """Change one thing in a record; the new bytes and what was done, in words.

    Not every change is a fault (a reader ignores some keys): ask the reader for the verdict.
    """
    lines = found.split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    name = rng.choice((*_SPOILERS, *["a value changed"] * 4, *["an event put in"] * 2))
    at = 0 if rng.random() < 0.15 else rng.randrange(len(lines))
    if rng.random() < 0.15:
        at = len(lines) - 1
    lines[at : at + 1] = _SPOILERS[name](lines, at, rng)
    return b"\n".join(lines) + b"\n", f"{name}, at line {at + 1}"


def _value(lines: list[bytes], at: int, rng: random.Random) -> list[bytes]:
    """Put something else in the place of one value, anywhere within the line."""
    event = json.loads(lines[at])
    holder, key = _somewhere(event, rng)
    holder[key] = _instead_of(holder[key], rng)
    return [_dump(event)]


def _key(lines: list[bytes], at: int, rng: random.Random) -> list[bytes]:
    """Leave out one key or list entry."""
    event = json.loads(lines[at])
    holder, key = _somewhere(event, rng)
    del holder[key]
    return [_dump(event)]


def _swapped_entries(lines: list[bytes], at: int, rng: random.Random) -> list[bytes]:
    """Turn one list around."""
    event = json.loads(lines[at])
    lists = [value for _, _, value in _walk(event) if isinstance(value, list)]
    if lists:
        rng.choice(lists).reverse()
    return [_dump(event)]


def _known_type(lines: list[bytes], at: int, rng: random.Random) -> list[bytes]:
    """Another type of event."""
    event = json.loads(lines[at])
    event["type"] = rng.choice(
        ("deal", "place", "refill", "exchange", "skip", "resign", "takeover", "end", "x-y", "pass")
    )
    return [_dump(event)]


def _extra_event(lines: list[bytes], at: int, rng: random.Random) -> list[bytes]:
    """One more event, and all that follow renumbered."""
    seat = rng.randrange(4)
    events: list[dict[str, object]] = [
        {"type": "resign", "seat": seat},
        {"type": "takeover", "seat": seat, "name": "Eve", "kind": rng.choice(naive.KINDS)},
        {"type": "skip", "seat": seat, "drawn": []},
        {"type": "refill", "seat": seat, "drawn": []},
        {"type": "x-note"},
    ]
    later: list[bytes] = []
    for number, line in enumerate(lines[at + 1 :], at + 2):
        later.append(_dump({**json.loads(line), "n": number}))
    del lines[at + 1 :]
    return [lines[at], _dump({"n": at + 1, **rng.choice(events)}), *later]


def _dump(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def _walk(value: object) -> list[tuple[object, object, object]]:
    """Every (holder, key, value) within a JSON value."""
    if isinstance(value, dict):
        entries: list[tuple[object, object]] = list(value.items())
    elif isinstance(value, list):
        entries = list(enumerate(value))
    else:
        return []
    found: list[tuple[object, object, object]] = []
    for key, inner in entries:
        found.append((value, key, inner))
        found += _walk(inner)
    return found


def _somewhere(event: object, rng: random.Random) -> tuple[dict[object, object], object]:
    holder, key, _ = rng.choice(_walk(event))
    return holder, key  # type: ignore[return-value]  # a list is used alike, with its index


def _instead_of(value: object, rng: random.Random) -> object:
    others: list[object] = [None, True, "", [], {}, 0, 1.5, "RB", value, [value]]
    if isinstance(value, int):
        others += [value + 1, value - 1, -value, float(value), bool(value), str(value)] * 3
    if isinstance(value, str) and value:
        turned = value[::-1]
        others += [turned, value.upper(), value.lower(), value[1:], value + " ", "human", "bot"]
        others += ["skip", "chance", "named", "official", "genial", "agreed", "resigned"]
        others += [rng.choice(shuffle.standard_tiles())] * 5
    if isinstance(value, list):
        others += [value[1:], value + value[:1], value[::-1]] * 2
    return rng.choice(others)


def _key_twice(line: bytes, rng: random.Random) -> bytes:
    """Give one of the line's own keys a second time."""
    key = rng.choice(sorted(json.loads(line)))
    return line[:-1] + b"," + _dump(key) + b":0}"


_Spoiler = Callable[[list[bytes], int, random.Random], list[bytes]]

_SPOILERS: dict[str, _Spoiler] = {
    "a value changed": _value,
    "a key left out": _key,
    "a list turned around": _swapped_entries,
    "another type": _known_type,
    "an event put in": _extra_event,
    "line left out": lambda lines, at, rng: [],
    "line twice": lambda lines, at, rng: [lines[at], lines[at]],
    "blank line": lambda lines, at, rng: [lines[at], b""],
    "line of spaces": lambda lines, at, rng: [b"  ", lines[at]],
    "byte-order mark": lambda lines, at, rng: [b"\xef\xbb\xbf" + lines[at]],
    "invalid UTF-8": lambda lines, at, rng: [lines[at][:-1] + b',"x":"\xff"}'],
    "a number that is none": lambda lines, at, rng: [lines[at][:-1] + b',"x":NaN}'],
    "an unknown key": lambda lines, at, rng: [lines[at][:-1] + b',"zz":1e9}'],
    "an unknown key, twice": lambda lines, at, rng: [lines[at][:-1] + b',"zz":1,"zz":1}'],
    "a key twice": lambda lines, at, rng: [_key_twice(lines[at], rng)],
    "cut short": lambda lines, at, rng: [lines[at][: rng.randrange(len(lines[at]))]],
    "no object": lambda lines, at, rng: [b"[" + lines[at] + b"]"],
    "carriage return": lambda lines, at, rng: [lines[at] + b"\r"],
}


def main() -> None:
    """Write records 0, 1, 2, ... of any kind into a directory."""
    parser = argparse.ArgumentParser(description="Write generated game records.")
    parser.add_argument("directory", type=Path)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--from", type=int, default=0, dest="first", help="the first seed")
    options = parser.parse_args()
    options.directory.mkdir(parents=True, exist_ok=True)
    for seed in range(options.first, options.first + options.count):
        plan = plan_for(seed)
        name = f"{seed:05}-{plan.mode}-{plan.players}-{plan.preset}.genial"
        (options.directory / name).write_bytes(record(plan))


if __name__ == "__main__":
    main()
