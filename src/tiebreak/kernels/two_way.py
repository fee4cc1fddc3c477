"""The mean over items and people where both are a sample: what holds for inputs and for people like these.

Labels y_l in [-1, 1], each of a unit (an item, or a cluster of items) and a person; the estimate is a weighted mean
with weights w_l that sum to 1. With e_l = w_l (y_l - mean), Cameron, Gelbach and Miller (2011) take for its variance

    V = I/(I-1) sum over units (sum e)^2 + J/(J-1) sum over people (sum e)^2 - sum over both (sum e)^2,

where "both" are the labels of one person in one unit. The last two terms together, what people add, count as no less
than 0. The t distribution has min(I, J) - 1 degrees of freedom.

Few people who happen to agree show no variance between them, however they are spread. So the p-value is the larger of
that and of sign flips of people (`sign_flips`, Canay, Romano and Shaikh 2017), which is exact where what people say is
symmetric, and never below 2^-J: five people cannot show anything at .05. Few units that happen to agree are no better:
whoever tests takes a test over units beside this one (`comparison.people`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

from tiebreak.kernels.one_look import OneLook, one_look
from tiebreak.kernels.sign_flips import sign_flips

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]

_ROUNDING: Final = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class TwoWayMean:
    """`estimate` with the variances of a mean over these `items` and these `people`: `of_items` alone, and what people
    add (`of_people`, at least 0). `of_one_person`: the variance of a person's own mean around that of all, which is not
    cut off at 0. `sums`, `sizes` (J,): of weighted values and of weights, by person.
    """

    estimate: float
    items: int
    people: int
    of_items: float
    of_people: float
    of_one_person: float
    sums: Floats
    sizes: Floats

    @property
    def error(self) -> float:
        """The standard error."""
        return math.sqrt(self.of_items + self.of_people)

    def look(self) -> OneLook:
        """The test: the larger of two p-values for every null."""
        flips = sign_flips(self.sums, self.sizes, None)
        mirrored = flips.mirrored()
        return one_look(
            self.estimate,
            2.0**-self.people if self.people > 1 else 1.0,
            lambda null: max(self._tail(self.estimate - null), flips.at_most(null)),
            lambda null: max(self._tail(-self.estimate - null), mirrored.at_most(null)),
        )

    def _tail(self, distance: float) -> float:
        """P(T >= distance / error): of one side."""
        freedom = min(self.items, self.people) - 1
        if freedom < 1:
            return 1.0
        if self.error <= _ROUNDING:
            return 0.0 if distance > 0 else 1.0
        return float(stdtr(freedom, -distance / self.error))


def two_way_mean(values: Floats, weights: Floats, item: Codes, person: Codes, items: int) -> TwoWayMean:
    """From labels with `values` (n,) in [-1, 1] and `weights` (n,), each of an `item` (n,) in 0, ..., `items` - 1 and a
    `person` (n,) in 0, ..., J - 1, or -1 of a label that nobody need give, such as the tie of identical outputs.

    Weights sum to 1.
    """
    mean = float(weights @ values)
    asked = person >= 0
    people = int(person.max(initial=-1)) + 1
    strayed = weights * (values - mean)
    by_item = np.bincount(item, strayed, items)
    by_person = np.bincount(person[asked], strayed[asked], people)
    by_both = np.bincount(item[asked] * max(people, 1) + person[asked], strayed[asked])
    of_items = float(by_item @ by_item) * items / max(items - 1, 1)
    added = float(by_person @ by_person) * people / max(people - 1, 1) - float(by_both @ by_both)
    sums, sizes = (  # of each person
        np.asarray(np.bincount(person[asked], of[asked], people), dtype=np.float64)
        for of in (weights * values, weights)
    )
    of_one = added / float(sizes @ sizes) if people else 0.0
    of_people = added if added > _ROUNDING else 0.0
    return TwoWayMean(mean, items, people, of_items, of_people, of_one, sums, sizes)


def fewest_people(level: float) -> int:
    """How many people, all of whom agree, are needed for a verdict at `level` a side."""
    return max(2, math.ceil(-math.log2(level) - _ROUNDING))
