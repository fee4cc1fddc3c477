"""Time and memory of `compare` against the numbers of systems and items, with and without a metric.

    python benchmarks/scaling.py            prints the table
    python benchmarks/scaling.py --write    also writes docs/scaling.md and docs/scaling.svg
    python benchmarks/scaling.py --quick    two small studies only

20,000 labels in all over all pairs, from Parquet: items, one score per output, preferences. The alternative, run on the
same files: a short script that counts the labels of each pair with polars, runs scipy.stats.binomtest, and with a
metric corrects the mean by it (a control variate), without intervals, checks, orders or warnings.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pages import DOCS, machine, show
from speed import HERE, Run, measure, tiebreak

LABELS = 20_000
SYSTEMS = (10, 25, 50, 100)
ITEMS = (1_000, 10_000, 100_000)
SECONDS, MEMORY = 60.0, 4096.0
"""The target at 100 systems and 100,000 items: seconds, MiB."""


@dataclass(frozen=True)
class Size:
    """One study; `outputs`: it holds a short text for every output too."""

    systems: int
    items: int
    outputs: bool = False

    @property
    def pairs(self) -> int:
        """Pairs of systems."""
        return self.systems * (self.systems - 1) // 2


@dataclass(frozen=True)
class Measured:
    """The runs on one study."""

    size: Size
    plain: Run
    metric: Run
    alternative: Run


def sizes(quick: bool) -> list[Size]:
    """All studies, each once: systems at the most items, items at the most systems, the largest with texts."""
    if quick:
        return [Size(10, 1_000), Size(20, 1_000)]
    by_systems = [Size(systems, ITEMS[-1]) for systems in SYSTEMS]
    by_items = [Size(SYSTEMS[-1], items) for items in ITEMS[:-1]]
    return [*by_items, *by_systems, Size(SYSTEMS[-1], ITEMS[-1], outputs=True)]


def measured(size: Size) -> Measured:
    """Writes the study, runs all three commands on it, and removes it."""
    with tempfile.TemporaryDirectory() as place:
        study = str(Path(place) / "study")
        numbers = ["--systems", str(size.systems), "--items", str(size.items), "--labels", str(LABELS)]
        kind = ["--metric", "fit", "--format", "parquet", *(["--outputs"] if size.outputs else [])]
        measure([sys.executable, str(HERE / "make_large_study.py"), study, *numbers, *kind], 1)
        plain = measure(tiebreak("compare", study, "--json"), 1)
        metric = measure(tiebreak("compare", study, "--metric", "fit", "--json"), 1)
        other = measure([sys.executable, str(HERE / "scaling.py"), "--alternative", study], 1)
    return Measured(size, plain, metric, other)


def plain_script(folder: Path) -> None:
    """The alternative: counts, a sign test and a mean corrected by the metric, per pair."""
    import numpy as np
    import polars as pl
    from scipy.stats import binomtest

    scores = pl.read_parquet(folder / "scores.parquet", columns=["item", "system", "value"])
    means = dict(scores.group_by("system").agg(pl.col("value").mean()).iter_rows())
    labels = pl.read_parquet(folder / "preferences.parquet", columns=["item", "system_a", "system_b", "outcome"])
    for side in ("a", "b"):
        keys = {"left_on": ["item", f"system_{side}"], "right_on": ["item", "system"]}
        labels = labels.join(scores.rename({"value": f"score_{side}"}), how="left", **keys)
    for (a, b), part in labels.group_by("system_a", "system_b"):
        human = part["outcome"].replace_strict({"a": 1.0, "tie": 0.0, "b": -1.0}).to_numpy()
        metric = (part["score_a"] - part["score_b"]).to_numpy()
        wins, losses = int((human > 0).sum()), int((human < 0).sum())
        spread = float(np.var(metric))
        slope = float(np.cov(human, metric, bias=True)[0, 1]) / spread if spread else 0.0
        corrected = human.mean() - slope * (metric.mean() - means[a] + means[b])
        print(a, b, binomtest(wins, wins + losses).pvalue if wins + losses else 1.0, corrected)


def row(found: Measured) -> str:
    """A row of the table."""
    size = found.size
    texts = ", with texts" if size.outputs else ""
    runs = " | ".join(
        f"{run.seconds:.1f} s | {run.cpu:.1f} s | {run.memory:,.0f} MiB" for run in (found.plain, found.metric)
    )
    ratio = found.metric.seconds / found.alternative.seconds
    return (
        f"| {size.systems} | {size.items:,}{texts} | {size.pairs:,} | {runs} "
        f"| {found.alternative.seconds:.1f} s, {found.alternative.memory:,.0f} MiB | {ratio:.1f} |"
    )


def page(found: Sequence[Measured], load: str) -> str:
    """The page."""
    rows = "\n".join(row(one) for one in found)
    largest = [one for one in found if (one.size.systems, one.size.items) == (SYSTEMS[-1], ITEMS[-1])]
    runs = [run for one in largest for run in (one.plain, one.metric)]
    seconds, memory = max(run.seconds for run in runs), max(run.memory for run in runs)
    met = "met" if seconds < SECONDS and memory < MEMORY else "not met"
    return f"""# Time and memory against systems and items

