"""When an answer is a tie."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiebreak.scoring.evaluator.examples.pairs import Pairs

Floats = NDArray[np.float64]

MOST_PROBABLE = -1.0
"""No calibration: the outcome with the highest probability."""
NEVER = 1.01
"""No tie, whatever its probability."""
ENOUGH = 30
"""Pairs that set the bound by themselves; of fewer, one tie more or less moves it far, and there may be none."""
_ROUNDING = 1e-5
"""Probabilities this near are equal: one text read in another batch differs from itself by less."""


@dataclass(frozen=True, slots=True)
class TieBound:
    """From which probability on an answer is a tie (`bound`), and what says so: so many `ties` of the `told` pairs.

    `set_on`: the pairs whose probabilities were looked at, of which as large a share gets a tie; `answered`: those that
    do, more where texts score the same; `held_out`: those that are there to set it, `learned`: those that were learned
    from. All others are measured.
    """

    bound: float
    ties: int
    told: int
    set_on: int
    answered: int
    held_out: int
    learned: int


def calibrated(looks: Pairs, learned: Pairs, measured: Pairs, probabilities: Callable[[Pairs], Floats]) -> TieBound:
    """By the pairs at which training looked, as many ties as were told of them.

    Where these are too few, the share of ties is that of the pairs that were learned from, too, and it is the measured
    pairs that are looked at beside them: at their probabilities, and not at what was told of them, so that what is
    measured stays true. Pairs that were learned from are looked at only where all these are too few: on them it is
    surer than elsewhere. Where nothing was held out, these alone would say it, and nothing sets a bound.
    """
    if not len(looks) + len(measured):
        return TieBound(MOST_PROBABLE, 0, 0, 0, 0, 0, 0)
    if len(looks) >= ENOUGH:
        told, seen = looks, [looks]
    else:
        told, seen = Pairs.joined([looks, learned]), [looks, measured]
        if len(looks) + len(measured) < ENOUGH:
            seen.append(learned)
    among = Pairs.joined(seen)
    found, ties = probabilities(among), int((told.outcome == 0).sum())
    bound = tie_bound(found, ties / len(told)) if len(told) else MOST_PROBABLE
    answered = int((answers(found, bound) == 0).sum())
    return TieBound(bound, ties, len(told), len(among), answered, len(looks), len(learned) if len(seen) == 3 else 0)


def tie_bound(found: Floats, ties_told: float) -> float:
    """The probability of a tie from which on the answer is a tie, so that as many ties are answered as people told.

    `found` (n, 3): probabilities of pairs; `ties_told`: the share of ties. `NEVER` where it is less than one of them.
    """
    ties = np.sort(found[:, 1])[::-1]
    count = round(ties_told * ties.size)
    if count == 0:
        return NEVER
    return float(ties[0] if count == 1 else (ties[count - 1] + ties[min(count, ties.size - 1)]) / 2)


def answers(found: Floats, bound: float) -> NDArray[np.int8]:
    """1 where the first is better, -1 where the second is, 0 for a tie (n,).

    Texts between which nothing tells are a tie by any bound: their order may not decide.
    """
    equal = np.abs(found[:, 0] - found[:, 2]) <= _ROUNDING
    tie = equal | (found.argmax(1) == 1 if bound == MOST_PROBABLE else found[:, 1] >= bound)
    return np.where(tie, 0, np.where(found[:, 0] > found[:, 2], 1, -1)).astype(np.int8)


def flips(forth: Floats, back: Floats, bound: float) -> NDArray[np.bool_]:
    """Whether the answers (n,) to texts in one order and in the other, both as the first order sees them, differ."""
    return answers(forth, bound) != answers(back, bound)
