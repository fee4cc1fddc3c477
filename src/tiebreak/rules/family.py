"""Many pairs that are tested together: the levels that evidence faces, and how the correction is called."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels import multiplicity as kernel
from tiebreak.kernels.spending_boundary import thinned
from tiebreak.records import Multiplicity

Floats = NDArray[np.float64]

BOUNDED: Final[dict[Multiplicity, str]] = {
    "holm": "the chance of any wrong verdict",
    "bonferroni": "the chance of any wrong verdict",
    "fdr": "the expected share of wrong verdicts among those given",
    "fdr-any": "the expected share of wrong verdicts among those given",
    "none": "the chance of a wrong verdict on a single pair",
}
"""What alpha bounds."""


def correction_in_words(multiplicity: Multiplicity, margin: float | None, *, at_one_look: bool) -> str:
    """How a rule accounts for many pairs. Where labels keep coming pairs stop because of each other: so a false
    discovery rate is controlled under any dependence.
    """
    return {
        "holm": "Holm" if margin is None else "Bonferroni",
        "bonferroni": "Bonferroni",
        "fdr": "Benjamini-Hochberg" if at_one_look else "Benjamini-Yekutieli",
        "fdr-any": "Benjamini-Yekutieli",
        "none": "no adjustment",
    }[multiplicity]


@dataclass(frozen=True, slots=True)
class Family:
    """`pairs` tested together at `alpha`: the levels that their directions may face.

    Bonferroni and Holm's procedure count 2 directions a pair; with a margin Holm's is Bonferroni. A false discovery
    rate is that of Benjamini & Yekutieli over all null hypotheses, three a pair with a margin.
    """

    alpha: float
    multiplicity: Multiplicity
    pairs: int
    margin: bool

    @property
    def by_discoveries(self) -> bool:
        """Whether the false discovery rate is controlled, and not the chance of any error."""
        return self.multiplicity in ("fdr", "fdr-any")

    def levels(self) -> Floats:
        """Levels (L,) of one direction, from the highest to the lowest; the last is what the first verdict faces."""
        if self.by_discoveries:
            nulls = self.pairs * (3 if self.margin else 2)
            harmonic = float(np.sum(1.0 / np.arange(1, nulls + 1)))
            return thinned(np.asarray(self.alpha * np.arange(1, nulls + 1) / (nulls * harmonic), dtype=np.float64))
        family = 1 if self.multiplicity == "none" else self.pairs
        found = 0 if self.multiplicity != "holm" or self.margin else self.pairs - 1
        return thinned(np.asarray(self.alpha / np.arange(2 * family - found, 2 * family + 1), dtype=np.float64))

    @property
    def easing(self) -> float:
        """Logarithm of how much higher the level is that each side of an equivalence faces, and the far margin of a
        direction: twice that of a direction, except for a false discovery rate.
        """
        return 0.0 if self.by_discoveries else math.log(2)

    @property
    def simultaneous(self) -> float:
        """The one-sided log threshold of intervals: for all pairs at once, except without an adjustment and for a false
        discovery rate.
        """
        return math.log(2 * (self.pairs if self.multiplicity in ("holm", "bonferroni") else 1) / self.alpha)

    def faced(self, evidence: Floats) -> Floats:
        """(R,) log thresholds that undecided pairs face in R runs with this evidence for verdicts (R, K, D), at its
        largest.

        Holm: (2K - j)/alpha with j directions found, until no more are. A false discovery rate: the common threshold at
        which Benjamini-Yekutieli arrives; with no rejection, that of a first one.
        """
        runs = len(evidence)
        ordered = -np.sort(-evidence.reshape(runs, -1), axis=1)  # the strongest first
        if self.by_discoveries:
            counts = np.arange(1, ordered.shape[1] + 1)
            first = math.log(counts.size * float(np.sum(1.0 / counts)) / self.alpha)
            found = ((ordered >= first - np.log(counts)) * counts).max(axis=1, initial=0)
            return np.asarray(first - np.log(np.maximum(found, 1)))
        if self.multiplicity == "holm" and not self.margin:
            found = np.zeros(runs, dtype=np.int64)
            while True:
                faced = np.log(np.maximum(2 * self.pairs - found, 1) / self.alpha)
                more = (ordered >= faced[:, None]).sum(axis=1)
                if (more == found).all():
                    return np.asarray(faced)
                found = more
        return np.full(runs, math.log(2 * (1 if self.multiplicity == "none" else self.pairs) / self.alpha))

    def thresholds(self, largest: Floats) -> Floats:
        """(K,) log thresholds that the evidence for verdicts (K, D) of the pairs of one run faces, or faced when it was
        first found.
        """
        if self.multiplicity == "holm" and not self.margin:
            return kernel.holm_directions(largest, self.alpha).log_threshold
        return np.full(len(largest), self.faced(largest[None])[0])

    @property
    def first_level(self) -> float:
        """What the first verdict of a direction faces."""
        return float(self.levels()[-1])
