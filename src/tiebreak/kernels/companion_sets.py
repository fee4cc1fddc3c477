"""E-process for inputs like these, with a metric, whose labels come in looks: companions in sets drawn beforehand.

Before any label of theirs is seen, items that have a metric value are put by chance into sets of the same size. Of each
set the item counts that is labelled first; the others are its companions, and a label of theirs is no evidence. With h
its value, m the null mean and r its rank by the metric within the set, from -1 to 1, the wealth of each expert is
multiplied by

    1 + theta (h - m) - T slope r,    theta = min(b, 0.9/(1 + m), 1/(1 + m + slope)),
                                      T = min(b, 0.98 (1 - theta (1 + m))/slope),

b and slope those of the expert. Items that are in no set (they had labels before, have no value, or came later) have
r = 0. Three fifths of the wealth bet with slope 0, by the mixture of `bet_mixture`.

Valid, where items are independent and which item of a set is the first, and which sets have one, does not depend on
what is in them: let the content of a set become known when its first label comes. Whatever was known before, its items
are then still alike, and the first of them is as likely as any to have each of the ranks, which sum to zero. So
E[r] = 0 and E[h] = E[h of any item], and a factor has mean 1 + theta (E[h] - m), at most one under the null: in the
order in which sets come the wealth is a nonnegative supermartingale. Nothing in it is learnt (neither bets nor slopes
nor ranks depend on labels of other items or on when anybody looked), so that it is one function of the sets that have
come, whatever looks there were. By Ville's inequality its largest value at *any* time exceeds 1/alpha with probability
at most alpha. So a look may be chosen by anything, also by who knows the metric values of all items and which of them
will be labelled next.

- Where one look finds several items of a set with labels, nothing says which was first: the least of their factors is
  taken, expert by expert.
- A companion that is labelled later must not enter: its value of the metric was used, given which its label has
  another mean.
- Neither may the mean of the metric over all items stand for the companions': that is as random as the items.
- Ranks need no scale, which would have to come from items set aside.

Source: companions as in `companions`; sets, ranks and fixed slopes, for looks that know the metric, are our own.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels import bet_mixture
from tiebreak.kernels.log_space import log_sum_exp
from tiebreak.kernels.looks import looks_of
from tiebreak.kernels.metric_help import FLOOR, LARGEST_FRACTION

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

_SLOPES = (0.5, 1.0)
_LABELS_ALONE = 0.6  # of the wealth: bets with slope 0, so that a useless metric costs little


@dataclass(frozen=True, slots=True)
class CompanionSets:
    """Of n units in their order: the `sets` (n,) that they are in, -1 for none; `scores` (n, S): their ranks in these,
    in [-1, 1], by each of S ways to rank; `sizes` (n,): how many items of the set have a metric value, 1 in no set.
    """

    sets: Indices
    scores: Floats
    sizes: Indices

    def of(self, chosen: Indices) -> CompanionSets:
        """Of the units chosen (m,), in this order."""
        return CompanionSets(self.sets[chosen], self.scores[chosen], self.sizes[chosen])

    @property
    def share(self) -> float:
        """How much of what a metric explains companions let through, on average: 1 - 1/size; 0 without units."""
        return float((1 - 1 / self.sizes).mean()) if self.sizes.size else 0.0


def drawn_sets(places: NDArray[np.uint64], size: int) -> Indices:
    """The set (n,) of each item by its random place (n,): `size` items that follow each other; -1 for the rest."""
    sets = np.empty(places.size, dtype=np.intp)
    sets[np.argsort(places, kind="stable")] = np.arange(places.size) // size
    sets[sets >= places.size // size] = -1
    return sets


def rank_scores(metric: Floats, sets: Indices) -> Floats:
    """Ranks (N, S) of items by a metric within their sets, from -1 to 1 and with sum zero in each set.

    `metric` (N, M): values, NaN where there is none; `sets` (N,): -1 for items in no set. Equal values share their mean
    rank. Items without a value, in no set or alone in it have 0. One column per metric; of several also one by the sum
    of their ranks.
    """
    columns = [_ranks(column, sets) for column in metric.T]
    if len(columns) > 1:
        columns.append(_ranks(np.sum(columns, axis=0), sets))
    return np.stack(columns, axis=1) if columns else np.empty((sets.size, 0))


def _ranks(metric: Floats, sets: Indices) -> Floats:
    scores = np.zeros(metric.size)
    there = np.flatnonzero((sets >= 0) & ~np.isnan(metric))
    if not there.size:
        return scores
    there = there[np.lexsort((metric[there], sets[there]))]
    of_set, value = sets[there], metric[there]
    begins = np.append(True, np.diff(of_set) != 0)
    start = np.maximum.accumulate(np.where(begins, np.arange(there.size), 0))
    counts = np.bincount(np.cumsum(begins) - 1)[np.cumsum(begins) - 1]
    alike = np.cumsum(begins | np.append(True, np.diff(value) != 0)) - 1
    rank = (np.bincount(alike, np.arange(there.size) - start) / np.bincount(alike))[alike]
    scores[there] = (2 * rank - (counts - 1)) / np.maximum(counts - 1, 1)
    return scores


def log_e_at_looks(values: Floats, scores: Floats, sets: Indices, ends: Indices, null: float = 0.0) -> Floats:
    """log E at the end of each look (L,) against "mean <= null", null in [-1, 1); nonincreasing in the null.

    `values` (n,) in [-1, 1], `scores` (n, S) and `sets` (n,) as in `CompanionSets`, scores with their sign turned for
    the values of the other side; `ends` (L,) as in `looks`. Units of one set belong to one look.

    Raises:
        ValueError: a set in several looks.
    """
    look = looks_of(ends)
    group = np.where(sets >= 0, sets, int(sets.max(initial=-1)) + 1 + np.arange(sets.size))
    order = np.lexsort((group, look))
    begins = np.append(True, (np.diff(group[order]) != 0) | (np.diff(look[order]) != 0))[: sets.size]
    starts = np.flatnonzero(begins)
    if np.unique(group).size < starts.size:
        raise ValueError("a set has units in several looks")
    first = np.searchsorted(starts, np.append(0, ends[:-1]))[: ends.size]

    def wealth(gains: Floats, log_weights: Floats) -> Floats:
        """Of one mixture of experts: the least of each set, then all sets of a look."""
        least = gains if starts.size == sets.size else np.minimum.reduceat(gains[order], starts, axis=0)
        return log_sum_exp(np.cumsum(np.add.reduceat(least, first, axis=0), axis=0) + log_weights)

    if not values.size:
        return np.zeros(0)
    (plain, plain_weights), (bets, log_weights) = _bets()
    parts = [np.log(_LABELS_ALONE) + wealth(_gains(values, None, 0.0, plain, null), plain_weights)]
    each = np.log((1 - _LABELS_ALONE) / (len(_SLOPES) * max(scores.shape[1], 1)))
    for column in scores.T:
        parts += [each + wealth(_gains(values, column, slope, bets, null), log_weights) for slope in _SLOPES]
    return np.asarray(np.logaddexp.reduce(parts, axis=0))


def _gains(values: Floats, scores: Floats | None, slope: float, bets: Floats, null: float) -> Floats:
    """Logarithms (n, J) of the factors of each expert."""
    room = max(1.0 + null, 1e-12)
    if scores is None:
        return np.asarray(np.log1p(np.multiply.outer(values - null, np.minimum(bets, (1 - FLOOR) / room))))
    theta = np.minimum(bets, min(LARGEST_FRACTION / room, 1 / (room + slope)))
    of_metric = np.minimum(bets, (1 - FLOOR) * (1 - theta * room) / slope)
    gained = np.multiply.outer(values - null, theta) - np.multiply.outer(slope * scores, of_metric)
    return np.asarray(np.log1p(gained))


@cache
def _bets() -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
    """Bets (J,) and logarithms (J,) of their weights: without a slope those of `bet_mixture`; with one half-normal,
    half of spread 0.15 and half of 0.5.
    """
    plain, bets = bet_mixture.default_prior(), np.geomspace(0.015, 0.9, 24)
    mass = sum(bets / spread * np.exp(-(bets**2) / (2 * spread**2)) for spread in (0.15, 0.5))
    return (plain.bets, plain.log_weights), (bets, np.log(mass / np.sum(mass)))
