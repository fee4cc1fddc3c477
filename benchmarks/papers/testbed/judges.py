"""Judges of trainings: each learns from two networks, and is asked about groups of the third.

A discriminator says how much texts look as if people had written them; an evaluator rates the candidates by comparisons
of their texts, and follows one training.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.papers.testbed.design import code_of
from benchmarks.papers.testbed.networks import NETWORKS
from benchmarks.papers.testbed.pilots import pilot
from benchmarks.papers.testbed.runs import rated
from benchmarks.papers.testbed.texts import TextPair
from benchmarks.papers.testbed.training import seed_of
from benchmarks.papers.testbed.trials import Group, Trials, hashed, kept

import tiebreak
from tiebreak.scoring import evaluator
from tiebreak.scoring.evaluator.examples.corpus import Corpus
from tiebreak.scoring.evaluator.following import Compare, Follower
from tiebreak.scoring.evaluator.judging import judge_study
from tiebreak.scoring.evaluator.settings import EvaluatorJudgingSettings, FollowSettings, TrainSettings
from tiebreak.scoring.evaluator.training.kept import Trained, load_evaluator, load_trained
from tiebreak.scoring.evaluator.training.run import train_evaluator

PATIENCE = 5
PATIENT = "patience"


@dataclass(frozen=True, slots=True)
class End:
    """A training of which a rule has `seen` so many checkpoints, and keeps one (from 0)."""

    seen: int
    kept: int


@dataclass(frozen=True, slots=True)
class Opinion:
    """What was trained to judge says of a group: a value for each candidate, higher for better, and where its rules end
    the training that is followed. `cpu`: seconds for each of both.
    """

    values: tuple[float, ...]
    ends: Mapping[str, End]
    cpu: tuple[float, float]


def by_patience(values: Sequence[float], patience: int = PATIENCE) -> End:
    """The usual rule: stop after so many checkpoints without a new highest value, keep the highest."""
    best = 0
    for at, value in enumerate(values):
        if value > values[best]:
            best = at
        elif at - best >= patience:
            return End(at + 1, best)
    return End(len(values), best)


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


@dataclass(frozen=True, slots=True)
class Judge:
    """`settings` of its training that are its own; `ask` it about a group."""

    settings: Mapping[str, Any]
    ask: Callable[[Trials, Path, Group], Opinion]


JUDGES: Mapping[str, Judge] = {
    # References are better, and later checkpoints; it rates the candidates by comparisons of their texts.
    "evaluator": Judge({"human": False}, compared),
    # Tells references from what networks wrote; takes the candidate whose texts look most like references.
    "discriminator": Judge({"form": "discriminator"}, scored_alone),
}


def opinion_of(trials: Trials, name: str, group: Group) -> Opinion:
    """Of the judge `name` that has not seen the group's network; kept, and not asked again."""
    key = judge_key(trials, name, group.network)

    def ask() -> Mapping[str, Any]:
        judge_training(trials, name, group.network)
        found = JUDGES[name].ask(trials, trials.cache / "evaluators" / key, group)
        trials.say(f"{name} on {group.name}: {sum(found.cpu):.0f} s")
        return asdict(found)

    known = kept(trials.cache / "opinions" / key / f"{trials.plan.key(group.name)}.json", ask)
    ends = {rule: End(**end) for rule, end in known["ends"].items()}
    return Opinion(tuple(known["values"]), ends, tuple(known["cpu"]))


def judge_key(trials: Trials, name: str, held_out: str) -> str:
    """Names a judge that has learned from the pilots of the other networks."""
    plan = trials.plan
    package = Path(evaluator.__file__).parent
    code = [
        *code_of(package, "examples/*.py", "models/*.py", "training/*.py", "settings.py", "following.py"),
        *code_of(Path(__file__).parent, "judges.py", "pilots.py", "studies.py"),
    ]
    sizes = (plan.pilots, plan.learned, plan.per_item)
    return f"{name}-without-{held_out}-{hashed(plan.key(), sizes, asdict(_settings(trials, name, held_out)), code)}"


def judge_training(trials: Trials, name: str, held_out: str) -> float:
    """Trains the judge, unless it was before; the seconds of one processor that it took."""
    key = judge_key(trials, name, held_out)

    def train() -> Mapping[str, Any]:
        others = [network for network in NETWORKS if network != held_out]
        studies = [pilot(trials, network, number) for network in others for number in range(1, trials.plan.pilots + 1)]
        began = time.process_time()
        train_evaluator(studies, trials.cache / "evaluators" / key, _settings(trials, name, held_out))
        trials.say(f"{name} without {held_out}: {time.process_time() - began:.0f} s")
        return {"cpu": time.process_time() - began}

    return float(kept(trials.cache / "evaluators" / f"{key}.json", train)["cpu"])


def _settings(trials: Trials, name: str, held_out: str) -> TrainSettings:
    """As anybody trains one: a fifth of the packages says when to stop, and how many answers are ties."""
    plan, limits = trials.plan, trials.plan.training(1)
    return TrainSettings(
        **JUDGES[name].settings, encoder=plan.encoder, rounds=plan.rounds,
        contexts_at_once=plan.contexts, context_tokens=2 * limits.source_tokens, text_tokens=2 * limits.target_tokens,
        seed=seed_of(list(NETWORKS).index(held_out)),
    )  # fmt: skip
