"""Costs of simulated campaigns in figures: means, ranges, and what a shared budget decides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tiebreak.simulate.engines.engine import CampaignRuns

Floats = NDArray[np.float64]

FAMILIES: Final = 1_000  # whole campaigns put together from the simulated pairs
_FEWEST_FAMILIES: Final = 100  # a sum over so many pairs hardly varies
_CELLS: Final = 5_000_000  # labels of a pair in a campaign that are held at once


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
    families = min(FAMILIES, max(_CELLS // pairs, _FEWEST_FAMILIES))
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
