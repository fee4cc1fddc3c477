"""How good a trained model is where it has not learned, and when an answer is a tie."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest, spearmanr

from tiebreak.numbers import counted
from tiebreak.scoring.evaluator.examples.rows import Floats, Pairs, Places, Rated, Rows, as_pairs
from tiebreak.scoring.evaluator.settings import Form

if TYPE_CHECKING:  # the command says what an evaluator found where torch is not installed, too
    from tiebreak.scoring.evaluator.models.encoders import Tokens
    from tiebreak.scoring.evaluator.models.model import Model

MOST_PROBABLE = -1.0
"""No calibration: the outcome with the highest probability."""
NEVER = 1.01
"""No tie, whatever its probability."""
ENOUGH = 30
"""Pairs that set the bound by themselves; of fewer, one tie more or less moves it far, and there may be none."""
_ROUNDING = 1e-5
"""Probabilities this near are equal: one text read in another batch differs from itself by less."""
_BUCKETS: Final = (0.0, 0.1, 0.2, 0.35, 0.5, 1.0)
"""Of the margins of decided pairs, where these have some."""


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


def ties_in_words(about: Mapping[str, Any]) -> str:
    """When an answer of an evaluator is a tie."""
    bound, like = about["tie_bound"], about["ties_like"]
    if like is None and bound == NEVER:
        return "It learned no ties: an answer is none unless both texts score the same."
    if like is None or bound == MOST_PROBABLE:
        what = "no labels or references" if like is None else "no held-out pairs"
        return f"An answer is the most probable outcome: there are {what} to tell how many ties to give."
    by = about["ties_set_by"]
    when = (
        "An answer is no tie unless both texts score the same"
        if bound == NEVER
        else f"An answer is a tie where that has a probability of {bound:.2f} or more"
    )
    pairs = counted(by["told"], "labelled pair" if like == "human" else "pair")
    pairs += "" if like == "human" else " of references and outputs"
    few = "" if by["held_out"] >= ENOUGH else f" Only {by['held_out']:,} of these pairs were held out to set that."
    return (
        f"{when}: {by['ties'] or 'none'} of {pairs} {'is a tie' if by['ties'] < 2 else 'are ties'}, and it answers "
        f"{by['answered']:,} of {by['set_on']:,} by one.{few}"
    )


@dataclass(frozen=True, slots=True)
class Bucket:
    """Decided pairs whose margins lie between two numbers: how many, and the share that is right."""

    low: float
    high: float
    pairs: int
    right: float


Intervals = dict[str, tuple[float, float]]
"""The ends of 95% intervals of shares, by their names: what many more rows like these may have."""


@dataclass(frozen=True, slots=True)
class MeasuredPairs:
    """On `pairs`: `loss`, the mean of -log p of what was told; `two_way`: of the `decided` ones, which are no ties, the
    share whose better text has the higher probability (.5 is a coin); `three_way`: the share of answers that are right;
    `flips`: answers that change with the order; `ties_told`, `ties_answered`: shares. None where there is no pair.
    """

    pairs: int = 0
    decided: int = 0
    loss: float | None = None
    two_way: float | None = None
    three_way: float | None = None
    flips: float | None = None
    ties_told: float | None = None
    ties_answered: float | None = None
    by_margin: tuple[Bucket, ...] = ()
    intervals: Intervals = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MeasuredWriters:
    """A discriminator on so many `references` and `outputs`: the shares of them that it takes for what they are, and
    `accuracy`, the mean of the two (.5 is a coin, however many outputs there are beside a reference). `loss`: the mean
    of -log of the probability of what is true. None where there is nothing.
    """

    references: int = 0
    outputs: int = 0
    loss: float | None = None
    accuracy: float | None = None
    references_found: float | None = None
    outputs_found: float | None = None
    intervals: Intervals = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MeasuredRatings:
    """A regressor on so many `texts` that were rated. `loss`: the mean squared error of standardised ratings; `rmse`:
    its root, on the scale of the ratings; `spearman`: the rank correlation with them. None where there are no texts, or
    (`spearman`) where one side says the same of all.
    """

    texts: int = 0
    loss: float | None = None
    spearman: float | None = None
    rmse: float | None = None


Measured = MeasuredPairs | MeasuredWriters | MeasuredRatings


def measure(model: Model, tokens: Tokens, context: Places, rows: Rows, bound: float = MOST_PROBABLE) -> Measured:
    """How good a model is on rows of its kind. `context`: of each text (T,); `bound`: the probability from which on the
    answer of a model that compares is a tie.
    """
    if isinstance(rows, Rated):
        return _on_ratings(model, tokens, context, rows)
    pairs = as_pairs(rows)
    if model.form == "discriminator":
        return _on_writers(model, tokens, context, pairs)
    if not len(pairs):
        return MeasuredPairs()
    forth, back = model.orders(tokens, context, pairs.a, pairs.b)
    flips = float((answers(forth, bound) != answers(back, bound)).mean())
    return measured((forth + back) / 2, pairs, flips, bound)


def measured(probabilities: Floats, pairs: Pairs, flips: float, bound: float = MOST_PROBABLE) -> MeasuredPairs:
    """Of probabilities (n, 3) of pairs and a share of flips that are known."""
    outcome, answered = pairs.outcome, answers(probabilities, bound)
    decided, right = outcome != 0, np.sign(probabilities[:, 0] - probabilities[:, 2]) == outcome
    intervals = {"three_way": _interval(answered == outcome)}
    if decided.any():
        intervals["two_way"] = _interval(right[decided])
    buckets = []
    for low, high in itertools.pairwise(_BUCKETS):
        inside = decided & (pairs.margin > low) & (pairs.margin <= high)
        if inside.any():
            buckets.append(Bucket(low, high, int(inside.sum()), float(right[inside].mean())))
    return MeasuredPairs(
        pairs=len(pairs),
        decided=int(decided.sum()),
        loss=float(-(pairs.shares * np.log(np.maximum(probabilities, 1e-12))).sum(1).mean()),
        two_way=float(right[decided].mean()) if decided.any() else None,
        three_way=float((answered == outcome).mean()),
        flips=flips,
        ties_told=float((outcome == 0).mean()),
        ties_answered=float((answered == 0).mean()),
        by_margin=tuple(buckets),
        intervals=intervals,
    )


def _on_writers(model: Model, tokens: Tokens, context: Places, pairs: Pairs) -> MeasuredWriters:
    """Of pairs of a reference and an output."""
    if not len(pairs):
        return MeasuredWriters()
    (references, first), (outputs, second) = (np.unique(side, return_inverse=True) for side in (pairs.a, pairs.b))
    of_references, of_outputs = (model.scores(tokens, context, texts) for texts in (references, outputs))
    wrong = np.concatenate([-of_references[first], of_outputs[second]])
    shares = {"references_found": of_references > 0, "outputs_found": of_outputs <= 0}
    return MeasuredWriters(
        references=references.size,
        outputs=outputs.size,
        loss=float(np.logaddexp(0, wrong).mean()),
        accuracy=float(np.mean([right.mean() for right in shares.values()])),
        references_found=float(shares["references_found"].mean()),
        outputs_found=float(shares["outputs_found"].mean()),
        intervals={name: _interval(right) for name, right in shares.items()},
    )


def _on_ratings(model: Model, tokens: Tokens, context: Places, rated: Rated) -> MeasuredRatings:
    if not len(rated):
        return MeasuredRatings()
    scores, told = model.scores(tokens, context, rated.text), rated.values[:, 0]
    square = float(((scores - told) ** 2).mean())
    varies = np.ptp(scores) > 0 and np.ptp(told) > 0
    correlation = float(spearmanr(scores, told).statistic) if varies else None
    return MeasuredRatings(len(rated), square / float(model.spread) ** 2, correlation, float(np.sqrt(square)))


def _interval(right: NDArray[np.bool_]) -> tuple[float, float]:
    """Wilson's, of the share (n,) that is true: 24 of 38 is 47 to 77%."""
    ends = binomtest(int(right.sum()), right.size).proportion_ci(method="wilson")
    return float(ends.low), float(ends.high)


def loss_of_guessing(rows: Rows, form: Form) -> float:
    """The least loss that the same answer to all rows has. Of pairs either way round: ln 3 of better, tie and worse
    alike, ln 2 without ties.
    """
    if form == "regressor":
        return 1.0
    tie = 0.0 if form == "discriminator" else float(as_pairs(rows).shares[:, 1].mean())
    shares = np.array([(1 - tie) / 2, tie, (1 - tie) / 2])
    return float(-(shares[shares > 0] * np.log(shares[shares > 0])).sum())
