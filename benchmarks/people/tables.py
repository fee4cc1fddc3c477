"""Tables of what evaluators learned from people, and the words that follow their numbers."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.pages import table
from benchmarks.people.measures import HeldOut, Scores, independent_pairs, means_of, p_of_votes
from benchmarks.people.trainings import JUDGES, METRICS, OF_SENTENCES, OF_SUMMARIES, SLOW_METRICS, Result

Results = Mapping[str, Sequence[Result]]
Numbers = Sequence[Mapping[str, float]]

BASELINES = ("regressor", "discriminator")
PARTS = ("summaries", "after references", "references alone", "without ties", "from scratch", "within inputs")
"""Evaluators, each with one thing changed."""
PAPER_PARTS = {
    "regressor": "-",
    "discriminator": "0.491 / 0.502, without comparison",
    "summaries": "0.697 / 0.703, without strong",
    "after references": "0.764 / 0.783, all parts",
    "references alone": "0.602 / 0.609, without people",
    "without ties": "0.557 / 0.561, without ties",
    "from scratch": "0.644 / 0.662, without BERT",
    "within inputs": "-",
}
"""Spearman / Pearson of systems, dialogue (Table 5); "without weak", 0.728 / 0.737, has nothing beside it here."""
WAYS = {
    "alone": "its score of a text alone",
    "evaluator-points": "points against references",
    "evaluator-rating": "rating of each text by games",
    "as-many-rating": "the same by as many games as points take",
}


def cell(values: Sequence[float], form: str = "{:.2f}", times: float = 1.0) -> str:
    """The median, with the least and the most."""
    middle, least, most = (form.format(times * value) for value in (np.median(values), min(values), max(values)))
    return f"{middle} ({least} to {most})" if len(values) > 1 else middle


def share(values: Sequence[float]) -> str:
    return cell(values, "{:.0f}%", 100.0)


def column(found: Numbers, name: str) -> list[float]:
    return [one[name] for one in found]


def largest(found: Numbers) -> str:
    return f"{max(one['p'] for one in found):.1g}"


def minutes(found: Sequence[Result]) -> str:
    return cell([one["seconds"] / 60 for one in found], "{:.0f} min")


def others(results: Results) -> list[tuple[str, list[Scores]]]:
    """Metrics and judges by name, with their scores of each seed."""
    sources = (("metrics", METRICS), ("slow metrics", SLOW_METRICS), ("judges", JUDGES))
    return [
        (name, [one["scores"][name] for one in results[source]])
        for source, names in sources if results[source] for name in names
    ]  # fmt: skip


def with_results(results: Results, names: Sequence[str]) -> list[str]:
    """Those that were run."""
    return [name for name in names if results[name]]


def texts_of(scores: Sequence[Scores], data: Path) -> Numbers:
    """What scores of all texts are worth, by seed."""
    return [HeldOut.of(data, seed).texts(mine) for seed, mine in enumerate(scores)]


def alone_of(results: Results, name: str) -> list[Scores]:
    return [one["scores"]["alone"] for one in results[name]]


def texts_table(results: Results, data: Path) -> str:
    """All summaries: the evaluator, baselines, metrics and judges."""
    rows = []

    def row(label: str, scores: Sequence[Scores], time: str) -> None:
        found = texts_of(scores, data)
        rows.append([
            label, str(len(found)), share(column(found, "two_way")), share(column(found, "new")),
            cell(column(found, "within")), cell(column(found, "spearman")), cell(column(found, "pearson")),
            largest(found), time,
        ])  # fmt: skip

    for name in with_results(results, ("summaries", *BASELINES)):
        row(OF_SUMMARIES[name].label, alone_of(results, name), minutes(results[name]))
    for name, scores in others(results):
        row(f"`{name}`", scores, "")
    header = ("by", "seeds", "two-way", "with a new system", "within an article", "Spearman", "Pearson", "largest p",
              "time")  # fmt: skip
    return table(header, rows)


def ways_table(results: Results, data: Path) -> str:
    """Outputs of the systems that give no references, and the systems themselves."""
    rows = []
    mine = results["summaries"]

    def row(label: str, texts: Numbers, systems: Numbers) -> None:
        told = [cell(column(texts, "spearman")), cell(column(texts, "pearson")), largest(texts)] if texts else [""] * 3
        of = [cell(column(systems, "spearman")), cell(column(systems, "pearson")), largest(systems)]
        rows.append([label, *told, *of])

    def from_scores(label: str, by_seed: Sequence[Scores]) -> None:
        texts, systems = [], []
        for seed, scores in enumerate(by_seed):
            asked = mine[seed]["ratings"]
            scored = [score for score in scores if score[1] in asked]
            texts.append(HeldOut.of(data, seed).texts(scored))
            systems.append(HeldOut.of(data, seed).systems(means_of(scored, asked)))
        row(label, texts, systems)

    for way, label in WAYS.items():
        from_scores(label, [one["scores"][way] for one in mine])
    row("rating of each system", [], [HeldOut.of(data, k).systems(one["ratings"]) for k, one in enumerate(mine)])
    for name in with_results(results, BASELINES):
        from_scores(OF_SUMMARIES[name].label, alone_of(results, name))
    for name, by_seed in others(results):
        from_scores(f"`{name}`", by_seed)
    header = ("by", "texts, Spearman", "Pearson", "largest p", "systems, Spearman", "Pearson", "largest p")
    return table(header, rows)


def parts_table(results: Results, data: Path, seeds: int) -> str:
    """Each part changed, on the seeds of the variants; systems as the evaluator rates them, or by mean scores."""
    rows = []
    for name in with_results(results, (*PARTS, *BASELINES)):
        found = results[name][:seeds]
        texts = texts_of([one["scores"]["alone"] for one in found], data)
        systems = []
        for seed, one in enumerate(found):
            asked = results["summaries"][seed]["ratings"]
            values = one.get("ratings") or means_of(one["scores"]["alone"], asked)
            systems.append(HeldOut.of(data, seed).systems(values))
        label = "labels alone: the evaluator above" if name == "summaries" else OF_SUMMARIES[name].label
        rows.append([
            label, share(column(texts, "two_way")), cell(column(texts, "spearman")),
            f"{cell(column(systems, 'spearman'))} / {cell(column(systems, 'pearson'))}", PAPER_PARTS[name],
        ])  # fmt: skip
    return table(("", "two-way", "texts, Spearman", "systems, Spearman / Pearson", "in the paper"), rows)


def sentences_table(results: Results, data: Path) -> str:
    """Held-out pairs of sentences."""
    rows = []

    def row(label: str, kept: Numbers, time: str) -> None:
        found = [{**one, "p": p_of_votes(one, independent_pairs(data, seed))} for seed, one in enumerate(kept)]
        rows.append([
            label, str(len(found)), share(column(found, "two_way")), cell(column(found, "correlation")),
            cell(column(found, "pearson")), largest(found), time,
        ])  # fmt: skip

    for name in with_results(results, list(OF_SENTENCES)):
        row(OF_SENTENCES[name].label, results[name], minutes(results[name]))
    row("the longer one", [one["length"] for one in results["length of sentences"]], "")
    return table(("by", "seeds", "two-way", "Spearman", "Pearson", "largest p", "time"), rows)


def probes_table(results: Results) -> str:
    """Right answers to the shipped probes, by kind."""
    kinds = list(dict.fromkeys(kind for kind, *_ in results["summaries"][0]["probes"]))
    rows = []
    for name, label in (
        ("summaries", "labels of summaries"), ("after references", "references of news, then labels of summaries"),
        ("references alone", "references of news alone"), ("sentences", "labels of sentences, without their contexts"),
    ):  # fmt: skip
        if not results[name]:
            continue
        by_seed = [one["probes"] for one in results[name]]
        right = [[sum(ok for of, ok, _ in probes if of == kind) for probes in by_seed] for kind in kinds]
        ties = [sum(tie for *_, tie in probes) for probes in by_seed]
        rows.append([label, *(cell(of, "{:.0f}") for of in right), cell(ties, "{:.0f}")])
    return table(("learned from", *(f"{kind}, of 6" for kind in kinds), "ties, of 30"), rows)


def words_of_texts(results: Results, data: Path) -> str:
    """What the table of texts shows."""

    def median(scores: Sequence[Scores]) -> float:
        return float(np.median(column(texts_of(scores, data), "spearman")))

    mine = median(alone_of(results, "summaries"))
    found = {name: median(scores) for name, scores in others(results)}
    metrics = [name for name in (*METRICS, *SLOW_METRICS) if name in found]
    baselines = with_results(results, BASELINES)
    above = [f"`{name}`" for name in metrics if found[name] >= mine]
    better = [f"`{name}`" for name in JUDGES if found[name] > mine]
    of_baselines = {name: median(alone_of(results, name)) for name in baselines}
    beside = {name: median(alone_of(results, "summaries")[: len(results[name])]) for name in baselines}
    ahead = [name for name in baselines if of_baselines[name] > beside[name]]
    said = [
        f"By Spearman's correlation the evaluator has the higher median than {len(metrics) - len(above)} of "
        f"{len(metrics)} metrics" + (f" (not than {', '.join(above)})." if above else "."),
        f"Higher than the evaluator: the large language models {', '.join(better)}." if better else "",
        f"On the same seeds the {' and the '.join(ahead)} is higher, too." if ahead else "",
    ]
    return textwrap.fill(" ".join(one for one in said if one), 120)


def cost(results: Results) -> dict[str, Any]:
    """How many trainings, and the hours of one processor that they took."""
    trained = [one for of in results.values() for one in of if "seconds" in one]
    return {"trainings": len(trained), "hours": sum(one["seconds"] for one in trained) / 3600}
