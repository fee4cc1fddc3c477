"""The model card of an evaluator."""

from __future__ import annotations

from typing import Any

_SOURCES = {
    "strong": "references before generated texts, and ties",
    "weak": "later before earlier checkpoints",
    "human": "what people preferred or rated higher",
}


def model_card(about: dict[str, Any]) -> str:
    """Markdown, from what `evaluator.json` says; SIGNATURE stands for the signature."""
    settings, examples, learned = about["settings"], about["examples"], about["learned"]
    lines = [
        "# Comparative evaluator",
        "",
        "Compares two texts for one context: probabilities of better, tie and worse. Trained with tiebreak, by the"
        ' method of "Learning to Compare" (Zhou and Xu, 2020).',
        "",
        "- Signature: `SIGNATURE`",
        f"- Form: {settings['form']}; encoder: {settings['encoder']}"
        + ("" if settings["pretrained"] else ", from random weights"),
        f"- Learned from {learned['texts']:,} of {examples['texts']:,} texts, in {learned['contexts']:,} of "
        f"{examples['contexts']:,} contexts; the others were kept apart, or are in no pair",
    ]
    lines += [
        f"- {_SOURCES[source].capitalize()}: {learned['pairs'].get(source, 0):,} pairs learned from, of {count:,}"
        for source, count in examples["pairs"].items()
    ]
    lines += _left_out(examples)
    if about["fold"] is not None:
        lines.append(
            f"- Fold {about['fold'] + 1} of {settings['folds']}: it did not learn from the contexts of this fold"
        )
    lines += [
        "",
        "## On contexts that it did not learn from",
        "",
        "| pairs | number | decided | two-way accuracy | three-way accuracy | loss | flips with the order | "
        "ties told | ties predicted |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for source, found in about["measured"].items():
        cells = [
            source, f"{found['pairs']:,}", f"{found['decided']:,}",
            *(_share(found[name]) for name in ("two_way", "three_way")), _number(found["loss"]),
            *(_share(found[name]) for name in ("flips", "ties_told", "ties_predicted")),
        ]  # fmt: skip
        lines.append(f"| {' | '.join(cells)} |")
    buckets = [(source, bucket) for source, found in about["measured"].items() for bucket in found["by_margin"]]
    if buckets:
        lines += ["", "| pairs | margin of steps | number | right |", "| --- | --- | --- | --- |"]
        lines += [
            f"| {source} | {bucket['low']:.0%} to {bucket['high']:.0%} | {bucket['pairs']:,} | {bucket['right']:.0%} |"
            for source, bucket in buckets
        ]
    lines += [
        "",
        f"An answer is a tie from a probability of {about['tie_bound']:.2f} on, so that it ties as often as the labels."
        if about["tie_bound"] >= 0
        else "An answer is the most probable outcome: no held-out pairs calibrated ties.",
        "",
        "## What this does not show",
        "",
        "It was measured on texts like those that it learned from. On other tasks, languages and much better or worse",
        "systems it may be wrong in one direction. `tiebreak audit` measures that with labels, and `compare` uses its",
        "judgements so that errors cost precision, never validity. Labels that trained it prove nothing about it.",
    ]
    lines += ["", *about["notes"]] if about["notes"] else []
    return "\n".join(lines) + "\n"


def _left_out(examples: dict[str, Any]) -> list[str]:
    """What the studies have besides, and why it is not among the pairs."""
    lines = []
    strong, weak = examples["strong"], examples["weak"]
    if strong is not None:
        lines += [
            f"- References: {strong['used_decided']:,} of {strong['decided']:,} pairs of a reference and an output are "
            f"used, and {strong['used_ties']:,} of {strong['reference_ties']:,} ties between two references and "
            f"{strong['sample_ties']:,} between two samples of one system",
            f"- References: {strong['lone_references']:,} contexts have a single one, which makes no tie; "
            f"{strong['identical']:,} outputs equal a reference and are left out",
        ]
    if weak is not None and weak["runs"]:
        lines += [
            f"- Checkpoints: {weak['used']:,} pairs of them are used; left out are {weak['near']:,} that are too near "
            f"and {weak['converged']:,} of two that had almost converged, and {weak['identical']:,} pairs of identical "
            "texts",
        ]
        if weak["without_loss"]:
            lines.append(
                f"- Runs without a dev loss, of which nothing says whether they converged: {weak['without_loss']:,}"
            )
    return lines


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.1%}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
