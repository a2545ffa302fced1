"""Every reason for which a command is refused.

Refused
  wrong moment   GAME_OVER  NOT_DEALT  ALREADY_DEALT  NOT_YOUR_TURN  SEAT_RESIGNED
                 BONUS_OWED  NOT_PLACED_YET  ALREADY_PLACED
  wrong spot     CELLS_NOT_ADJACENT  OUTSIDE_ZONE  CELL_OCCUPIED
                 START_SYMBOL_NEEDED  START_SYMBOL_TAKEN
  wrong tile     TILE_NOT_ON_RACK
  exchange       NO_EXCHANGE_IN_MODE  EXCHANGE_NEEDS_TILES  LOWEST_SYMBOL_ON_RACK
                 DRAWN_BY_ITSELF
  table          NO_SUCH_SEAT  SKIP_NOT_IN_RULES  TAKEOVER_NOT_IN_RULES
                 NOBODY_TO_AGREE  NOT_AN_EARLY_END
"""

from __future__ import annotations

from enum import StrEnum


class Refusal(StrEnum):
    """A reason; `sentence` says in English what is wrong and what to do."""

    GAME_OVER = "GAME_OVER"
    NOT_DEALT = "NOT_DEALT"
    ALREADY_DEALT = "ALREADY_DEALT"
    NOT_YOUR_TURN = "NOT_YOUR_TURN"
    SEAT_RESIGNED = "SEAT_RESIGNED"
    BONUS_OWED = "BONUS_OWED"
    NOT_PLACED_YET = "NOT_PLACED_YET"
    ALREADY_PLACED = "ALREADY_PLACED"
    CELLS_NOT_ADJACENT = "CELLS_NOT_ADJACENT"
    OUTSIDE_ZONE = "OUTSIDE_ZONE"
    CELL_OCCUPIED = "CELL_OCCUPIED"
    START_SYMBOL_NEEDED = "START_SYMBOL_NEEDED"
    START_SYMBOL_TAKEN = "START_SYMBOL_TAKEN"
    TILE_NOT_ON_RACK = "TILE_NOT_ON_RACK"
    NO_EXCHANGE_IN_MODE = "NO_EXCHANGE_IN_MODE"
    EXCHANGE_NEEDS_TILES = "EXCHANGE_NEEDS_TILES"
    LOWEST_SYMBOL_ON_RACK = "LOWEST_SYMBOL_ON_RACK"
    DRAWN_BY_ITSELF = "DRAWN_BY_ITSELF"
    NO_SUCH_SEAT = "NO_SUCH_SEAT"
    SKIP_NOT_IN_RULES = "SKIP_NOT_IN_RULES"
    TAKEOVER_NOT_IN_RULES = "TAKEOVER_NOT_IN_RULES"
    NOBODY_TO_AGREE = "NOBODY_TO_AGREE"
    NOT_AN_EARLY_END = "NOT_AN_EARLY_END"

    @property
    def sentence(self) -> str:
        """English, with {placeholders} that the refusal's metadata fill."""
        return SENTENCES[self]


SENTENCES: dict[Refusal, str] = {
    Refusal.GAME_OVER: "The game is over; start a rematch to play on.",
    Refusal.NOT_DEALT: "The tiles are not dealt yet; wait for the deal.",
    Refusal.ALREADY_DEALT: "This game is dealt already; its tiles are dealt only once.",
    Refusal.NOT_YOUR_TURN: "It is not your turn; wait until the others have played.",
    Refusal.SEAT_RESIGNED: "This seat has resigned and takes no more turns.",
    Refusal.BONUS_OWED: "You still owe {owed} bonus placement(s); place a tile first.",
    Refusal.NOT_PLACED_YET: "Place a tile first; refill or exchange ends the turn after it.",
    Refusal.ALREADY_PLACED: "You have placed your tile; end your turn with refill or exchange.",
    Refusal.CELLS_NOT_ADJACENT: "{one} and {other} are not neighbours; choose two joined cells.",
    Refusal.OUTSIDE_ZONE: "{cell} is outside the zone of this game; choose a cell inside.",
    Refusal.CELL_OCCUPIED: "{cell} is taken; choose two free cells.",
    Refusal.START_SYMBOL_NEEDED: (
        "Your first tile must touch a printed start symbol that nobody has started at."
    ),
    Refusal.START_SYMBOL_TAKEN: (
        "Somebody has started at {symbol} already; choose another start symbol."
    ),
    Refusal.TILE_NOT_ON_RACK: "{tile} is not on your rack; choose one of your tiles.",
    Refusal.NO_EXCHANGE_IN_MODE: "There is no exchange in solitaire; place the tile you have.",
    Refusal.EXCHANGE_NEEDS_TILES: "Your rack is empty, so there is nothing to exchange; refill.",
    Refusal.LOWEST_SYMBOL_ON_RACK: (
        "Your rack shows {symbols}, your lowest, so you may not exchange; refill."
    ),
    Refusal.DRAWN_BY_ITSELF: "In solitaire the next tile is drawn by itself; place it.",
    Refusal.NO_SUCH_SEAT: "There is no seat {seat} in this game.",
    Refusal.SKIP_NOT_IN_RULES: "This game does not skip absent players.",
    Refusal.TAKEOVER_NOT_IN_RULES: "In this game no bot takes over a seat.",
    Refusal.NOBODY_TO_AGREE: "No person plays in this game, so nobody can agree to end it.",
    Refusal.NOT_AN_EARLY_END: "A game ends early only as agreed or abandoned.",
}


class Refused(Exception):
    """A command that `decide` does not accept; nothing has changed.

    Attributes:
        refusal: The reason.
        metadata: What fills the sentence, names of cells and letters of tiles.
    """

    def __init__(self, refusal: Refusal, **metadata: str) -> None:
        """Keeps the reason and what fills its sentence."""
        self.refusal = refusal
        self.metadata = metadata
        super().__init__(refusal.sentence.format(**metadata))
