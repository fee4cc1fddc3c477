"""Small studies for the tests of the analysis, from a few rows or a few numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from tiebreak.comparison.compare import compare
from tiebreak.data.study import Study, StudySettings
from tiebreak.results.records import CompareResult, PairResult

Row = dict[str, object]


def vote(
    item: str,
    system_a: str,
    system_b: str,
    annotator: str,
    outcome: str,
    decided_at: str | None = None,
    criterion: str | None = None,
) -> Row:
    return {
        "item": item,
        "system_a": system_a,
        "system_b": system_b,
        "annotator": annotator,
        "outcome": outcome,
        "criterion": criterion,
        "decided_at": decided_at,
    }


def rating(item: str, system: str, annotator: str, value: float, criterion: str = "overall") -> Row:
    return {"item": item, "system": system, "annotator": annotator, "criterion": criterion, "value": value}


def texts(by_system: Mapping[str, Sequence[str]]) -> list[Row]:
    """Outputs: one text per item i0, i1, ... of each system; an empty string is no output."""
    return [
        {"item": f"i{k}", "system": system, "text": text}
        for system, written in by_system.items()
        for k, text in enumerate(written)
        if text
    ]


def pair_votes(outcomes: str, system_a: str = "ant", system_b: str = "bee", criterion: str | None = None) -> list[Row]:
    """One label on each of the items i0, i1, ...: `w` for system_a, `t` tie, `l` for system_b, a blank: no label."""
    words = {"w": "a", "t": "tie", "l": "b"}
    return [
        vote(f"i{k}", system_a, system_b, "ann", words[code], criterion=criterion)
        for k, code in enumerate(outcomes)
        if code != " "
    ]


def simulated_votes(
    strengths: Mapping[str, float],
    items: int,
    annotators: int = 1,
    ties: float = 0.2,
    seed: int = 0,
    criterion: str | None = None,
) -> list[Row]:
    """Every annotator judges every pair on every item; P(a) - P(b) is the difference of the strengths."""
    rng = np.random.default_rng(seed)
    rows = []
    for a, b in combinations(sorted(strengths), 2):
        wins = (1 - ties + strengths[a] - strengths[b]) / 2
        codes = rng.choice(3, size=(items, annotators), p=[wins, ties, 1 - ties - wins])
        for (item, person), code in np.ndenumerate(codes):
            outcome = ("a", "tie", "b")[int(code)]
            rows.append(vote(f"i{item:03d}", a, b, f"p{person}", outcome, criterion=criterion))
    return rows


def simulated_ratings(
    strengths: Mapping[str, float], items: int, annotators: int = 2, seed: int = 0, criterion: str = "overall"
) -> list[Row]:
    """Whole numbers from 1 to 5 around 3 + strength."""
    rng = np.random.default_rng(seed)
    rows = []
    for system in sorted(strengths):
        values = np.clip(np.round(3 + strengths[system] + rng.normal(size=(items, annotators))), 1, 5)
        for (item, person), value in np.ndenumerate(values):
            rows.append(rating(f"i{item:03d}", system, f"p{person}", float(value), criterion))
    return rows


def study_of(preferences: Sequence[Row] = (), ratings: Sequence[Row] = (), **rest: object) -> Study:
    settings = rest.pop("settings", StudySettings())
    return Study.from_tables(
        preferences=list(preferences) or None,
        ratings=list(ratings) or None,
        settings=settings,  # type: ignore[arg-type]
        **rest,  # type: ignore[arg-type]
    )


def only_pair(study: Study, **options: object) -> PairResult:
    """The result of the only pair of the only criterion."""
    result: CompareResult = compare(study, **options)  # type: ignore[arg-type]
    (criterion,) = result.results
    (pair,) = criterion.pairs
    return pair


def anytime(study: Study, **options: object) -> CompareResult:
    """`compare` by the rule that knows evidence, stops, curves and budgets."""
    return compare(study, rule="anytime", **options)  # type: ignore[arg-type]


def anytime_pair(study: Study, **options: object) -> PairResult:
    """The result of the only pair by that rule."""
    return only_pair(study, rule="anytime", **options)


def pair_of(result: CompareResult, system_a: str, system_b: str, criterion: str | None = None) -> PairResult:
    (found,) = [found for found in result.results if found.criterion == criterion]
    return next(pair for pair in found.pairs if (pair.system_a, pair.system_b) == (system_a, system_b))


def scored(
    values: Mapping[str, Sequence[float | None]], metric: str = "bleu", criterion: str | None = None
) -> list[Row]:
    """Scores: one value per item i0, i1, ... of each system; None: no score."""
    return [
        {"item": f"i{k}", "system": system, "metric": metric, "value": value, "criterion": criterion}
        for system, given in values.items()
        for k, value in enumerate(given)
        if value is not None
    ]


def answer(
    item: str,
    system_a: str,
    system_b: str,
    outcome: str | None,
    left: str | None = None,
    judge: str = "gpt",
    criterion: str | None = None,
) -> Row:
    """One reply of a judge; None: it did not parse."""
    return {
        "item": item,
        "system_a": system_a,
        "system_b": system_b,
        "judge": judge,
        "criterion": criterion,
        "left": left,
        "outcome": outcome,
    }
