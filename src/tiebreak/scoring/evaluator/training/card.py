"""What is kept of a training beside its weights: what it learned from, how it went, what is to be known of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

import numpy as np

from tiebreak.data.provenance import LABELLED_ITEMS, SEEN_ITEMS
from tiebreak.numbers import counted
from tiebreak.scoring.evaluator.examples.collect import Examples
from tiebreak.scoring.evaluator.examples.corpus import item_hashes
from tiebreak.scoring.evaluator.examples.rows import ACROSS, SOURCES, OfTexts
from tiebreak.scoring.evaluator.models.encoders import Lost
from tiebreak.scoring.evaluator.settings import TrainSettings
from tiebreak.scoring.evaluator.training.measures import Measured, MeasuredPairs, loss_of_guessing, ties_in_words
from tiebreak.scoring.evaluator.training.stages import Stage, texts_learned
from tiebreak.scoring.evaluator.training.trainer import StageEnd

_KINDS: Final = {**{str(source): words for source, words in SOURCES.items()}, ACROSS: "people, across inputs"}
_NO_BETTER: Final = 0.01
"""A loss this much below that of guessing is no better than guessing."""
_HARDLY: Final = 0.05
"""Of the rounds that were asked for: a stage whose best weights come before this has taught next to nothing."""
_MANY_FLIPS: Final = 0.2


def about_trained(
    settings: TrainSettings,
    examples: Examples,
    stages: Sequence[Stage],
    ends: Sequence[StageEnd],
    measured: Mapping[str, Measured],
    answers: Mapping[str, Any],
    fold: int | None,
    lost: Lost,
) -> dict[str, Any]:
    """What `evaluator.json` says, JSON-ready, but for the signature.

    measured: on what nothing was learned from; answers: what answers mean; lost: what the encoder does not read.
    """
    learned: list[OfTexts] = [rows for stage in stages for rows in stage.draws.said_of()]
    looked: list[OfTexts] = [stage.looks for stage in stages if stage.looks is not None]
    # Labels that said when to stop, and from when on an answer is a tie, have shaped it as well.
    human: list[OfTexts] = [rows for stage in stages if stage.source == "human" for rows in stage.draws.said_of()]
    human += [stage.looks for stage in stages if stage.source == "human" and stage.looks is not None]
    texts = texts_learned(stages)
    rows: dict[str, int] = {stage.source: len(stage.draws.rows) for stage in stages}
    if stages[-1].draws.across is not None:
        rows[ACROSS] = len(stages[-1].draws.across)
    return {
        "settings": settings.to_dict(),
        "fold": fold,
        **answers,
        "examples": examples.counts(),
        "learned": {
            "contexts": int(np.unique(examples.corpus.context[texts]).size),
            "texts": int(texts.size),
            "rows": rows,
            "rounds": {
                stage.source: stage.draws.rounds(end.kept or end.steps) for stage, end in zip(stages, ends, strict=True)
            },
        },
        "stages": [asdict(end) for end in ends],
        "measured": {source: asdict(measures) for source, measures in measured.items()},
        "notes": [*examples.missing(settings), *_notes(settings, stages, ends, measured), *lost.notes()],
        "trained_on": {
            LABELLED_ITEMS: item_hashes(examples.corpus, human),
            SEEN_ITEMS: item_hashes(examples.corpus, [*learned, *looked]),
        },
    }


def _notes(
    settings: TrainSettings, stages: Sequence[Stage], ends: Sequence[StageEnd], measured: Mapping[str, Measured]
) -> Iterator[str]:
    """How it learned, if not as usual, and what speaks against what was learned."""
    if settings.weights == "frozen":
        yield "The encoder stayed as it was, and the head alone learned: --weights fine-tuned trains both."
    for stage, end in zip(stages, ends, strict=True):
        yield from _of_stage(settings, stage, end)
    for source, measures in measured.items():
        if not isinstance(measures, MeasuredPairs) or not measures.pairs:
            continue
        pairs = f"{counted(measures.pairs, 'pair')} of {_KINDS[source]}"
        if measures.ties_told and not measures.ties_answered:
            yield f"None of {pairs} is answered by a tie, and {100 * measures.ties_told:.0f}% of them are ties."
        if measures.flips and measures.flips > _MANY_FLIPS:
            yield (
                f"Of {pairs} {100 * measures.flips:.0f}% get another answer in the other order: it has hardly learned "
                "to compare. Train for more --rounds, or take --form siamese, which has no order."
            )
    if all(measures.loss is None for measures in measured.values()):
        yield (
            "Nothing was held out to be measured: how good it is, is not known. Train with more contexts, or a higher "
            "--held-out."
        )


def _of_stage(settings: TrainSettings, stage: Stage, end: StageEnd) -> Iterator[str]:
    """Whether a stage has taught next to nothing."""
    noun = "text" if settings.form == "regressor" else "pair"
    held_out = f"{counted(0 if stage.looks is None else len(stage.looks), noun)} held out to say when to stop"
    if stage.draws.rounds(end.steps if end.kept is None else end.kept) < _HARDLY * settings.rounds:
        yield (
            f"Of what it learned from {SOURCES[stage.source]} nearly nothing is kept: on {held_out} it got no better "
            "after a few steps. A lower --learning-rate may help."
        )
        return
    if stage.looks is None or end.held_out is None:
        loss, shown, where = end.loss, stage.draws.shown(), f"the {noun}s that it was shown last"
    else:
        loss, shown, where = end.held_out["loss"], stage.looks, held_out
    guess = loss_of_guessing(shown, settings.form)
    if loss >= guess - _NO_BETTER:
        yield (
            f"What it learned from {SOURCES[stage.source]} does no better than saying the same of every {noun}: on "
            f"{where} the loss is {loss:.2f}, against {guess:.2f}. "
            + ("Which text is better it may find all the same: see two-way. " if settings.compares else "")
            + "Another --learning-rate, more --rounds or another --encoder may help."
        )


_TITLES: Final = {
    "discriminator": (
        "Discriminator",
        "Says of a text, given its context, whether a person wrote it or a system did: above 0 for a person, the "
        "logarithm of the odds.",
    ),
    "regressor": (
        "Regressor",
        "Says of a text, given its context and a reference where there is one, how people would rate it.",
    ),
}


def model_card(about: dict[str, Any]) -> str:
    """Markdown, from what `evaluator.json` says."""
    settings, examples, learned = about["settings"], about["examples"], about["learned"]
    compares = ("Comparative evaluator", "Compares two texts for one context: better, tie or worse, by probabilities.")
    title, does = _TITLES.get(settings["form"], compares)
    rows = ", ".join(f"{source} {count:,}" for source, count in learned["rows"].items())
    rounds = ", ".join(f"{source} {often:.1f}" for source, often in learned["rounds"].items())
    fold = "" if about["fold"] is None else f", fold {about['fold']} of {settings['folds']} left out"
    lines = [
        f"# {title}\n",
        f'{does} Trained with tiebreak, by the method of "Learning to Compare" (Zhou and Xu, 2020).\n',
        f"- Signature: `{about['signature']}`",
        "- Studies: " + ", ".join(f"{study['name']} ({study['fingerprint'][:12]})" for study in examples["studies"]),
        f"- Form: {settings['form']}; encoder: {settings['encoder']}, {settings['weights']}",
        f"- Learned from {learned['texts']:,} of {examples['texts']:,} texts, in {learned['contexts']:,} of "
        f"{examples['contexts']:,} contexts{fold}",
        f"- Pairs or texts: {rows}; rounds over them, up to the weights that are kept: {rounds}\n",
        "## On contexts that it did not learn from\n",
        *(f"- {source}: {_in_words(measures)}" for source, measures in about["measured"].items()),
        *([f"\n{ties_in_words(about)}"] if "tie_bound" in about else []),
        "\n## What this does not show\n",
        "It was measured on texts like those that it learned from. On other tasks, languages and much better or worse",
        "systems it may be wrong in one direction. `tiebreak audit` measures that with labels, and `compare` uses what",
        "it says so that errors cost precision, never validity. Labels that trained it prove nothing about it.\n",
        *(f"- {note}" for note in about["notes"]),
    ]
    return "\n".join(lines) + "\n"


def _in_words(measures: Mapping[str, Any]) -> str:
    """The numbers of what was measured; of shares with the 95% interval."""
    intervals = measures.get("intervals", {})
    numbers = {name: value for name, value in measures.items() if isinstance(value, int | float)}
    return ", ".join(
        f"{name.replace('_', ' ')} {value:.3g}"
        + (" ({:.2g} to {:.2g})".format(*intervals[name]) if name in intervals else "")
        for name, value in numbers.items()
    )
