"""The authority over games: one room for each, its event log, its watchers.

services      GameServices: everything of this package and history, put together
authority     all rooms; RoomService in process (`Rooms`)
room          one game: judge, write down, follow, publish
publication   a published state, as each viewer may see it
watcher       one stream; pulls the latest, delays nobody
clock         thinking clocks
setup         what a game is set up with, checked
log, store    the event log: the interface, and SQLite behind it
game_service, room_service   the services' handlers
"""

from genial.services.game.authority import Authority, GameSettings, Rooms
from genial.services.game.room import Times
from genial.services.game.room_service import RemoteRooms
from genial.services.game.services import GameServices
from genial.services.game.store import COMPONENT

__all__ = [
    "COMPONENT",
    "Authority",
    "GameServices",
    "GameSettings",
    "RemoteRooms",
    "Rooms",
    "Times",
]
