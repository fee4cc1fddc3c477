"""Verdicts on the demo held against its truth."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from tiebreak.demo.truth import EQUAL, DemoTruth
from tiebreak.results.records import CompareResult


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
            words = "equally good, and rightly undecided" if known.better == EQUAL else "not decided yet"
        else:
            words = "right" if right else "WRONG"
        low, high = pair.difference.low, pair.difference.high
        covered = low <= difference <= high
        words += "" if covered else "; the interval misses the truth"
        checks.append(TruthCheck(pair.system_a, pair.system_b, difference, low, high, covered, right, words))
    return checks
