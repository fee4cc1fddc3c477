"""What a kind of notice is: its code, when it is raised, what to do, and the check that raises it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from tiebreak.checks.labels import Labels, LabelsOf
from tiebreak.records import Notice


@dataclass(frozen=True)
class NoticeKind:
    """A kind of notice: `seen` completes "raised when", `todo` is an imperative, `thresholds` are those of its test.

    `find`: the check of human labels that raises it, None where other code does. `skipped`: labels that it does not
    look at, because a campaign sees to that itself, or because it is about comparisons and not about means.
    """

    code: str
    seen: str
    todo: str
    thresholds: Mapping[str, float] = field(default_factory=dict)
    find: Callable[[Labels], Iterable[Notice]] | None = None
    skipped: tuple[LabelsOf, ...] = ()


@dataclass(frozen=True)
class Theme:
    """Notices about one thing, and the commands that raise them."""

    title: str
    raised_by: str
    kinds: tuple[NoticeKind, ...]
