"""Figures 1 and 2 of metric-error-correction for docs/metric_error_correction.md."""

from __future__ import annotations

import io
import math
from collections.abc import Mapping
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure

from metric_error_page import METRICS, Results, measured, protocol_metrics
from metric_error_runs import Domain, Job, metric_counts, naive, sign_verdicts
from tiebreak.kernels.evaluation_errors import error_types

COLOURS = ("#2a9d5c", "#c8352b", "#2f6fc4", "#e8b92e")  # correct, inversion, omission, insertion
PANELS = (
    ("coherence", "rougeL_first_ref", "SummEval, coherence: ROUGE-L"),
    ("consistency", "gpt-4o", "SummEval, consistency: GPT-4o"),
    ("wmt21", "bleu_refA", "WMT21: BLEU"),
)


def draw_figures(domains: Mapping[str, Domain], results: Results, docs: Path) -> None:
    """Write both as SVG, the same bytes every time."""
    _save(pair_errors(domains), docs / "metric_error_correction_pairs.svg")
    _save(budget(domains, results), docs / "metric_error_correction_budget.svg")


def pair_errors(domains: Mapping[str, Domain]) -> Figure:
    """Figure 1: what a metric alone says of every pair, beside the humans."""
    figure = Figure(figsize=(10, 4.4), layout="constrained")
    for axes, (key, metric, title) in zip(figure.subplots(1, len(PANELS)), PANELS, strict=True):
        _draw_pairs(axes, domains[key], metric, title)
    return figure


def _draw_pairs(axes: Axes, of: Domain, metric: str, title: str) -> None:
    counts = metric_counts(of, metric)
    if counts is None:
        raise SystemExit(f"{metric} does not cover all systems of {of.name}")
    types = error_types(sign_verdicts(counts), of.human_verdicts)
    names = sorted({name for pair in of.pairs for name in pair})
    wins = dict.fromkeys(names, 0.0)
    for (a, b), (won, _, lost) in zip(of.pairs, of.counts, strict=True):
        wins[a] += won - lost
        wins[b] += lost - won
    place = {name: k for k, name in enumerate(sorted(names, key=lambda name: -wins[name]))}
    grid = np.full((len(names), len(names)), np.nan)
    for (a, b), kind, human in zip(of.pairs, types, of.human_verdicts, strict=True):
        row, column = sorted((place[a], place[b]))
        grid[column, row] = kind
        if kind == 0 and human:
            axes.plot(row, column, ".", color="white", markersize=4)
    axes.imshow(grid, cmap=ListedColormap(COLOURS), vmin=-0.5, vmax=3.5)
    order = sorted(place, key=lambda name: place[name])
    axes.set_xticks(range(len(order)), order, rotation=90, fontsize=6)
    axes.set_yticks(range(len(order)), order, fontsize=6)
    axes.set_title(title, fontsize=9)
    for side in axes.spines.values():
        side.set_visible(False)


def budget(domains: Mapping[str, Domain], results: Results) -> Figure:
    """Figure 2: share of labels against -log KLD, on relevance."""
    figure = Figure(figsize=(5.6, 3.8), layout="constrained")
    axes = figure.subplots()
    of = domains["relevance"]
    for name in protocol_metrics("relevance"):
        counts = metric_counts(of, name)
        if counts is not None:
            axes.plot(0, -math.log(naive(of, counts).kld), "x", color=COLOURS[1], markersize=6)
    designs = [
        (Job("relevance", "posterior", None, 0), "s", COLOURS[2], "the paper's protocol, humans only"),
        *(
            (Job("relevance", "posterior", metric, 0), "o", COLOURS[3], f"the paper's protocol, {METRICS[metric]}")
            for metric in protocol_metrics("relevance")
        ),
        (Job("relevance", "ideal", "ideal", 0), "*", "#16191f", "the paper's protocol, ideal metric"),
        (Job("relevance", "anytime", None, 0, "items", "none"), "D", COLOURS[0], "anytime, these items"),
        (Job("relevance", "anytime", None, 0, "inputs", "none"), "P", COLOURS[0], "anytime, inputs like these"),
    ]
    shown: set[str] = set()
    for job, marker, colour, label in designs:
        found = measured(results, job)
        if not found:
            continue
        group = "the paper's protocol, a metric" if marker == "o" else label
        axes.plot(
            np.mean([one.labels for one in found]),
            -math.log(np.mean([one.kld for one in found])),
            marker,
            color=colour,
            markersize=7,
            label=None if group in shown else group,
        )
        shown.add(group)
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
