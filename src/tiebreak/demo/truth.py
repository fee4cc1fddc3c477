"""The truth behind the demo study: what its labels estimate, computed from the model that generates them.

Verdicts on the demo held against its truth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import combinations, product
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tiebreak.demo.texts import MISTAKES, DemoSystem
from tiebreak.errors import UsageError
from tiebreak.records import TARGETS, Target
from tiebreak.results.records import CompareResult
from tiebreak.simulate.people.workers import Worker, expected_outcome, quality_difference

FloatArray = NDArray[np.float64]

SEVERITIES: Final[dict[str, float]] = {
    "wrong-fact": 1.0,
    "omission": 0.8,
    "repetition": 0.7,
    "disfluency": 0.6,
}
"""What a mistake costs on the scale of the latent quality, on which a difference of 1 is as large as can be."""

TASTE: Final = 0.12
"""A wording pleases a reader more or less on a given item: U(-TASTE, TASTE) is added to the quality."""

HOUSE_RATE: Final = 0.35
"""How often a system uses the house wording of the item, so that a few outputs of two systems are identical."""

EQUAL: Final = "equal"

_TASTE_CELLS: Final = 1200


@dataclass(frozen=True, slots=True)
class PairTruth:
    """The true difference P(a preferred) - P(b preferred), in [-1, 1], for one pair.

    `difference_inputs` for a new input of the same kind, `difference_items` for the study's own items and outputs,
    each over annotators (by their share of the labels) and over which side is shown on the left.
    `better` is the name of the system that is better on such inputs, or `equal`.
    """

    system_a: str
    system_b: str
    difference_inputs: float
    difference_items: float
    better: str

    def difference(self, target: Target) -> float:
        """The true difference for a target, `inputs` or `items`."""
        if target not in TARGETS:
            raise UsageError(f"no target {target!r}: it is one of {', '.join(TARGETS)}")
        return self.difference_inputs if target == "inputs" else self.difference_items


@dataclass(frozen=True, slots=True)
class DemoTruth:
    """What is true of a demo study: every pair of systems, and how often each system makes each mistake."""

    seed: int
    items: int
    labels_per_item: int
    pairs: tuple[PairTruth, ...]
    mistake_rates: dict[str, dict[str, float]]

    def pair(self, system_a: str, system_b: str) -> PairTruth:
        """The truth of a pair, either way round. Raises `UsageError` for a pair that the demo does not have."""
        for known in self.pairs:
            if (known.system_a, known.system_b) == (system_a, system_b):
                return known
            if (known.system_a, known.system_b) == (system_b, system_a):
                # 0.0 - x and not -x: an exact zero must not become -0.0.
                flipped = (0.0 - known.difference_inputs, 0.0 - known.difference_items)
                return PairTruth(system_a, system_b, *flipped, known.better)
        raise UsageError(f"the demo has no pair {system_a} and {system_b}")

    def to_dict(self) -> dict[str, object]:
        """Plain tables, lists, texts and numbers without nulls: fit for JSON and for TOML."""
        return {
            "seed": self.seed,
            "items": self.items,
            "labels_per_item": self.labels_per_item,
            "mistake_rates": {system: dict(rates) for system, rates in self.mistake_rates.items()},
            "pairs": [
                {
                    "system_a": pair.system_a,
                    "system_b": pair.system_b,
                    "better": pair.better,
                    "difference": {"inputs": pair.difference_inputs, "items": pair.difference_items},
                }
                for pair in self.pairs
            ],
        }


def severity(mistakes: frozenset[str]) -> float:
    """What a text's mistakes cost together, at most 1. Zero for a faultless text."""
    # In the order of MISTAKES: the sum of a set must not depend on how Python orders it.
    return min(1.0, sum(SEVERITIES[mistake] for mistake in MISTAKES if mistake in mistakes))


def panel_outcome(panel: Sequence[Worker], shares: FloatArray, difference: FloatArray) -> FloatArray:
    """P(a) - P(b) of a label for latent differences, shape (n,), over workers by their shares and over both sides."""
    mean = np.zeros_like(difference)
    for share, worker in zip(shares, panel, strict=True):
        mean += share * expected_outcome(worker, difference)
    return mean


