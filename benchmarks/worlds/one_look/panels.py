"""Items with several labels each: their means, from panels of equal and unequal size, of `inputs` and of a pool."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from benchmarks.cells import ALPHAS, Cell, Counts, Floats, Measure, Rng
from benchmarks.worlds.one_look.simulated import Draw, by_score, by_sign, by_t, missed_differences, wrong_directions
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import ndtr

from tiebreak.rules.finished import FinishedSet, FinishedSets

Integers = NDArray[np.int64]
Votes = Callable[[Rng, int, int], Floats]
"""From a generator, a number of items and one of people to votes (people, items) in {-1, 0, 1}."""

PEOPLE = {"3 people": (3, 3), "1-6 people": (1, 6)}
RUNS = 10_000


def strong(share: float) -> Votes:
    """A share of items is a's for everybody; the others are ties, or now and then b's: the difference is 0."""

    def votes(rng: Rng, items: int, people: int) -> Floats:
        weak = -1.0 * (rng.random((people, items)) < share / (1 - share))
        return np.where(rng.random(items) < share, 1.0, weak)

    return votes


def some_strong(difference: float) -> Votes:
    """A share of items is a's for everybody, the others are ties."""
    return lambda rng, items, people: np.tile(np.where(rng.random(items) < difference, 1.0, 0.0), (people, 1))


def coins(rng: Rng, items: int, people: int) -> Floats:
    """Everybody tosses a coin."""
    return np.where(rng.random((people, items)) < 0.5, 1.0, -1.0)


def leaning(ties: float, difference: float = 0.0) -> Votes:
    """Items lean to one side, people see it with as much noise, and small differences are ties.

    A vote is the sign of N(shift, 2), a tie within +-t; the shift gives the difference, t the share of ties.
    """
    spread = np.sqrt(2.0)

    def threshold(shift: float) -> float:
        if not ties:
            return 0.0
        return float(brentq(lambda t: ndtr((t - shift) / spread) - ndtr((-t - shift) / spread) - ties, 0.0, 20.0))

    def lead(shift: float) -> float:
        t = threshold(shift)
        return float(ndtr((shift - t) / spread) - ndtr((-shift - t) / spread))

    shift = float(brentq(lambda at: lead(at) - difference, 0.0, 20.0)) if difference else 0.0
    limit = threshold(shift)

    def votes(rng: Rng, items: int, people: int) -> Floats:
        seen = rng.normal(shift, 1, size=items) + rng.normal(size=(people, items))
        return np.where(np.abs(seen) <= limit, 0.0, np.sign(seen)) if ties else np.sign(seen)

    return votes


def of_ratings(fails: float, items: int, people: int, noise: float = 0.4) -> Draw:
    """Differences of ratings of 1-5 by so many people. On a share of items a fails: it has 1 and the other 5. On the
    others a is ahead by a point a little more often than behind, so that nobody is better on average; `noise`: how
    often they differ at least.
    """
    lead = 4 * fails / (1 - fails)
    differ = max(noise, lead)
    chances = [(differ - lead) / 2, 1 - differ, (differ + lead) / 2]

    def draw(rng: Rng) -> FinishedSet:
        points = rng.choice([-1.0, 0.0, 1.0], size=(people, items), p=chances).mean(axis=0)
        values = np.where(rng.random(items) < fails, -4.0, points) / 4
        return FinishedSet(values, np.full(items, people), np.zeros(items), points=4.0)

    return draw


def of_panel(votes: Votes, items: int, people: tuple[int, int]) -> Draw:
    """The values of items, each the mean of as many labels as chance gave it."""

    def draw(rng: Rng) -> FinishedSet:
        return _panel(votes(rng, items, people[1]), _sizes(rng, items, people))

    return draw


