"""Append-only logs of events, in SQLite or PostgreSQL. What an event means is none of the store's business."""

from tiebreak.store.event_store import EMPTY, EventStore, Head, StoreConflictError, StoredEvent
from tiebreak.store.postgres import PostgresStore
from tiebreak.store.sqlite import SqliteStore

__all__ = ["EMPTY", "EventStore", "Head", "PostgresStore", "SqliteStore", "StoreConflictError", "StoredEvent"]
