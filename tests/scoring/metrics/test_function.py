"""A function of Python as a metric: told apart from others, and the same one the same in every process."""

from __future__ import annotations

import math
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import pytest
from tests.scoring.metrics.one_text import score

from tiebreak.errors import UsageError
from tiebreak.scoring.metric import Batch, signature_of
from tiebreak.scoring.metrics.function import metric_of, what_it_does

# ---- A function of Python as a metric. -----------------------------------------------------------------------------


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


# ---- Functions that do something else are told apart, and the same one is the same in every process. ---------------


FACTOR = 2


def times(output: str, factor: float = 1.0) -> float:
    return len(output) * factor


def times_factor(output: str) -> float:
    return times(output) * FACTOR


class Times:
    def __init__(self, factor: object) -> None:
        self.factor = factor

    def __call__(self, output: str) -> float:
        return len(output) * float(self.factor)  # type: ignore[arg-type]

    def method(self, output: str) -> float:
        return self(output)


def made(factor: object) -> Callable[[str], float]:
    def of(output: str) -> float:
        return len(output) * float(factor)  # type: ignore[arg-type]

    return of


@pytest.mark.parametrize(
    "make",
    [made, Times, lambda factor: Times(factor).method, lambda factor: partial(times, factor=factor),
     lambda factor: made(np.array([factor])), lambda factor: made(re.compile(str(factor))),
     lambda factor: made({"a": [factor]}), lambda factor: made({factor}), lambda factor: made(made(factor))],
)  # fmt: skip
def test_values_from_outside_count(make: Callable[[object], object]) -> None:
    # Scores of the one would be taken for those of the other, silently.
    assert what_it_does(make(2)) != what_it_does(make(3))
    assert what_it_does(make(2)) == what_it_does(make(2))


def test_constants_of_the_module_and_its_functions_count(monkeypatch: pytest.MonkeyPatch) -> None:
    before = what_it_does(times_factor)
    monkeypatch.setattr(sys.modules[__name__], "FACTOR", 3)
    assert what_it_does(times_factor) != before
    monkeypatch.undo()
    assert what_it_does(times_factor) == before
    monkeypatch.setattr(sys.modules[__name__], "times", made(7))
    assert what_it_does(times_factor) != before


def test_a_function_that_knows_itself_or_half_of_a_library() -> None:
    def again(output: str) -> float:
        return float(np.mean([len(output)])) if output else again(output + "a")

    assert what_it_does(again) == what_it_does(again)
    assert what_it_does(re.escape) == what_it_does(re.escape)


@pytest.mark.parametrize(
    "code", ["f = lambda o: max(map(lambda c: ord(c), o))", "def f(o): return o in {'b', 'a', 'cat', 'dog'}"]
)
def test_the_same_in_every_process(code: str) -> None:
    # Written into a prompt there is no source, and an inner function is told by where it lies in memory.
    program = f"from tiebreak.scoring.metrics.function import what_it_does\n{code}\nprint(what_it_does(f))"
    found = {subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout for _ in range(3)}
    assert len(found) == 1
    assert re.fullmatch(r"[0-9a-f]{12}\n", found.pop())
