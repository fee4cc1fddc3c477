"""Trainings from which judges learn; none of their packages is any group's."""

from __future__ import annotations

import shutil

import numpy as np
from benchmarks.papers.testbed.networks import NETWORKS
from benchmarks.papers.testbed.studies import study_of
from benchmarks.papers.testbed.training import Checkpoint, Numbers, dev_loss, draw, trained
from benchmarks.papers.testbed.trials import Trials, write_all

import tiebreak


def pilot(trials: Trials, network: str, number: int) -> tiebreak.Study:
    """The checkpoints of one, with drawn settings; kept."""
    plan, (parts, vocabulary) = trials.plan, trials.parts()
    folder = trials.cache / "pilots" / trials.plan.key("pilot", network, number, plan.learned, plan.per_item)
    if not folder.is_dir():
        generator = np.random.default_rng([list(NETWORKS).index(network), number, 2])
        training = draw(network, plan.training(plan.chosen_from), generator)
        written, dev = parts.dev[: plan.learned], parts.dev[plan.learned :][: plan.dev]
        rest = parts.dev[plan.learned + plan.dev :]
        learned = [rest[k] for k in generator.permutation(len(rest))[: plan.train]]
        numbers = [Numbers.of(pairs, vocabulary, training) for pairs in (learned, dev)]
        taken = [
            Checkpoint(one.step, dev_loss(one.network, numbers[1]),
                       tuple((text,) for text in write_all(one.network, written, vocabulary, training, one.step)))
            for one in trained(training, numbers[0], vocabulary.size)
        ]  # fmt: skip
        study = study_of(training, written, taken, range(len(written)), per_item=plan.per_item)
        fresh = folder.with_name(f"{folder.name}.new")
        shutil.rmtree(fresh, ignore_errors=True)
        tiebreak.write_study(study, fresh)
        fresh.rename(folder)  # whole or not at all
    return tiebreak.read_study(folder)
