"""Rows of what evaluators learned from people, by the name of their file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from benchmarks.papers.people.measures import HeldOut, Scores, independent_pairs, means_of, p_of_votes
from benchmarks.papers.people.trainings import JUDGES, METRICS, OF_SUMMARIES, Result
from benchmarks.results import Value

Row = tuple[Value, ...]
Results = Mapping[str, Sequence[Result]]
Numbers = Sequence[Mapping[str, float]]

BASELINES = ("regressor", "discriminator")
PARTS = ("summaries", "after references", "references alone", "without ties", "from scratch", "frozen")
"""Evaluators, each with one thing changed."""
PAPER_PARTS: Mapping[str, tuple[float | None, float | None, str]] = {
    "regressor": (None, None, ""),
    "discriminator": (0.491, 0.502, "without comparison"),
    "summaries": (0.697, 0.703, "without strong"),
    "after references": (0.764, 0.783, "all parts"),
    "references alone": (0.602, 0.609, "without people"),
    "without ties": (0.557, 0.561, "without ties"),
    "from scratch": (0.644, 0.662, "without BERT"),
    "frozen": (None, None, ""),
}
"""Spearman / Pearson of systems, dialogue (Table 5)."""
WAYS = {
    "alone": "its score of a text alone",
    "evaluator-points": "points against references",
    "evaluator-rating": "rating of each text by games",
    "as-many-rating": "the same by as many games as points take",
}


def _ends(*names: str) -> tuple[str, ...]:
    return tuple(column for name in names for column in (name, f"{name} low", f"{name} high"))


HEADERS = {
    "learning_summaries": (
        *("by", "seeds", *_ends("two-way", "with a new system", "within an article", "spearman", "pearson")),
        *("largest p", *_ends("minutes")),
    ),
    "learning_scores": (
        *("by", *_ends("texts spearman", "texts pearson"), "texts largest p"),
        *(*_ends("systems spearman", "systems pearson"), "systems largest p"),
    ),
    "learning_parts": (
        *("evaluator", "two-way", "texts spearman", "systems spearman", "systems pearson"),
        *("paper spearman", "paper pearson", "in the paper"),
    ),
    "learning_sentences": ("by", "seeds", *_ends("two-way", "spearman", "pearson"), "largest p"),
}


def cell(values: Sequence[float]) -> Row:
    """The median, with the least and the most where there are several."""
    return float(np.median(values)), *((min(values), max(values)) if len(values) > 1 else (None, None))


def columns(found: Numbers, *names: str) -> Row:
    """Cells of some figures."""
    return tuple(value for name in names for value in cell([one[name] for one in found]))


def largest(found: Numbers) -> float:
    """The largest p of all seeds."""
    return max(one["p"] for one in found)


def others(results: Results) -> list[tuple[str, list[Scores]]]:
    """Metrics and judges by name, with their scores of each seed."""
    sources = (("metrics", METRICS), ("judges", JUDGES))
    return [(name, [one["scores"][name] for one in results[source]]) for source, names in sources for name in names]


def texts_of(scores: Sequence[Scores], data: Path) -> Numbers:
    """What scores of all texts are worth, by seed."""
    return [HeldOut.of(data, seed).texts(mine) for seed, mine in enumerate(scores)]


def alone_of(results: Results, name: str) -> list[Scores]:
    return [one["scores"]["alone"] for one in results[name]]


def summaries(results: Results, data: Path) -> Iterator[Row]:
    """All summaries: the evaluator, baselines, metrics and judges."""
    names = ("two_way", "new", "within", "spearman", "pearson")
    for name in ("summaries", *BASELINES):
        found = texts_of(alone_of(results, name), data)
        minutes = cell([one["seconds"] / 60 for one in results[name]])
        yield OF_SUMMARIES[name].label, len(found), *columns(found, *names), largest(found), *minutes
    for name, scores in others(results):
        found = texts_of(scores, data)
        yield name, len(found), *columns(found, *names), largest(found), None, None, None


def scores(results: Results, data: Path) -> Iterator[Row]:
    """Outputs of the systems that give no references, and the systems themselves, by ways to score."""
    mine = results["summaries"]

    def row(label: str, by_seed: Sequence[Scores]) -> Row:
        texts, systems = [], []
        for seed, given in enumerate(by_seed):
            asked = mine[seed]["ratings"]
            scored = [score for score in given if score[1] in asked]
            texts.append(HeldOut.of(data, seed).texts(scored))
            systems.append(HeldOut.of(data, seed).systems(means_of(scored, asked)))
        told = (*columns(texts, "spearman", "pearson"), largest(texts))
        return label, *told, *columns(systems, "spearman", "pearson"), largest(systems)

    for way, label in WAYS.items():
        yield row(label, [one["scores"][way] for one in mine])
    rated = [HeldOut.of(data, seed).systems(one["ratings"]) for seed, one in enumerate(mine)]
    yield "rating of each system", *[None] * 7, *columns(rated, "spearman", "pearson"), largest(rated)
    for name in BASELINES:
        yield row(OF_SUMMARIES[name].label, alone_of(results, name))
    for name, by_seed in others(results):
        yield row(name, by_seed)


def parts(results: Results, data: Path, seeds: int) -> Iterator[Row]:
    """Each part changed, on the seeds of the variants; systems as the evaluator rates them, or by mean scores."""
    for name in (*PARTS, *BASELINES):
        found = results[name][:seeds]
        texts = texts_of([one["scores"]["alone"] for one in found], data)
        systems = []
        for seed, one in enumerate(found):
            asked = results["summaries"][seed]["ratings"]
            values = one.get("ratings") or means_of(one["scores"]["alone"], asked)
            systems.append(HeldOut.of(data, seed).systems(values))
        medians = [float(np.median([one[key] for one in texts])) for key in ("two_way", "spearman")]
        medians += [float(np.median([one[key] for one in systems])) for key in ("spearman", "pearson")]
        label = "labels alone: the evaluator above" if name == "summaries" else OF_SUMMARIES[name].label
        yield label, *medians, *PAPER_PARTS[name]


def sentences(results: Results, data: Path) -> Iterator[Row]:
    """Held-out pairs of sentences."""
    kept = enumerate(results["sentences"])
    found = [{**one, "p": p_of_votes(one, independent_pairs(data, seed))} for seed, one in kept]
    yield "evaluator", len(found), *columns(found, "two_way", "correlation", "pearson"), largest(found)
