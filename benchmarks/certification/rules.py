"""Rules: what answers "is there a verdict?" after a number of labels, for many campaigns at once.

A rule returns for each level an array (runs, looks) of codes: A or B where it would call a or b better at that look,
EQUIVALENT, or NOTHING. The k-th look comes after (k + 1) * `spacing` labels. Whether the verdicts are wrong, and after
how many labels they come, is none of its business.

To certify another rule write a module like `human_rules`, and add its rules and their worlds to `grid`.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from benchmarks.certification.worlds import Sample
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Codes = NDArray[np.int8]
Verdicts = Callable[[Sample, Sequence[float]], list[Codes]]
Promise = Literal["every look", "one look", "nothing"]

NOTHING, A, B, EQUIVALENT = 0, 1, -1, 2


@dataclass(frozen=True, slots=True)
class Rule:
    """`title`: for people; `option`: how to get it from `tiebreak compare`; `promise`: at which looks its source
    claims that at most alpha of all verdicts are wrong. `retrospective`: the rule dates its verdict back to an earlier
    label, when all are in; its codes stand there, and it cannot be looked at on the way."""

    name: str
    title: str
    option: str
    promise: Promise
    verdicts: Verdicts
    spacing: int = 1
    retrospective: bool = False

    @property
    def source_file(self) -> str:
        """Where the rule is written: an edit there makes its old results worthless."""
        found = inspect.getsourcefile(inspect.unwrap(self.verdicts))
        if found is None:
            raise ValueError(f"the rule {self.name!r} has no source file")
        return found


def directions(for_a: Floats, for_b: Floats, threshold: float) -> Codes:
    """A where the evidence for a (runs, looks) reaches the threshold, B where that for b does."""
    codes = np.where(for_b >= threshold, np.int8(B), np.int8(NOTHING))
    return np.where(for_a >= threshold, np.int8(A), codes)


def two_sided(for_a: Floats, for_b: Floats, alphas: Sequence[float]) -> list[Codes]:
    """Directions at 2/alpha each, on a logarithmic scale."""
    return [directions(for_a, for_b, math.log(2 / alpha)) for alpha in alphas]


def both_sides(above_low: Floats, below_high: Floats, alphas: Sequence[float]) -> list[Codes]:
    """EQUIVALENT where each side of the margin has been rejected at 1/alpha by some look so far."""
    sides = np.minimum(np.maximum.accumulate(above_low, axis=1), np.maximum.accumulate(below_high, axis=1))
    return [np.where(sides >= math.log(1 / alpha), np.int8(EQUIVALENT), np.int8(NOTHING)) for alpha in alphas]
