"""Which notices belong beside the verdicts and which may wait for the list of warnings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tiebreak.records import Notice
from tiebreak.results.records import CONTRADICTION, PairResult

_BESIDE_THE_VERDICTS: Final = (
    "items-withdrawn",
    "people-left-out",
    "different-raters",
    "labels-vanished",
    "labels-changed",
    "outputs-changed",
    "another-question",
    "shared-inputs",
    "few-inputs",
    "pool-is-labelled",
    "neighbouring-items-correlate",
    "drawn-by-cluster",
    "contradiction",
)
"""What is asked, what counts as one unit of evidence, what cannot be: without it the verdicts are misread."""


def contradictions(pairs: Sequence[PairResult]) -> tuple[Notice, ...]:
    """That the evidence on some pairs rules out every difference, and what is likely to be behind it."""
    found = [pair for pair in pairs if CONTRADICTION in pair.flags]
    if not found:
        return ()
    which = f"{found[0].system_a} and {found[0].system_b}"
    where = which if len(found) == 1 else f"{len(found):,} pairs (first: {which})"
    text = (
        f"The evidence on {where} contradicts itself: it rules out every difference, and is no result. By chance that "
        "hardly ever happens. Look for items that belong together and are not named in the column cluster, for labels "
        "that were copied, and for a pool (--target items) that is not the one that items were drawn from."
    )
    return (Notice("contradiction", text, {"pairs": [[pair.system_a, pair.system_b] for pair in found]}),)


def notes_and_warnings(notices: Sequence[Notice]) -> tuple[tuple[Notice, ...], tuple[Notice, ...]]:
    """The notices to be read with the verdicts, and all others, each in the order given."""
    notes = tuple(notice for notice in notices if notice.code in _BESIDE_THE_VERDICTS)
    return notes, tuple(notice for notice in notices if notice.code not in _BESIDE_THE_VERDICTS)
