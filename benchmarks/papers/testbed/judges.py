"""Judges of trainings: each learns from two networks, and is asked about groups of the third."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from benchmarks.papers.testbed import alone, comparing
from benchmarks.papers.testbed.design import code_of
from benchmarks.papers.testbed.networks import NETWORKS
from benchmarks.papers.testbed.opinions import End, Opinion
from benchmarks.papers.testbed.pilots import pilot
from benchmarks.papers.testbed.training import seed_of
from benchmarks.papers.testbed.trials import Group, Trials, hashed, kept

from tiebreak.scoring import evaluator
from tiebreak.scoring.evaluator.settings import TrainSettings
from tiebreak.scoring.evaluator.training.run import train_evaluator


@dataclass(frozen=True, slots=True)
class Judge:
    """`settings` of its training that are its own; `ask` it about a group, by what a `file` does."""

    settings: Mapping[str, Any]
    ask: Callable[[Trials, Path, Group], Opinion]
    file: str


JUDGES: Mapping[str, Judge] = {
    # References are better, and later checkpoints; it rates the candidates by comparisons of their texts.
    "evaluator": Judge({"human": False}, comparing.compared, "comparing.py"),
    # Tells references from what networks wrote; takes the candidate whose texts look most like references.
    "discriminator": Judge({"form": "discriminator"}, alone.scored_alone, "alone.py"),
}


def opinion_of(trials: Trials, name: str, group: Group) -> Opinion:
    """Of the judge `name` that has not seen the group's network; kept, and not asked again."""
    key = judge_key(trials, name, group.network)

    def ask() -> Mapping[str, Any]:
        judge_training(trials, name, group.network)
        with torch.autocast("cpu", torch.bfloat16):  # half the time
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
        *code_of(Path(__file__).parent, JUDGES[name].file, "opinions.py", "pilots.py", "studies.py"),
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
