"""The model card of what was trained."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from tiebreak.numbers import counted
from tiebreak.scoring.evaluator.training.calibration import ENOUGH, MOST_PROBABLE, NEVER
from tiebreak.scoring.evaluator.training.settings import COMPARING

_SOURCES: Final = {
    "strong": "References before generated texts, and ties: {:,} pairs",
    "weak": "Later before earlier checkpoints: {:,} pairs",
    "human": "What people preferred or rated higher: {:,} pairs",
}
ACROSS: Final = "human, across inputs"
"""What is said of rated texts that are compared across inputs: how many they are, and how good it is there."""

_COMPARES: Final = (
    "Comparative evaluator",
    "Compares two texts for one context: probabilities of better, tie and worse. Trained with tiebreak, by the method"
    ' of "Learning to Compare" (Zhou and Xu, 2020).',
)
_ALONE: Final = {
    "discriminator": (
        "Discriminator",
        "Says of a text, given its context, whether a person wrote it or a system did: above 0 for a person, the "
        'logarithm of the odds. Trained with tiebreak as a baseline of "Learning to Compare" (Zhou and Xu, 2020).',
        {"strong": "References beside generated texts: {:,} pairs"},
    ),
    "regressor": (
        "Regressor",
        "Says of a text, given its context and a reference where there is one, how people would rate it. Trained with "
        'tiebreak as a baseline of "Learning to Compare" (Zhou and Xu, 2020).',
        {"human": "Mean ratings: {:,} texts"},
    ),
}


def model_card(about: dict[str, Any]) -> str:
    """Markdown, from what `evaluator.json` says; SIGNATURE stands for the signature."""
    settings, examples, learned = about["settings"], about["examples"], about["learned"]
    title, does, sources = _ALONE.get(settings["form"], (*_COMPARES, _SOURCES))
    lines = [
        f"# {title}",
        "",
        does,
        "",
        "- Signature: `SIGNATURE`",
        "- Studies: " + ", ".join(f"{one['name']} ({one['fingerprint'][:12]})" for one in examples["studies"]),
        f"- Form: {settings['form']}; encoder: {settings['encoder']}"
        + ("" if settings["pretrained"] else ", from random weights"),
        f"- To learn from: {learned['texts']:,} of {examples['texts']:,} texts, in {learned['contexts']:,} of "
        f"{examples['contexts']:,} contexts; the others were kept apart, or say nothing",
        "- Rounds over the contexts, up to the weights that are kept: "
        + ", ".join(f"{source} {rounds:.1f}" for source, rounds in learned["rounds"].items()),
    ]
    lines += [
        f"- {sources[source].format(learned['rows'].get(source, 0))} to learn from, of {count:,}"
        for source, count in examples["rows"].items()
    ]
    if examples["across"]:
        lines.append(
            f"- Rated texts that are compared across inputs, too: {learned['rows'].get(ACROSS, 0):,} to learn from, of "
            f"{examples['across']:,}"
        )
    lines += _left_out(examples)
    if about["fold"] is not None:
        lines.append(
            f"- It is fold-{about['fold']} of {settings['folds']} folds: it did not learn from the contexts of this one"
        )
    lines += ["", "## On contexts that it did not learn from", "", *_MEASURED[settings["form"]](about)]
    lines += [
        "",
        "## What this does not show",
        "",
        "It was measured on texts like those that it learned from. On other tasks, languages and much better or worse",
        "systems it may be wrong in one direction. `tiebreak audit` measures that with labels, and `compare` uses what",
        "it says so that errors cost precision, never validity. Labels that trained it prove nothing about it.",
    ]
    lines += ["", *(f"- {note}" for note in about["notes"])] if about["notes"] else []
    return "\n".join(lines) + "\n"


def _left_out(examples: dict[str, Any]) -> list[str]:
    """What the studies have besides, and why it is not among the pairs."""
    lines = []
    strong, weak, human = examples["strong"], examples["weak"], examples["human"]
    if examples["repeats"]:
        lines.append(f"- Texts that repeat one of the same system and input, and count once: {examples['repeats']:,}")
    if strong is not None and strong["decided"]:
        lines += [
            f"- Pairs of a reference and an output: {strong['used_decided']:,} of {strong['decided']:,} are used. "
            f"Ties: {strong['used_ties']:,} of {strong['reference_ties'] + strong['sample_ties']:,}; between two "
            f"references: {strong['reference_ties']:,}, between two samples of one system: {strong['sample_ties']:,}",
            f"- Contexts with a single reference, which makes no tie: {strong['lone_references']:,}",
            f"- Left out: outputs that equal a reference: {strong['identical']:,}; pairs of equal references: "
            f"{strong['equal_references']:,}",
        ]
    if weak is not None and weak["runs"]:
        lines += [
            f"- Pairs of checkpoints that are used: {weak['used']:,}. Left out: too near: {weak['near']:,}; both "
            f"almost converged: {weak['converged']:,}; pairs of identical texts: {weak['identical']:,}",
        ]
        if weak["without_loss"]:
            lines.append(
                f"- Runs without a dev loss, of which nothing says whether they converged: {weak['without_loss']:,}"
            )
    if human is not None and any(human.values()):
        lines.append(
            f"- Pairs of outputs with labels that are left out: identical texts: {human['identical']:,}; one without "
            f"a text: {human['without_text']:,}"
        )
    return lines


def _of_pairs(about: Mapping[str, Any]) -> list[str]:
    lines = _table(
        ("pairs", "number", "decided", "two-way accuracy", "three-way accuracy", "loss", "flips with the order",
         "ties told", "ties answered"),
        [
            (source, f"{found['pairs']:,}", f"{found['decided']:,}",
             *(_share(found[name]) for name in ("two_way", "three_way")), _number(found["loss"]),
             *(_share(found[name]) for name in ("flips", "ties_told", "ties_answered")))
            for source, found in about["measured"].items()
        ],
    )  # fmt: skip
    buckets = [(source, bucket) for source, found in about["measured"].items() for bucket in found["by_margin"]]
    if buckets:
        rows = [
            (source, f"{bucket['low']:.0%} to {bucket['high']:.0%}", f"{bucket['pairs']:,}", f"{bucket['right']:.0%}")
            for source, bucket in buckets
        ]
        lines += ["", *_table(("pairs", "margin of steps", "number", "right"), rows)]
    return [
        *lines,
        "",
        ties_in_words(about),
    ]


def ties_in_words(about: Mapping[str, Any]) -> str:
    """When an answer of an evaluator is a tie."""
    if about["tie_bound"] == NEVER and about["ties_like"] is None:
        return "It learned no ties: an answer is none unless both texts score the same."
    if about["ties_like"] is None or about["tie_bound"] == MOST_PROBABLE:
        of_what = "no labels or references" if about["ties_like"] is None else "no held-out pairs"
        return f"An answer is the most probable outcome: there are {of_what} to tell how many ties to give."
    by, none = about["ties_set_by"], about["tie_bound"] == NEVER
    like, of, labels = {
        "human": ("labelled pair", "", "the labels"),
        "strong": ("pair", " of references and outputs", "those"),
    }[about["ties_like"]]
    what = (
        "An answer is no tie unless both texts score the same"
        if none
        else f"An answer is a tie where that has a probability of {about['tie_bound']:.2f} or more"
    )
    if by["held_out"] >= ENOUGH:
        pairs = f"{counted(by['told'], like)}{of}"
        alike = f"; {by['answered']:,} score the same" if none and by["answered"] else ""
        many = "as many as are ties" if by["answered"] == by["ties"] else f"and {by['ties']:,} are ties"
        why = (
            f"none of {pairs} is a tie{alike}"
            if none
            else f"so it answers {by['answered']:,} of {pairs} by one, {many}"
        )
        return f"{what}: {why}. They are held out for that, and are not those of the table."
    ties = f"{by['ties'] or 'none'} of {by['told']:,} pairs {'is a tie' if by['ties'] < 2 else 'are ties'}"
    share = "" if none else f", and {by['answered']:,} of {by['set_on']:,} pairs{_which(by)} are answered by one"
    few = f"Only {counted(by['held_out'], like)}" if by["held_out"] else f"No {like}"
    held_out = f"{few}{of} {'is' if by['held_out'] < 2 else 'are'} held out to set that"
    return f"{what}. {held_out}, so {labels} learned from count, too: {ties}{share}."


def _which(by: Mapping[str, int]) -> str:
    """Of the pairs on which a bound is set, what they are."""
    if by["learned"]:
        return f" ({by['learned']:,} of them learned from)"
    return f" ({by['set_on'] - by['held_out']:,} of them those of the table)"


def _of_writers(about: Mapping[str, Any]) -> list[str]:
    found = about["measured"]["strong"]
    shares = (_share(found[name]) for name in ("accuracy", "references_found", "outputs_found"))
    row = (f"{found['references']:,}", f"{found['outputs']:,}", *shares, _number(found["loss"]))
    header = ("references", "outputs", "accuracy", "references found", "outputs found", "loss")
    return [*_table(header, [row]), "", "Accuracy is the mean of the two shares behind it: a coin has 50%."]


def _of_ratings(about: Mapping[str, Any]) -> list[str]:
    found, scale = about["measured"]["human"], about["scale"]
    row = (f"{found['texts']:,}", *(_number(found[name]) for name in ("spearman", "rmse", "loss")))
    return [
        *_table(("texts", "Spearman's correlation", "root mean squared error", "loss"), [row]),
        "",
        f"The error is on the scale of the ratings that it learned from, of {' and '.join(scale['criteria'])}: their "
        f"mean is {scale['mean']:.3g}, their standard deviation {scale['deviation']:.3g}.",
    ]


_MEASURED: Final = dict.fromkeys(COMPARING, _of_pairs) | {"discriminator": _of_writers, "regressor": _of_ratings}


def _table(header: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> list[str]:
    return [f"| {' | '.join(cells)} |" for cells in (header, ("---",) * len(header), *rows)]


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.1%}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
