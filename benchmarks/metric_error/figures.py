"""Figures 1, 2 and 5 of metric-error-correction for docs/metric_error_correction.md."""

from __future__ import annotations

import io
import math
from collections.abc import Mapping
from pathlib import Path

import matplotlib as mpl
import numpy as np
from benchmarks.metric_error import paper
from benchmarks.metric_error.campaigns import Job
from benchmarks.metric_error.data import Domain, metric_counts, naive, sign_verdicts
from benchmarks.metric_error.designs import IDEAL, naive_metrics, protocol_jobs
from benchmarks.metric_error.intervals import mean_over_orders
from benchmarks.metric_error.references import REFERENCES, types_by_order
from benchmarks.metric_error.tables import Results, measured
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from numpy.typing import NDArray

from tiebreak.kernels.partial_order import CORRECT, INVERSION, error_types

COLOURS = ("#2a9d5c", "#c8352b", "#2f6fc4", "#e8b92e")  # correct, inversion, omission, insertion
BLACK = "#16191f"
LEGEND = (
    (COLOURS[0], ".", "correct, both find a difference"),
    (COLOURS[0], "", "correct, neither does"),
    (COLOURS[1], "x", "inversion"),
    (COLOURS[2], "", "omission"),
    (COLOURS[3], "", "insertion"),
)
PANELS = (
    ("coherence", "rougeL_first_ref", "SummEval, coherence: ROUGE-L"),
    ("consistency", "gpt-4o", "SummEval, consistency: GPT-4o"),
    ("wmt21", "bleu_refA", "WMT21: BLEU"),
)


def draw_figures(domains: Mapping[str, Domain], results: Results, docs: Path) -> None:
    """Write all as SVG, the same bytes every time."""
    _save(pair_errors(domains), docs / "metric_error_correction_pairs.svg")
    _save(protocol_errors(domains["coherence"], results), docs / "metric_error_correction_protocol.svg")
    _save(budget(domains, results), docs / "metric_error_correction_budget.svg")


def pair_errors(domains: Mapping[str, Domain]) -> Figure:
    """Figure 1: what a metric alone says of every pair, beside the humans."""
    figure = Figure(figsize=(10, 4.4), layout="constrained")
    for axes, (key, metric, title) in zip(figure.subplots(1, len(PANELS)), PANELS, strict=True):
        _draw_pairs(axes, domains[key], metric, title)
    _draw_legend(axes)
    return figure


def _draw_legend(axes: Axes) -> None:
    """In the empty half of a grid."""
    for k, (colour, mark, label) in enumerate(LEGEND):
        x, y = 0.5, 0.93 - 0.075 * k
        axes.plot(x, y, "s", color=colour, markersize=9, transform=axes.transAxes, clip_on=False)
        axes.plot(x, y, mark, color="white", markersize=4, markeredgewidth=1, transform=axes.transAxes, clip_on=False)
        axes.text(x + 0.05, y, label, fontsize=7, va="center", transform=axes.transAxes)


def _draw_pairs(axes: Axes, of: Domain, metric: str, title: str) -> None:
    counts = metric_counts(of, metric)
    if counts is None:
        raise SystemExit(f"{metric} does not cover all systems of {of.name}")
    types = error_types(sign_verdicts(counts), of.human_verdicts)
    _draw_grid(axes, of, types, of.human_verdicts, [""] * len(of.pairs))
    axes.set_title(title, fontsize=9)


def _draw_grid(axes: Axes, of: Domain, types: NDArray[np.int64], human: NDArray[np.int64], notes: list[str]) -> None:
    """A cell by pair in the colour of its error type; the systems in the order of their human wins. `notes`: written in
    cells that are not correct, in place of the mark of their type.
    """
    names = sorted({name for pair in of.pairs for name in pair})
    wins = dict.fromkeys(names, 0.0)
    for (a, b), (won, _, lost) in zip(of.pairs, of.counts, strict=True):
        wins[a] += won - lost
        wins[b] += lost - won
    place = {name: k for k, name in enumerate(sorted(names, key=lambda name: -wins[name]))}
    grid = np.full((len(names), len(names)), np.nan)
    for (a, b), kind, of_humans, note in zip(of.pairs, types, human, notes, strict=True):
        row, column = sorted((place[a], place[b]))
        grid[column, row] = kind
        mark = {CORRECT: "." if of_humans else "", INVERSION: "" if note else "x"}.get(kind, "")
        axes.plot(row, column, mark, color="white", markersize=4, markeredgewidth=1)
        if kind != CORRECT:
            axes.text(row, column, note, color=BLACK, fontsize=6, ha="center", va="center")
    axes.imshow(grid, cmap=ListedColormap(COLOURS), vmin=-0.5, vmax=3.5)
    inner = np.arange(len(names) - 1) + 0.5
    axes.hlines(inner, -0.5, len(names) - 1.5, color="white", lw=0.6)
    axes.vlines(inner, -0.5, len(names) - 0.5, color="white", lw=0.6)
    order = sorted(place, key=lambda name: place[name])
    axes.set_xticks(range(len(order)), order, rotation=90, fontsize=6)
    axes.set_yticks(range(len(order)), order, fontsize=6)
    for side in axes.spines.values():
        side.set_visible(False)


