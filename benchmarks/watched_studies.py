"""How often `watch` errs, beside other readings of the same labels: prints Markdown; `--write` saves
docs/watched_studies.md.

python benchmarks/watched_studies.py [--runs 2000] [--seed 1] [--write]

Exit status 1 where anything errs more than was promised, or a control does not.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.stats import binom

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from benchmarks.pages import show, table
from benchmarks.watched_metrics import METRIC_WORLDS, Saved, saving
from benchmarks.watched_worlds import ALPHA, WORLDS, World

_SURE = 1e-3
_RHOS, _LEADS = (0.0, 0.5, 0.7, 0.9), (0.1, 0.2)
_MOST_LOST = 0.03  # of the labels, by a metric that says nothing


@dataclass(frozen=True, slots=True)
class Counted:
    """Studies of a world with a wrong verdict by `watch`, and by the other reading, of so many `runs`."""

    world: World
    runs: int
    watch: int
    other: int

    @property
    def problem(self) -> str:
        """What is not as promised; "" where all is well."""
        held, erring = (self.watch, self.other) if self.world.covered else (self.other, self.watch)
        if binom.sf(held - 1, self.runs, ALPHA) < _SURE:
            return f"{self.world.name}: {held} of {self.runs} wrong, where {ALPHA:g} was promised"
        if self.world.errs and binom.sf(erring - 1, self.runs, ALPHA) > _SURE:
            return f"{self.world.name}: the control errs in {erring} of {self.runs} only"
        return ""


def count(world: World, runs: int, seed: int) -> Counted:
    """The world played so many times."""
    played = [world.play(np.random.default_rng([seed, number])) for number in range(runs)]
    return Counted(world, runs, sum(one.watch for one in played), sum(one.other for one in played))


def problems_of(savings: list[Saved]) -> list[str]:
    """Where a metric costs more labels than was promised, or a good one saves none."""
    found = [of for of in savings if of.share < -_MOST_LOST or (of.rho >= max(_RHOS) and of.share < _MOST_LOST)]
    return [f"a metric of correlation {of.rho:g} saves {of.share:.3f} at a difference of {of.lead:g}" for of in found]


def page(counts: list[Counted], savings: list[Saved]) -> str:
    """The page in Markdown."""

    def rows(covered: bool, worlds: Sequence[World] = WORLDS) -> list[list[str]]:
        return [
            [of.world.name, f"{of.runs:,}", f"{of.watch / of.runs:.3f}", of.world.other, f"{of.other / of.runs:.3f}"]
            for of in counts
            if of.world.covered is covered and of.world in worlds
        ]

    saved = [
        [
            f"{of.lead:g}",
            f"{of.rho:g}",
            f"{of.alone.size:,}",
            f"{of.alone.mean():,.0f}",
            f"{of.helped.mean():,.0f}",
            f"{of.share:.0%}",
        ]
        for of in savings
    ]

    header = ["world", "studies", "`watch` errs", "beside it", "errs"]
    return f"""# Watched studies

How often any look at a [watched study](watch.md) gives a verdict on two systems that are equal, at alpha {ALPHA:g},
and how often another reading of the same labels does. By `python benchmarks/watched_studies.py --write`, which ends
with exit status 1 where `watch` errs more than promised, or a control does not. Worlds with second labels, documents,
systems that join and labels that vanish go through whole ledgers.

{table(header, rows(True))}

## Metrics

Pools of 300 even items with a [metric](watch.md#metrics), looked at whenever the lead, or what the metric did not
expect of it, has grown by four. The same bets, read within looks, err more; so does help from values that were made
after the labels, which `watch` does not use.

{table(header, rows(True, METRIC_WORLDS))}

Labels to a verdict in a pool of 1,000 with 30% ties that is looked at after every 20, by the correlation of the metric
with the outcomes:

{table(["difference", "correlation", "studies", "labels alone", "with the metric", "saved"], saved)}

## What a ledger cannot give

Here the order of labels depends on what they say. `watch` cannot know it, and says so with its promise; what helps
stands beside it.

{table(header, rows(False))}
"""


def main() -> int:
    """The page, and the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--runs",
        type=int,
        default=2000,
        help="studies of a world (2000); of slow ones a quarter, of labels saved a twentieth",
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true", help="save docs/watched_studies.md")
    options = parser.parse_args()
    counts = []
    for world in (*WORLDS, *METRIC_WORLDS):
        counts.append(count(world, max(1, options.runs // (4 if world.slow else 1)), options.seed))
        sys.stderr.write(f"{world.name}: {counts[-1].watch}, {counts[-1].other} of {counts[-1].runs}\n")
    savings = []
    for lead in _LEADS:
        for rho in _RHOS:
            savings.append(saving(rho, lead, max(1, options.runs // 20), options.seed))
            sys.stderr.write(f"difference {lead:g}, correlation {rho:g}: {savings[-1].share:.3f} saved\n")
    show(page(counts, savings), "watched_studies.md", options.write)
    problems = [*(of.problem for of in counts if of.problem), *problems_of(savings)]
    sys.stderr.writelines(f"{problem}\n" for problem in problems)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
