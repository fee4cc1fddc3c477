"""What is kept of a training beside its weights: what it learned from, how it went, what is to be known of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

import numpy as np

from tiebreak.data.provenance import LABELLED_ITEMS, SEEN_ITEMS
from tiebreak.numbers import counted
from tiebreak.scoring.evaluator.examples.corpus import item_hashes
from tiebreak.scoring.evaluator.examples.pairs import SOURCES, OfTexts, Rows, Source
from tiebreak.scoring.evaluator.models.learner import Lost
from tiebreak.scoring.evaluator.training.card import ACROSS
from tiebreak.scoring.evaluator.training.examples import Examples
from tiebreak.scoring.evaluator.training.forms import TASKS
from tiebreak.scoring.evaluator.training.measured import HeldOutMeasures, MeasuredPairs
from tiebreak.scoring.evaluator.training.settings import TrainSettings
from tiebreak.scoring.evaluator.training.stages import Draws
from tiebreak.scoring.evaluator.training.trainer import StageEnd

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
