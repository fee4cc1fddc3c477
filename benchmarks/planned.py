"""Power and mean numbers of items where looking ends at a planned number: the rule `anytime` beside others.

python benchmarks/planned.py [--scale 1] [--seed 1] [--write]

Writes benchmarks/results/planned.csv: for every plan of H items, share of ties and difference, and each rule, how often
the better system is found and the worse one, and the items until then (undecided: all H). "arriving": the items that
came of those that were planned. One pair, alpha .05. The rules:

- anytime: the exact walk, looked at after every label. bets: what the same rule takes for anything but single labels.
- open end: a mixture of bets for an unknown end (Robbins 1970): half Beta(20, 20), half Beta(2, 2), above a half.
- one test: the exact sign test at the end.
- ten looks: O'Brien & Fleming's boundary for the normal score at ten looks, z_k >= 2.087 sqrt(10/k) (Jennison &
  Turnbull 2000, table 2.3).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # `benchmarks` is no installed package

import numpy as np  # noqa: E402
from benchmarks.results import Value, machine, parser, write_rows  # noqa: E402
from benchmarks.worlds.simulation import simulated_rule  # noqa: E402
from numpy.typing import NDArray  # noqa: E402
from scipy.special import betainc, betaln  # noqa: E402
from scipy.stats import binom  # noqa: E402

from tiebreak.rules import planned  # noqa: E402
from tiebreak.rules.family import Family  # noqa: E402
from tiebreak.simulate.engines.stops import stops  # noqa: E402

Codes = NDArray[np.int8]
Found = tuple[NDArray[np.int8], NDArray[np.int64]]
"""Verdicts (runs,), 1, -1 or 0, and items until then (runs,)."""

HEADER = ("plan", "arriving", "ties", "difference", "rule", "found", "wrong", "items", "runs")
ALPHA = 0.05
RUNS = 2_000
AT_ONCE = 250
OBRIEN_FLEMING, LOOKS = 2.087, 10
WORLDS = (
    *((150, ties, difference) for ties in (0.0, 0.3, 0.6) for difference in (0.0, 0.18, 0.25)),
    (150, 0.3, 0.4),
    (300, 0.0, 0.15),
    *((300, 0.3, difference) for difference in (0.0, 0.15, 0.25, 0.5)),
    *((1_000, 0.3, difference) for difference in (0.0, 0.07, 0.1, 0.2)),
    *((3_000, 0.3, difference) for difference in (0.0, 0.04, 0.06, 0.2)),
)
"""Planned items, share of ties, difference."""


def by_walk(values: Codes, plan: int) -> Found:
    """The rule of single labels."""
    found = stops(values, simulated_rule("anytime", plan, ALPHA))
    return found.verdict, found.items


def by_bets(values: Codes, plan: int) -> Found:
    """What the rule takes for means, clusters and pools, on the same values."""
    pair = planned.plan_pair(Family(ALPHA, "holm", 1, margin=False), plan, outcomes_only=False, steps=None)
    state = planned.start(pair, len(values))
    verdict, items = np.zeros(len(values), dtype=np.int8), np.full(len(values), values.shape[1])
    for item, value in enumerate(values.T.astype(np.float64), start=1):
        state = planned.advance(pair, state, value)
        reached = planned.evidence(pair, state).directions >= np.log(2 / ALPHA)
        new = reached.any(axis=1) & (verdict == 0)
        verdict[new], items[new] = np.where(reached[new, 0], 1, -1), item
    return verdict, items


@cache
def least_leads(horizon: int) -> NDArray[np.int64]:
    """The smallest lead (horizon + 1,) of m items that are no ties at which the mixture reaches 2/ALPHA.

    With w wins and l losses the average over q of (2q)^w (2 - 2q)^l, q ~ Beta(A, A) above a half, is
    2^(w+l+1) B(w+A, l+A)/B(A, A) P(Beta(w+A, l+A) > 1/2).
    """
    found = np.full(horizon + 1, horizon + 1, dtype=np.int64)
    for untied in range(1, horizon + 1):
        wins = np.arange((untied + 1) // 2, untied + 1)
        parts = [
            (untied + 1) * np.log(2.0) + betaln(wins + a, untied - wins + a) - betaln(a, a)
            + np.log(np.maximum(betainc(untied - wins + a, wins + a, 0.5), 1e-300))
            for a in (20.0, 2.0)
        ]  # fmt: skip
        reached = np.logaddexp(*parts) - np.log(2) >= np.log(2 / ALPHA)
        if reached.any():
            found[untied] = 2 * wins[reached.argmax()] - untied
    return found


def by_mixture(values: Codes, plan: int) -> Found:  # noqa: ARG001
    """The rule for an unknown end."""
    lead = np.cumsum(values, axis=1, dtype=np.int64)
    crossed = np.abs(lead) >= least_leads(values.shape[1])[np.cumsum(values != 0, axis=1)]
    first, decided = crossed.argmax(axis=1), crossed.any(axis=1)
    verdict = np.where(decided, np.sign(lead[np.arange(len(lead)), first]), 0).astype(np.int8)
    return verdict, np.where(decided, first + 1, values.shape[1])


def by_one_test(values: Codes, plan: int) -> Found:
    """The exact two-sided sign test once all planned items are labelled."""
    wins, losses = (values > 0).sum(axis=1), (values < 0).sum(axis=1)
    at_least = binom.sf(np.maximum(wins, losses) - 1, wins + losses, 0.5)
    verdict = np.where(at_least <= ALPHA / 2, np.sign(wins - losses), 0).astype(np.int8)
    return verdict if values.shape[1] == plan else np.zeros_like(verdict), np.full(len(values), values.shape[1])


def by_ten_looks(values: Codes, plan: int) -> Found:
    """A group-sequential test on the normal score of wins and losses."""
    verdict, items = np.zeros(len(values), dtype=np.int8), np.full(len(values), values.shape[1])
    for look in range(1, LOOKS + 1):
        end = round(plan * look / LOOKS)
        if end > values.shape[1]:
            break
        lead, untied = values[:, :end].sum(axis=1, dtype=np.int64), (values[:, :end] != 0).sum(axis=1)
        score = lead / np.sqrt(np.maximum(untied, 1))
        new = (np.abs(score) >= OBRIEN_FLEMING * np.sqrt(LOOKS / look)) & (verdict == 0)
        verdict[new], items[new] = np.sign(lead[new]), end
    return verdict, items


RULES: dict[str, Callable[[Codes, int], Found]] = {
    "anytime": by_walk,
    "bets": by_bets,
    "open end": by_mixture,
    "one test": by_one_test,
    "ten looks": by_ten_looks,
}


def measured(scale: float, seed: int) -> Iterator[tuple[Value, ...]]:
    """One row per world and rule; a second time where only 80% of the plan arrives."""
    for number, (plan, ties, difference) in enumerate(WORLDS):
        for part in (1.0, 0.8) if difference else (1.0,):
            arriving = round(part * plan)
            runs = (
                max(AT_ONCE, round(scale * RUNS / AT_ONCE) * AT_ONCE) if scale >= 0.1 else max(2, round(scale * RUNS))
            )
            found = {name: np.zeros(3) for name in RULES}
            chances = [(1 - ties + difference) / 2, ties, (1 - ties - difference) / 2]
            rng = np.random.default_rng([seed, number])
            for start in range(0, runs, AT_ONCE):
                size = min(AT_ONCE, runs - start)
                values = rng.choice([1, 0, -1], p=chances, size=(size, arriving)).astype(np.int8)
                for name, rule in RULES.items():
                    verdict, items = rule(values, plan)
                    found[name] += (verdict == 1).sum(), (verdict == -1).sum(), items.sum()
            for name, (better, worse, items) in found.items():
                wrong = worse if difference else better + worse
                yield plan, arriving, ties, difference, name, better / runs, wrong / runs, items / runs, runs


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status."""
    options = parser(__doc__, "benchmarks/results/planned.csv").parse_args(arguments)
    folder = options.results if options.write else options.cache / "results"
    rows = measured(options.scale, options.seed)
    print(write_rows("planned", HEADER, rows, "python benchmarks/planned.py --write", machine(), folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
