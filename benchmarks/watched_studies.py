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
from benchmarks.watched_companions import COMPANION_WORLDS, LEADS, RHOS, SIZES, SavedBeside, saving_beside
from benchmarks.watched_metrics import METRIC_WORLDS, Saved, saving
from benchmarks.watched_worlds import ALPHA, WORLDS, World

_SURE = 1e-3
_MOST_LOST = 0.03  # of the labels, by a metric that says nothing
_MOST_LOST_BESIDE = 0.12  # the same with companions, where nothing is learnt of the metric


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


def problems_of(savings: Sequence[Saved | SavedBeside]) -> list[str]:
    """Where a metric costs more labels than was promised, or a good one saves none."""
    found = []
    for of in savings:
        most_lost = _MOST_LOST_BESIDE if isinstance(of, SavedBeside) else _MOST_LOST
        if of.share < -most_lost or (of.rho >= max(RHOS) and of.share < _MOST_LOST):
            found.append(of)
    return [f"a metric of correlation {of.rho:g} saves {of.share:.3f} at a difference of {of.lead:g}" for of in found]


HEADER = ["world", "studies", "`watch` errs", "beside it", "errs"]


def rows_of(counts: Sequence[Counted], worlds: Sequence[World], *, covered: bool = True) -> list[list[str]]:
    """A row for each of these worlds that was played."""
    return [
        [of.world.name, f"{of.runs:,}", f"{of.watch / of.runs:.3f}", of.world.other, f"{of.other / of.runs:.3f}"]
        for of in counts
        if of.world.covered is covered and of.world in worlds
    ]


def _percent(share: float) -> str:
    """Without a minus before 0%."""
    return f"{round(share, 2) + 0.0:.0%}"


def beside_part(counts: Sequence[Counted], beside: Sequence[SavedBeside]) -> str:
    """The section on companions."""
    groups = dict.fromkeys((of.size, of.rho) for of in beside)
    rows = []
    for size, rho in groups:
        found = {of.lead: of for of in beside if (of.size, of.rho) == (size, rho)}
        cells = [f"{of.alone.mean():,.0f}, {of.helped.mean():,.0f}: {_percent(of.share)}" for of in found.values()]
        runs = min(of.alone.size for of in found.values())
        rows.append([f"{size - 1}", f"1 in {size}", f"{rho:g}", f"{runs:,}", *cells])
    leads = [f"at a difference of {lead:g}" for lead in dict.fromkeys(of.lead for of in beside)]
    return f"""## Metrics and companions

A claim about inputs like these with a [metric and companions](watch.md#companions): 300 labels, each beside four
companions, with the evidence read after every label, so that no choice of looks could find more, whatever it knows of
metric values and of the order of items. Where all items of a study stand for companions, their mean taken for that of
the inputs, or where companions are chosen by their values, the same bets err. The last world goes through whole
ledgers.

{table(HEADER, rows_of(counts, COMPANION_WORLDS))}

Labels to a verdict by the labels alone, and with the metric, of outcomes with 30% ties that are looked at after every
20, and the share that is saved. One in so many items is labelled, at most 1,200; the others are companions:

{table(["companions", "labelled", "correlation", "studies", *leads], rows)}
"""


def page(counts: list[Counted], savings: list[Saved], beside: list[SavedBeside]) -> str:
    """The page in Markdown."""

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

    return f"""# Watched studies

How often any look at a [watched study](watch.md) gives a verdict on two systems that are equal, at alpha {ALPHA:g},
and how often another reading of the same labels does. By `python benchmarks/watched_studies.py --write`, which ends
with exit status 1 where `watch` errs more than promised, or a control does not. Worlds with second labels, documents,
systems that join and labels that vanish go through whole ledgers.

{table(HEADER, rows_of(counts, WORLDS))}

## Metrics

Pools of 300 even items with a [metric](watch.md#metrics), looked at whenever the lead, or what the metric did not
expect of it, has grown by four. The same bets, read within looks, err more; so does help from values that were made
after the labels, which `watch` does not use.

{table(HEADER, rows_of(counts, METRIC_WORLDS))}

Labels to a verdict in a pool of 1,000 with 30% ties that is looked at after every 20, by the correlation of the metric
with the outcomes:

{table(["difference", "correlation", "studies", "labels alone", "with the metric", "saved"], saved)}

{beside_part(counts, beside)}
## What a ledger cannot give

Here the order of labels depends on what they say. `watch` cannot know it, and says so with its promise; what helps
stands beside it.

{table(HEADER, rows_of(counts, WORLDS, covered=False))}
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
    for world in (*WORLDS, *METRIC_WORLDS, *COMPANION_WORLDS):
        counts.append(count(world, max(1, options.runs // (4 if world.slow else 1)), options.seed))
        sys.stderr.write(f"{world.name}: {counts[-1].watch}, {counts[-1].other} of {counts[-1].runs}\n")
    savings = []
    for lead in LEADS:
        for rho in RHOS:
            savings.append(saving(rho, lead, max(1, options.runs // 20), options.seed))
            sys.stderr.write(f"difference {lead:g}, correlation {rho:g}: {savings[-1].share:.3f} saved\n")
    beside = []
    for size in SIZES:
        for rho in RHOS:
            for lead in LEADS:
                beside.append(saving_beside(size, rho, lead, max(1, options.runs // 20), options.seed))
                sys.stderr.write(f"sets of {size}, {lead:g}, correlation {rho:g}: {beside[-1].share:.3f} saved\n")
    show(page(counts, savings, beside), "watched_studies.md", options.write)
    problems = [*(of.problem for of in counts if of.problem), *problems_of([*savings, *beside])]
    sys.stderr.writelines(f"{problem}\n" for problem in problems)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
