"""One outcome per item, `inputs`: errors, power, coverage and width, added up over all counts; nothing is simulated."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
from benchmarks.cells import ALPHAS, Cell, Counts, Floats
from scipy.special import bdtrc, gammaln, ndtri, xlogy

from tiebreak.kernels.paired_outcomes import paired_outcomes

SIZES = (20, 50, 100, 300, 3_000)
FAMILIES = {1: "one pair", 10: "10 pairs", 45: "45 pairs", 480: "480 pairs"}
TIES = tuple(tenth / 10 for tenth in range(10))
FEW_SHARES = (0.05, 0.3, 0.6, 0.9)
"""Of ties, where there are so many items that each takes seconds."""

DIFFERENCES = (0.05, 0.1, 0.2, 0.3, 0.5, 0.7)
FEW, FEW_ITEMS, FEW_TIES = 5.0, 50, 0.05
"""Fewer expected wins or losses, fewer items, or a smaller share of ties make a corner of an interval."""
MOST_WIDTH = 1.04
"""Times Wald's, for outcomes: at n >= 100 with 40 expected items that are no ties and differences of at most .5."""

_ENUMERATED = 300  # items up to which all counts are listed
_REACH = 6.5  # standard deviations of wins and losses, above that


def cells() -> Iterator[Cell]:
    """All cells of this module."""
    for n in SIZES:
        for pairs, words in FAMILIES.items():
            yield Cell(
                "outcomes",
                f"{n:,} items, {words}",
                "exact",
                lambda _rng, _runs, n=n, pairs=pairs: errors(n, pairs),  # type: ignore[misc]
                0,
                (n, pairs),
            )
        for difference in (0.2, 0.5):
            for corner in (False, True) if n >= 50 else (True,):
                yield Cell(
                    "coverage",
                    f"{n:,} items, difference {difference:g}{', corners' if corner else ''}",
                    "corner" if corner else "ordinary",
                    lambda _rng, _runs, n=n, d=difference, c=corner: coverage(n, d, c),  # type: ignore[misc]
                    0,
                    (n, difference, corner),
                    limited=tuple(f"missed {alpha}" for alpha in ALPHAS),
                )
        items = f"{n:,} items"
        yield Cell("gain in power", items, "exact", lambda _rng, _runs, n=n: gain(n), 0, (n,), limited=())  # type: ignore[misc]
        for ties, lead in EXAMPLES:
            yield Cell(
                "power",
                f"{items}, {ties:.0%} ties, difference {lead:g}",
                "exact",
                lambda _rng, _runs, n=n, ties=ties, lead=lead: power(n, ties, lead),  # type: ignore[misc]
                0,
                (n, ties, lead),
                limited=(),
            )
        if n >= 100:
            yield Cell("width", items, "exact", lambda _rng, _runs, n=n: width(n), 0, (n,), limited=())  # type: ignore[misc]


# ---- the rejection region, as the fewest wins that reject for each number of untied items ----------------------------


@cache
def fewest_wins(n: int, level: float) -> Floats:
    """Shape (n + 1,): by untied items m, the fewest wins with p_a <= level; m + 1 where none suffice.

    Found from the product's own p-values. Up to 300 items all are looked at, so that nothing is taken for monotone.
    """
    m = np.arange(n + 1.0)
    if n <= _ENUMERATED:
        wins, untied = (grid.ravel() for grid in np.meshgrid(m, m, indexing="ij"))
        possible = wins <= untied
        wins, untied = wins[possible], untied[possible]
        tests = paired_outcomes(wins, n - untied, untied - wins)
        rejected = tests.p_a <= level
        fewest = m + 1
        np.minimum.at(fewest, untied[rejected].astype(int), wins[rejected])
        if (rejected != (wins >= fewest[untied.astype(int)])).any():
            raise ValueError(f"{n} items: more wins of as many untied items have a larger p-value")
        return fewest
    guess = np.floor((m - ndtri(level) * np.sqrt(m)) / 2)
    candidates = np.clip(guess[:, None] + np.arange(-3, 4), np.ceil(m / 2)[:, None], m[:, None])
    tests = paired_outcomes(candidates, n - m[:, None], m[:, None] - candidates)
    rejected = tests.p_a <= level
    too_many = rejected[:, 0] & (candidates[:, 0] > np.ceil(m / 2))
    too_few = ~rejected[:, -1] & (candidates[:, -1] < m)
    if too_many.any() or too_few.any():
        raise ValueError(f"{n} items: the fewest wins are not among those looked at")
    return np.where(rejected, candidates, m[:, None] + 1).min(axis=1)


