"""Append-only logs of events that survive a crash. What an event means is none of the store's business."""

from tiebreak.store.event_store import EventStore, Head, StoreConflictError, StoredEvent
from tiebreak.store.file_store import FileStore, LogOwner

__all__ = ["EventStore", "FileStore", "Head", "LogOwner", "StoreConflictError", "StoredEvent"]
