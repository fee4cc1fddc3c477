"""What a check of the data is: the kind of notice that it raises, and the function that finds it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from tiebreak.checks.labels import Labels, LabelsOf
from tiebreak.messages.notices import NoticeKind
from tiebreak.records import Notice


@dataclass(frozen=True)
class Check:
    """`find` raises notices of one `kind`. `skipped`: labels that it does not look at, because a campaign sees to that
    itself, or because it is about comparisons and not about means.
    """

    kind: NoticeKind
    find: Callable[[Labels], Iterable[Notice]]
    skipped: tuple[LabelsOf, ...] = ()
