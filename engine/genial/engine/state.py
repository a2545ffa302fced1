"""The state of a game, as its events have made it, and what can be asked of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from genial.engine.board import Board
from genial.engine.legality import exchange_refusal, open_pairs, placements_on
from genial.engine.moves import Cells, Ended, Phase, Placed, Seat
from genial.engine.rules import EMPTY_TRACK, Rules, SeatKind, Track
from genial.engine.shuffle import Bag
from genial.engine.tiles import Symbol, Tile


@dataclass(frozen=True, slots=True)
class Game:
    """One game at one revision.

    Attributes:
        racks: One for each seat, in drawing order.
        tracks: One for each team of `rules.teams`.
        turn: The seat whose turn it is (before the deal: the first).
        claimed: Start symbols that a first placement has taken.
        started: Seats that have made their first placement.
        resigned: Seats that gave up, earliest first.
        revision: How many events made this state.
        latest: Each seat's latest placement.
        last_mover: The seat that placed last.
        had_human: Whether a person sat at any time.
        ended: How it ended, once it has.
    """

    rules: Rules
    seats: tuple[Seat, ...]
    first_seat: int
    board: Board
    racks: tuple[tuple[Tile, ...], ...]
    tracks: tuple[Track, ...]
    bag: Bag
    turn: int
    phase: Phase = Phase.DEAL
    bonus_owed: int = 0
    claimed: frozenset[Symbol] = frozenset()
    started: frozenset[int] = frozenset()
    resigned: tuple[int, ...] = ()
    revision: int = 0
    latest: tuple[Placed | None, ...] = ()
    last_mover: int | None = None
    had_human: bool = False
    ended: Ended | None = None

    @classmethod
    def new(cls, rules: Rules, seats: Iterable[Seat], first_seat: int, bag: Bag) -> Game:
        """A game before its deal.

        Raises:
            ValueError: Seats and rules do not fit, or there is no such first seat.
        """
        seats = tuple(seats)
        if len(seats) != rules.players:
            raise ValueError(f"{rules.players} players need as many seats, not {len(seats)}")
        if not 0 <= first_seat < rules.players:
            raise ValueError(f"there is no seat {first_seat} among {rules.players}")
        return cls(
            rules=rules,
            seats=seats,
            first_seat=first_seat,
            board=Board.start(rules.zone),
            racks=((),) * rules.players,
            tracks=(EMPTY_TRACK,) * len(rules.teams),
            bag=bag,
            turn=first_seat,
            latest=(None,) * rules.players,
            had_human=any(seat.kind is SeatKind.HUMAN for seat in seats),
        )

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.phase is Phase.OVER

    def track(self, seat: int) -> Track:
        """The track that a seat scores on."""
        return self.tracks[self.rules.team_of(seat)]

    def rack(self, seat: int) -> tuple[Tile, ...]:
        """A seat's tiles in canonical order."""
        return tuple(sorted(self.racks[seat]))

    def turn_order(self) -> tuple[int, ...]:
        """All seats, clockwise from the first."""
        players = self.rules.players
        return tuple((self.first_seat + step) % players for step in range(players))

    def may_exchange(self, seat: int) -> bool:
        """Whether this seat may exchange its rack now."""
        return (
            exchange_refusal(
                self.rules,
                self.board,
                self.turn,
                self.phase,
                self.bonus_owed,
                seat,
                self.track(seat),
                self.racks[seat],
            )
            is None
        )

    def legal_pairs(self, seat: int) -> list[tuple[int, int]]:
        """The pairs of cells (mailbox indices, each once) that a seat may place on now."""
        if self.turn != seat or self.phase not in (Phase.PLACE, Phase.BONUS):
            return []
        return open_pairs(self.board, self.claimed, seat in self.started)

    def legal_placements(self, seat: int) -> list[tuple[Tile, Cells]]:
        """Every placement that `decide` accepts from this seat, each way round once."""
        return placements_on(self.legal_pairs(seat), self.racks[seat])
