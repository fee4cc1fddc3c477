"""When an answer is a tie.

How good a trained model is where it has not learned.

What there is to train: a model, how good it is, and what guessing would be.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from tiebreak.scoring.evaluator.examples.ratings import Rated
from tiebreak.scoring.evaluator.examples.rows import Pairs, Rows, as_pairs
from tiebreak.scoring.evaluator.models.encoders import Tokens
from tiebreak.scoring.evaluator.models.model import Comparer, Discriminator, Learner, Regressor
from tiebreak.scoring.evaluator.settings import Form

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


Measure = Callable[[Any, Tokens, NDArray[np.intp], Any], HeldOutMeasures]
"""How good a model is in judging mode, on rows of its kind; the context of each text (T,) comes before them."""


@dataclass(frozen=True, slots=True)
class FormTask:
    """How a form is measured on rows of its kind, and the least loss that the same answer to all of them has."""

    measure: Measure
    guessing: Callable[[Rows], float]

    def measured(
        self, model: Learner, tokens: Tokens, context: NDArray[np.intp], rows: Rows, bound: float | None
    ) -> HeldOutMeasures:
        """With the answers that it gives; `bound`: the probability from which on one is a tie, of what compares."""
        if bound is None or not isinstance(model, Comparer):
            return self.measure(model, tokens, context, rows)
        return measure_pairs(model, tokens, context, as_pairs(rows), bound)


def guessing_of_pairs(rows: Rows) -> float:
    """Either way round: ln 3 of better, tie and worse alike, ln 2 without ties."""
    tie = float(as_pairs(rows).shares[:, 1].mean())
    shares = np.array([(1 - tie) / 2, tie, (1 - tie) / 2])
    return float(-(shares[shares > 0] * np.log(shares[shares > 0])).sum())


_COMPARING: Final = FormTask(measure_pairs, guessing_of_pairs)
TASKS: Final[Mapping[Form, FormTask]] = {
    "siamese": _COMPARING,
    "cross": _COMPARING,
    "discriminator": FormTask(measure_writers, lambda _: float(np.log(2))),
    "regressor": FormTask(measure_ratings, lambda _: 1.0),
}