def protocol_errors(of: Domain, results: Results) -> Figure:
    """Figure 5, coherence with ROUGE-L: the protocol's errors by either reference, over all random orders. A cell has
    the colour of the error that it has in most orders with one, and their number.
    """
    figure = Figure(figsize=(8, 4.4), layout="constrained")
    for axes, (name, test) in zip(figure.subplots(1, len(REFERENCES)), REFERENCES.items(), strict=True):
        types = types_by_order(of, results, name)
        counts = np.stack([(types == code).sum(axis=0) for code in range(len(COLOURS))])  # (4, K)
        wrong = counts[1:].sum(axis=0)
        worst = np.where(wrong > 0, 1 + counts[1:].argmax(axis=0), CORRECT)
        _draw_grid(axes, of, worst, test(of.counts), [f"{number}" for number in wrong])
        axes.set_title(f"reference: {name} sign test", fontsize=9)
    _draw_legend(figure.axes[0])
    return figure


def budget(domains: Mapping[str, Domain], results: Results) -> Figure:
    """Figure 2: share of labels against -log KLD, on relevance."""
    figure = Figure(figsize=(5.6, 3.8), layout="constrained")
    axes = figure.subplots()
    of = domains["relevance"]
    for name in naive_metrics("relevance"):
        counts = metric_counts(of, name)
        if counts is not None:
            axes.plot(0, -math.log(naive(of, counts).kld), "x", color=COLOURS[1], markersize=6)
    humans, *with_metric = protocol_jobs("relevance")
    designs = [
        ([humans], "s", COLOURS[2], "the paper's protocol, humans only"),
        (with_metric, "o", COLOURS[3], "the paper's protocol, a metric"),
        ([IDEAL], "*", BLACK, "the paper's protocol, ideal metric"),
        ([Job("relevance", "anytime", target="items")], "D", COLOURS[0], "anytime, these items, each pair"),
        ([Job("relevance", "anytime")], "P", COLOURS[0], "anytime, inputs like these, each pair"),
    ]
    for jobs, marker, colour, label in designs:
        for found in filter(None, (measured(results, job) for job in jobs)):
            labels = mean_over_orders([one.labels for one in found])
            height = -math.log(np.mean([one.kld for one in found]))
            axes.errorbar(labels.value, height, xerr=labels.half, color=colour, lw=0.8, zorder=1)
            axes.plot(labels.value, height, marker, color=colour, markersize=7, label=label)
            label = "_"  # named once
    for marker, colour, kld, labels in (
        ("s", COLOURS[2], *paper.PROTOCOL["relevance", None][4:]),
        ("o", COLOURS[3], *paper.PROTOCOL["relevance", "rougeL_first_ref"][4:]),
        ("*", BLACK, *paper.IDEAL_PROTOCOL[4:]),
    ):
        axes.plot(labels, -math.log(kld), marker, markeredgecolor=colour, color="none", markersize=7)
    axes.plot([], [], "s", markeredgecolor="grey", color="none", label="hollow: printed in the paper")
    axes.plot([], [], "x", color=COLOURS[1], label="a metric alone")
    axes.set(xlim=(-0.03, 1.0))
    axes.set_xlabel("share of the human labels", fontsize=8)
    axes.set_ylabel("-log KLD", fontsize=8)
    axes.tick_params(labelsize=8)
    axes.legend(fontsize=7, frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    return figure


def _save(figure: Figure, path: Path) -> None:
    with mpl.rc_context({"svg.hashsalt": "tiebreak", "svg.fonttype": "none"}):
        content = io.BytesIO()
        figure.savefig(content, format="svg", metadata={"Date": None})
    text = content.getvalue().decode()
    path.write_text("\n".join(line.rstrip() for line in text.splitlines()) + "\n", encoding="utf-8")
