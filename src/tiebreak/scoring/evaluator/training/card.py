"""The model card of what was trained.

What is kept of a training beside its weights: what it learned from, how it went, what is to be known of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

import numpy as np

from tiebreak.data.provenance import LABELLED_ITEMS, SEEN_ITEMS
from tiebreak.numbers import counted
from tiebreak.scoring.evaluator.examples.collect import Examples
from tiebreak.scoring.evaluator.examples.corpus import item_hashes
from tiebreak.scoring.evaluator.examples.rows import SOURCES, OfTexts, Rows, Source
from tiebreak.scoring.evaluator.models.encoders import Lost
from tiebreak.scoring.evaluator.settings import COMPARING, TrainSettings
from tiebreak.scoring.evaluator.training.measures import (
    ENOUGH,
    MOST_PROBABLE,
    NEVER,
    TASKS,
    HeldOutMeasures,
    MeasuredPairs,
)
from tiebreak.scoring.evaluator.training.stages import Draws
from tiebreak.scoring.evaluator.training.trainer import StageEnd

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


_NO_BETTER: Final = 0.01
"""A loss this much below that of guessing is no better than guessing."""
_FEW: Final = 30
_HARDLY: Final = 0.05
"""Of the rounds that were asked for: a stage whose best weights come before this has taught next to nothing."""
_MANY_FLIPS: Final = 0.2


def about_trained(
    settings: TrainSettings,
    examples: Examples,
    learned: Mapping[Source, Draws],
    looked: Mapping[Source, Rows],
    ends: Sequence[StageEnd],
    measured: Mapping[str, HeldOutMeasures],
    answers: Mapping[str, Any],
    fold: int | None,
    lost: Lost,
) -> dict[str, Any]:
    """What `evaluator.json` says, JSON-ready, but for the signature.

    learned, looked: what each stage learned from, and looked at to keep the best weights; measured: on what nothing was
    learned from; answers: what answers mean; lost: what the encoder does not read.
    """
    # Labels that said when to stop, and from when on an answer is a tie, have shaped it as well.
    human: list[OfTexts] = [*learned["human"].said_of()] if "human" in learned else []
    human += [looked["human"]] if "human" in looked else []
    every: list[OfTexts] = [rows for of in learned.values() for rows in of.said_of()] + list(looked.values())
    texts = np.unique(np.concatenate([rows.texts.ravel() for of in learned.values() for rows in of.said_of()]))
    return {
        "settings": settings.to_dict(),
        "fold": fold,
        **answers,
        "examples": examples.counts(),
        "learned": {
            "contexts": int(np.unique(examples.corpus.context[texts]).size),
            "texts": int(texts.size),
            "rows": {source: len(of.rows) for source, of in learned.items()} | _across(learned),
            "rounds": {end.source: learned[end.source].rounds(end.kept or end.steps) for end in ends},
        },
        "stages": [asdict(end) for end in ends],
        "measured": {source: of.to_dict() for source, of in measured.items()},
        "notes": [
            *examples.missing(),
            *_notes(settings, ends, learned, looked, measured),
            *lost.notes(),
        ],
        "trained_on": {
            LABELLED_ITEMS: item_hashes(examples.corpus, human),
            SEEN_ITEMS: item_hashes(examples.corpus, every),
        },
    }


def _across(learned: Mapping[Source, Draws]) -> dict[str, int]:
    across = learned["human"].across if "human" in learned else None
    return {} if across is None else {ACROSS: len(across)}


def _of(source: str) -> str:
    """The rows that were measured, in words."""
    return "people, across inputs" if source == ACROSS else SOURCES[source]  # type: ignore[index]  # the only other one


def _of_few(source: str, found: MeasuredPairs) -> list[str]:
    """What to think of shares of few pairs, and of answers that follow the order of the texts."""
    notes = []
    if found.ties_told and not found.ties_answered:
        notes.append(
            f"None of {counted(found.pairs, 'pair')} of {_of(source)} is answered by a tie, and "
            f"{100 * found.ties_told:.0f}% of them are ties."
        )
    if 0 < found.decided < _FEW:
        notes.append(
            f"Two-way of {_of(source)} is a share of {counted(found.decided, 'pair')}: too few to tell how good it is."
        )
    if found.flips is not None and found.flips > _MANY_FLIPS:
        notes.append(
            f"Of {counted(found.pairs, 'pair')} of {_of(source)} {100 * found.flips:.0f}% get another answer in the "
            "other order: it has hardly learned to compare. Train for more --rounds, or take --form siamese, which has "
            "no order."
        )
    return notes


def _of_stage(end: StageEnd, learned: Draws, looked: Rows | None, settings: TrainSettings) -> str:
    """What to think of a stage that has taught next to nothing; empty where there is nothing to say."""
    kept = end.steps if end.kept is None else end.kept
    noun = "text" if settings.form == "regressor" else "pair"
    count = 0 if looked is None else len(looked)
    held_out = f"{counted(count, noun)} held out to say when to stop"
    if learned.rounds(kept) < _HARDLY * settings.rounds:
        return (
            f"Of what it learned from {SOURCES[end.source]} nearly nothing is kept: on {held_out} it got no better "
            "after a few steps. A lower --learning-rate may help."
        )
    of = end.held_out["loss"] if end.held_out is not None else None
    shown = learned.shown() if of is None or looked is None else looked
    loss, guess = end.loss if of is None else of, TASKS[settings.form].guessing(shown)
    if loss < guess - _NO_BETTER:
        return ""
    what, does = ("The probabilities that", "are") if settings.compares else ("What", "does")
    few = ", too few to be sure," if count < _FEW else ""
    where = f"the {noun}s that it was shown last" if of is None else f"{held_out}{few}"
    return (
        f"{what} it learned from {SOURCES[end.source]} {does} no better than saying the same of every {noun}: on "
        f"{where} the loss is {loss:.2f}, against {guess:.2f}. "
        + ("Which text is better it may find all the same: see two-way. " if settings.compares else "")
        + "Another --learning-rate, more --rounds or another --encoder may help."
    )


def _notes(
    settings: TrainSettings,
    ends: Sequence[StageEnd],
    learned: Mapping[Source, Draws],
    looked: Mapping[Source, Rows],
    measured: Mapping[str, HeldOutMeasures],
) -> list[str]:
    notes = [note for end in ends if (note := _of_stage(end, learned[end.source], looked.get(end.source), settings))]
    for source, found in measured.items():
        if isinstance(found, MeasuredPairs):
            notes += _of_few(source, found)
    if all(found.loss is None for found in measured.values()):
        notes.append(
            "Nothing was held out to be measured: how good it is, is not known. Train with more contexts, or a higher "
            "--held-out."
        )
    return notes
