"""The tables of dynamic-human-evaluation, ours beside the printed ones."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dynamic_human_runs import (
    LEVELS,
    METHODS,
    PAPER_ITERATIONS,
    REPLAYED,
    SETTINGS,
    TABLE_3,
    TABLE_6,
    TABLE_7,
    TITLES,
    Z99,
    Average,
    D,
    Replayed,
    one_pool,
    simulated,
)
from pages import table
from tiebreak.data.readers import read_study
from tiebreak.kernels.agreement import Agreement, fleiss_kappa
from tiebreak.simulate.engines.engine import CampaignRuns
from tiebreak.simulate.engines.stopping import StoppingRule, stops
from tiebreak.simulate.people.crowd import Crowd, capable_workers
from tiebreak.simulate.people.items import difficulties

LAST_CROSSING = StoppingRule("hoeffding-retrospective", alpha=D)
CAPABILITY = (0.8, 1.0)  # of the workers of Table 3, uniform


@dataclass(frozen=True)
class Table3:
    """`beside_paper`: the table. `ours`: labels of our default in the same setting, and their `ratios` to the table's.
    `agreeing`: rows in which the printed average is within the spread of redraws. `seconds`: wall time
    of the one draw that the paper's table is, the start of the processes included. `redraws`: by setting and method.
    """

    beside_paper: str
    ours: str
    ratios: list[float]
    agreeing: int
    seconds: float
    redraws: list[dict[str, Redrawn]]


@dataclass(frozen=True)
class Redrawn:
    """One method on many draws of difficulties and workers: by draw its average, and the share of runs decided."""

    averages: list[float]
    decided: list[float]

    def holds(self, printed: float) -> bool:
        """Whether a printed average is within 2.58 standard deviations of the draws' mean."""
        return bool(abs(printed - np.mean(self.averages)) <= Z99 * np.std(self.averages, ddof=1))


def redrawn(
    number: int, iterations: int, redraws: int, seed: int, workers: int
) -> tuple[dict[str, Redrawn], dict[str, CampaignRuns]]:
    """All methods in a setting of Table 3, and all runs of our default."""
    mean, items = SETTINGS[number]
    averages: dict[str, list[float]] = {name: [] for name in METHODS}
    decided: dict[str, list[float]] = {name: [] for name in METHODS}
    default: dict[str, list[CampaignRuns]] = {name: [] for name in METHODS}
    for redraw in range(redraws):
        rng = np.random.default_rng([seed, 2, number, redraw])
        crowd = Crowd.of(capable_workers(100, *CAPABILITY, rng))
        rules = [LAST_CROSSING, StoppingRule(alpha=D)]
        runs = simulated(crowd, difficulties(mean, items, rng), rules, iterations, seed + redraw, workers)
        for name, (of_last, of_default) in runs.items():
            averages[name].append(Average.of(of_last).mean)
            decided[name].append(float(of_last.decided.mean()))
            default[name].append(of_default)
    return (
        {name: Redrawn(averages[name], decided[name]) for name in METHODS},
        {name: CampaignRuns.joined(default[name]) for name in METHODS},
    )


