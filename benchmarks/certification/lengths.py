"""Labels until a verdict, beside what no rule can beat."""

from __future__ import annotations

import math
from collections.abc import Iterator

from benchmarks.certification.campaigns import ALPHAS, Tally
from benchmarks.certification.grid import LENGTHS, RULES, Task
from benchmarks.certification.runner import Results
from benchmarks.certification.shares import EVERY, FIFTIES, ONCE, TENS
from benchmarks.certification.worlds import World, metric_title
from benchmarks.pages import table
from benchmarks.worlds import simulation

from benchmarks import metric_power

RHO = {"rho 0": 0.0, "rho .5": 0.5, "rho .9": 0.9}
HEADER = ("claim", "N", "difference", "ties", "metric", "rule", "campaigns")
OF_LEVEL = ("bound", "labels", "labels/bound", "undecided", "wrong", "labels, batches of 50")


def bound(world: World, alpha: float) -> float:
    """Fewest labels on average of any rule that errs in at most a share alpha: log(1/alpha)/KL without a metric.

    With one, log(1/alpha) over the best growth rate, for a metric whose mean over the population (inputs) or the pool
    (items) is known. A pool of N items stretches the information of n labels: 1/n = 1/bound + 1/N.
    """
    if world.metric is None:
        labels = simulation.label_bound(alpha, world.difference / (1 - world.ties)) / (1 - world.ties)
    else:
        labels = metric_power.bound_without_end(world.difference, RHO[world.metric])
        labels *= math.log(alpha) / math.log(metric_power.ALPHA)
    return labels if world.target == "inputs" else 1 / (1 / labels + 1 / world.size)


def tables(results: Results) -> str:
    """One table a level for directions, one for equivalence."""
    parts = []
    for alpha in ALPHAS:
        rows = [_row(task, name, results, alpha) for task, name in _directions(results)]
        title = f"Better or worse, alpha = {alpha:.0%}"
        parts.append(f"<details><summary>{title}</summary>\n\n{table([*HEADER, *OF_LEVEL], rows)}\n\n</details>\n")
    rows = []
    for task, name in _equivalences(results):
        cells = [_labels(results.outcomes[task, name].tallies[f"{alpha}"][EVERY]) for alpha in ALPHAS]
        margin = "0.2" if task.world.size <= 1_000 else "0.1"
        runs = results.outcomes[task, name].tallies[f"{ALPHAS[0]}"][EVERY].runs
        rows.append([*_world(task, name)[:2], margin, *_world(task, name)[3:], f"{runs:,}", *cells])
    header = [*HEADER[:2], "margin", *HEADER[3:], *(f"labels, alpha = {alpha:.0%}" for alpha in ALPHAS)]
    title = "Equivalent: no difference at all"
    parts.append(f"<details><summary>{title}</summary>\n\n{table(header, rows)}\n\n</details>\n")
    return "\n".join([short(results), *parts])


def short(results: Results, alpha: float = ALPHAS[0]) -> str:
    """Labels over the bound in the larger worlds: one row per claim, ties and metric, one column per rule."""
    cells: dict[tuple[str, ...], dict[str, str]] = {}
    for task, name in _directions(results):
        if task.world.size > 1_000:
            place = _world(task, name)
            found = results.outcomes[task, name].tallies[f"{alpha}"]
            first = found.get(EVERY) or found[ONCE]
            ratio = first.labels / first.runs / bound(task.world, alpha)
            row = cells.setdefault((*place[:1], *place[3:5], f"{bound(task.world, alpha):,.0f}"), {})
            row[place[5]] = f"{'≥ ' if _undecided(first) > 0.02 else ''}{ratio:.2f}"
    titles = [rule.title for rule in RULES.values() if any(rule.title in row for row in cells.values())]
    rows = [[*place, *(row.get(title, "") for title in titles)] for place, row in cells.items()]
    if not rows:
        return ""
    words = f"Labels over the bound, N = 3,000, difference 0.1, alpha = {alpha:.0%}, a look at every label:"
    return f"{words}\n\n{table(['claim', 'ties', 'metric', 'bound', *titles], rows)}\n"


def _undecided(tally: Tally) -> float:
    return 1 - tally.decided / tally.runs


def _directions(results: Results) -> Iterator[tuple[Task, str]]:
    for task, name in results.outcomes:
        if task.part == LENGTHS and task.world.difference:
            yield task, name


def _equivalences(results: Results) -> Iterator[tuple[Task, str]]:
    for task, name in results.outcomes:
        if task.part == LENGTHS and not task.world.difference:
            yield task, name


def _world(task: Task, name: str) -> list[str]:
    world = task.world
    metric = metric_title(world.metric)
    size = f"{world.size:,}"
    return [world.target, size, f"{world.difference}", f"{world.ties:.0%}", metric, RULES[name].title]


def _row(task: Task, name: str, results: Results, alpha: float) -> list[str]:
    found = results.outcomes[task, name].tallies[f"{alpha}"]
    first = found.get(EVERY) or found.get(TENS) or found[ONCE]
    least = bound(task.world, alpha)
    mean = first.labels / first.runs
    undecided = _undecided(first)
    mark = "at least " if undecided > 0.02 else ""
    return [
        *_world(task, name),
        f"{first.runs:,}",
        f"{least:,.0f}",
        _labels(first),
        f"{mark}{mean / least:.2f}",
        f"{undecided:.0%}",
        f"{first.wrong / first.runs:.1%}",
        _labels(found[FIFTIES]) if FIFTIES in found else "-",
    ]


def _labels(tally: Tally) -> str:
    """Mean and its standard error."""
    mean = tally.labels / tally.runs
    variance = max(tally.squares / tally.runs - mean**2, 0.0)
    return f"{mean:,.0f} ± {math.sqrt(variance / tally.runs):.0f}"
