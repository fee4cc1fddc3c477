"""A function of Python as a metric."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
from tests.scoring.metrics.one_text import score

from tiebreak.errors import UsageError
from tiebreak.scoring.metric import Batch, signature_of
from tiebreak.scoring.metrics.function import metric_of


def longest_word(output: str) -> float | None:
    """Length of the longest word.

    None where there is none.
    """
    return max((len(word) for word in output.split()), default=None)


def shared(output: str, references: Sequence[str], input: str) -> float:  # noqa: A002
    return sum(output == one for one in references) + 10 * (output == input)


def test_what_it_needs_its_parameters_say() -> None:
    assert metric_of(longest_word).needs == frozenset()
    assert metric_of(shared).needs == {"references", "input"}
    found = metric_of(shared).score(Batch(["a", "b"], [("a", "a"), ("c",)], ["b", "b"]))
    assert found.tolist() == [2, 10]


def test_none_is_no_score() -> None:
    metric = metric_of(longest_word, "longest", higher_is_better=None)
    assert score(metric, "a bird") == 4
    assert math.isnan(metric.score(Batch([" "]))[0])
    assert metric.higher_is_better is None


def test_another_function_has_another_signature() -> None:
    told = signature_of(metric_of(longest_word), {})
    assert told.startswith("longest_word|function:")
    assert told.split("|code:")[0].endswith("test_function.longest_word")
    assert told != signature_of(metric_of(shared, "longest_word"), {})


def test_a_function_without_a_name_needs_one() -> None:
    with pytest.raises(UsageError, match="needs a name"):
        metric_of(lambda output: len(output))
    assert metric_of(lambda output: len(output), "characters").name == "characters"
