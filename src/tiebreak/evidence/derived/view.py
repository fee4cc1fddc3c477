"""A study with the ratings that follow from its edits and spans.

They are made for an analysis and never stored: a study folder holds what people gave.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, NamedTuple

import polars as pl

from tiebreak.data.columns import completed
from tiebreak.data.schema import DERIVED, TABLES, YES_OR_NO, derivable
from tiebreak.data.study import Study
from tiebreak.errors import UsageError, check_known
from tiebreak.evidence.derived.criteria import JudgedAnswers, count_without_edit, edited_outputs, ratings_of_edits
from tiebreak.messages import derived as messages
from tiebreak.records import Notice


def check_criteria(study: Study, asked: Sequence[str], known: Sequence[str], what: str = "criterion") -> None:
    """Raise UsageError for the first criterion asked for that is not `known` of a study with derived ratings: with the
    reason why it could not be derived, or with the nearest of those that are known, or are made only by name.
    """
    if set(asked) - set(known) and (reason := why_not_derived(study)):
        raise UsageError(reason)
    check_known(what, asked, list(dict.fromkeys((*known, *(found.name for found in derivable(study.tables))))))


def why_not_derived(study: Study) -> str:
    """Why labels from which ratings were to be derived gave none; "" where they gave some."""
    return next((notice.text for notice in study.notices if "underivable" in notice.details), "")


_NEGLIGIBLE: Final = 1e-6  # difference between ratings, which may have been rounded in a file


class _Made(NamedTuple):
    """Ratings, and what is to be known of them."""

    frames: list[pl.DataFrame]
    notices: list[Notice]


def with_derived(study: Study, criteria: Sequence[str] | None = None, *, beside: bool = True) -> Study:
    """The study, whose ratings also have these criteria, as far as they can be derived from it.

    None: those that study.toml lists, else all but those that are made only by name; without `beside` only where people
    labelled nothing else, for analyses whose verdicts on it would be harder to reach. What people rated themselves
    stands: a criterion that the study has is not derived. The study's notices say what was derived from what.

    Raises:
        ExtraMissingError: HTER is asked for, and sacrebleu is not installed.
    """
    asked = study.settings.criteria if criteria is None else criteria
    if asked is None and not beside and set(study.criteria) - set(YES_OR_NO):
        return study
    wanted = _wanted(study, asked)
    given = [name for name in wanted if name in study.criteria]
    made = [name for name in wanted if name not in given]
    notices = _given(study, given)
    frames: list[pl.DataFrame] = []
    for part in (_of_spans(study, made), _of_edits(study, made)):
        frames += [frame for frame in part.frames if frame.height]
        notices += part.notices
    if not frames:
        return replace(study, notices=(*study.notices, *notices)) if notices else study
    derived = completed(pl.concat(frames), "ratings")
    ratings = derived if study.ratings is None else pl.concat([study.ratings, derived], how="diagonal_relaxed")
    made = [name for name in made if name in set(derived["criterion"])]
    stated = {name: scale for name, scale in study.settings.scale.items() if name not in made}
    own = {name: scale for name in made if (scale := DERIVED[name].scale) is not None}
    return replace(
        study,
        ratings=ratings,
        derived=tuple(made),
        settings=replace(study.settings, scale=stated | own),
        notices=(*study.notices, *notices),
    )


def _wanted(study: Study, asked: Sequence[str] | None) -> list[str]:
    labelled = [found for found in DERIVED.values() if getattr(study, found.source) is not None]
    return [found.name for found in labelled if (not found.by_name if asked is None else found.name in asked)]


def _given(study: Study, names: Sequence[str]) -> list[Notice]:
    """What is to be known of criteria that people rated themselves: that their edits or spans say otherwise."""
    frames = [frame for part in (_of_spans(study, names), _of_edits(study, names)) for frame in part.frames]
    if not frames or study.ratings is None:
        return []
    key = [name for name in TABLES["ratings"].key if name != "value"]
    both = study.ratings.join(pl.concat(frames), on=key, how="inner", nulls_equal=True, suffix=" derived")
    other = both.filter((pl.col("value") - pl.col("value derived")).abs() > _NEGLIGIBLE)
    return (
        [messages.given({name: DERIVED[name].source for name in names}, other.height, both.height)]
        if other.height
        else []
    )


def _of_spans(study: Study, names: Sequence[str]) -> _Made:
    names = [name for name in names if DERIVED[name].source == "spans"]
    if not names or study.spans is None:
        return _Made([], [])
    judged = JudgedAnswers.of(study.spans, study.ratings)
    notices = []
    if judged.unclear:
        notices.append(messages.unclear(judged.unclear))
    if study.passages is not None and (partly := judged.partly_judged(study.passages)):
        notices.append(messages.partly_judged(partly, judged.answers.height))
    return _Made(judged.ratings(names), notices)


def _of_edits(study: Study, names: Sequence[str]) -> _Made:
    names = [name for name in names if DERIVED[name].source == "edits"]
    if not names or study.edits is None:
        return _Made([], [])
    edited = None if study.outputs is None else edited_outputs(study.edits, study.outputs)
    if edited is None or not edited.height:
        return _Made([], [messages.nothing_edited(names, study.edits.height, without_outputs=edited is None)])
    notices = []
    if study.ratings is not None:
        left, rated = count_without_edit(study.ratings, study.edits)
        notices += [messages.without_edit(left, rated)] if left else []
    return _Made(ratings_of_edits(edited, names), notices)
