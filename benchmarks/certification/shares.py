"""Shares of campaigns as text, and whether a share is above its level beyond luck."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from benchmarks.certification.campaigns import ALPHAS, LOOKS, Tally
from benchmarks.certification.grid import ERRORS, Task
from benchmarks.certification.runner import Results
from benchmarks.worlds.simulation import wilson_interval
from scipy.special import bdtrc

LUCK = 0.05  # chance that any share of the page is called too high although all of them are at their level


@dataclass(frozen=True, slots=True)
class Share:
    """Wrong campaigns of one rule in one world, under one way of looking, at one level."""

    task: Task
    rule: str
    alpha: float
    look: str
    tally: Tally

    @property
    def rate(self) -> float:
        """Measured error rate."""
        return self.tally.wrong / self.tally.runs

    @property
    def text(self) -> str:
        """Per cent with its 95% interval."""
        return per_cent(self.tally.wrong, self.tally.runs)

    def too_high(self, shares: int) -> bool:
        """Whether a rule that errs at alpha would hardly ever show this many errors (Bonferroni over all shares)."""
        return (
            bool(bdtrc(self.tally.wrong - 1, self.tally.runs, self.alpha) < LUCK / shares)
            if self.tally.wrong
            else False
        )


def per_cent(hits: int, runs: int) -> str:
    """`3.4 (2.9 to 3.9)`: per cent, with the 95% interval."""
    low, high = wilson_interval(hits, runs)
    return f"{100 * hits / runs:.1f} ({100 * low:.1f} to {100 * high:.1f})"


def shares_of(results: Results) -> list[Share]:
    """All shares of wrong campaigns."""
    return list(_shares(results))


def _shares(results: Results) -> Iterator[Share]:
    for (task, name), outcome in results.outcomes.items():
        if task.part != ERRORS:
            continue
        for alpha in ALPHAS:
            for look, tally in outcome.tallies[f"{alpha}"].items():
                yield Share(task, name, alpha, look, tally)


def worst(shares: Iterable[Share], rule: str, alpha: float, look: str) -> Share | None:
    """The largest share of a rule over all worlds, None where the rule cannot be looked at like that."""
    found = [share for share in shares if (share.rule, share.alpha, share.look) == (rule, alpha, look)]
    return max(found, key=lambda share: share.rate, default=None)


def pooled(shares: Iterable[Share], rule: str, alpha: float, look: str) -> Tally | None:
    """All campaigns of a rule together, over its worlds; None where it cannot be looked at like that."""
    found = [share.tally for share in shares if (share.rule, share.alpha, share.look) == (rule, alpha, look)]
    return sum(found[1:], start=found[0]) if found else None


EVERY, TENS, FIFTIES, ONCE = LOOKS
