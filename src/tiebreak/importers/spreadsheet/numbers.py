"""Columns of numbers about systems: people's ratings and metrics' scores, long or one column per system."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from tiebreak.importers.spreadsheet.draft import Draft
from tiebreak.importers.spreadsheet.fields import is_metric_name, is_of_passages, key_of, without_owner, words
from tiebreak.importers.spreadsheet.header_notes import scale_in
from tiebreak.importers.spreadsheet.header_words import (
    ADMINISTRATIVE_NAMES,
    BETTER_WORDS,
    CRITERION_NAMES,
    DETAIL_NAMES,
    SURE_CHECKPOINT_NAMES,
    SYNONYMS,
    TRAINING_NAMES,
)
from tiebreak.importers.spreadsheet.item_choice import one_each
from tiebreak.importers.spreadsheet.model_names import kind_of_name
from tiebreak.importers.spreadsheet.wide import About, about

RATING_LEVELS: Final = 11
"""Whole numbers with at most so many levels are people's ratings; other numbers are metrics' scores."""


def settle_numbers(draft: Draft) -> None:
    """Bind the columns of numbers that are about systems."""
    _settle_wide_numbers(draft)
    if not any(draft.bound[target].owners for target in ("value", "score") if target in draft.bound):
        _settle_long_numbers(draft)


def _settle_wide_numbers(draft: Draft) -> None:
    """`gpt-4o score` beside the texts of gpt-4o: one column per system."""
    text = draft.bound.get("text")
    of_texts = (text.owners or text.columns) if text is not None and len(text.columns) > 1 else ()
    systems = draft.beside.systems or of_texts or (draft.beside.known if text is None else ())
    if not systems:
        return
    found = [about(c, systems) for c in draft.free if not says_something_else(c)]
    # In a file of scores whatever is called as a system is its scores: cells that are no numbers are then named.
    scored = [a for a in found if draft.beside.role == "scores" and a.owner is not None]
    found = [a for a in found if a in scored or draft.profiles[a.column].is_number]
    if draft.beside.role == "scores":
        # A column that is called as a system: what was measured is what the file is called.
        found = [replace(a, measure=draft.sheet.stem) if a.owner == a.column else a for a in found]
    owned = _owned(found)
    if draft.beside.role == "scores":
        owned += _of_strangers(found, owned)
    if len({a.owner for a in owned}) < 2:
        return
    ratings = [a for a in owned if draft.beside.role == "plain" and _is_rating(draft, a.column, a.measure)]
    for target, columns in (("value", ratings), ("score", [a for a in owned if a not in ratings])):
        if columns and target not in draft.bound:
            _bind_about(draft, target, columns)


def _owned(found: Sequence[About]) -> list[About]:
    """Those about a system. What stands beside its name is a measure if it is a known one or that of several systems:
    `gpt-4 turbo score` beside `llama score` is no "turbo score" of gpt-4. `A better` says who won.
    """
    owned = [a for a in found if a.owner is not None and not BETTER_WORDS & set(words(a.measure))]
    often = Counter(key_of(a.measure) for a in owned)
    return [a for a in owned if a.owner == a.column or often[key_of(a.measure)] > 1 or is_measure_name(a.measure)]


def _of_strangers(found: Sequence[About], owned: Sequence[About]) -> list[About]:
    """Columns called like those of systems, of which the other files have none: `gpt-4o bleu` beside `llama bleu`."""
    measures = {a.measure for a in owned if a.column != a.owner}
    bare = next((a.measure for a in owned if a.column == a.owner), None)
    strangers = []
    for column in (a.column for a in found if a not in owned):
        parted = ((without_owner(column, measure), measure) for measure in sorted(measures, key=len, reverse=True))
        owner, measure = next(((rest, measure) for rest, measure in parted if rest), (column, bare))
        if measure is not None and not is_measure_name(column):
            strangers.append(About(column, owner, None, measure))
    return strangers


def _bind_about(draft: Draft, target: str, found: list[About]) -> None:
    draft.bind(target, [a.column for a in found], "name")
    draft.bound[target] = replace(
        draft.bound[target],
        owners=tuple(a.owner for a in found if a.owner is not None),
        measures=tuple(a.measure for a in found),
        people=tuple(a.person for a in found if a.person is not None),
    )


def _settle_long_numbers(draft: Draft) -> None:
    """Free columns of numbers beside a system: one criterion or one metric each, perhaps of several people."""
    if draft.bound.keys() & {"system_a", "metric", "criterion"} or len(draft.columns("text")) > 1:
        return
    if "system" not in draft.bound:
        return
    believed_by_name_only = draft.bound["system"].origin == "file name"
    ratings, scores = list(draft.columns("value")), list(draft.columns("score"))
    if draft.guessed("value") and not _is_rating(draft, ratings[0], ratings[0]):
        scores, ratings = [*scores, *ratings], []
    found = [c for c in draft.free if _holds_numbers(draft, c) and not says_something_else(c)]
    found = [c for c in found if not _is_time(draft, c) and not c.startswith("column ")]
    known = [c for c in found if is_measure_name(c)]
    found = [c for c in found if c in known or not _is_of_checkpoints(draft, c)]
    other_labels = bool(draft.bound.keys() & {"edit", "support", "rank", "ranking"})
    for column in known if known or ratings or scores or believed_by_name_only or other_labels else found:
        (ratings if _is_rating(draft, column, column) else scores).append(column)
    for target, columns in (("value", ratings), ("score", scores)):
        if target not in draft.bound or draft.guessed(target):
            draft.bound.pop(target, None)
            if columns:
                _bind_numbers(draft, target, columns)


def _is_of_checkpoints(draft: Draft, column: str) -> bool:
    """Whether it says the same of all that a checkpoint wrote, as an epoch or a loss does, and a score does not."""
    systems = draft.keys(draft.columns("system"))
    several = "step" in draft.bound and len(set(systems)) < len(systems)
    return several and one_each(systems, draft.sheet.values(column))


def _holds_numbers(draft: Draft, column: str) -> bool:
    """Numbers, or under the name of a measure such answers as `4 - good`."""
    return draft.profiles[column].is_number or (is_measure_name(column) and draft.profiles[column].is_graded)


def _bind_numbers(draft: Draft, target: str, columns: list[str]) -> None:
    found = [about(column, ()) for column in columns]
    if len(columns) > 1 and all(a.person is not None for a in found):
        _bind_about(draft, target, found)
        return
    draft.bind(target, columns, "name" if all(map(is_measure_name, columns)) else "content")


def says_something_else(column: str) -> bool:
    """Numbers that the name says are no measurement: ids, times, ages, the steps of a training."""
    plain = key_of(column)
    return (
        is_of_passages(column)
        or plain in DETAIL_NAMES | ADMINISTRATIVE_NAMES | SURE_CHECKPOINT_NAMES
        or any(plain in names for names in TRAINING_NAMES.values())
        or any(plain in names for target, names in SYNONYMS.items() if target not in ("value", "criterion", "outcome"))
    )


def is_measure_name(column: str) -> bool:
    """Whether the name says that the numbers are ratings or scores, by a known word or by a scale."""
    if scale_in(column) is not None:
        return True
    measure = about(column, ()).measure
    return is_metric_name(measure) or key_of(measure) in CRITERION_NAMES or key_of(measure) in SYNONYMS["value"]


def _is_time(draft: Draft, column: str) -> bool:
    """Seconds since 1970."""
    return draft.profiles[column].timelike == 1


def _is_rating(draft: Draft, column: str, measure: str) -> bool:
    """A person's rating, no metric's or model's score: by its name, a scale, an annotator beside it, or its levels."""
    if is_metric_name(measure) or kind_of_name(measure) == "model" or draft.beside.role != "plain":
        return False
    looks = draft.profiles[column]
    return (
        "annotator" in draft.bound
        or scale_in(column) is not None
        or key_of(measure) in CRITERION_NAMES
        or key_of(measure) in ("rating", "stars", "likert", "grade", "humanscore", "humanrating")
        or (looks.whole and len(looks.distinct) <= RATING_LEVELS)
    )
