"""Trainings with drawn settings, on so few pairs that many of them learn these by heart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import torch
from benchmarks.papers.testbed.networks import NETWORKS, Network
from benchmarks.papers.testbed.training import Numbers, Training, seed_of
from benchmarks.papers.testbed.vocabulary import PADDING

RATES = (0.003, 0.02)
WIDTHS = (32, 48, 64)
DROPOUTS = (0.0, 0.1, 0.2, 0.3)
BATCHES = (16, 32)

_WARM_UP = 20  # steps
_LARGEST_GRADIENT = 1.0


@dataclass(frozen=True, slots=True)
class Taken:
    """A checkpoint: its network as it is until the next one is asked for."""

    step: int
    network: Network


def draw(network: str, like: Training, generator: np.random.Generator) -> Training:
    """Settings of one training: a rate between the two above on a logarithmic scale; a width, a dropout and a batch
    from the values above; and a seed. The rest is as in `like`.
    """
    return replace(
        like,
        network=network,
        rate=float(f"{np.exp(generator.uniform(*np.log(RATES))):.2g}"),
        width=int(generator.choice(WIDTHS)),
        dropout=float(generator.choice(DROPOUTS)),
        batch=int(generator.choice(BATCHES)),
        seed=int(generator.integers(2**31)),
    )


def trained(training: Training, train: Numbers, vocabulary: int) -> Iterator[Taken]:
    """The checkpoints of a training. After a warm-up the rate stays, and no weight decays: a rate that falls to nothing
    at the end knows when that is, and would leave little for early stopping to find.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(training.seed)
        network = NETWORKS[training.network](vocabulary, training.width, training.dropout)
    optimizer = torch.optim.Adam(network.parameters(), lr=training.rate, betas=(0.9, 0.98))
    taken = {training.step_of(number) for number in range(1, training.checkpoints + 1)}
    for step, (source, target) in enumerate(train.batches(training), start=1):
        network.train()
        for group in optimizer.param_groups:
            group["lr"] = training.rate * min(step / _WARM_UP, 1.0)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed_of(training.seed, step))
            loss = network.loss(source, target) / int((target != PADDING).sum())
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), _LARGEST_GRADIENT)
        optimizer.step()
        if step in taken:
            yield Taken(step, network)
