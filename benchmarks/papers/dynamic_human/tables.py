"""The rows of the tables of dynamic-human-evaluation, ours beside the printed figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from benchmarks.papers.dynamic_human.runs import (
    LAST_CROSSING,
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
    verdicts_by,
)
from benchmarks.results import Value

from tiebreak.data.readers import read_study
from tiebreak.kernels.agreement import Agreement, fleiss_kappa
from tiebreak.simulate.people.crowd import Crowd, capable_workers
from tiebreak.simulate.people.workers import difficulties

Row = tuple[Value, ...]

CAPABILITY = (0.8, 1.0)  # of the workers of Table 3, uniform
HEADERS = {
    "dynamic_table_3": (
        *("mean difficulty", "method", "paper", "paper low", "paper high", "ours", "ours low", "ours high"),
        *("redraws low", "redraws high", "paper within"),
    ),
    "dynamic_errors": ("items", "rule", "level", "wrong", "half"),
    "dynamic_table_6": (
        *("pair", "method", "level", "paper", "ours", "ours low", "ours high", "agrees"),
        *("first", "first low", "first high", "first decided"),
    ),
    "dynamic_table_7": ("level", "paper", "ours", "agrees", "first"),
    "dynamic_anytime": ("pair", "method", "alpha", "labels", "low", "high", "decided", "against CGA"),
    "dynamic_kappa": (
        *("pair", "paper", "position", "position low", "position high", "system", "system low", "system high"),
    ),
}


def redrawn(number: int, iterations: int, redraws: int, seed: int, workers: int) -> dict[str, list[float]]:
    """The averages of each method in a setting of Table 3, on many draws of difficulties and workers."""
    mean, items = SETTINGS[number]
    averages: dict[str, list[float]] = {name: [] for name in METHODS}
    for redraw in range(redraws):
        rng = np.random.default_rng([seed, 2, number, redraw])
        crowd = Crowd.of(capable_workers(100, *CAPABILITY, rng))
        rules = [(LAST_CROSSING, D)]
        runs = simulated(crowd, difficulties(mean, items, rng), rules, iterations, seed + redraw, workers)
        for name, (of_last,) in runs.items():
            averages[name].append(Average.of(of_last).mean)
    return averages


def is_within(averages: Sequence[float], printed: float) -> bool:
    """Whether a printed average is within 2.58 standard deviations of the draws' mean."""
    return bool(abs(printed - np.mean(averages)) <= Z99 * np.std(averages, ddof=1))


def few(iterations: int) -> int:
    """Iterations of one redraw."""
    return max(iterations // 5, 20)


def table_3(iterations: int, redraws: int, seed: int, workers: int) -> list[Row]:
    """Rows of Table 3."""
    rows: list[Row] = []
    for number, (mean, items) in enumerate(SETTINGS):
        rng = np.random.default_rng([seed, 1, number])
        found = simulated(
            one_pool(seed), difficulties(mean, items, rng), [(LAST_CROSSING, D)], iterations, seed, workers
        )
        again = redrawn(number, few(iterations), redraws, seed, workers)
        for name, printed in zip(METHODS, TABLE_3[mean], strict=True):
            one_draw = Average.of(found[name][0]).cells
            within = "yes" if is_within(again[name], printed[0]) else "no"
            rows.append((mean, name, *printed, *one_draw, min(again[name]), max(again[name]), within))
    return rows


def errors(iterations: int, seed: int) -> Iterator[Row]:
    """Equal systems: how often each rule calls one of them better."""
    rules = {
        "Hoeffding, first crossing": "hoeffding",
        "Hoeffding, the authors' last crossing": LAST_CROSSING,
        "anytime (for every look)": "anytime",
    }
    for horizon, runs in ((500, 20 * iterations), (5_000, 5 * iterations)):
        rng = np.random.default_rng([seed, 3, horizon])
        values = rng.integers(0, 2, size=(runs, horizon), dtype=np.int8) * np.int8(2) - np.int8(1)
        for words, name in rules.items():
            for level in LEVELS:
                wrong = float((verdicts_by(values, (name, level))[0] != 0).mean())
                yield horizon, words, level, wrong, Z99 * float(np.sqrt(max(wrong, 1 / runs) * (1 - wrong) / runs))


def table_6(study: str, found: Replayed) -> Iterator[Row]:
    """Both readings of the rule on the crowd's labels."""
    title = TITLES[study]
    for method, printed in zip(REPLAYED, TABLE_6[study], strict=True):
        for level, average in zip(LEVELS, printed, strict=True):
            last = Average.of(found[method][LAST_CROSSING, level])
            first = Average.of(found[method]["hoeffding", level])
            agrees = "yes" if last.near(average) else "no"
            yield title, method, level, average, *last.cells, agrees, *first.cells, first.decided


def table_7(found: Replayed) -> Iterator[Row]:
    """How often One Worker decides."""
    for level, printed in zip(LEVELS, TABLE_7, strict=True):
        last, first = (found["One Worker"][name, level] for name in (LAST_CROSSING, "hoeffding"))
        decided = float(last.decided.mean())
        half = 100 * Z99 * np.sqrt(decided * (1 - decided) / PAPER_ITERATIONS)
        agrees = abs(printed - 100 * decided) <= half + 0.5
        yield level, printed / 100, decided, "yes" if agrees else "no", float(first.decided.mean())


def anytime(study: str, found: Replayed) -> Iterator[Row]:
    """Our default on the same labels."""
    for method in REPLAYED:
        against = sum(int((found[method]["anytime", level].verdict < 0).sum()) for level in LEVELS)
        for level in LEVELS:
            of = Average.of(found[method]["anytime", level])
            yield TITLES[study], method, level, *of.cells, of.decided, against


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
