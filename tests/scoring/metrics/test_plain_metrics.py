"""Metrics that only count: edit distance, length, distinct n-grams, repetition; each derived by hand."""

from __future__ import annotations

import math

import pytest
from tests.scoring.metrics.one_text import named, score

from tiebreak.scoring.metric import Batch
from tiebreak.scoring.metrics import plain


def test_edit_distance() -> None:
    words, characters = plain.METRICS[:2]
    assert score(words, "the cat sat", "the dog sat") == pytest.approx(1 / 3)
    assert score(words, "the cat sat", "the dog sat", "the cat sat down") == pytest.approx(1 / 4)  # the nearest
    assert score(characters, "cat", "cut") == pytest.approx(1 / 3)
    assert score(words, "the  cat", "the cat") == 0
    found = words.score(Batch(["a b", "a b", "c"], [["a b"], ["x y", "a x"], ["d"]])).tolist()
    assert found == pytest.approx([0, 0.5, 1])


def test_length() -> None:
    words, characters = plain.METRICS[2:4]
    assert score(words, " It's  raining, Tom. ") == 3
    assert score(characters, " naïve 猫 ") == 7
    assert words.higher_is_better is None


def test_distinct() -> None:
    one, two, three = (named(plain.METRICS, f"distinct-{n}") for n in (1, 2, 3))
    assert score(one, "a b A b") == pytest.approx(2 / 4)
    assert score(two, "a b a b") == pytest.approx(2 / 3)
    assert score(three, "a b a b") == 1
    assert math.isnan(score(two, "a"))


def test_repetition() -> None:
    metric = named(plain.METRICS, "repetition")
    # Five runs of four words, of which "a b c d" stands twice.
    assert score(metric, "a b c d a b c d") == pytest.approx(1 / 5)
    assert score(metric, "a b c d") == 0
    assert math.isnan(score(metric, "a b c"))
    assert metric.higher_is_better is False
