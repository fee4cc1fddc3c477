"""Append-only logs of events that survive a crash. What an event means is none of the store's business."""

from tiebreak.store.event_store import EventStore, StoreConflictError, StoredEvent
from tiebreak.store.file_store import FileStore, LogOwner
from tiebreak.store.seal import Head

__all__ = ["EventStore", "FileStore", "Head", "LogOwner", "StoreConflictError", "StoredEvent"]
