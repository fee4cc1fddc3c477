"""Functions that do something else are told apart, and the same one is the same in every process."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

from tiebreak.scoring.metrics.function import what_it_does

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