def fewest_of_sign_test(n: int, level: float) -> Floats:
    """The same of the exact sign test."""
    m = np.arange(n + 1.0)
    wins = np.floor(m / 2)
    while (above := (bdtrc(wins - 1, m.astype(np.int64), 0.5) > level) & (wins <= m)).any():
        wins = wins + above
    return wins


def fewest_of_z(n: int, level: float) -> Floats:
    """The same of (w - l)/sqrt(w + l) against the normal distribution."""
    m = np.arange(n + 1.0)
    return np.where(m > 0, np.ceil((m - ndtri(level) * np.sqrt(m)) / 2 - 1e-9), 1.0)


def found_by(fewest: Floats, untied: Floats, difference: float = 0.0) -> Floats:
    """Probability that at least the fewest wins come, for shares of untied items (J,) and a difference."""
    n = fewest.size - 1
    m = np.arange(n + 1.0)
    chance = (1 + difference / untied[:, None]) / 2 if difference else np.array(0.5)
    tail = np.where(
        fewest <= 0, 1.0, np.where(fewest > m, 0.0, bdtrc(np.maximum(fewest - 1, 0), m.astype(np.int64), chance))
    )
    return np.asarray((_binomial(n, untied) * tail).sum(axis=1))


def _binomial(n: int, share: Floats) -> Floats:
    m = np.arange(n + 1.0)
    log_ways = gammaln(n + 1) - gammaln(m + 1) - gammaln(n - m + 1)
    return np.asarray(np.exp(log_ways + xlogy(m, share[:, None]) + xlogy(n - m, 1 - share[:, None])))


# ---- errors of a direction ------------------------------------------------------------------------------------------


def errors(n: int, pairs: int) -> Counts:
    """The largest chance of a wrong direction over all shares of ties, of the rule and of the z test.

    Both directions together, which at a difference of 0 are equally likely and exclude each other; times the number of
    pairs, so that it is Bonferroni's bound for all of them and to be compared with alpha.
    """
    found = {}
    for alpha in ALPHAS:
        level = alpha / (2 * pairs)
        fewest, by_z = fewest_wins(n, level), fewest_of_z(n, level)
        worst, at = _supremum(fewest)
        found |= {
            f"wrong {alpha}": 2 * pairs * worst,
            f"ties {alpha}": 1 - at,
            f"control {alpha}": 2 * pairs * _supremum(by_z)[0],
        }
    return found


def _supremum(fewest: Floats) -> tuple[float, float]:
    """Largest chance over all shares of untied items, on a fine grid and once more finer around its peak."""
    n = fewest.size - 1
    angles = np.linspace(0, np.pi / 2, 40 * int(np.ceil(np.sqrt(n))) + 1)[1:]
    for _ in range(2):
        chances = np.concatenate([found_by(fewest, np.sin(part) ** 2) for part in np.array_split(angles, 8)])
        peak = int(chances.argmax())
        low, high = angles[max(peak - 1, 0)], angles[min(peak + 1, angles.size - 1)]
        best = float(chances[peak]), float(np.sin(angles[peak]) ** 2)
        angles = np.linspace(low, high, 101)
    return best


# ---- power beside the exact sign test --------------------------------------------------------------------------------


def gain(n: int) -> Counts:
    """The least gain over the sign test on a grid of ties and differences, for 1 to 480 pairs.

    Raises:
        ValueError: there is a loss.
    """
    least = np.inf
    for pairs in FAMILIES:
        for alpha in ALPHAS:
            level = alpha / (2 * pairs)
            ours, sign = fewest_wins(n, level), fewest_of_sign_test(n, level)
            for difference in (*DIFFERENCES, 0.9):
                untied = np.linspace(difference, 1.0, 60 if n <= _ENUMERATED else 20)
                least = min(
                    least, float((found_by(ours, untied, difference) - found_by(sign, untied, difference)).min())
                )
    if least < -1e-9:
        raise ValueError(f"{n} items: the power is up to {-least:.4f} below that of the exact sign test")
    return {f"least {ALPHAS[0]}": least}


