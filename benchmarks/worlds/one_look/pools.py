"""One outcome per item, `items`: errors and coverage for every pool, added up over all draws; nothing is simulated."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
from benchmarks.cells import ALPHAS, Cell, Counts, Floats
from benchmarks.worlds.one_look.counts import is_corner
from scipy.special import gammaln, ndtri

from tiebreak.kernels.hypergeometric import Hypergeometric
from tiebreak.kernels.paired_outcomes import paired_pool

DRAWS = (
    (20, 10), (50, 25), (100, 20), (100, 50), (100, 90), (300, 30), (300, 150),
    (3_000, 150), (3_000, 300), (3_000, 1_500),
)  # fmt: skip
_LISTED = 300  # items of a pool up to which every number of ties is looked at
_REACH = 6.5  # standard deviations of wins and losses


def cells() -> Iterator[Cell]:
    """All cells of this module."""
    for pool, drawn in DRAWS:
        for pairs in (1, 45):
            yield Cell(
                "pools",
                f"{drawn:,} of {pool:,} items, {'one pair' if pairs == 1 else f'{pairs} pairs'}",
                "exact",
                lambda _rng, _runs, pool=pool, drawn=drawn, pairs=pairs: errors(pool, drawn, pairs),  # type: ignore[misc]
                0,
                (pool, drawn, pairs),
            )
    for pool, drawn in DRAWS:
        for difference in (0.2, 0.5):
            for corner in (False, True) if drawn >= 50 else (True,):
                yield Cell(
                    "pool coverage",
                    f"{drawn:,} of {pool:,} items, difference {difference:g}{', corners' if corner else ''}",
                    "corner" if corner else "ordinary",
                    lambda _rng, _runs, at=(pool, drawn, difference, corner): coverage(*at),  # type: ignore[misc]
                    0,
                    (pool, drawn, difference, corner),
                    limited=tuple(f"missed {alpha}" for alpha in ALPHAS),
                )


@cache
def fewest_wins(pool: int, drawn: int, level: float) -> Floats:
    """Shape (drawn + 1,): by untied items among those drawn, the fewest wins with p_a <= level, from the product's own.

    Found by bisection; `tests/benchmarks` looks at all counts of smaller pools.
    """
    m = np.arange(drawn + 1.0)
    low, high = np.floor(m / 2), m + 1  # not rejected, as nobody is ahead; taken as rejected
    while (high - low > 1).any():
        middle = np.floor((low + high) / 2)
        here = np.where(high - low > 1, middle, np.minimum(high, m))
        rejected = paired_pool(here, drawn - m, m - here, pool).p_a <= level
        moves = high - low > 1
        high = np.where(moves & rejected, middle, high)
        low = np.where(moves & ~rejected, middle, low)
    return high


def fewest_of_z(pool: int, drawn: int, level: float) -> Floats:
    """The same of (w - l) / sqrt((w + l)(1 - n/N)) against the normal distribution."""
    m = np.arange(drawn + 1.0)
    wins = np.ceil((m - ndtri(level) * np.sqrt(m * (1 - drawn / pool))) / 2 - 1e-9)
    return np.where(m > 0, np.minimum(wins, m + 1), 1.0)


def errors(pool: int, drawn: int, pairs: int) -> Counts:
    """The largest chance of a wrong direction over all pools without a difference, as in `counts.errors`.

    A pool with an odd number of untied items has one loss more than wins: it is a null of one direction.
    """
    found = {}
    untied = np.arange(2, pool + 1, 1 if pool <= _LISTED else 50)
    untied = np.union1d(untied, untied[untied % 2 == 0])
    for alpha in ALPHAS:
        level = alpha / (2 * pairs)
        by_rule = [chance_of(fewest_wins(pool, drawn, level), pool, int(each)) for each in untied]
        by_z = [chance_of(fewest_of_z(pool, drawn, level), pool, int(each)) for each in untied if each % 2 == 0]
        found |= {
            f"wrong {alpha}": 2 * pairs * max(by_rule),
            f"ties {alpha}": 1 - float(untied[int(np.argmax(by_rule))]) / pool,
            f"control {alpha}": 2 * pairs * max(by_z),
        }
    return found


def chance_of(fewest: Floats, pool: int, untied: int) -> float:
    """Probability that at least the fewest wins are drawn, of a pool with so many untied items, half of them wins."""
    drawn = fewest.size - 1
    table = Hypergeometric(pool)
    m = np.arange(max(0, drawn - (pool - untied)), min(drawn, untied) + 1.0)
    log_m = _log_choose(untied, m) + _log_choose(pool - untied, drawn - m) - _log_choose(pool, np.array(drawn))
    wins = np.full(m.shape, untied // 2, dtype=np.float64)
    least = fewest[m.astype(int)]
    tail = np.where(least > m, 0.0, table.upper_tail(np.minimum(least, m), m, wins, untied - wins))
    return float(np.exp(log_m) @ tail)


def coverage(pool: int, drawn: int, difference: float, corner: bool) -> Counts:
    """How often intervals miss the true difference: the most over numbers of ties, both sides and one (twice)."""
    found: dict[str, float] = {}
    lead = round(pool * difference)
    for tenth in range(10):
        losses = (pool - round(pool * tenth / 10) - lead) // 2
        wins = losses + lead
        share = drawn / pool
        if losses < 0 or is_corner(drawn, losses * share, wins * share, 1 - (wins + losses) / pool) != corner:
            continue
        won, lost, chance = _draws(pool, drawn, wins, losses)
        tests = paired_pool(won, drawn - won - lost, lost, pool)
        for alpha in ALPHAS:
            low, high = tests.interval(alpha / 2)
            above, below = float(chance @ (low * pool > lead + 1e-6)), float(chance @ (high * pool < lead - 1e-6))
            for event, value in (("missed", above + below), ("one side", 2 * max(above, below))):
                found[f"{event} {alpha}"] = max(found.get(f"{event} {alpha}", 0.0), value)
    return found


def _draws(pool: int, drawn: int, wins: int, losses: int) -> tuple[Floats, Floats, Floats]:
    """Wins, losses and probabilities of all draws that matter."""
    ranges = []
    for held in (wins, losses):
        share = held / pool
        reach = _REACH * np.sqrt(drawn * share * (1 - share)) + 10
        ranges.append(np.arange(max(0, int(drawn * share - reach)), min(drawn, held, int(drawn * share + reach)) + 1.0))
    won, lost = (grid.ravel() for grid in np.meshgrid(*ranges))
    ties = drawn - won - lost
    possible = (ties >= 0) & (ties <= pool - wins - losses)
    won, lost, ties = won[possible], lost[possible], ties[possible]
    log_p = _log_choose(wins, won) + _log_choose(losses, lost) + _log_choose(pool - wins - losses, ties)
    chance = np.exp(log_p - _log_choose(pool, np.array(drawn)))
    counted = chance > 1e-12
    return won[counted], lost[counted], chance[counted]


def _log_choose(n: int, k: Floats) -> Floats:
    return np.asarray(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))
