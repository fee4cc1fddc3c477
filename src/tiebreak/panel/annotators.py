"""Each annotator of a study against the others, and how far all of them agree."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final, cast

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiebreak.checks.annotators import (
    against_majority,
    against_mean,
    copied_answers,
    rank_correlation,
    unreliable_annotators,
)
from tiebreak.checks.labels import Labels
from tiebreak.data.columns import decision_times, one_way_round
from tiebreak.data.study import Study
from tiebreak.errors import UnidentifiedError, UsageError, did_you_mean
from tiebreak.evidence.items import ItemIndex
from tiebreak.evidence.study_evidence import EvidenceSettings, study_evidence
from tiebreak.importers.reading import StudySource, study_of
from tiebreak.kernels import agreement as kernel
from tiebreak.kernels.aggregation import mace
from tiebreak.kernels.clusters import cluster_share
from tiebreak.records import OUTCOME_CODES, Notice
from tiebreak.results.annotators import AnnotatorRow, AnnotatorsResult, LabelKind, Panel, Share

__all__ = ["AnnotatorsResult", "annotators"]

MOST_ANSWERS: Final = 20
"""Different answers up to which ratings are grades: more are numbers, whose distances tell more than their ranks."""
FEWEST_SHARED: Final = 20
"""Labels on questions that others answered, too, from which competence and a change of agreement are said."""
_A_GUESS: Final = 0.01
_MANY_LABELS: Final = 100_000
_ALPHA: Final = 0.05
_SEEDS: Final = {"preferences": 3, "ratings": 4}
"""Of the resamples that `compare` takes for the same interval."""

Integers = NDArray[np.int64]
Frames = Mapping[LabelKind, pl.DataFrame]


def annotators(study: StudySource, *, criteria: Sequence[str] | None = None, seed: int = 0) -> AnnotatorsResult:
    """What each annotator did, how far they agree with the others, and how far all agree.

    Args:
        study: a study, its folder, or a table of labels.
        criteria: those to look at; None for all.
        seed: of the resamples of intervals, and of the starts of MACE.

    Raises:
        UsageError: no human labels, or an unknown criterion.
    """
    study = study_of(study)
    frames = label_frames(study, criteria)
    if not frames:
        raise UsageError(f"{study.name} has no human labels")
    labels = _for_checks(study, frames)
    warnings = tuple(notice for check in (unreliable_annotators, copied_answers) for notice in check(labels))
    reasons = _reasons(warnings)
    people = [row for kind in frames for row in _people(kind, frames[kind], labels, reasons, seed)]
    return AnnotatorsResult(
        study={"name": study.name},
        people=tuple(sorted(people, key=_who_first)),
        panels=tuple(_panels(frames, seed)),
        warnings=warnings,
    )


def _who_first(of: AnnotatorRow) -> tuple[object, ...]:
    agreement = of.agrees.value if of.agrees is not None else of.correlation
    return not of.reasons, of.kind, agreement is None, agreement, of.annotator


# ---- labels ----------------------------------------------------------------------------------------------------


def label_frames(study: Study, criteria: Sequence[str] | None) -> dict[LabelKind, pl.DataFrame]:
    """Labels by kind, with `question` (a number), `answer` and `at`, the time where it is known; one for each person
    and question. Preferences are for the system that comes first by name (1), for neither (0), or for the other (-1).
    """
    known: set[str | None] = {
        name for frame in (study.preferences, study.ratings) if frame is not None for name in frame["criterion"]
    }
    for name in criteria or ():
        if name not in known:
            names = sorted(filter(None, known))
            raise UsageError(f"{study.name} has no labels on {name!r}{did_you_mean(name, names)}")
    found: dict[LabelKind, pl.DataFrame] = {}
    for kind, frame in (("preferences", study.preferences), ("ratings", study.ratings)):
        if frame is not None and criteria is not None:
            frame = frame.filter(pl.col("criterion").is_in(list(criteria)))
        if frame is not None and frame.height:
            found[cast(LabelKind, kind)] = _with_questions(kind, frame)
    return found


def _with_questions(kind: str, frame: pl.DataFrame) -> pl.DataFrame:
    about: tuple[str, ...] = ("criterion", "item", "system", "sample")
    answer = pl.col("value")
    if kind == "preferences":
        frame = one_way_round(frame)
        about = ("criterion", "system_a", "system_b", "item", "sample_a", "sample_b")
        answer = pl.col("outcome").replace_strict(OUTCOME_CODES, return_dtype=pl.Float64)
    question = pl.struct(about).rank("dense").cast(pl.Int64) - 1
    told = frame.with_columns(question=question, answer=answer, at=decision_times(frame))
    return told.unique(["question", "annotator"], keep="first", maintain_order=True)


def _for_checks(study: Study, frames: Frames) -> Labels:
    """The labels as the checks of data look at them."""
    tables = {kind: frame.drop("question", "answer", "at") for kind, frame in frames.items()}
    kept = replace(study, preferences=tables.get("preferences"), ratings=tables.get("ratings"))
    evidence = study_evidence(kept, kept.criteria, EvidenceSettings(ordered=False))
    return Labels(kept, evidence, "mean")


def _reasons(notices: Iterable[Notice]) -> dict[str, list[str]]:
    """Why to look at whose labels, in words."""
    found: dict[str, list[str]] = defaultdict(list)
    for notice in notices:
        for of in cast(list[dict[str, str]], notice.details.get("annotators", [])):
            found[of["annotator"]].append(of["why"])
        for pair in cast(list[dict[str, object]], notice.details.get("pairs", [])):
            one, other = cast(list[str], pair["annotators"])
            for name, twin in ((one, other), (other, one)):
                found[name].append(f"answers as {twin} on {pair['alike']:,} of {pair['questions']:,} questions")
    return found


# ---- people ----------------------------------------------------------------------------------------------------


def _people(
    kind: LabelKind, frame: pl.DataFrame, labels: Labels, reasons: Mapping[str, list[str]], seed: int
) -> Iterable[AnnotatorRow]:
    competence = _competence(frame, seed)
    if kind == "preferences":
        shared = against_majority(frame).with_columns(agrees=(pl.col("own") == pl.col("majority")).cast(pl.Float64))
        score: Callable[[pl.DataFrame], float | None] = _mean_agreement
    else:
        shared, score = against_mean(frame), rank_correlation
    by_person = {name: part for (name,), part in shared.partition_by("annotator", as_dict=True).items()}
    usual = _usual_answers(kind, frame)
    for (name,), own in frame.partition_by("annotator", as_dict=True, maintain_order=True).items():
        part = by_person.get(name)
        yield AnnotatorRow(
            annotator=str(name),
            kind=kind,
            labels=own.height,
            items=own["item"].n_unique(),
            seconds=cast(float | None, own["seconds"].median()) if "seconds" in own.columns else None,
            agrees=_share(part, labels.evidence.index) if part is not None and kind == "preferences" else None,
            correlation=rank_correlation(part) if part is not None and kind == "ratings" else None,
            competence=competence.get(str(name)),
            first_text=_first_text(own) if kind == "preferences" else None,
            usual=usual.get(str(name)),
            later=None if part is None else _later(part, score),
            reasons=tuple(reasons.get(str(name), ())),
        )


def _mean_agreement(part: pl.DataFrame) -> float | None:
    return cast(float | None, part["agrees"].mean())


def _share(part: pl.DataFrame, index: ItemIndex) -> Share:
    clusters = index.clusters[index.numbers(part["item"])]
    numbers = np.unique(clusters, return_inverse=True)[1]
    agrees = part["agrees"].to_numpy()
    value = float(agrees.mean())
    sums, sizes = (np.asarray(np.bincount(numbers, of), dtype=np.float64) for of in (agrees, np.ones_like(agrees)))
    try:
        low, high = cluster_share(sums, sizes, _ALPHA)
    except UnidentifiedError:
        return Share(value, None, None, part.height)
    return Share(value, low, high, part.height)


def _later(part: pl.DataFrame, score: Callable[[pl.DataFrame], float | None]) -> float | None:
    timed = part.filter(pl.col("at").is_not_null()).sort("at", maintain_order=True)
    if timed.height < FEWEST_SHARED or timed["at"][0] == timed["at"][-1]:
        return None
    half = timed.height // 2
    earlier, later = score(timed[:half]), score(timed[half:])
    return None if earlier is None or later is None else later - earlier


def _first_text(own: pl.DataFrame) -> float | None:
    if "left" not in own.columns:
        return None
    sides = own.filter(pl.col("left").is_not_null() & (pl.col("outcome") != "tie"))
    better = pl.when(pl.col("outcome") == "a").then("system_a").otherwise("system_b")
    return cast(float | None, sides.select((better == pl.col("left")).mean()).item()) if sides.height else None


def _usual_answers(kind: LabelKind, frame: pl.DataFrame) -> dict[str, float]:
    """The share of each person's most frequent rating, or of the most frequent of first text, tie and second text,
    where sides are known: which system is better may well be the same everywhere.
    """
    if kind == "preferences":
        frame = frame.filter(pl.col("left").is_not_null()) if "left" in frame.columns else frame.clear()
    answer = (
        pl.col("value")
        if kind == "ratings"
        else pl.when(pl.col("outcome") == "tie")
        .then(0)
        .otherwise(pl.when((pl.col("outcome") == "a") == (pl.col("left") == pl.col("system_a"))).then(1).otherwise(-1))
    )
    counts = frame.group_by("annotator", answer.alias("said")).len()
    shares = counts.group_by("annotator").agg(pl.col("len").max() / pl.col("len").sum())
    return {str(name): float(share) for name, share in shares.iter_rows()}


def _competence(frame: pl.DataFrame, seed: int) -> dict[str, float]:
    """By MACE, from questions with three labels or more, of which two can outvote one; of those who gave enough.

    Nobody's where it takes every answer for a guess: of opinions that differ it cannot tell who knows.
    """
    several = frame.filter(pl.len().over("question") > 2)
    if several.height == 0 or several["answer"].n_unique() > MOST_ANSWERS:
        return {}
    question, person, answer = (codes(several[name]) for name in ("question", "annotator", "answer"))
    fit = mace(question, person, answer, int(answer.max()) + 1, rng=np.random.default_rng([seed, 1]))
    if fit.competence.max() < _A_GUESS:
        return {}
    names = several.select("annotator").with_columns(person=person).unique().sort("person")["annotator"]
    counts = np.bincount(person)
    return {
        str(name): float(chance)
        for name, chance, count in zip(names, fit.competence, counts, strict=True)
        if count >= FEWEST_SHARED
    }


def codes(values: pl.Series) -> Integers:
    """Whole numbers from 0, in the order of the values."""
    return np.asarray(values.rank("dense").to_numpy(), dtype=np.int64) - 1


# ---- all together ----------------------------------------------------------------------------------------------


def _panels(frames: Frames, seed: int) -> Iterable[Panel]:
    for kind, frame in frames.items():
        for (criterion,), part in frame.partition_by("criterion", as_dict=True, maintain_order=True).items():
            yield _panel(kind, None if criterion is None else str(criterion), part, seed)


def _panel(kind: LabelKind, criterion: str | None, part: pl.DataFrame, seed: int) -> Panel:
    resamples = 1000 if part.height <= _MANY_LABELS else 100
    arrays = codes(part["question"]), codes(part["annotator"]), part["answer"].to_numpy()
    level: kernel.Level = "ordinal" if part["answer"].n_unique() <= MOST_ANSWERS else "interval"

    def found(statistic: Callable[..., kernel.Agreement], *more: object) -> kernel.Agreement | None:
        try:
            return statistic(*arrays, *more, rng=np.random.default_rng([seed, _SEEDS[kind]]), resamples=resamples)
        except UnidentifiedError:
            return None

    two = part["annotator"].n_unique() == 2
    return Panel(
        criterion=criterion,
        kind=kind,
        level=level,
        agreeing=found(kernel.pairwise_agreement),
        fleiss=found(kernel.fleiss_kappa),
        cohen=found(kernel.cohen_kappa) if two else None,
        alpha=found(kernel.krippendorff_alpha, level),
    )