def power(n: int, ties: float, difference: float) -> Counts:
    """Of the rule and of the exact sign test, and the mean width over Wald's, for one pair at alpha .05."""
    share, found = np.array([1 - ties]), {}
    for name, fewest in (("power", fewest_wins(n, 0.025)), ("sign test", fewest_of_sign_test(n, 0.025))):
        found[f"{name} 0.05"] = float(found_by(fewest, share, difference)[0])
    if n <= _ENUMERATED:
        found["width 0.05"] = Enumerated.of(n, 1 - ties, difference).width_ratio(0.025)
    return found


EXAMPLES = ((0.0, 0.2), (0.3, 0.15), (0.3, 0.3), (0.6, 0.2), (0.8, 0.1))


# ---- intervals -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Enumerated:
    """All counts of n items, or those within 6.5 standard deviations, with their probabilities."""

    wins: Floats
    losses: Floats
    chance: Floats
    n: int

    @classmethod
    def of(cls, n: int, untied: float, difference: float) -> Enumerated:
        win, loss = (untied + difference) / 2, (untied - difference) / 2
        ranges = []
        for share in (win, loss):
            reach = n if n <= _ENUMERATED else _REACH * np.sqrt(n * share * (1 - share)) + 20
            ranges.append(np.arange(max(0, int(n * share - reach)), min(n, int(n * share + reach)) + 1.0))
        wins, losses = (grid.ravel() for grid in np.meshgrid(*ranges))
        possible = wins + losses <= n
        wins, losses = wins[possible], losses[possible]
        ties = n - wins - losses
        log_ways = gammaln(n + 1) - gammaln(wins + 1) - gammaln(ties + 1) - gammaln(losses + 1)
        chance = np.exp(log_ways + xlogy(wins, win) + xlogy(losses, max(loss, 0.0)) + xlogy(ties, max(1 - untied, 0.0)))
        counted = chance > 1e-13
        return cls(wins[counted], losses[counted], chance[counted], n)

    def interval(self, level: float) -> tuple[Floats, Floats]:
        """The product's."""
        return paired_outcomes(self.wins, self.n - self.wins - self.losses, self.losses).interval(level)

    def width_ratio(self, level: float) -> float:
        """Mean width over that of Wald's interval."""
        low, high = self.interval(level)
        mean = (self.wins - self.losses) / self.n
        wald = -ndtri(level) * np.sqrt(((self.wins + self.losses) / self.n - mean**2) / self.n)
        return float(self.chance @ (high - low)) / float(self.chance @ (2 * wald))


def coverage(n: int, difference: float, corner: bool) -> Counts:
    """How often intervals miss the true difference: the most over shares of ties, both sides and one."""
    found: dict[str, float] = {}
    for ties in (0.0, 0.02, 0.05, *TIES[1:]) if n <= _ENUMERATED else (0.0, *FEW_SHARES):
        untied = 1 - ties
        losses, wins = n * (untied - difference) / 2, n * (untied + difference) / 2
        if untied < difference - 1e-12 or is_corner(n, losses, wins, ties) != corner:
            continue
        counts = Enumerated.of(n, untied, difference)
        for alpha in ALPHAS:
            low, high = counts.interval(alpha / 2)
            above, below = float(counts.chance @ (low > difference)), float(counts.chance @ (high < difference))
            for event, value in (("missed", above + below), ("one side", 2 * max(above, below))):
                found[f"{event} {alpha}"] = max(found.get(f"{event} {alpha}", 0.0), value)
    return found


def is_corner(n: int, losses: float, wins: float, ties: float) -> bool:
    """Whether intervals are less exact here: `losses` and `wins` expected, `ties` a share."""
    return n < FEW_ITEMS or min(losses, wins) < FEW or ties < FEW_TIES


def width(n: int) -> Counts:
    """The largest mean width over Wald's where at least 40 untied items are expected and |difference| <= .5.

    Raises:
        ValueError: it is more than `MOST_WIDTH`.
    """
    most = 0.0
    for ties in (*TIES, 0.95) if n <= _ENUMERATED else FEW_SHARES:
        untied = 1 - ties
        if n * untied < 40 - 1e-9:
            continue
        for difference in (0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5) if n <= _ENUMERATED else (0.0, 0.2, 0.5):
            if difference <= untied:
                most = max(most, Enumerated.of(n, untied, difference).width_ratio(0.025))
    if most > MOST_WIDTH:
        raise ValueError(f"{n} items: intervals are up to {most:.3f} times as wide as Wald's")
    return {"width 0.05": most}
