"""What the checkpoints of a training wrote, as a study."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import numpy as np
from benchmarks.papers.testbed.texts import TextPair
from benchmarks.papers.testbed.training import Checkpoint, Training

import tiebreak

PEOPLE = "people"
"""The system that holds references, where they are systems."""

_OF_THE_RUN = ("network", "width", "dropout", "rate", "batch", "temperature", "seed")


def study_of(
    training: Training,
    pairs: Sequence[TextPair],
    taken: Sequence[Checkpoint],
    places: range,
    *,
    per_item: int | None = None,
    people: bool = False,
) -> tiebreak.Study:
    """The texts for some of the pairs, by their places: every checkpoint is a system, and the run is the network's name
    with its seed. `per_item`: each item has texts by so many checkpoints, drawn for it, None: by all. `people`: who
    wrote the targets is a system as well.
    """
    generator = np.random.default_rng(training.seed)
    by_place = {k: generator.permutation(len(taken))[:per_item].tolist() for k in places}
    run = f"{training.network}-{training.seed}"
    settings = {name: value for name, value in asdict(training).items() if name in _OF_THE_RUN}
    systems, outputs = {}, []
    for which, checkpoint in enumerate(taken):
        name = f"{run}-{checkpoint.step:05d}"
        systems[name] = tiebreak.SystemSettings(
            run=run, step=checkpoint.step, total_steps=training.steps, dev_loss=checkpoint.dev_loss, settings=settings
        )
        outputs += [
            {"item": pairs[place].name, "system": name, "sample": str(number), "text": text}
            for place in places
            if which in by_place[place]
            for number, text in enumerate(checkpoint.texts[place], start=1)
        ]
    if people:
        systems[PEOPLE] = tiebreak.SystemSettings(reference=True)
        outputs += [{"item": pairs[place].name, "system": PEOPLE, "text": pairs[place].target} for place in places]
    items = [{"item": pairs[k].name, "input": pairs[k].source, "reference": pairs[k].target} for k in places]
    return tiebreak.Study.from_tables(
        items=items, outputs=outputs, settings=tiebreak.StudySettings(systems=systems), name=run
    )
