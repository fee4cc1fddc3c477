"""Simulated campaigns that grow until they are decided: what each run of a plan costs, rule by rule.

Costs of simulated campaigns in figures: means, ranges, and what a shared budget decides.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels.paired_outcomes import wins_needed, wins_needed_in_pool
from tiebreak.planning.population import Population
from tiebreak.simulate.engines.engine import CampaignRuns
from tiebreak.simulate.engines.policies import SimulatedLabelling, item_values
from tiebreak.simulate.engines.stopping import SimulatedRule, boundary_for, stops
from tiebreak.simulate.people.crowd import Crowd, draw_labels, draw_people

Codes = NDArray[np.int8]
Costs = NDArray[np.uint8]
Counts = NDArray[np.int64]
Floats = NDArray[np.float64]

_FIRST: Final = 120  # items drawn before the first check; doubled as long as any run goes on
_RESOLUTION: Final = 500
_LIKELY, _LOOKED_AT = 6.1, 60  # standard deviations; numbers of untied items
_CELLS: Final = 500_000  # items drawn at a time


class OutcomeSource(Protocol):
    """Where the item values of a campaign come from."""

    @property
    def runs(self) -> int:
        """Number of campaigns."""

    def draw(self, rows: NDArray[np.intp], items: int, rng: np.random.Generator) -> tuple[Codes, Costs]:
        """Values in {-1, 0, 1} and labels (rows, items) of further items of these runs."""


@dataclass(frozen=True, slots=True)
class PlannedOutcomes:
    """One answer an item, with the same chances on every item: what any people come to who answer one item each."""

    difference: float
    ties: float
    runs: int

    def draw(self, rows: NDArray[np.intp], items: int, rng: np.random.Generator) -> tuple[Codes, Costs]:
        """Independent outcomes."""
        uniform = rng.random((rows.size, items), dtype=np.float32)
        win = np.float32((1 - self.ties + self.difference) / 2)
        values = (uniform < win).view(np.int8) - (uniform >= win + np.float32(self.ties)).view(np.int8)
        return np.asarray(values), np.ones(values.shape, dtype=np.uint8)


@dataclass(frozen=True, slots=True)
class Answers:
    """Simulated people under a labelling policy; each run has its own mean of the latent difference, `means` (runs,),
    and under the policy `fixed` its own `person` (runs,).
    """

    population: Population
    policy: SimulatedLabelling
    means: Floats
    person: Counts
    crowd: Crowd

    @classmethod
    def of(
        cls, population: Population, policy: SimulatedLabelling, means: Floats | int, rng: np.random.Generator
    ) -> Answers:
        """With these means, or as many runs with the population's."""
        own = np.full(means, population.mean) if isinstance(means, int) else means
        crowd = population.crowd()
        return cls(population, policy, own, rng.integers(len(crowd), size=own.size), crowd)

    @property
    def runs(self) -> int:
        """Number of campaigns."""
        return int(self.means.size)

    def draw(self, rows: NDArray[np.intp], items: int, rng: np.random.Generator) -> tuple[Codes, Costs]:
        """Fresh items, answered as the policy asks."""
        noise = rng.normal(0.0, self.population.spread, (rows.size, items))
        latent = np.clip(self.means[rows, None] + noise, -1.0, 1.0)
        if self.policy.name == "fixed":
            people = np.broadcast_to(self.person[rows].astype(np.uint16)[:, None, None], (rows.size, items, 1))
        else:
            people = draw_people(len(self.crowd), rows.size, items, self.policy.people, rng)
        valued = item_values(draw_labels(self.crowd, people, latent, rng), self.policy)
        return valued.values, np.broadcast_to(valued.cost, valued.values.shape)