def few(iterations: int) -> int:
    """Iterations of one redraw."""
    return max(iterations // 5, 20)


def table_3(iterations: int, redraws: int, seed: int, workers: int) -> Table3:
    """Simulated workers, by mean difficulty and method."""
    rows, ours, ratios, redraws_of, agreeing, seconds = [], [], [], [], 0, 0.0
    for number, (mean, items) in enumerate(SETTINGS):
        started = time.perf_counter()
        rng = np.random.default_rng([seed, 1, number])
        found = simulated(one_pool(seed), difficulties(mean, items, rng), [LAST_CROSSING], iterations, seed, workers)
        seconds += time.perf_counter() - started
        again, default = redrawn(number, few(iterations), redraws, seed, workers)
        redraws_of.append(again)
        for name, printed in zip(METHODS, TABLE_3[mean], strict=True):
            of = again[name]
            agreeing += of.holds(printed[0])
            rows.append([f"{mean}", name, *_beside_paper(printed, Average.of(found[name][0]), of)])
            needed = Average.of(default[name], all_runs=True)
            ratios.append(needed.mean / float(np.mean(of.averages)))
            wrong = f"{100 * float((default[name].verdict == -1).mean()):.2g}%"
            ours.append([f"{mean}", name, needed.words(), f"{ratios[-1]:.2f}", share(default[name]), wrong])
    header = ["mean difficulty", "method", "paper", "ours, one draw", f"averages of {redraws} redraws", "paper within"]
    ours_header = ["mean difficulty", "method", "labels", "times those of the last crossing", "decided", "wrong"]
    return Table3(table(header, rows), table(ours_header, ours), ratios, agreeing, seconds, redraws_of)


def _beside_paper(printed: tuple[int, int, int], one_draw: Average, again: Redrawn) -> list[str]:
    average, low, high = printed
    return [
        f"{average:,} ({low:,}-{high:,})",
        one_draw.words(),
        f"{min(again.averages):,.0f} to {max(again.averages):,.0f}",
        "yes" if again.holds(average) else "no",
    ]


def share(runs: CampaignRuns) -> str:
    return f"{100 * float(runs.decided.mean()):.3g}%"


def error_table(iterations: int, seed: int) -> str:
    """Equal systems: how often each rule calls one of them better."""
    rules = [
        ("Hoeffding, first crossing", "hoeffding"),
        ("Hoeffding, the authors' last crossing", "hoeffding-retrospective"),
        ("anytime (for every look)", "anytime"),
    ]
    rows = []
    for horizon, runs in ((500, 20 * iterations), (5_000, 5 * iterations)):
        rng = np.random.default_rng([seed, 3, horizon])
        values = rng.integers(0, 2, size=(runs, horizon), dtype=np.int8) * np.int8(2) - np.int8(1)
        for words, name in rules:
            cells = []
            for level in LEVELS:
                wrong = float(stops(values, StoppingRule(name, alpha=level)).decided.mean())  # type: ignore[arg-type]
                half = Z99 * np.sqrt(max(wrong, 1 / runs) * (1 - wrong) / runs)
                cells.append(f"{100 * wrong:.2f}% ± {100 * half:.2f}")
            rows.append([f"{horizon:,}", words, *cells])
    return table(["items", "rule", *(f"1-d = {1 - level:g}" for level in LEVELS)], rows)


def table_6(study: str, found: Replayed) -> str:
    rows = []
    for method, printed in zip(REPLAYED, TABLE_6[study], strict=True):
        for level, average in zip(LEVELS, printed, strict=True):
            last = Average.of(found[method]["hoeffding-retrospective", level])
            first = found[method]["hoeffding", level]
            rows.append(
                [
                    method,
                    f"{1 - level:g}",
                    f"{average:,}",
                    last.words(),
                    "yes" if last.near(average) else "no",
                    f"{Average.of(first).words()}, {share(first)} decided",
                ]
            )
    header = ["method", "1-d", "paper", "ours, last crossing", "agrees", "ours, first crossing"]
    return table(header, rows)


def table_7(found: Replayed) -> str:
    rows = []
    for level, printed in zip(LEVELS, TABLE_7, strict=True):
        last, first = (found["One Worker"][name, level] for name in ("hoeffding-retrospective", "hoeffding"))
        decided = float(last.decided.mean())
        half = 100 * Z99 * np.sqrt(decided * (1 - decided) / PAPER_ITERATIONS)
        agrees = abs(printed - 100 * decided) <= half + 0.5
        rows.append([f"{1 - level:g}", f"{printed}%", share(last), "yes" if agrees else "no", share(first)])
    return table(["1-d", "paper", "ours, last crossing", "agrees", "ours, first crossing"], rows)


def default_rows(study: str, found: Replayed) -> list[list[str]]:
    """Our default on the same labels."""
    rows = []
    for method in REPLAYED:
        of_levels = [found[method]["anytime", level] for level in LEVELS]
        cells = [f"{Average.of(runs).words()}, {share(runs)} decided" for runs in of_levels]
        wrong = sum(int((runs.verdict < 0).sum()) for runs in of_levels)
        rows.append([TITLES[study], method, *cells, f"{wrong:,}"])
    return rows


def kappas(folder: Path, rng: np.random.Generator) -> tuple[Agreement, Agreement]:
    """Fleiss' kappa with the positions on the screen as categories, and with the systems."""
    frame = read_study(folder).preferences
    if frame is None:
        raise SystemExit(f"{folder} has no preferences")
    items, people = frame["item"].to_numpy(), frame["annotator"].to_numpy()
    chose_a = frame["outcome"].to_numpy() == "a"
    a_left = (frame["left"] == frame["system_a"]).to_numpy()
    return (
        fleiss_kappa(items, people, (chose_a == a_left).astype(float), rng=rng, confidence=0.99),
        fleiss_kappa(items, people, chose_a.astype(float), rng=rng, confidence=0.99),
    )
