"""The host's one SQLite file, shared by the services that run in one process."""

from genial.services.store.database import (
    Component,
    Database,
    DatabaseBusyError,
    NewerSchemaError,
    StorageError,
    is_damage,
    undivided,
)

__all__ = [
    "Component",
    "Database",
    "DatabaseBusyError",
    "NewerSchemaError",
    "StorageError",
    "is_damage",
    "undivided",
]
