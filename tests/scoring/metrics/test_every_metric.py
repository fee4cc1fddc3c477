"""What holds for every metric that needs no language model: ranges, order, company, several references, no value."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tiebreak.scoring.metric import Batch, Metric, signature_of
from tiebreak.scoring.registry import known_metrics

SLOW = ("perplexity", "bertscore", "bleurt", "comet")
METRICS = [metric for metric in known_metrics().metrics.values() if not metric.name.startswith(SLOW)]

OUTPUTS = ["It is raining cats and dogs, said Tom.", "so-so", "Das ist über 3.5 Äpfel!", "猫がいる。", "it it it it it",
           "A dog runs.", "?"]  # fmt: skip
REFERENCES = [["It rains cats and dogs.", "It is raining, said Tom."], ["so-so"], ["Das sind über 3.5 Äpfel."],
              ["犬がいる。"], ["it", "is it"], ["Some dogs are running.", "A dog runs.", "x"], ["!"]]  # fmt: skip


def fitted(metric: Metric) -> Metric:
    return metric.fitted(REFERENCES) if "references" in metric.needs else metric


def batch(metric: Metric, rows: list[int]) -> Batch:
    wanted = [REFERENCES[row] for row in rows] if "references" in metric.needs else ()
    return Batch([OUTPUTS[row] for row in rows], wanted)


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_every_score_is_its_own_texts_and_in_range(metric: Metric) -> None:
    metric = fitted(metric)
    rows = list(range(len(OUTPUTS)))
    together = metric.score(batch(metric, rows))
    assert together.shape == (len(OUTPUTS),)
    assert together.dtype == np.float64
    low, high = metric.range
    known = together[~np.isnan(together)]
    assert known.size >= 4
    assert ((known >= low - 1e-9) & (known <= high + 1e-9)).all()
    assert not np.isinf(known).any()
    alone = [float(metric.score(batch(metric, [row]))[0]) for row in rows]
    backwards = metric.score(batch(metric, rows[::-1]))[::-1]
    np.testing.assert_allclose(alone, together, atol=2e-6)
    np.testing.assert_allclose(backwards, together, atol=2e-6)


@pytest.mark.parametrize(
    "metric", [one for one in METRICS if one.needs and one.name != "cider"], ids=lambda metric: metric.name
)
def test_a_reference_itself_is_best(metric: Metric) -> None:
    metric = fitted(metric)
    best = metric.score(Batch(["A dog runs."], [["A dog runs."]]))[0]
    others = metric.score(Batch(["A dog sits.", "Dogs and cats", "runs a dog"], [["A dog runs."]] * 3))
    better = -1 if metric.higher_is_better is False else 1
    assert (better * best >= better * others - 1e-9).all()
    assert not math.isnan(best)


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_signatures_are_one_line_and_say_the_version(metric: Metric) -> None:
    told = signature_of(fitted(metric), {"from": "input", "prep": ""})
    assert told.startswith(f"{metric.name}|")
    assert told.endswith("|from:input")
    assert "\n" not in told
    assert "|v:" in told or "|version:" in told
    assert metric.words == metric.words.strip().removesuffix(".")
