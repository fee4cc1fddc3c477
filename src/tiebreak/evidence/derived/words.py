"""What is to be known of derived ratings, as notices of a study."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import polars as pl

from tiebreak.data.schema import DERIVED
from tiebreak.evidence.derived.criteria import JudgedAnswers
from tiebreak.numbers import listed_names
from tiebreak.records import Notice

DERIVED_CODE: Final = "derived-criteria"
"""The code of notices that say what was derived, which is nothing wrong."""

WITHOUT_OUTPUTS_CODE: Final = "edits-without-outputs"
"""The code of notices that say why nothing was derived from edits."""


def given(names: Sequence[str], other: int, both: int) -> Notice:
    """Criteria that people rated, and that their other labels would give other values."""
    of = " and ".join(sorted({DERIVED[name].source for name in names}))
    said = f"{_counted(both, 'rating')} on {listed_names(names)} {'is' if other == 1 else 'are'}"
    text = (
        f"{other:,} of {said} not what the same people's {of} say. The ratings count, as people gave them: for both, "
        "give the criterion another name in ratings."
    )
    return Notice("derived-criterion-given", text, {"criteria": list(names), "other": other, "of": both})


def from_spans(names: Sequence[str], spans: int, judged: JudgedAnswers) -> Notice:
    """What was derived from spans."""
    answers = judged.answers.height
    text = f"{_meanings(names)}, from {_counted(spans, 'span')} on {_counted(answers, 'judged answer')}"
    if judged.refused:
        text += (
            f"; {judged.refused:,} of them count{'s' if judged.refused == 1 else ''} as 0, because the person found "
            "that the question makes no sense or the answer is not plausible"
        )
    details = {"criteria": list(names), "table": "spans", "ratings": answers, "refused": judged.refused}
    return Notice(DERIVED_CODE, f"{text}. {_nobody(names)}.", details)


def from_edits(names: Sequence[str], edited: pl.DataFrame) -> Notice:
    """What was derived from edits."""
    text = f"{_meanings(names)}, from {_counted(edited.height, 'edit')} and the outputs that were edited"
    details = {"criteria": list(names), "table": "edits", "ratings": edited.height}
    return Notice(DERIVED_CODE, f"{text}. {_nobody(names)}.", details)


def unclear(names: Sequence[str]) -> Notice:
    """Criteria that should say yes or no."""
    text = (
        f"ratings on {listed_names(names)} other than 0 and 1 say nothing about the correctness of answers: 0 is for a "
        "question that makes no sense, or an answer that is not plausible"
    )
    return Notice("not-yes-or-no", text, {"criteria": list(names)})


def partly_judged(partly: int, answers: int) -> Notice:
    """Answers that were judged by some of the passages only."""
    text = (
        f"{partly:,} of {_counted(answers, 'answer')} {'was' if partly == 1 else 'were'} judged by fewer passages than "
        "their items have: AvgCorrect is the share of those judged. If only passages with a finding were written down, "
        "add the others with the support `neither`."
    )
    return Notice("passages-not-judged", text, {"answers": partly, "of": answers})


def nothing_edited(names: Sequence[str], edits: int, *, without_outputs: bool) -> Notice:
    """Edits of which no output is known."""
    lacking = "has no outputs" if without_outputs else "does not have the outputs of any of them"
    text = (
        f"{listed_names(names)} cannot be derived from {_counted(edits, 'edit')}: the study {lacking}, and an edit "
        "says something only beside the text that was corrected (table outputs: item, system, text)"
    )
    return Notice(WITHOUT_OUTPUTS_CODE, text, {"edits": edits, "criteria": list(names)})


def empty_edits(edited: pl.DataFrame) -> Notice | None:
    """Edits that left nothing; None without any."""
    empty = edited.filter(pl.col("edit").str.strip_chars() == "")
    if not empty.height:
        return None
    nothing = empty.filter(pl.col("output").str.strip_chars() == "").height
    text = f"{_counted(empty.height, 'edit')} {'is' if empty.height == 1 else 'are'} empty, "
    if nothing < empty.height:
        text += f"which says that all of the output was deleted ({empty.height - nothing:,}): nothing of it was kept"
        text += f"; {nothing:,} are of empty outputs, which were kept" if nothing else ""
        text += ". If nobody edited there, remove these rows."
    else:
        text += "of outputs that are empty too: they count as kept as they were"
    return Notice("empty-edits", text, {"edits": empty.height, "of_empty_outputs": nothing})


def without_edit(left: int, rated: int) -> Notice:
    """Outputs that people who edit rated and did not edit."""
    text = (
        f"People who edited outputs rated {left:,} of {rated:,} without an edit: criteria from edits are about edited "
        "outputs alone. If nothing was to be corrected there, add an edit with the output's own text."
    )
    return Notice("unedited-outputs", text, {"outputs": left, "of": rated})


def _meanings(names: Sequence[str]) -> str:
    return "; ".join(f"{name} is derived ({DERIVED[name].meaning})" for name in names)


def _nobody(names: Sequence[str]) -> str:
    return f"Nobody gave {'this rating' if len(names) == 1 else 'these ratings'} as a number"


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
