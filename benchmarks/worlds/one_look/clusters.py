"""Items in clusters: documents, conversations, users. Sizes equal and unequal, tied to outcomes or not."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Literal

import numpy as np
from benchmarks.cells import ALPHAS, Cell, Floats, Rng
from benchmarks.worlds.one_look.simulated import Draw, by_score, by_sign, missed_differences, wrong_directions
from scipy.special import ndtr, stdtr

from tiebreak.rules.finished import FinishedSet

Sizes = Literal["equal", "2-20", "lognormal"]
SIZES: tuple[Sizes, ...] = ("equal", "2-20", "lognormal")
RUNS = 10_000

_LEAN = 0.5  # a cluster leans to one side or the other by this: correlation of two of its items .25
_TIED = 0.2  # by this large clusters lean to b
_STRONG: tuple[tuple[int, Sizes, float], ...] = (
    (60, "equal", 0.09),
    (100, "equal", 0.05),
    (100, "2-20", 0.05),
    (200, "lognormal", 0.05),
)
"""How many clusters, their sizes and the share of strong ones."""


@cache
def size_shares(sizes: Sizes) -> tuple[Floats, Floats]:
    """Sizes of clusters and how often they come."""
    if sizes == "equal":
        return np.array([8.0]), np.ones(1)
    if sizes == "2-20":
        return np.arange(2.0, 21.0), np.full(19, 1 / 19)
    of = np.arange(1.0, 201.0)
    shares = ndtr(np.log(of + 0.5) - 1.5) - ndtr(np.log(of - 0.5) - 1.5)
    shares[0] = ndtr(np.log(1.5) - 1.5)
    return of, shares / shares.sum()


def tied_leans(sizes: Sizes) -> Floats:
    """By how much clusters of each size lean, so that the difference over items is 0: large ones to b."""
    of, shares = size_shares(sizes)
    items = of * shares
    large = np.cumsum(items) - items / 2 > items.sum() / 2
    back = _TIED * items[large].sum() / items[~large].sum()
    return np.where(large, -_TIED, back)


def clustered(clusters: int, sizes: Sizes, tied: bool, ties: float = 0.0, difference: float = 0.0) -> Draw:
    """Outcomes of items whose clusters lean by half to one side or the other, around the difference."""
    of, shares = size_shares(sizes)
    leans = tied_leans(sizes) if tied else np.full(of.size, difference / (1 - ties))
    swing = np.minimum(_LEAN, 1 - np.abs(leans))

    def draw(rng: Rng) -> FinishedSet:
        kind = rng.choice(of.size, size=clusters, p=shares)
        lean = leans[kind] + swing[kind] * rng.choice([-1.0, 1.0], size=clusters)
        member = np.repeat(np.arange(clusters), of[kind].astype(np.int64))
        values = np.where(rng.random(member.size) < (1 + lean[member]) / 2, 1.0, -1.0)
        if ties:
            values[rng.random(member.size) < ties] = 0.0
        return FinishedSet(values, np.ones(values.size, dtype=np.int64), clusters=member)

    return draw


def few_strong(clusters: int, sizes: Sizes, share: float) -> Draw:
    """A share of clusters is a's throughout; the items of the others are ties, or now and then b's: nobody is ahead."""
    of, shares = size_shares(sizes)

    def draw(rng: Rng) -> FinishedSet:
        member = np.repeat(np.arange(clusters), of[rng.choice(of.size, size=clusters, p=shares)].astype(np.int64))
        weak = np.where(rng.random(member.size) < share / (1 - share), -1.0, 0.0)
        values = np.where((rng.random(clusters) < share)[member], 1.0, weak)
        return FinishedSet(values, np.ones(values.size, dtype=np.int64), clusters=member)

    return draw


def by_cr2(of: FinishedSet) -> float:
    """Cluster-robust t with the CR2 variance and Satterthwaite's degrees of freedom (Bell & McCaffrey 2002).

    For a mean, I - H of a cluster of n_g of n items has the eigenvalue 1 - n_g/n along its ones, hence the weights.
    """
    if of.clusters is None:
        raise ValueError("these items are in no clusters")
    sizes = np.bincount(of.clusters).astype(np.float64)
    n, mean = sizes.sum(), of.values.mean()
    residuals = np.bincount(of.clusters, weights=of.values) - mean * sizes
    weights = 1 / (1 - sizes / n)
    variance = float((weights * residuals**2).sum()) / n**2
    if not variance:
        return 1.0
    off = float((weights * sizes**2).sum()) ** 2 - float((weights**2 * sizes**4).sum())
    freedom = n**2 / (float((sizes**2).sum()) + off / n**2)
    return 2 * float(stdtr(freedom, -abs(mean) / np.sqrt(variance)))


def effective(clusters: int, sizes: Sizes) -> float:
    """Expected effective clusters, about: clusters (E n)^2 / E n^2."""
    of, shares = size_shares(sizes)
    return float(clusters * (of @ shares) ** 2 / (of**2 @ shares))


def cells() -> Iterator[Cell]:
    """All cells of this module."""
    worlds: list[tuple[Sizes, bool, float]] = [(sizes, False, 0.0) for sizes in SIZES]
    worlds += [("2-20", True, 0.0), ("2-20", False, 0.6), ("lognormal", True, 0.0)]
    for clusters in (6, 8, 12, 20, 50, 100):
        for sizes, tied, ties in worlds:
            corner = effective(clusters, sizes) < 50
            words = f"{clusters} clusters, {'8 items each' if sizes == 'equal' else f'{sizes} sizes'}"
            words += ", size tied to outcome" if tied else ""
            yield Cell(
                "clusters",
                words + (f", {ties:.0%} ties" if ties else ""),
                "corner" if corner else "ordinary",
                wrong_directions(clustered(clusters, sizes, tied, ties), by_cr2, by_sign, least=by_score),
                RUNS,
                (clusters, sizes, tied, ties),
            )
    yield from _few_strong()
    for clusters in (8, 20, 100):
        for sizes in SIZES:
            for difference in (0.2, 0.5):
                corner = effective(clusters, sizes) < 50
                yield Cell(
                    "simulated coverage",
                    f"{clusters} clusters, {'8 items each' if sizes == 'equal' else f'{sizes} sizes'}, "
                    f"difference {difference:g}",
                    "corner" if corner else "ordinary",
                    missed_differences(clustered(clusters, sizes, False, 0.0, difference), difference),
                    RUNS // 10,
                    (clusters, sizes, difference),
                    limited=tuple(f"missed {alpha}" for alpha in ALPHAS),
                )


def _few_strong() -> Iterator[Cell]:
    """Five to six strong clusters among many that lean the other way a little; ten where sizes are lognormal."""
    for clusters, sizes, share in _STRONG:
        corner = effective(clusters, sizes) < 50
        yield Cell(
            "clusters",
            f"{clusters} clusters, {'8 items each' if sizes == 'equal' else f'{sizes} sizes'}, {share:.0%} strong",
            "corner" if corner else "ordinary",
            wrong_directions(few_strong(clusters, sizes, share), by_cr2, by_sign, least=by_score),
            RUNS,
            (clusters, sizes, share),
        )
