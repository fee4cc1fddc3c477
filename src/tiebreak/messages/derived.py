"""What is to be known of ratings that were derived from edits and spans."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from tiebreak.messages.kinds import NoticeKind
from tiebreak.numbers import counted, listed_names
from tiebreak.records import Notice

CONTRADICTED: Final = NoticeKind(
    "derived-criterion-given",
    "people's ratings contradict their edits or spans; the ratings count",
    "see which of them is right",
)
WITHOUT_OUTPUTS: Final = NoticeKind(
    "edits-without-outputs", "the outputs that were edited are not there", "add the outputs"
)
EMPTY: Final = NoticeKind("empty-edits", "edits are empty: all of the output was deleted", "see whether that is meant")
UNEDITED: Final = NoticeKind(
    "unedited-outputs", "people rated outputs without editing them", "read means as those of edited outputs"
)
PARTLY_JUDGED: Final = NoticeKind(
    "passages-not-judged", "not all passages of an answer were judged", "have the others judged"
)
UNCLEAR: Final = NoticeKind("not-yes-or-no", "ratings of `sensible` or `plausible` are not 0 and 1", "write 0 or 1")
EXTRA_MISSING: Final = NoticeKind(
    "extra-missing", "study.toml lists HTER, and sacrebleu is not installed", "install `tiebreak[metrics]`"
)
KINDS: Final = (CONTRADICTED, WITHOUT_OUTPUTS, EMPTY, UNEDITED, PARTLY_JUDGED, UNCLEAR, EXTRA_MISSING)


def given(sources: Mapping[str, str], other: int, both: int) -> Notice:
    """Criteria that people rated, and that their labels in `sources` (a table by criterion) would give other values."""
    tables = " and ".join(sorted(set(sources.values())))
    ratings = f"{counted(both, 'rating')} on {listed_names(sources)} {'is' if other == 1 else 'are'}"
    text = (
        f"{other:,} of {ratings} not what the same people's {tables} say. The ratings count, as people gave them: for "
        "both, give the criterion another name in ratings."
    )
    return CONTRADICTED.notice(text, criteria=list(sources), other=other, of=both)


def unclear(names: Sequence[str]) -> Notice:
    """Criteria that should say yes or no."""
    text = (
        f"ratings on {listed_names(names)} other than 0 and 1 say nothing about the correctness of answers: 0 is for a "
        "question that makes no sense, or an answer that is not plausible"
    )
    return UNCLEAR.notice(text, criteria=list(names))


def partly_judged(partly: int, answers: int) -> Notice:
    """Answers that were judged by some of the passages only."""
    text = (
        f"{partly:,} of {counted(answers, 'answer')} {'was' if partly == 1 else 'were'} judged by fewer passages than "
        "their items have: AvgCorrect is the share of those judged. If only passages with a finding were written down, "
        "add the others with the support `neither`."
    )
    return PARTLY_JUDGED.notice(text, answers=partly, of=answers)


def nothing_edited(names: Sequence[str], edits: int, *, without_outputs: bool) -> Notice:
    """Edits of which no output is known."""
    lacking = "has no outputs" if without_outputs else "does not have the outputs of any of them"
    text = (
        f"{listed_names(names)} cannot be derived from {counted(edits, 'edit')}: the study {lacking}, and an edit "
        "says something only beside the text that was corrected (table outputs: item, system, text)"
    )
    return WITHOUT_OUTPUTS.notice(text, edits=edits, criteria=list(names))


def empty_edits(edits: int, of_empty_outputs: int) -> Notice:
    """Edits that left nothing, some of them of outputs that had been empty."""
    text = f"{counted(edits, 'edit')} {'is' if edits == 1 else 'are'} empty: nothing was kept of the output"
    text += f"; {of_empty_outputs:,} are of empty outputs, which count as kept." if of_empty_outputs else "."
    text += " If nobody edited there, remove these rows."
    return EMPTY.notice(text, edits=edits, of_empty_outputs=of_empty_outputs)


def without_edit(left: int, rated: int) -> Notice:
    """Outputs that people who edit rated and did not edit."""
    text = (
        f"People who edited outputs rated {left:,} of {rated:,} without an edit: criteria from edits are about edited "
        "outputs alone. If nothing was to be corrected there, add an edit with the output's own text."
    )
    return UNEDITED.notice(text, outputs=left, of=rated)
