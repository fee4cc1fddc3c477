"""What an evaluator says of a group of trainings: it rates the candidates, and follows one training."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from benchmarks.papers.testbed.opinions import End, Opinion
from benchmarks.papers.testbed.orders import rated
from benchmarks.papers.testbed.pairs import TextPair
from benchmarks.papers.testbed.trials import Group, Trials

import tiebreak
from tiebreak.scoring.evaluator.following import Compare, Follower
from tiebreak.scoring.evaluator.judging import judge_study
from tiebreak.scoring.evaluator.settings import EvaluatorJudgingSettings, FollowSettings
from tiebreak.scoring.evaluator.training.kept import Trained, load_evaluator

STREAK_COMPARISONS = 1000
STREAK, NO_GAIN, LATER_NO_GAIN = "streak", "no-gain", "no-gain, later"
LATER = 4
"""Of all checkpoints the first fourth, which is not followed."""


def reading_once(judge: Trained, pairs: Sequence[TextPair], texts: Sequence[Sequence[str]]) -> Compare:
    """Comparisons of texts (k, n) of checkpoints for n pairs: as `comparing` makes them, but all texts are read now."""
    numbers: dict[tuple[str, str], int] = {}
    for row in texts:
        for pair, text in zip(pairs, row, strict=True):
            numbers.setdefault((pair.name, text), len(numbers))
    place = {pair.name: k for k, pair in enumerate(pairs)}
    context = np.array([place[name] for name, _ in numbers], dtype=np.intp)
    tokens = judge.read([text for _, text in numbers], [pair.source for pair in pairs])
    ask = judge.model.comparing(tokens, context)
    every = np.arange(len(numbers))
    ask(every, every)

    def compare(items: Sequence[str], firsts: Sequence[str], others: Sequence[str]) -> np.ndarray:
        a, b = (np.array([numbers[key] for key in zip(items, side, strict=True)]) for side in (firsts, others))
        return np.where(a == b, 0, judge.answers(ask(a, b))).astype(np.int8)

    return compare


def followed(follower: Follower, pairs: Sequence[TextPair], texts: Sequence[Sequence[str]], start: int = 0) -> End:
    """Where a rule ends a training whose checkpoints wrote these texts (k, n) for n pairs; it begins with `start`."""
    for at, row in enumerate(texts[start:], start=start):
        follower.add(str(at), {pair.name: [text] for pair, text in zip(pairs, row, strict=True)})
        if follower.stopped is not None:
            break
    return End(start + len(follower.names), int(follower.best))


def compared(trials: Trials, folder: Path, group: Group) -> Opinion:
    """An evaluator rates the candidates, as `evaluator choose` does, and follows as `evaluator follow` does."""
    judge = load_evaluator(folder)
    judged, few = trials.plan.judged
    pairs = trials.material(group.network, group.number).written[:judged]
    began = time.process_time()
    study = _study(pairs, [one.texts for one in group.candidates])
    ratings = rated(study, judge_study([judge], study, EvaluatorJudgingSettings()).preferences)
    chosen = time.process_time()
    texts = [one.texts for one in group.followed]
    compare = reading_once(judge, pairs[:few], texts)
    later = len(texts) // LATER
    ends = {}
    for name, rule, comparisons, start in (
        (STREAK, "streak", STREAK_COMPARISONS, 0), (NO_GAIN, "no-gain", few, 0), (LATER_NO_GAIN, "no-gain", few, later)
    ):  # fmt: skip
        follower = Follower(compare, FollowSettings(rule=rule, comparisons=comparisons))
        ends[name] = followed(follower, pairs[:few], texts, start)
    values = tuple(ratings[_name(k)] for k in range(len(group.candidates)))
    return Opinion(values, ends, (chosen - began, time.process_time() - chosen))


def _study(pairs: Sequence[TextPair], texts: Sequence[Sequence[str]]) -> tiebreak.Study:
    items = [{"item": pair.name, "input": pair.source} for pair in pairs]
    outputs = [
        {"item": pair.name, "system": _name(k), "text": text}
        for k, row in enumerate(texts)
        for pair, text in zip(pairs, row, strict=True)
    ]
    return tiebreak.Study.from_tables(items=items, outputs=outputs)


def _name(candidate: int) -> str:
    return f"settings-{candidate + 1}"
