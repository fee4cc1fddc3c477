"""What is to be known of ratings that were derived from edits and spans."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from tiebreak.messages.notices import NoticeKind
from tiebreak.numbers import counted, listed_names
from tiebreak.records import Notice

DERIVED_FROM: Final = NoticeKind(
    "derived-criteria",
    "edits or spans are incomplete, or people's own ratings contradict them; the text says which",
    "complete them, or see which of the two is right",
)


def given(sources: Mapping[str, str], other: int, both: int) -> Notice:
    """Criteria that people rated, and that their labels in `sources` (a table by criterion) would give other values."""
    tables = " and ".join(sorted(set(sources.values())))
    ratings = f"{counted(both, 'rating')} on {listed_names(sources)} {'is' if other == 1 else 'are'}"
    text = (
        f"{other:,} of {ratings} not what the same people's {tables} say. The ratings count, as people gave them: for "
        "both, give the criterion another name in ratings."
    )
    return DERIVED_FROM.notice(text, criteria=list(sources), other=other, of=both)


def unclear(names: Sequence[str]) -> Notice:
    """Criteria that should say yes or no."""
    text = (
        f"ratings on {listed_names(names)} other than 0 and 1 say nothing about the correctness of answers: 0 is for a "
        "question that makes no sense, or an answer that is not plausible"
    )
    return DERIVED_FROM.notice(text, criteria=list(names))


def partly_judged(partly: int, answers: int) -> Notice:
    """Answers that were judged by some of the passages only."""
    text = (
        f"{partly:,} of {counted(answers, 'answer')} {'was' if partly == 1 else 'were'} judged by fewer passages than "
        "their items have: AvgCorrect is the share of those judged. If only passages with a finding were written down, "
        "add the others with the support `neither`."
    )
    return DERIVED_FROM.notice(text, answers=partly, of=answers)


def nothing_edited(names: Sequence[str], edits: int, *, without_outputs: bool) -> Notice:
    """Edits of which no output is known."""
    lacking = "has no outputs" if without_outputs else "does not have the outputs of any of them"
    text = (
        f"{listed_names(names)} cannot be derived from {counted(edits, 'edit')}: the study {lacking}, and an edit "
        "says something only beside the text that was corrected (table outputs: item, system, text)"
    )
    return DERIVED_FROM.notice(text, edits=edits, underivable=list(names))


def without_edit(left: int, rated: int) -> Notice:
    """Outputs that people who edit rated and did not edit."""
    text = (
        f"People who edited outputs rated {left:,} of {rated:,} without an edit: criteria from edits are about edited "
        "outputs alone. If nothing was to be corrected there, add an edit with the output's own text."
    )
    return DERIVED_FROM.notice(text, outputs=left, of=rated)
