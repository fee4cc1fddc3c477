"""Pairs with a metric for the tests of the analysis: simulated outcomes, and the evidence made from them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tests.small_studies import Row, scored
from tiebreak.data.study import Study
from tiebreak.evidence.automatic import PairAutomatic
from tiebreak.evidence.pair_evidence import PairEvidence
from tiebreak.rules.rule import ValueSequence

Floats = NDArray[np.float64]


def outcomes_and_metric(
    rng: np.random.Generator, items: int, correlation: float, difference: float = 0.0, ties: float = 0.3
) -> tuple[Floats, Floats]:
    """Outcomes (items,) with P(win) - P(loss) = difference, and a metric (items,) with this correlation to them."""
    wins = (1 - ties + difference) / 2
    outcomes = rng.choice([1.0, 0.0, -1.0], size=items, p=[wins, ties, 1 - ties - wins])
    return outcomes, with_correlation(rng, outcomes, correlation, np.sqrt(1 - ties - difference**2))


def balanced_outcomes(rng: np.random.Generator, items: int, difference: float = 0.0, ties: float = 0.3) -> Floats:
    """Outcomes (items,) in random order whose mean is exactly `difference`: a pool, not a sample."""
    tied = round(items * ties)
    wins = round((items - tied + items * difference) / 2)
    return rng.permutation(np.repeat([1.0, 0.0, -1.0], [wins, tied, items - tied - wins]))


def with_correlation(rng: np.random.Generator, outcomes: Floats, correlation: float, deviation: float) -> Floats:
    noise = rng.normal(size=outcomes.size)
    return np.asarray(correlation * outcomes / deviation + np.sqrt(1 - correlation**2) * noise)


def pair_with_metric(
    outcomes: Floats, metric: Floats, labelled: int, *, target: str = "inputs", clusters: int | None = None
) -> tuple[PairEvidence, PairAutomatic]:
    """The first `labelled` items have a human label; metric (items,) or (items, M)."""
    columns = metric[:, None] if metric.ndim == 1 else metric
    values = outcomes[:labelled]
    pool = outcomes.size if target == "items" else None
    pair = PairEvidence(
        criterion=None,
        system_a="ant",
        system_b="bee",
        items=np.arange(labelled),
        values=values,
        labels=np.ones(labelled, dtype=np.int64),
        in_sequence=np.ones(labelled, dtype=np.bool_),
        sequence=ValueSequence.complete(values, pool),
        pool_size=outcomes.size,
        identical=0,
        clusters=clusters,
    )
    names = tuple(f"m{k}" for k in range(columns.shape[1]))
    return pair, PairAutomatic(names, columns[:labelled], columns[labelled:])


def votes_and_scores(
    outcomes: Floats,
    metric: Floats,
    labelled: int,
    systems: tuple[str, str] = ("ant", "bee"),
    name: str = "bleu",
    digits: int | None = None,
) -> tuple[list[Row], list[Row]]:
    """The same as rows of a study: the metric is the score of the first system, the second's is 0."""
    words = {1.0: "a", 0.0: "tie", -1.0: "b"}
    votes: list[Row] = [
        {
            "item": f"i{k}",
            "system_a": systems[0],
            "system_b": systems[1],
            "annotator": "p",
            "outcome": words[float(outcomes[k])],
        }
        for k in range(labelled)
    ]
    values = metric if digits is None else np.round(metric, digits)
    return votes, scored({systems[0]: values.tolist(), systems[1]: [0.0] * metric.size}, name)


def study_with_metric(seed: int, items: int, labelled: int, correlation: float, difference: float = 0.0) -> Study:
    """ant against bee: `labelled` of the items have a label, all are listed and have a score of bleu."""
    outcomes, metric = outcomes_and_metric(np.random.default_rng(seed), items, correlation, difference)
    votes, scores = votes_and_scores(outcomes, metric, labelled)
    listed = [{"item": f"i{k}"} for k in range(items)]
    return Study.from_tables(preferences=votes, scores=scores, items=listed)
