"""What a comparison has to show, such as `gpt > llama`: for scripts that stop where it does not."""

from __future__ import annotations

from dataclasses import dataclass

from tiebreak.errors import UsageError, check_known
from tiebreak.records import Verdict
from tiebreak.results.records import CompareResult


@dataclass(frozen=True, slots=True)
class Condition:
    """`better`: the system that has to be better than `other`, or (`or_equal`) better or equivalent."""

    better: str
    other: str
    or_equal: bool = False

    def __str__(self) -> str:
        return f"{self.better} {'>=' if self.or_equal else '>'} {self.other}"

    def unmet(self, result: CompareResult) -> list[str]:
        """Why the condition does not hold: the verdict on each criterion that does not show it; empty where it holds.

        Raises:
            UsageError: a system that was not compared, or the two were not compared with each other.
        """
        check_known("system", (self.better, self.other), _systems(result), but="compared were")
        found: list[str] = []
        compared = False
        for criterion in result.results:
            for pair in criterion.pairs:
                if {pair.system_a, pair.system_b} != {self.better, self.other}:
                    continue
                compared = True
                wanted: Verdict = "a" if pair.system_a == self.better else "b"
                fine = pair.verdict == wanted or (self.or_equal and "equivalent" in (pair.verdict, pair.also))
                if not fine:
                    on = "" if criterion.criterion is None else f" on {criterion.criterion}"
                    turned = pair.winner_first()
                    found.append(f"{turned.system_a} {turned.sign} {turned.system_b}{on}")
        if not compared:
            raise UsageError(f"{self}: these two systems were not compared with each other")
        return found


def condition_from(text: str) -> Condition:
    """`A > B`: A is better; `A >= B`: A is better, or the two are equivalent.

    Raises:
        UsageError: it is none.
    """
    sign = ">=" if ">=" in text else ">"
    better, found, other = text.partition(sign)
    if not found or not better.strip() or not other.strip() or better.strip() == other.strip():
        raise UsageError(f"{text!r}: write 'A > B' (A is better) or 'A >= B' (better or equivalent)")
    return Condition(better.strip(), other.strip(), or_equal=sign == ">=")


def _systems(result: CompareResult) -> list[str]:
    pairs = (pair for found in result.results for pair in found.pairs)
    return sorted({name for pair in pairs for name in (pair.system_a, pair.system_b)})