`tiebreak compare STUDY` on studies of {LABELS:,} labels in all, spread evenly over every pair, from Parquet; whole
processes, reading and checking included. Each study lists its items, and has a score of one metric for every output:
10 million rows at 100 systems and 100,000 items. Made by `python benchmarks/scaling.py --write`, one run each.

Target at 100 systems and 100,000 items: under {SECONDS:g} s and {MEMORY / 1024:g} GiB on two cores: {met} (at most
{seconds:.0f} s and {memory:,.0f} MiB, with a metric and without, with texts and without).

![Time and memory against systems and items](scaling.svg)

{machine()}; {load}.

| systems | items | pairs | time | CPU | memory | time, `--metric` | CPU | memory | alternative | ratio |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
{rows}

"Ratio" is the time with `--metric` over that of the alternative in the same run: a script that reads the same scores
and labels with polars and makes, for each pair, one sign test and one mean corrected by the metric. It checks nothing,
and has no intervals, order, warnings or advice.

What grows with what: reading and checking with the rows of the tables, verdicts with the pairs and their labels. A
metric's values are looked up one pair at a time, and only for its labelled items and their companions; counts of the
others take one pass over the pair's items. Not bounded in this way: `--target items` with a metric, which sorts the
metric's values of each pair.
"""


def draw(found: Sequence[Measured], path: Path) -> None:
    """Two rows of panels, time and memory; against systems and against items."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    from tiebreak.report.figures.canvas import plain_frame, save

    plain = [one for one in found if not one.size.outputs]
    by_systems = [one for one in plain if one.size.items == ITEMS[-1]]
    by_items = sorted((one for one in plain if one.size.systems == SYSTEMS[-1]), key=lambda one: one.size.items)
    figure = Figure(figsize=(8, 5), layout="constrained")
    grid = figure.subplots(2, 2, sharey="row")
    columns = (
        (by_systems, f"systems ({ITEMS[-1]:,} items)", [one.size.systems for one in by_systems]),
        (by_items, f"items ({SYSTEMS[-1]} systems)", [one.size.items for one in by_items]),
    )
    for place, (runs, name, x) in enumerate(columns):
        for axes, limit, what in ((grid[0][place], SECONDS, "time"), (grid[1][place], MEMORY / 1024, "memory")):
            series = (("with a metric", "#0072b2", "o", "metric"), ("labels alone", "#d55e00", "s", "plain"))
            for label, colour, marker, attribute in series:
                of = [getattr(one, attribute) for one in runs]
                y = [run.seconds if what == "time" else run.memory / 1024 for run in of]
                axes.plot(x, y, color=colour, marker=marker, label=label)
            axes.axhline(limit, color="#666666", linestyle="--", linewidth=1)
            axes.text(x[0], limit * 0.98, "target", color="#444444", va="top", ha="left")
            axes.set_ylim(0, limit * 1.08)
            plain_frame(axes, "left", "bottom")
            if place == 1:
                axes.set_xscale("log")
                axes.set_xticks(x, [f"{value:,}" for value in x])
                axes.minorticks_off()
            else:
                axes.set_xticks(x)
            if what == "memory":
                axes.set_xlabel(name)
    grid[0][0].set_ylabel("seconds")
    grid[1][0].set_ylabel("peak memory, GiB")
    grid[0][1].legend(frameon=False, loc="center left")
    with mpl.rc_context({"svg.fonttype": "none"}):  # a fifth of the size
        save(figure, path)


def main() -> None:
    """Measure, print, and perhaps write the page and its picture."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write docs/scaling.md and docs/scaling.svg")
    parser.add_argument("--quick", action="store_true", help="two small studies only")
    parser.add_argument("--alternative", type=Path, metavar="STUDY", help="only be the alternative")
    options = parser.parse_args()
    if options.alternative is not None:
        plain_script(options.alternative)
        return
    if options.write and options.quick:
        parser.error("--write needs all studies")
    before = os.getloadavg()[0]
    found = []
    for size in sizes(options.quick):
        found.append(measured(size))
        print(row(found[-1]), flush=True)
    load = f"load average {before:.1f} before and {os.getloadavg()[0]:.1f} after (other work slows all times down)"
    if options.quick:
        return
    text = page(found, load)
    show(text, "scaling.md", options.write)
    if options.write:
        draw(found, DOCS / "scaling.svg")


if __name__ == "__main__":
    main()