def of_pool(pool: int, drawn: int, people: tuple[int, int]) -> Draw:
    """A part of a pool whose items lean as much to one side as to the other, all in all; labels are fresh."""

    def draw(rng: Rng) -> FinishedSet:
        half = rng.normal(size=pool // 2)
        lean = rng.permutation(np.concatenate([half, -half]))[:drawn]
        seen = lean + rng.normal(size=(people[1], drawn))
        votes = np.where(np.abs(seen) < 0.5, 0.0, np.sign(seen))
        return _panel(votes, _sizes(rng, drawn, people), pool)

    return draw


def _sizes(rng: Rng, items: int, people: tuple[int, int]) -> Integers:
    return rng.integers(people[0], people[1] + 1, size=items)


def _panel(votes: Floats, sizes: Integers, pool: int | None = None) -> FinishedSet:
    asked = np.arange(votes.shape[0])[:, None] < sizes
    values = (votes * asked).sum(axis=0) / sizes
    squares = ((votes - values) ** 2 * asked).sum(axis=0)
    return FinishedSet(values, sizes, np.where(sizes > 1, squares / np.maximum(sizes - 1, 1), 0.0), pool_size=pool)


def cells() -> Iterator[Cell]:
    """All cells of this module."""
    yield from _inputs()
    yield from _few_strong()
    yield from _mean_ratings()
    yield from _power()
    yield from _pools()
    yield from _coverage()


def _inputs() -> Iterator[Cell]:
    worlds: dict[str, Votes] = {f"{share:.0%} strong items": strong(share) for share in (0.05, 0.2)}
    worlds["coins"] = coins
    worlds |= {f"{ties:.0%} ties": leaning(ties) for ties in (0.3, 0.6, 0.9)}
    for n in (8, 15, 20, 50, 100, 300, 3_000):
        for words, people in PEOPLE.items():
            for name, votes in worlds.items():
                if n == 3_000 and name in ("coins", "60% ties", "20% strong items"):
                    continue
                corner = n < 50 or (name == "90% ties" and n < 300)
                yield Cell(
                    "means",
                    f"{n:,} items, {words}, {name}",
                    "corner" if corner else "ordinary",
                    wrong_directions(of_panel(votes, n, people), by_t, least=by_score),
                    RUNS if n < 3_000 else RUNS // 2,
                    (n, people, name),
                )


def _few_strong() -> Iterator[Cell]:
    """Five or six strong items among many that lean the other way a little: t test and sign flips err alike."""
    for n, people, share in ((200, 10, 0.03), (300, 5, 0.02), (400, 20, 0.0125), (1_000, 10, 0.005)):
        yield Cell(
            "means",
            f"{n:,} items, {people} people, {100 * share:g}% strong items",
            "ordinary",
            wrong_directions(of_panel(strong(share), n, (people, people)), by_t, least=by_score),
            RUNS,
            (n, people, share),
        )


def _mean_ratings() -> Iterator[Cell]:
    """`--compare means`."""
    for n in (15, 30, 50, 100, 300):
        for people in (1, 3):
            for fails in (0.0, 0.02, 0.05):
                yield Cell(
                    "mean ratings",
                    f"{n:,} items, {people} {'people' if people > 1 else 'person'}, one system fails in {fails:.0%}",
                    "corner" if n <= 50 else "ordinary",
                    wrong_directions(of_ratings(fails, n, people), by_t),
                    RUNS,
                    (n, people, fails),
                )

    for n in (15, 30, 50):
        for people in (1, 3):
            for fails in (0.05, 0.1):
                yield Cell(
                    "mean ratings, swings",
                    f"{n} items, {people} {'people' if people > 1 else 'person'}, equal but for {fails:.0%}",
                    "corner",
                    wrong_directions(of_ratings(fails, n, people, noise=0.0), by_t),
                    RUNS // 5,
                    (n, people, fails),
                    limited=(),
                )


def _power() -> Iterator[Cell]:
    """Small panels beside the exact sign test of the items' majorities."""
    for n, people in ((8, 3), (15, 3), (15, 5), (30, 3)):
        for ties, difference in ((0.0, 0.3), (0.3, 0.3), (0.3, 0.5)):
            yield Cell(
                "panel power",
                f"{n} items, {people} people, {ties:.0%} ties, difference {difference:g}",
                "ordinary",
                _found(of_panel(leaning(ties, difference), n, (people, people))),
                RUNS // 5,
                (n, people, ties, difference),
                limited=(),
            )


def _found(draw: Draw) -> Measure:
    """How often a is found better at alpha .05, by the rule and by the sign test of the items."""

    def measure(rng: Rng, runs: int) -> Counts:
        sets = [draw(rng) for _ in range(runs)]
        ours = float((FinishedSets(sets).p_a <= ALPHAS[0] / 2).sum())
        theirs = sum(by_sign(of) <= ALPHAS[0] and of.values.mean() > 0 for of in sets)
        return {f"power {ALPHAS[0]}": ours, f"sign test {ALPHAS[0]}": float(theirs)}

    return measure


def _pools() -> Iterator[Cell]:
    for pool, drawn in ((20, 10), (20, 20), (50, 25), (100, 50), (100, 100), (300, 150), (300, 300), (3_000, 300)):
        for words, people in PEOPLE.items():
            corner = drawn < 50
            yield Cell(
                "means",
                f"{drawn:,} of {pool:,} items, {words}",
                "corner" if corner else "ordinary",
                wrong_directions(of_pool(pool, drawn, people), by_t_of_pool),
                RUNS // 4,
                (pool, drawn, people),
            )


def by_t_of_pool(of: FinishedSet) -> float:
    """The t test with the finite-population correction and without the noise of labels."""
    n = of.values.size
    left = 1 - n / (of.pool_size or n)
    spread = float(of.values.std(ddof=1)) * np.sqrt(left)
    return 2 * float(ndtr(-abs(of.values.mean()) / (spread / np.sqrt(n)))) if spread else float(not of.values.mean())


def _coverage() -> Iterator[Cell]:
    for n in (10, 20, 50, 100, 300):
        for difference in (0.2, 0.5):
            for name, votes in (
                ("30% ties", leaning(0.3, difference)),
                (f"{difference:.0%} strong items, else ties", some_strong(difference)),
            ):
                corner = n < 50 or "strong" in name
                yield Cell(
                    "simulated coverage",
                    f"means, {n:,} items, 1-6 people, {name}, difference {difference:g}",
                    "corner" if corner else "ordinary",
                    missed_differences(of_panel(votes, n, (1, 6)), difference),
                    RUNS // 10,
                    (n, difference, name),
                    limited=tuple(f"missed {alpha}" for alpha in ALPHAS),
                )