def grow_campaigns(
    source: OutcomeSource, rules: Sequence[SimulatedRule], most_items: int, rng: np.random.Generator
) -> dict[SimulatedRule, CampaignRuns]:
    """Each run asks for items until every rule has decided it, at most `most_items`; all rules see the same labels.

    The number of items drawn is doubled as long as any run goes on, and every rule decides on the whole run so far.
    Rules of a fixed number of items are left to `fixed_size`.
    """
    found = {rule: _Found.nothing(source.runs) for rule in rules}
    batch = max(rule.batch for rule in rules)
    horizon = min(-(-_FIRST // batch) * batch, most_items)
    rows = np.arange(source.runs)
    values, costs = np.empty((rows.size, 0), dtype=np.int8), np.empty((rows.size, 0), dtype=np.uint8)
    while rows.size:
        more = _draw_more(source, rows, horizon - values.shape[1], rng)
        values, costs = np.hstack([values, more[0]]), np.hstack([costs, more[1]])
        undecided = np.zeros(rows.size, dtype=np.bool_)
        for rule in rules:
            open_ = np.flatnonzero(~found[rule].done[rows])
            stopped = stops(values[open_], rule, boundary_for(rule, horizon))
            ends = np.flatnonzero(stopped.decided | (horizon == most_items))
            paid = [int(costs[row, :items].sum()) for row, items in zip(open_[ends], stopped.items[ends], strict=True)]
            found[rule].keep(rows[open_[ends]], stopped.verdict[ends], stopped.items[ends], paid)
            undecided[np.delete(open_, ends)] = True
        rows, values, costs = rows[undecided], values[undecided], costs[undecided]
        horizon = min(2 * horizon, most_items)
    return {rule: runs_found.runs() for rule, runs_found in found.items()}


@dataclass(frozen=True, slots=True)
class _Found:
    """Results as they come; `done` (runs,)."""

    done: NDArray[np.bool_]
    verdict: Codes
    items: Counts
    labels: Counts

    @classmethod
    def nothing(cls, runs: int) -> _Found:
        empty = (np.zeros(runs, dtype=kind) for kind in (np.bool_, np.int8, np.int64, np.int64))
        return cls(*empty)  # type: ignore[arg-type]

    def keep(self, rows: NDArray[np.intp], verdict: Codes, items: Counts, labels: Sequence[int]) -> None:
        self.done[rows] = True
        self.verdict[rows], self.items[rows], self.labels[rows] = verdict, items, labels

    def runs(self) -> CampaignRuns:
        return CampaignRuns(self.verdict, self.items, self.labels)


def _draw_more(
    source: OutcomeSource, rows: NDArray[np.intp], items: int, rng: np.random.Generator
) -> tuple[Codes, Costs]:
    """Values and costs (rows, items) of further items, a bounded number of them at a time."""
    values = np.empty((rows.size, items), dtype=np.int8)
    costs = np.empty((rows.size, items), dtype=np.uint8)
    step = max(1, _CELLS // max(items, 1))
    for start in range(0, rows.size, step):
        part = slice(start, start + step)
        values[part], costs[part] = source.draw(rows[part], items, rng)
    return values, costs


def fixed_size(population: Population, policy: SimulatedLabelling, rule: SimulatedRule, chance: float) -> int | None:
    """The smallest number of items, fixed beforehand, at which one look finds the difference with this chance.

    Over the numbers of wins and losses, up to the largest size that `rule.items` allows; None beyond it. Exact up to
    500, and to one in 500 beyond.
    """
    for_a, for_b = population.value_rates(policy)
    most, level = int(rule.items or 1), rule.alpha / (2 * rule.family)
    if for_a <= for_b:
        return None
    expected = max(int(_expected_size(for_a, for_b, level, chance, rule.pool)), 1)
    # A pool more than a thousand times as large is like one of that size, whose test takes less long.
    pool = None if rule.pool is None else min(rule.pool, 1_000 * expected)
    most = most if pool is None else min(most, pool)

    def found(count: int) -> bool:
        untied = _likely(count, for_a + for_b)
        needed = wins_needed(count, level)[untied] if pool is None else wins_needed_in_pool(count, pool, level, untied)
        return _power_of_count(count, untied, for_a + for_b, for_a / (for_a + for_b), needed) >= chance

    low, high = 0, min(expected, most)
    while not found(high):
        if high == most:
            return None
        low, high = high, min(high + high // 8 + 1, most)
    while low == 0 and high > 1:
        below = high - high // 8 - 1
        low, high = (0, below) if found(below) else (below, high)
    while high - low > max(1, high // _RESOLUTION):
        middle = (low + high) // 2
        low, high = (low, middle) if found(middle) else (middle, high)
    return high


def _expected_size(for_a: float, for_b: float, level: float, chance: float, pool: int | None) -> float:
    """What the normal distribution says of the size that finds these rates, in a pool fewer than outside."""
    from scipy.special import ndtri

    difference = for_a - for_b
    size = (ndtri(1 - level) * math.sqrt(for_a + for_b) + ndtri(chance) * math.sqrt(for_a + for_b - difference**2)) ** 2
    size /= difference**2
    return float(size if pool is None else size / (1 + size / pool))


def _likely(count: int, untied: float) -> Counts:
    """Numbers of untied items among `count`, all but those that come up less than once in 10^9 times; of more than 500
    items every third, fifth and so on, which takes odd and even ones equally."""
    reach = _LIKELY * math.sqrt(count * untied * (1 - untied)) + _LIKELY**2
    first, last = max(math.floor(count * untied - reach), 0), min(math.ceil(count * untied + reach), count)
    step = 2 * ((last - first) // (2 * _LOOKED_AT)) + 1 if count > _RESOLUTION else 1
    return np.arange(first, last + 1, step)


def _power_of_count(count: int, m: Counts, untied: float, win: float, needed: Counts) -> float:
    """P(wins >= needed), `m` of `count` items untied, in equal steps, wins of those m."""
    from scipy.special import betainc, gammaln, xlog1py, xlogy

    log_chance = gammaln(count + 1) - gammaln(m + 1) - gammaln(count - m + 1) + xlogy(m, untied)
    log_chance += xlog1py(count - m, -untied)
    reachable = (needed <= m) & (m > 0)
    tail = betainc(np.where(reachable, np.maximum(needed, 1), 1), np.where(reachable, m - needed + 1, 1), win)
    chance = np.exp(log_chance)
    return float((chance * np.where(reachable, tail, 0.0)).sum() / chance.sum())


FAMILIES: Final = 1_000  # whole campaigns put together from the simulated pairs
_FEWEST_FAMILIES: Final = 100  # a sum over so many pairs hardly varies
_CELLS_RANGES: Final = 5_000_000  # labels of a pair in a campaign that are held at once


@dataclass(frozen=True, slots=True)
class Range:
    """`mean` and the 10% and 90% quantiles over simulated campaigns.

    `open`: the share of campaigns that were not decided within the items there are; they count with what they used, so
    that the mean is too small, and `high` is None where more than 10% of the campaigns are such.
    """

    mean: float
    low: float
    high: float | None
    open: float

    @classmethod
    def of(cls, costs: NDArray[np.number], decided: NDArray[np.bool_]) -> Range:
        """Over runs (n,)."""
        open_ = float((~decided).mean())
        finite = np.where(decided, costs, np.inf)
        low, high = np.quantile(finite, [0.1, 0.9], method="higher")
        low = low if np.isfinite(low) else costs.min()
        return cls(float(costs.mean()), float(low), float(high) if np.isfinite(high) else None, open_)

    def scaled(self, factor: float) -> Range:
        """In another unit: money, hours."""
        return Range(
            self.mean * factor, self.low * factor, None if self.high is None else self.high * factor, self.open
        )

    def to_dict(self) -> dict[str, object]:
        """JSON-ready; `high` is null where it is not known."""
        return asdict(self)


def family_costs(
    per_pair: Sequence[CampaignRuns], pairs: int, rng: np.random.Generator
) -> tuple[Floats, NDArray[np.bool_]]:
    """Labels (families, pairs) of whole campaigns, and which of them led to a verdict.

    One record per pair, or one that stands for all `pairs`; each family takes a run of every pair at random.
    """
    families = min(FAMILIES, max(_CELLS_RANGES // pairs, _FEWEST_FAMILIES))
    if len(per_pair) == 1:
        runs = per_pair[0]
        chosen = rng.integers(runs.labels.size, size=(pairs, families)).T
        return runs.labels[chosen].astype(np.float64), runs.decided[chosen]
    labels, decided = np.empty((families, pairs)), np.empty((families, pairs), dtype=np.bool_)
    for pair in range(pairs):
        runs = per_pair[pair % len(per_pair)]
        chosen = rng.integers(runs.labels.size, size=families)
        labels[:, pair], decided[:, pair] = runs.labels[chosen], runs.decided[chosen]
    return labels, decided


def decided_by(labels: Floats, decided: NDArray[np.bool_], budget: int) -> Floats:
    """Share of the pairs (families,) that are decided when a budget goes evenly to all pairs that are still open.

    A pair that needs x labels is decided when the pairs that need less are done and all others have x labels as well:
    the labels spent by then are the sum of min(x_j, x) over all pairs j.
    """
    needed = np.sort(np.where(decided, labels, np.inf), axis=1)
    pairs = needed.shape[1]
    finite = np.isfinite(needed)
    reached = np.where(finite, needed, 0.0)
    spent = np.cumsum(reached, axis=1) + reached * np.arange(pairs - 1, -1, -1)
    return np.asarray((finite & (spent <= budget)).mean(axis=1))
