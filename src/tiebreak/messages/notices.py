"""What a kind of notice is. Its sentence is made beside it, from figures; the page of warnings lists all kinds.

Which notices belong beside the verdicts and which may wait for the list of warnings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from tiebreak.numbers import listed_names
from tiebreak.records import Notice
from tiebreak.results.records import CONTRADICTION, PairResult


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


CONTRADICTED: Final = NoticeKind(
    "contradiction",
    "the evidence on a pair rules out every difference",
    "stop and find the cause: missing clusters, copied labels, changed outputs, an order by content",
)
UNVALIDATED: Final = NoticeKind(
    "unvalidated",
    "people labelled nothing of what a metric or judge judged, or ratings mix people with judges",
    "label some, and audit",
)
KINDS: Final = (CONTRADICTED, UNVALIDATED)

_BESIDE_THE_VERDICTS: Final = (
    "outlying-ratings",
    "evidence-changed",
    "people-left-out",
    "labels-left-out",
    "own-analysis",
    "items-belong-together",
    "contradiction",
    "unvalidated",
)
"""What is asked, what counts as one unit of evidence, what cannot be: without it the verdicts are misread."""


_OF_ONE_ORDER: Final = (
    "for items that belong together and are not named in the column cluster, for labels that were copied, and for a "
    "pool (--target items) that is not the one that items were drawn from"
)
_OF_LOOKS: Final = (
    "for what changed from look to look (people, instructions, the outputs), for items that came in an order (one "
    "topic after the other, the easy ones first), for answers that came faster where they favour one side, for items "
    "that belong together and are not named in the column cluster, and for labels that were copied"
)


def contradictions(pairs: Sequence[PairResult], *, looks: bool = False) -> tuple[Notice, ...]:
    """That the evidence on some pairs rules out every difference, and what is likely to be behind it.

    `looks`: labels came in the order of looks, and in none by chance.
    """
    found = contradictory(pairs)
    if not found:
        return ()
    text = (
        f"The evidence on {pairs_in_words(found)} contradicts itself: it rules out every difference, and is no result. "
        "By chance that hardly ever happens: something that the promise supposes does not hold. Look "
        f"{_OF_LOOKS if looks else _OF_ONE_ORDER}."
    )
    return (CONTRADICTED.notice(text, pairs=[[pair.system_a, pair.system_b] for pair in found]),)


def contradictory(pairs: Sequence[PairResult]) -> list[PairResult]:
    """Those whose evidence rules out every difference."""
    return [pair for pair in pairs if CONTRADICTION in pair.flags]


def pairs_in_words(pairs: Sequence[PairResult]) -> str:
    """ "ant and bee", or "3 pairs (first: ant and bee)"."""
    which = f"{pairs[0].system_a} and {pairs[0].system_b}"
    return which if len(pairs) == 1 else f"{len(pairs):,} pairs (first: {which})"


def notes_and_warnings(notices: Sequence[Notice]) -> tuple[tuple[Notice, ...], tuple[Notice, ...]]:
    """The notices to be read with the verdicts, and all others, each in the order given."""
    notes = tuple(notice for notice in notices if notice.code in _BESIDE_THE_VERDICTS)
    return notes, tuple(notice for notice in notices if notice.code not in _BESIDE_THE_VERDICTS)


def unvalidated_notice(names: Sequence[str], criterion: str | None) -> Notice:
    """Metrics and judges that decide alone, where people labelled nothing of what they judged."""
    about = f" on {criterion}" if criterion is not None else ""
    text = (
        f"Unvalidated: {listed_names(names)}. People labelled nothing that was judged{about}, so that nobody knows how "
        "wrong this is."
    )
    return UNVALIDATED.notice(text, criterion=criterion, names=list(names))
