"""Simulated campaigns per second of CPU time: the step engine beside the vectorised one, by number of systems.

python benchmarks/engines.py            prints the table (a minute or two)
python benchmarks/engines.py --write    also writes docs/engines.md
python benchmarks/engines.py --quick    with a quarter of the items
"""

from __future__ import annotations

import argparse
import os
import platform
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tiebreak.campaign import Protocol
from tiebreak.simulate.people.agents import World
from tiebreak.simulate.people.answers import Habits
from tiebreak.simulate.people.workers import Worker
from tiebreak.simulate.runs.quick_engine import repeat_quickly, why_not_quick
from tiebreak.simulate.runs.repeat import AgentExperiment, repeat
from tiebreak.simulate.runs.table import RunTable

REPORT = Path(__file__).resolve().parents[1] / "docs" / "engines.md"
ITEMS = 200
BEST = 0.6  # quality of the best system; the others are spaced evenly below it, down to 0
PEOPLE = tuple(Worker(float(capability), 0.1, 0.0, 0.0, 30.0) for capability in np.linspace(0.8, 1.0, 10))
RUNS = {2: (40, 4_000), 4: (8, 2_000), 8: (2, 400), 16: (1, 300)}  # campaigns by either engine, by systems


@dataclass(frozen=True)
class Timed:
    """`campaigns` of them, how many per second of CPU time, and the labels (campaigns,) of each."""

    campaigns: int
    per_second: float
    labels: NDArray[np.int64]


@dataclass(frozen=True)
class Row:
    """Both engines, for one number of systems."""

    systems: int
    steps: Timed
    quick: Timed


def measure(systems: int, items: int) -> Row:
    """Both engines on the same experiment, in one process."""
    world = World(tuple(np.linspace(BEST, 0.0, systems)), items)
    experiment = AgentExperiment(Protocol(), world, PEOPLE)
    objection = why_not_quick(experiment, Habits())
    if objection is not None:
        raise SystemExit(f"the vectorised engine does not run this: {objection}")
    slow, fast = RUNS[systems]
    return Row(
        systems,
        timed(lambda: repeat(experiment, slow, 1)),
        timed(lambda: repeat_quickly(experiment, fast, 1)),
    )


def timed(run: Callable[[], RunTable]) -> Timed:
    """The true differences, which both engines compute first, are in it."""
    start = time.process_time()
    table = run()
    spent = time.process_time() - start
    # Labels up to each verdict: what was being written just then is not counted by the vectorised engine.
    used = np.where(table.verdict != 0, table.decided_labels, table.pair_labels).sum(axis=1)
    return Timed(len(table), len(table) / spent, used)


def table(rows: list[Row]) -> str:
    """Markdown."""
    header = ["systems (pairs)", "labels: step engine", "vectorised", "campaigns a second: step engine", "vectorised"]
    cells = [[*header, "ratio"], ["---"] * 6]
    for row in rows:
        slow, fast = row.steps, row.quick
        # The spread of single campaigns is that of the many: a few say little about it.
        spread = float(fast.labels.std(ddof=1))
        cells.append(
            [
                f"{row.systems} ({row.systems * (row.systems - 1) // 2})",
                *(f"{of.labels.mean():,.0f} ± {_two_digits(spread / of.campaigns**0.5)}" for of in (slow, fast)),
                f"{slow.per_second:.2g}",
                f"{fast.per_second:,.0f}",
                f"{float(f'{fast.per_second / slow.per_second:.2g}'):,.0f}",
            ]
        )
    return "\n".join("| " + " | ".join(line) + " |" for line in cells)


def _two_digits(error: float) -> str:
    return f"{error:.0f}" if error >= 10 else f"{error:.1f}"


def report(rows: list[Row], items: int, load: str) -> str:
    """The page."""
    machine = f"{platform.system()} on {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    return f"""# Speed of the two engines

Campaigns per second of CPU time in one process, by the two engines of [`tiebreak simulate`](simulate.md) on the same
experiments: systems whose qualities lie evenly between 0 and {BEST:g}, {items} items, {len(PEOPLE)} people, one person
per item, all undecided pairs in turn, alpha 0.05 under Holm. Labels of a campaign, up to the verdicts, with the
standard error of their mean. Made by `python benchmarks/engines.py --write`.

{machine}; load average {load} (other work slows all times
down, less so the ratios).

{table(rows)}

The true differences of all pairs, which both engines compute once before the first campaign, are in the times. That
both give the same verdicts on the same labels is shown by tests, which [the page on simulation](simulate.md) names.
"""


def main() -> None:
    """Measures, prints, and perhaps writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--quick", action="store_true")
    given = parser.parse_args()
    before, items = os.getloadavg()[0], ITEMS // 4 if given.quick else ITEMS
    rows = [measure(systems, items) for systems in RUNS]
    text = report(rows, items, f"{before:.1f} before and {os.getloadavg()[0]:.1f} after")
    print(text)
    if given.write:
        REPORT.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
