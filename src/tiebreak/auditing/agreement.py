"""How far a metric or judge agrees with people, and how far people agree with one another on the same comparisons.

Whether two sources err on the same comparisons: a panel of judges that do says little more than one.

Whether a judge's probabilities are right: beside what people say, on all that both judged.

Brier's score (1950) is the sum over the three outcomes of the squared distance between the probability and what was,
between 0 and 2; the log loss is -log of the probability of what was, in nats. Both are proper: nobody gains by stating
anything but what is believed. They are set beside the best that fixed probabilities could reach, the shares of people's
outcomes. Reliability asks the simpler question: of the answers called so probable, how many do people share?
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiebreak.auditing.comparisons import Chances, Comparisons
from tiebreak.auditing.estimates import (
    FEWEST_FOR_PROJECTIONS,
    Claim,
    Units,
    by_unit,
    mean_estimate,
    score_estimate,
    share_estimate,
)
from tiebreak.auditing.pair_items import places_of
from tiebreak.errors import UnidentifiedError
from tiebreak.evidence.human_labels import compared, oriented_preferences
from tiebreak.evidence.items import ItemIndex
from tiebreak.evidence.rated_systems import SingleOutputs
from tiebreak.evidence.ratings import CriterionRatings
from tiebreak.kernels.clusters import Correlation, Kappa, cluster_correlation, cluster_kappa, items_to_half_width
from tiebreak.records import Raters
from tiebreak.results.audits import Calibration, Estimate, JudgeAgreement, Reliability, Together

Floats = NDArray[np.float64]
Places = NDArray[np.intp]


def agreement(of: Comparisons, others: Others, alpha: float, half_width: float) -> JudgeAgreement:
    """All figures, with intervals at level 1 - `alpha` each."""
    people, agrees, units = of.people, of.said == of.people, of.units
    decided = people != 0

    def among(which: NDArray[np.bool_]) -> Estimate:
        return share_estimate(agrees[which], units.among(which), alpha)

    ones, its = others.shares(of)
    return JudgeAgreement(
        all=among(np.ones_like(decided)),
        decided=among(decided),
        both_decided=among(decided & (of.said != 0)),
        recall=(among(people == 1), among(people == 0), among(people == -1)),
        kappa=_kappa(of, alpha),
        person=share_estimate(*ones, alpha),
        with_others=share_estimate(*its, alpha),
        needed=_needed(agrees, units, alpha, half_width),
    )


def _needed(agrees: NDArray[np.bool_], units: Units, alpha: float, half_width: float) -> int | None:
    """By the interval of `share_estimate` itself, which would otherwise be promised narrower than it comes out."""
    sums, sizes = by_unit(agrees.astype(np.float64), units)
    if agrees.size < FEWEST_FOR_PROJECTIONS or sizes.size < 2:
        return None
    return items_to_half_width(sums, sizes, half_width, alpha, units.seen)


def confusion(of: Comparisons) -> tuple[tuple[int, ...], ...]:
    """Comparisons by what the source says (rows) and what people say (columns), in the order of `OUTCOMES`."""
    table = _tables(of)[0].sum(axis=0).astype(int)
    return tuple(tuple(int(count) for count in row) for row in table)


def _tables(of: Comparisons) -> tuple[Floats, Places]:
    """Confusions (G, 3, 3) of the units."""
    units, unit = np.unique(of.units.of, return_inverse=True)
    cells = (unit * 3 + (1 - of.said.astype(np.intp))) * 3 + (1 - of.people.astype(np.intp))
    return np.bincount(cells, minlength=9 * units.size).reshape(-1, 3, 3).astype(np.float64), units


def _kappa(of: Comparisons, alpha: float) -> Estimate:
    tables, units = _tables(of)
    return _if_identified(lambda: cluster_kappa(tables, alpha, of.units.seen), of.said.size, units.size)


def _if_identified(find: Callable[[], Kappa | Correlation], comparisons: int, units: int) -> Estimate:
    """A figure of so many comparisons, without a value where it is not identified."""
    try:
        found = find()
    except UnidentifiedError:
        return Estimate(comparisons=comparisons, units=units)
    return Estimate(found.estimate, found.low, found.high, comparisons, units)


@dataclass(frozen=True, slots=True)
class Others:
    """Labels of comparisons that several people labelled, sorted by the pair's names and item.

    Arrays (m,): `pair`, a place in `pairs`; `item`; `own`: the outcome of one person; `rest`: that of the others.
    """

    pairs: dict[tuple[str, str], int]
    pair: Places
    item: Places
    own: Floats
    rest: Floats

    @classmethod
    def of(
        cls, outputs: SingleOutputs, index: ItemIndex, criterion: str | None, tie_threshold: float, raters: Raters
    ) -> Others:
        """Those of a criterion: preferences where a pair has any, else ratings of the same person compared, beside the
        same people's or those of `raters`.
        """
        preferences = _from_preferences(outputs, index, criterion)
        found = preferences | {
            names: rows
            for names, rows in _from_ratings(outputs, index, criterion, tie_threshold, raters).items()
            if names not in preferences
        }
        pairs = {names: place for place, names in enumerate(found)}
        if not found:
            none = np.empty(0, dtype=np.intp)
            return cls(pairs, none, none, np.empty(0), np.empty(0))
        sizes = [rows[0].size for rows in found.values()]
        items, own, rest = (np.concatenate(of) for of in zip(*found.values(), strict=True))
        return cls(pairs, np.repeat(np.arange(len(pairs)), sizes), items, own, rest)

    def shares(self, of: Comparisons) -> tuple[tuple[NDArray[np.bool_], Units], tuple[NDArray[np.bool_], Units]]:
        """Whether a person, and the source, name the outcome of the others, with the unit of each label."""
        number = np.array([self.pairs.get(names, -1) for names in of.pairs], dtype=np.intp)
        count = int(max(self.item.max(initial=0), of.item.max(initial=0))) + 1
        place = places_of(self.pair * count + self.item, number[of.pair] * count + of.item)
        there = place >= 0
        own, rest, at = self.own[there], self.rest[there], place[there]
        seen = of.claim.units(of.item[np.unique(at)]).seen  # a comparison is drawn with all its labels
        units = Units(of.units.of[at], seen)
        return (own == rest, units), (of.said[at] == rest, units)


_Rows = dict[tuple[str, str], tuple[Places, Floats, Floats]]
"""Per pair: items, own outcomes, outcomes of the others."""


def _from_preferences(outputs: SingleOutputs, index: ItemIndex, criterion: str | None) -> _Rows:
    frame = oriented_preferences(outputs.study, criterion)
    if frame.height == 0:
        return {}
    cell = ["system_a", "system_b", "item"]
    rows = frame.select(
        *cell,
        own=pl.col("value").cast(pl.Int64),
        lead=(pl.col("value").cast(pl.Int64).sum().over(cell) - pl.col("value")),
        people=pl.len().over(cell),
    ).filter(pl.col("people") > 1)
    found: _Rows = {}
    for part in rows.sort(*cell, "own").partition_by("system_a", "system_b", maintain_order=True):
        own, rest = (part[name].to_numpy().astype(np.float64) for name in ("own", "lead"))
        found[part["system_a"][0], part["system_b"][0]] = (index.numbers(part["item"]), own, np.sign(rest))
    return found


def _from_ratings(
    outputs: SingleOutputs, index: ItemIndex, criterion: str | None, tie_threshold: float, raters: Raters
) -> _Rows:
    ratings = CriterionRatings.of(outputs.study, criterion)
    if ratings is None:
        return {}
    positions = np.array([index.position[name] for name in ratings.items], dtype=np.intp)
    found: _Rows = {}
    for first, second in combinations(range(len(ratings.systems)), 2):
        names = ratings.systems[first], ratings.systems[second]
        if outputs.system_of[names[0]] == outputs.system_of[names[1]]:
            continue
        item, own, rest = ratings.beside_the_others(first, second, raters)
        if item.size:
            found[names] = (positions[item], compared(own, tie_threshold), compared(rest, tie_threshold))
    return found


def together(
    criterion: str | None, names: tuple[str, str], one: Comparisons, other: Comparisons, alpha: float
) -> Together | None:
    """None where they have no comparison in common."""
    place = {pair: k for k, pair in enumerate(one.pairs)}
    number = np.array([place.get(pair, -1) for pair in other.pairs], dtype=np.intp)
    count = int(max(one.item.max(initial=0), other.item.max(initial=0))) + 1
    at = places_of(number[other.pair] * count + other.item, one.pair * count + one.item)
    of_other = np.flatnonzero(at >= 0)
    of_one = at[of_other]
    if not of_one.size:
        return None
    errors = one.error[of_one], other.error[of_other]
    units = _units_of_both(one.claim, other.claim, one.item[of_one])
    wrong = (one.said != one.people)[of_one], (other.said != other.people)[of_other]
    return Together(
        criterion,
        names,
        _correlation(*errors, units, alpha),
        float((wrong[0] & wrong[1]).mean()),
        float(wrong[0].mean() * wrong[1].mean()),
    )


def _units_of_both(one: Claim, other: Claim, items: Places) -> Units:
    """The coarser units of both, on `items` (n,); what both judged is no more than the smaller of their pools."""
    coarser = min(one, other, key=lambda claim: np.unique(claim.unit_of[items]).size)
    if one.pool is None or other.pool is None:
        return Units(coarser.unit_of[items])
    return coarser.units(items, min(one.pool, other.pool))


def _correlation(one: Floats, other: Floats, units: Units, alpha: float) -> Estimate:
    count = np.unique(units.of).size
    return _if_identified(lambda: cluster_correlation(one, other, units.of, alpha, units.seen), one.size, count)


EDGES: Final = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)
"""Of the table of reliability: the probability of the most probable outcome, at least each and below the next."""


def calibration(of: Comparisons, chances: Chances, alpha: float) -> Calibration:
    """All figures, with intervals at level 1 - `alpha` each."""
    probabilities = np.full((of.said.size, 3), np.nan)
    for place, pair in enumerate(of.pairs):
        own = of.pair == place
        probabilities[own] = chances.on_pair(pair)[of.item[own]]
    there = ~np.isnan(probabilities[:, 0])
    if not there.any():
        nothing = Estimate()
        return Calibration(
            chances.replies, chances.scaled, 0, nothing, None, nothing, None, 0, None, nothing, nothing, ()
        )
    stated, units = probabilities[there], of.claim.units(of.item[there])
    was = np.stack([of.people[there] == code for code in (1, 0, -1)], axis=1)
    shares = was.mean(axis=0)
    likeliest = stated.max(axis=1)
    named = np.isclose(stated, likeliest[:, None])
    hit = (was & named).sum(axis=1) / named.sum(axis=1)
    given = stated[was]
    losses = -np.log(np.where(given > 0, given, 1.0))
    impossible = int((given <= 0).sum())
    bins = np.clip(np.digitize(likeliest, EDGES) - 1, 0, len(EDGES) - 2)
    return Calibration(
        replies=chances.replies,
        scaled=chances.scaled,
        comparisons=int(there.sum()),
        brier=score_estimate(((stated - was) ** 2).sum(axis=1), units, alpha),
        brier_of_shares=float(1 - (shares**2).sum()),
        log_loss=Estimate(comparisons=losses.size) if impossible else score_estimate(losses, units, alpha),
        log_loss_of_shares=float(-(shares * np.log(np.where(shares > 0, shares, 1.0))).sum()),
        impossible=impossible,
        stated=float(likeliest.mean()),
        agrees=share_estimate(hit, units, alpha),
        excess=mean_estimate(likeliest - hit, units, alpha),
        reliability=tuple(
            Reliability(
                EDGES[number],
                EDGES[number + 1],
                float(likeliest[bins == number].mean()),
                share_estimate(hit[bins == number], units.among(bins == number), alpha),
            )
            for number in np.unique(bins).tolist()
        ),
    )
