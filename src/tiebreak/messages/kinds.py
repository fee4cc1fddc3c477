"""What a kind of notice is. Its sentence is made beside it, from figures; the page of warnings lists all kinds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tiebreak.records import Notice


@dataclass(frozen=True)
class NoticeKind:
    """A kind of notice: `seen` completes "raised when", `todo` is an imperative, `thresholds` are those of its test."""

    code: str
    seen: str
    todo: str
    thresholds: Mapping[str, float] = field(default_factory=dict)

    def notice(self, text: str, **figures: object) -> Notice:
        """One of this kind: its sentences, and the same figures for programs."""
        return Notice(self.code, text, figures)


@dataclass(frozen=True)
class Theme:
    """Kinds of notices about one thing, and the commands that raise them."""

    title: str
    raised_by: str
    kinds: tuple[NoticeKind, ...]
