"""ROUGE is rouge-score's, with a faster longest common subsequence, and known by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from rouge_score.rouge_scorer import RougeScorer
from tests.scoring.metrics.one_text import named, score

from tiebreak.scoring.metric import Batch
from tiebreak.scoring.metrics.rouge import METRICS


def test_by_hand() -> None:
    output, reference = "the cat lay on a mat", "the cat sat on the mat"
    # Shared: the, cat, on, mat of 6 and 6; the pair "the cat" of 5 and 5; the subsequence "the cat on mat".
    found = [score(metric, output, reference) for metric in METRICS]
    assert found == pytest.approx([4 / 6, 1 / 5, 4 / 6, 4 / 6])
    precision = named(METRICS, "rougeL-precision")
    assert score(precision, "cat sat", "the cat sat on the mat") == 1
    assert score(precision, "a cat sat", "the cat sat on the mat", "cats") == pytest.approx(2 / 3)
    assert score(named(METRICS, "rougeL"), "mat the on cat", "the cat on") == pytest.approx(2 * 2 / 7)


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_scores_are_those_of_the_package(metric: object) -> None:
    rng = np.random.default_rng(4)
    words = ["run", "running", "runs", "Dogs", "dog", "don't", "(red)", "3.5", "a", "über", ".", "the"]
    kind = metric.name.removesuffix("-precision")  # type: ignore[attr-defined]
    scorer = RougeScorer([kind], use_stemmer=True)
    outputs, references = [], []
    for _ in range(200):
        made = [" ".join(rng.choice(words, rng.integers(1, 30))) + " x" for _ in range(4)]
        outputs.append(made[0])
        references.append(made[1 : rng.integers(2, 5)])
    found = metric.score(Batch(outputs, references))  # type: ignore[attr-defined]
    part = "precision" if metric.precision else "fmeasure"  # type: ignore[attr-defined]
    alone = [
        max(getattr(scorer.score(one, output)[kind], part) for one in each)
        for output, each in zip(outputs, references, strict=True)
    ]
    assert found.tolist() == pytest.approx(alone, abs=1e-12)


def test_a_text_without_words_that_rouge_can_see_has_no_score() -> None:
    for metric in METRICS:
        assert math.isnan(score(metric, "猫がいる。", "猫がいる。"))
        assert math.isnan(score(metric, "a cat", "猫"))
        assert score(metric, "a cat sat", "猫", "a cat sat") == 1  # the other reference has some


def test_a_text_too_short_for_a_pair_shares_none() -> None:
    assert score(named(METRICS, "rouge2"), "cat", "the cat") == 0
