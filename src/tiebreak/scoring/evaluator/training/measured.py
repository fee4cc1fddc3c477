"""How good an evaluator is on pairs that it has not learned from."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from tiebreak.scoring.evaluator.examples.pairs import Pairs
from tiebreak.scoring.evaluator.models.comparer import Comparer
from tiebreak.scoring.evaluator.models.encoders import Tokens

Floats = NDArray[np.float64]
AT_ONCE = 16_384  # tokens


@dataclass(frozen=True, slots=True)
class Bucket:
    """Decided pairs whose margins lie between two numbers: how many, and the share that is right."""

    low: float
    high: float
    pairs: int
    right: float


@dataclass(frozen=True, slots=True)
class Measured:
    """On `pairs`: `loss`, the mean of -log p of what was told; `two_way`: of the `decided` ones, the share whose better
    text has the higher probability (.5 is a coin); `three_way`: the share of most probable outcomes that are right;
    `flips`: answers that change with the order; `ties_told`, `ties_predicted`: shares. None where there is no pair.
    """

    pairs: int
    decided: int
    loss: float | None
    two_way: float | None
    three_way: float | None
    flips: float | None
    ties_told: float | None
    ties_predicted: float | None
    by_margin: tuple[Bucket, ...]

    def to_dict(self) -> dict[str, object]:
        return asdict(self)


def measure(model: Comparer, tokens: Tokens, context: NDArray[np.intp], pairs: Pairs) -> Measured:
    """Of a model in judging mode; `context`: of each text (T,)."""
    if not len(pairs):
        return Measured(0, 0, None, None, None, None, None, None, ())
    found = model.probabilities(tokens, context, pairs.a, pairs.b, AT_ONCE)
    flips = model.flips(tokens, context, pairs.a, pairs.b, AT_ONCE)
    return measured(found, pairs, flips)


def measured(found: Floats, pairs: Pairs, flips: float) -> Measured:
    """The same of probabilities (n, 3) that are known."""
    better = pairs.better
    right = np.where(np.sign(found[:, 0] - found[:, 2]) == better, 1.0, 0.0)
    decided = better != 0
    told = np.where(better > 0, 0, np.where(better < 0, 2, 1))
    loss = -(pairs.shares * np.log(np.maximum(found, 1e-12))).sum(1).mean()
    return Measured(
        pairs=len(pairs),
        decided=int(decided.sum()),
        loss=float(loss),
        two_way=float(right[decided].mean()) if decided.any() else None,
        three_way=float((found.argmax(1) == told).mean()),
        flips=flips,
        ties_told=float((told == 1).mean()),
        ties_predicted=float((found.argmax(1) == 1).mean()),
        by_margin=_by_margin(right, pairs, decided),
    )


_BUCKETS = (0.1, 0.2, 0.35, 0.5, 1.0)


def _by_margin(right: Floats, pairs: Pairs, decided: NDArray[np.bool_]) -> tuple[Bucket, ...]:
    found = []
    for low, high in zip((0.0, *_BUCKETS), _BUCKETS, strict=False):
        inside = decided & (pairs.margin > low) & (pairs.margin <= high)
        if inside.any():
            found.append(Bucket(low, high, int(inside.sum()), float(right[inside].mean())))
    return tuple(found)
