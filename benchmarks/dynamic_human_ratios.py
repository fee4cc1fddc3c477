"""How many times One Worker's labels each method of dynamic-human-evaluation takes, on the same workers and items."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dynamic_human_runs import METHODS, SETTINGS, TABLE_3, Z99, Average, Floats, simulated
from dynamic_human_tables import CAPABILITY, LAST_CROSSING, Redrawn
from pages import table
from tiebreak.simulate.people.crowd import Crowd, capable_workers
from tiebreak.simulate.people.items import difficulties

ONE = "One Worker"
WIDER = ((0.5, 1.0), (0.0, 1.0))  # the paper names no figures: these are ours


@dataclass(frozen=True)
class Ratios:
    """`beside_paper`: the table of the paper's own capabilities, `agreeing` of its `rows` within; `narrower`: by which
    factors the spread within a redraw is smaller than between redraws. `wider`: the table of the other capabilities;
    `one_is_least`: in how many of its `settings` every method's mean ratio is at least 1, up to the luck of the
    redraws; `fixed`: the mean ratios of Fixed Worker by range of capability.
    """

    beside_paper: str
    agreeing: int
    rows: int
    narrower: str
    wider: str
    one_is_least: int
    settings: int
    fixed: str


def within_redraws(of: Mapping[str, Redrawn], name: str) -> Floats:
    """One ratio per redraw: the method's average to One Worker's, both over the same workers and items."""
    return np.array(of[name].averages) / np.array(of[ONE].averages)


def between_redraws(of: Mapping[str, Redrawn], name: str) -> Floats:
    """The ratios of the method's average in one redraw to One Worker's in another, all such pairs."""
    table_of = np.divide.outer(of[name].averages, of[ONE].averages)
    return table_of[~np.eye(len(table_of), dtype=bool)]


def items_for(items: int, low: float, high: float) -> int:
    """As many times more items as the square of the mean capability asks for, in whole hundreds."""
    factor = (sum(CAPABILITY) / (low + high)) ** 2
    return math.ceil(items * factor / 100) * 100


def wider_redraws(
    number: int, capability: tuple[float, float], iterations: int, redraws: int, seed: int, workers: int
) -> dict[str, Redrawn]:
    """All methods in a setting of Table 3 with workers of other capabilities: the last crossing, undecided iterations
    with all their labels.
    """
    mean, items = SETTINGS[number]
    averages: dict[str, list[float]] = {name: [] for name in METHODS}
    decided: dict[str, list[float]] = {name: [] for name in METHODS}
    for redraw in range(redraws):
        rng = np.random.default_rng([seed, 7, number, WIDER.index(capability), redraw])
        crowd = Crowd.of(capable_workers(100, *capability, rng))
        drawn = difficulties(mean, items_for(items, *capability), rng)
        for name, (runs,) in simulated(crowd, drawn, [LAST_CROSSING], iterations, seed + redraw, workers).items():
            averages[name].append(Average.of(runs, all_runs=True).mean)
            decided[name].append(float(runs.decided.mean()))
    return {name: Redrawn(averages[name], decided[name]) for name in METHODS}


def ratios(own: Sequence[Mapping[str, Redrawn]], iterations: int, redraws: int, seed: int, workers: int) -> Ratios:
    """`own`: the redraws of Table 3, by setting; iterations, redraws: of the wider capabilities."""
    rows, agreeing, narrower = [], 0, []
    for (mean, _), of in zip(SETTINGS, own, strict=True):
        printed = dict(zip(METHODS, (average for average, _, _ in TABLE_3[mean]), strict=True))
        for name in METHODS:
            if name == ONE:
                continue
            found, paper = within_redraws(of, name), printed[name] / printed[ONE]
            between = float(between_redraws(of, name).std(ddof=1))
            inside = bool(abs(paper - found.mean()) <= Z99 * found.std(ddof=1))
            agreeing += inside
            narrower.append(between / float(found.std(ddof=1)))
            rows.append([f"{mean}", name, f"{paper:.2f}", *_spread(found), f"{between:.2f}", "yes" if inside else "no"])
    header = [
        *("mean difficulty", "method", "paper", "mean", "standard deviation", "lowest to highest"),
        *("standard deviation, different redraws", "paper within"),
    ]
    wider, least, fixed = _wider(iterations, redraws, seed, workers)
    return Ratios(
        table(header, rows),
        agreeing,
        len(rows),
        f"{min(narrower):.1f} to {max(narrower):.1f}",
        wider,
        least,
        len(WIDER) * len(SETTINGS),
        fixed,
    )


def _wider(iterations: int, redraws: int, seed: int, workers: int) -> tuple[str, int, str]:
    """The table, in how many settings One Worker takes the fewest labels, and what is said of Fixed Worker."""
    rows, least, fixed = [], 0, []
    for low, high in WIDER:
        of_fixed = []
        for number, (mean, _) in enumerate(SETTINGS):
            of = wider_redraws(number, (low, high), iterations, redraws, seed, workers)
            by_name = {name: within_redraws(of, name) for name in METHODS}
            error = {name: Z99 * found.std(ddof=1) / math.sqrt(redraws) for name, found in by_name.items()}
            least += all(found.mean() >= 1 - error[name] for name, found in by_name.items())
            of_fixed.append(float(by_name["Fixed Worker"].mean()))
            for name, found in by_name.items():
                labels = f"{np.mean(of[name].averages):,.0f}"
                known = f"{100 * float(np.mean(of[name].decided)):.3g}%"
                spread = ["1", "", ""] if name == ONE else _spread(found)
                rows.append([f"{low:g} to {high:g}", f"{mean}", name, labels, *spread, known])
        fixed.append(f"{min(of_fixed):.2f} to {max(of_fixed):.2f} (capability {low:g} to {high:g})")
    header = [
        *("capability", "mean difficulty", "method", "labels", "times One Worker's", "standard deviation"),
        *("lowest to highest", "decided"),
    ]
    return table(header, rows), least, " and ".join(fixed)


def _spread(found: Floats) -> list[str]:
    return [f"{found.mean():.2f}", f"{found.std(ddof=1):.2f}", f"{found.min():.2f} to {found.max():.2f}"]
