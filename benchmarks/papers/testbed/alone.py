"""What a discriminator says of a group of trainings: how much their texts look as if people had written them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from benchmarks.papers.testbed.opinions import PATIENT, Opinion, by_patience
from benchmarks.papers.testbed.pairs import TextPair
from benchmarks.papers.testbed.trials import Group, Trials

import tiebreak
from tiebreak.scoring.evaluator.examples.corpus import Corpus
from tiebreak.scoring.evaluator.training.kept import Trained, load_trained


def scored_alone(trials: Trials, folder: Path, group: Group) -> Opinion:
    """The mean score of the texts of each candidate; the usual rule on that of each checkpoint that is followed."""
    judge = load_trained(folder)
    judged, few = trials.plan.judged
    pairs = trials.material(group.network, group.number).written[:judged]
    began = time.process_time()
    values = means(judge, pairs, [one.texts for one in group.candidates])
    chosen = time.process_time()
    ends = {PATIENT: by_patience(means(judge, pairs[:few], [one.texts for one in group.followed]))}
    return Opinion(tuple(values), ends, (chosen - began, time.process_time() - chosen))


def means(judge: Trained, pairs: Sequence[TextPair], texts: Sequence[Sequence[str]]) -> list[float]:
    """The mean score (k,) of the texts (k, n) of checkpoints for n pairs."""
    items = [{"item": pair.name, "input": pair.source} for pair in pairs]
    outputs = [
        {"item": pair.name, "system": str(k), "text": text}
        for k, row in enumerate(texts)
        for pair, text in zip(pairs, row, strict=True)
    ]
    study = tiebreak.Study.from_tables(items=items, outputs=outputs)
    corpus = Corpus.of([study])
    numbers = corpus.numbers_in(0, study)
    every = np.array([[numbers[pair.name, str(k), None] for pair in pairs] for k in range(len(texts))])
    asked, place = np.unique(every, return_inverse=True)
    tokens = judge.read(corpus.texts, corpus.contexts, corpus.reference)
    scores = judge.model.scores(tokens, corpus.context, asked)
    return [float(mean) for mean in scores[place].reshape(every.shape).mean(1)]
