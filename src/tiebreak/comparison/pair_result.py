"""From what a rule found about a pair to its `PairResult`.

What the result of a criterion holds beside its verdicts, of a finished set as of a watched study.

How the evidence of a pair grew with its labels: the paths behind its verdict, thinned for drawing.

Agreement among the annotators of a study, on the labels that a comparison used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiebreak.comparison.left_out import system_ratings
from tiebreak.data.schema import DERIVED
from tiebreak.data.study import Study
from tiebreak.errors import UnidentifiedError
from tiebreak.evidence.human_labels import oriented_preferences
from tiebreak.evidence.pair_evidence import PairEvidence, PairSummary
from tiebreak.evidence.study_evidence import CriterionEvidence
from tiebreak.kernels import agreement as kernel
from tiebreak.kernels.agreement import Level
from tiebreak.messages.paper import paper_sentence
from tiebreak.records import Verdict
from tiebreak.results.comparison_terms import Terms
from tiebreak.results.order import Annotators, EvidenceCurve, looks
from tiebreak.results.records import (
    FEW_UNITS,
    LEAST_UNITS,
    AnnotatorAgreement,
    CriterionResult,
    Difference,
    JudgeOrders,
    PairResult,
    e_value,
    interval_flags,
)
from tiebreak.results.standing import order_of_pairs
from tiebreak.rules.planned_set import PairScan, PairVerdict
from tiebreak.rules.rule import CERTAIN


def pair_result(
    pair: PairSummary,
    verdict: Verdict,
    difference: Difference,
    further_units: int | None,
    price: float | None,
    *,
    margin: float | None = None,
    drawn: int | None = None,
    flags: tuple[str, ...] = (),
) -> PairResult:
    """The result of one pair, whatever the rule: its evidence counted, and units turned into items, labels and money.
    What only some rules know is for them to add.

    `further_units`: projected further need, 0 once decided, None if none is known. `drawn`: clusters that are the units
    of a claim about these items.
    """
    items, units, labels = pair.items, drawn or pair.units, pair.labels
    told = units >= LEAST_UNITS or (difference.validity == CERTAIN and units > 0)
    if further_units and not told:
        further_units, flags = None, (*flags, FEW_UNITS)
    further_items = None if further_units is None else round(further_units * items / max(units, 1))
    further_labels = None if further_items is None else round(further_items * labels / max(items, 1))
    return PairResult(
        system_a=pair.system_a,
        system_b=pair.system_b,
        verdict=verdict,
        also=None,
        items=items,
        labels=labels,
        units=units,
        identical=pair.identical,
        clusters=drawn or pair.clusters,
        items_to_decision=further_items,
        labels_to_decision=further_labels,
        cost_to_decision=None if price is None or further_labels is None else round(further_labels * price, 2),
        stopped_at=None,
        labels_at_stop=None,
        wins=pair.wins,
        ties=pair.ties,
        losses=pair.losses,
        difference=replace(difference, estimate=difference.estimate if told else None),
        flags=(*flags, *interval_flags(verdict, difference.low, difference.high, margin)),
    )


def with_stop(result: PairResult, pair: PairEvidence, stopped_at: int | None) -> PairResult:
    """The same with the items and labels of the units after which its verdict was reached; None: it was not."""
    if stopped_at is None:
        return result
    items = stopped_at if pair.clusters is None else round(stopped_at * result.items / result.units)
    return replace(result, stopped_at=items, labels_at_stop=int(np.sum(pair.labels[:items])))


def with_evidence(result: PairResult, pair: PairEvidence, found: PairVerdict) -> PairResult:
    """The same with the e-values of the rule `anytime`, and where it would have stopped."""
    equivalent = found.log_e_equivalent
    return replace(
        with_stop(result, pair, found.stopped_at),
        also=found.also,
        e_a=e_value(found.log_e_a),
        e_b=e_value(found.log_e_b),
        e_equivalent=None if equivalent is None else e_value(equivalent),
    )


Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def evidence_curve(pair: PairEvidence, scanned: PairScan, verdict: PairVerdict) -> EvidenceCurve:
    """The curve of one pair, from the evidence behind its verdict: it crosses its threshold where the pair stopped."""
    units, stop = len(pair.sequence), verdict.stopped_at
    seen = looks(units, stop)
    if pair.clusters is None:
        items, labels = seen, np.cumsum(pair.labels[pair.in_sequence])
    else:  # a cluster stands for the mean number of items
        items, labels = np.rint(seen * pair.items.size / max(units, 1)).astype(np.int64), np.cumsum(pair.labels)
    return EvidenceCurve(
        criterion=pair.criterion,
        system_a=pair.system_a,
        system_b=pair.system_b,
        items=items,
        labels=np.concatenate([[0], labels]).astype(np.int64)[items],
        log_e_a=_at(scanned.directions[:, 0], seen),
        log_e_b=_at(scanned.directions[:, 1], seen),
        log_e_equivalent=None if scanned.equivalent is None else _at(scanned.equivalent, seen),
        log_threshold=verdict.log_threshold,
        log_threshold_equivalent=verdict.log_threshold_equivalent,
        stopped_at=None if stop is None else int(items[np.searchsorted(seen, stop)]),
    )


def _at(path: Floats, seen: Integers) -> Floats:
    return np.concatenate([[0.0], path])[seen]


_MANY_LABELS = 200_000  # with so many labels the interval is narrow and 100 resamples describe it


def study_agreement(study: Study, criterion: str | None, seed: int) -> tuple[AnnotatorAgreement, ...]:
    """One entry for preferences and one for ratings, as far as the criterion has them.

    Preferences: what is judged is an item and a pair of outputs. Ratings: one output.
    """
    found = []
    preferences = oriented_preferences(study, criterion)
    if preferences.height:
        found.append(_agreement("preferences", preferences, np.random.default_rng([seed, 3])))
    if study.ratings is not None:
        ratings = study.ratings.filter(pl.col("criterion").eq_missing(pl.lit(criterion)))
        if ratings.height:
            found.append(_agreement("ratings", ratings, np.random.default_rng([seed, 4])))
    return tuple(found)


_QUESTION: Final = {
    "preferences": ("system_a", "system_b", "item", "sample_a", "sample_b"),
    "ratings": ("item", "system", "sample"),
}
"""By kind of label, the columns that tell what was asked about."""
_MOST_GRADES: Final = 20  # values: more are numbers, whose distances tell more than their ranks


def _agreement(kind: str, frame: pl.DataFrame, rng: np.random.Generator) -> AnnotatorAgreement:
    """Ordinal, or at the interval level where there are many values."""
    unit, people = _codes(frame, *_QUESTION[kind]), _codes(frame, "annotator")
    values = frame["value"].cast(pl.Float64).to_numpy()
    resamples = 1000 if values.size <= _MANY_LABELS else 100
    level: Level = "ordinal" if np.unique(values).size <= _MOST_GRADES else "interval"
    several = values[np.bincount(unit)[unit] > 1]
    return AnnotatorAgreement(
        kind=kind,
        level=level,
        alpha=_or_none(lambda: kernel.krippendorff_alpha(unit, people, values, level, rng=rng, resamples=resamples)),
        agreeing=_or_none(lambda: kernel.pairwise_agreement(unit, people, values, rng=rng, resamples=resamples))
        if kind == "preferences"
        else None,
        all_same=several.size > 0 and bool((several == several[0]).all()),
    )


def _codes(frame: pl.DataFrame, *columns: str) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    key = pl.struct(columns) if len(columns) > 1 else pl.col(columns[0])
    return frame.select(key.rank("dense")).to_series().to_numpy().astype(np.int64) - 1


def _or_none(statistic: Callable[[], kernel.Agreement]) -> kernel.Agreement | None:
    """None where nobody can be compared: too few items with two labels, or one answer throughout."""
    try:
        return statistic()
    except UnidentifiedError:
        return None


def criterion_result(
    study: Study,
    tables: CriterionEvidence,
    pairs: Sequence[PairResult],
    terms: Terms,
    people: Annotators,
    *,
    labels: int,
    advice: tuple[str, ...] = (),
    judges: tuple[JudgeOrders, ...] = (),
    seed: int = 0,
) -> CriterionResult:
    """The verdicts of `pairs`, with their order, what people agree on, and the sentence for a paper.

    `people`: who gave the labels of the criterion, nobody where metrics alone were asked; `labels`: those that are
    evidence; `seed`: of the resampling behind the intervals of agreement.
    """
    names = tuple(sorted(people.names))
    compared = {name for pair in pairs for name in (pair.system_a, pair.system_b)}
    return CriterionResult(
        criterion=tables.criterion,
        pairs=tuple(pairs),
        order=order_of_pairs(pairs),
        annotators=names,
        labels=labels,
        agreement=study_agreement(study, tables.criterion, seed) if terms.human else (),
        advice=advice,
        for_paper=paper_sentence(
            pairs,
            terms,
            criterion=tables.criterion,
            from_ratings=tables.from_ratings > 0,
            people=len(names),
            labels=labels,
            derived_from=DERIVED[tables.criterion].source if tables.criterion in study.derived else None,
        ),
        judges=judges,
        people=people,
        ratings=system_ratings(study, tables.criterion) if terms.human else (),
        not_compared=tuple(name for name in study.candidates if name not in compared),
    )
