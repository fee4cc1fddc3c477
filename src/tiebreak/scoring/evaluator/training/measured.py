"""How good a trained model is where it has not learned."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tiebreak.scoring.evaluator.examples.pairs import Pairs
from tiebreak.scoring.evaluator.examples.rated import Rated
from tiebreak.scoring.evaluator.models.comparers import Comparer, Discriminator, Regressor
from tiebreak.scoring.evaluator.models.encoders import Tokens
from tiebreak.scoring.evaluator.training.calibration import MOST_PROBABLE, answers, flips

Floats = NDArray[np.float64]
AT_ONCE = 16_384  # tokens


class HeldOutMeasures(Protocol):
    """What every form says of itself."""

    @property
    def loss(self) -> float | None:
        """What training makes small; None where there was nothing to measure on."""

    def to_dict(self) -> dict[str, object]:
        """The numbers, JSON-ready."""


@dataclass(frozen=True, slots=True)
class Bucket:
    """Decided pairs whose margins lie between two numbers: how many, and the share that is right."""

    low: float
    high: float
    pairs: int
    right: float


@dataclass(frozen=True, slots=True)
class MeasuredPairs:
    """On `pairs`: `loss`, the mean of -log p of what was told; `two_way`: of the `decided` ones, which are no ties, the
    share whose better text has the higher probability (.5 is a coin); `three_way`: the share of answers that are right;
    `flips`: answers that change with the order; `ties_told`, `ties_answered`: shares. None where there is no pair.
    """

    pairs: int
    decided: int
    loss: float | None
    two_way: float | None
    three_way: float | None
    flips: float | None
    ties_told: float | None
    ties_answered: float | None
    by_margin: tuple[Bucket, ...]

    def to_dict(self) -> dict[str, object]:
        return asdict(self)


def measure_pairs(
    model: Comparer, tokens: Tokens, context: NDArray[np.intp], pairs: Pairs, bound: float = MOST_PROBABLE
) -> MeasuredPairs:
    """Of a model in judging mode; `context`: of each text (T,); `bound`: the probability from which on it answers a
    tie.
    """
    if not len(pairs):
        return MeasuredPairs(0, 0, None, None, None, None, None, None, ())
    forth, back = model.orders(tokens, context, pairs.a, pairs.b, AT_ONCE)
    return measured((forth + back) / 2, pairs, float(flips(forth, back, bound).mean()), bound)


def measured(found: Floats, pairs: Pairs, flipped: float, bound: float = MOST_PROBABLE) -> MeasuredPairs:
    """The same of probabilities (n, 3) and a share of flips that are known."""
    outcome = pairs.outcome
    given = answers(found, bound)
    right = np.where(np.sign(found[:, 0] - found[:, 2]) == outcome, 1.0, 0.0)
    decided = outcome != 0
    told = 1 - outcome
    loss = -(pairs.shares * np.log(np.maximum(found, 1e-12))).sum(1).mean()
    return MeasuredPairs(
        pairs=len(pairs),
        decided=int(decided.sum()),
        loss=float(loss),
        two_way=float(right[decided].mean()) if decided.any() else None,
        three_way=float((given == outcome).mean()),
        flips=flipped,
        ties_told=float((told == 1).mean()),
        ties_answered=float((given == 0).mean()),
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


@dataclass(frozen=True, slots=True)
class MeasuredWriters:
    """A discriminator on so many `references` and `outputs`: the shares of them that it takes for what they are, and
    `accuracy`, the mean of the two (.5 is a coin, however many outputs there are beside a reference). `loss`: the mean
    of -log of the probability of what is true. None where there is nothing.
    """

    references: int
    outputs: int
    loss: float | None
    accuracy: float | None
    references_found: float | None
    outputs_found: float | None

    def to_dict(self) -> dict[str, object]:
        return asdict(self)


def measure_writers(model: Discriminator, tokens: Tokens, context: NDArray[np.intp], pairs: Pairs) -> MeasuredWriters:
    """Of pairs of a reference and an output; `context`: of each text (T,)."""
    if not len(pairs):
        return MeasuredWriters(0, 0, None, None, None, None)
    references, outputs = np.unique(pairs.a), np.unique(pairs.b)
    of_references, of_outputs = (model.scores(tokens, context, texts, AT_ONCE) for texts in (references, outputs))
    wrong = np.concatenate(
        [-of_references[np.searchsorted(references, pairs.a)], of_outputs[np.searchsorted(outputs, pairs.b)]]
    )
    found = float((of_references > 0).mean()), float((of_outputs <= 0).mean())
    return MeasuredWriters(
        references.size, outputs.size, float(np.logaddexp(0, wrong).mean()), float(np.mean(found)), *found
    )


@dataclass(frozen=True, slots=True)
class MeasuredRatings:
    """A regressor on so many `texts` that were rated. `loss`: the mean squared error of standardised ratings; `rmse`:
    its root, on the scale of the ratings; `spearman`: the rank correlation with them. None where there are no texts, or
    (`spearman`) where one side says the same of all.
    """

    texts: int
    loss: float | None
    spearman: float | None
    rmse: float | None

    def to_dict(self) -> dict[str, object]:
        return asdict(self)


def measure_ratings(model: Regressor, tokens: Tokens, context: NDArray[np.intp], rated: Rated) -> MeasuredRatings:
    """`context`: of each text (T,)."""
    if not len(rated):
        return MeasuredRatings(0, None, None, None)
    found, told = model.scores(tokens, context, rated.text, AT_ONCE), rated.values[:, 0]
    square = float(((found - told) ** 2).mean())
    return MeasuredRatings(
        len(rated), square / float(model.spread) ** 2, _rank_correlation(found, told), float(np.sqrt(square))
    )


def _rank_correlation(first: Floats, second: Floats) -> float | None:
    """Spearman's; equal values share their mean rank."""
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        return None
    ranks = []
    for values in (first, second):
        _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
        ranks.append((np.cumsum(counts) - (counts - 1) / 2)[place])
    return float(np.corrcoef(ranks[0], ranks[1])[0, 1])