def population_differences(
    systems: Sequence[DemoSystem], panel: Sequence[Worker], shares: FloatArray
) -> dict[tuple[str, str], float]:
    """P(a preferred) - P(b preferred) on a new input, for every pair in the order of `systems`, without sampling.

    It sums over the 16 x 16 sets of mistakes and integrates over taste. The mean outcome G(s) of a difference s in
    severity is odd, so the sum is taken over (P_a(i) P_b(j) - P_b(i) P_a(j)) G / 2: systems with the same
    rates get exactly 0, without rounding.
    """
    sets = [frozenset(m for m, yes in zip(MISTAKES, made, strict=True) if yes) for made in product((0, 1), repeat=4)]
    costs = np.array([severity(mistakes) for mistakes in sets])
    outcome = _outcome_of_severities(costs, panel, shares)
    chances = {s.name: np.array([_chance(mistakes, s) for mistakes in sets]) for s in systems}
    differences = {}
    for a, b in combinations(systems, 2):
        joint = np.outer(chances[a.name], chances[b.name])
        differences[a.name, b.name] = float(np.sum((joint - joint.T) * outcome) / 2)
    return differences


def _outcome_of_severities(costs: FloatArray, panel: Sequence[Worker], shares: FloatArray) -> FloatArray:
    """Mean outcome (P(a) - P(b)) when a's mistakes cost costs[i] and b's costs[j], shape (sets, sets)."""
    advantage = costs[None, :] - costs[:, None]
    # The difference of two U(-TASTE, TASTE) is triangular; midpoints of equal cells, weighted by its density.
    taste = (np.arange(_TASTE_CELLS) + 0.5) / _TASTE_CELLS * 4 * TASTE - 2 * TASTE
    density = 1 - np.abs(taste) / (2 * TASTE)
    values, where = np.unique(advantage, return_inverse=True)
    own_wordings = panel_outcome(panel, shares, quality_difference(values[:, None] + taste, 0.0))
    mean_own = own_wordings @ (density / density.sum())
    # Both in the house wording of the item: the same taste, which cancels.
    same_wording = panel_outcome(panel, shares, quality_difference(values, 0.0))
    mean = HOUSE_RATE**2 * same_wording + (1 - HOUSE_RATE**2) * mean_own
    by_sets: FloatArray = mean[where].reshape(advantage.shape)
    return by_sets


def _chance(mistakes: frozenset[str], system: DemoSystem) -> float:
    chance = 1.0
    for mistake, rate in zip(MISTAKES, system.rates, strict=True):
        chance *= rate if mistake in mistakes else 1 - rate
    return chance


@dataclass(frozen=True, slots=True)
class TruthCheck:
    """One pair. `truth`: the true difference for the comparison's target. `right`: None if undecided.

    `covered`: whether the interval [`low`, `high`] holds the truth.
    """

    system_a: str
    system_b: str
    truth: float
    low: float
    high: float
    covered: bool
    right: bool | None
    words: str

    def to_dict(self) -> dict[str, object]:
        """JSON-ready."""
        return asdict(self)


def check_against_truth(result: CompareResult, truth: DemoTruth) -> list[TruthCheck]:
    """One check per pair of the (single) criterion, in the order of the result."""
    checks = []
    for pair in result.results[0].pairs:
        known = truth.pair(pair.system_a, pair.system_b)
        difference = known.difference(result.terms.target)
        right: bool | None = None
        if pair.winner is not None:
            right = pair.winner == known.better
        elif pair.verdict == "equivalent":
            right = abs(difference) < (result.terms.margin or 0.0)
        if right is None:
            words = "equally good, and rightly undecided" if known.better == EQUAL else "undecided"
        else:
            words = "right" if right else "WRONG"
        low, high = pair.difference.low, pair.difference.high
        covered = low <= difference <= high
        words += "" if covered else "; the interval misses the truth"
        checks.append(TruthCheck(pair.system_a, pair.system_b, difference, low, high, covered, right, words))
    return checks
