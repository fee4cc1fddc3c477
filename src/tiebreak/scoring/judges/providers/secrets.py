"""A key that must not be seen: servers repeat it in errors, and what they say is shown and stored."""

from __future__ import annotations

from typing import Final

_SHORTEST: Final = 16
"""Shorter ones, such as "none" and "EMPTY" for a server of one's own, are no secrets, and words of replies."""


def without_key(text: str, key: str) -> str:
    """The text without the key, and without what no file can hold: halves of characters, and NUL."""
    shown = text.encode("utf-8", "replace").decode("utf-8").replace("\0", "\ufffd")
    return shown.replace(key, "[key]") if len(key) >= _SHORTEST else shown
