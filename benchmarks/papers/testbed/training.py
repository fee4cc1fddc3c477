"""One training of a network, what its checkpoints write, and trainings with drawn settings on so few pairs that many of
them learn these by heart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from benchmarks.papers.testbed.networks import NETWORKS, Network
from benchmarks.papers.testbed.texts import BEGIN, END, PADDING, Split, TextPair, Vocabulary
from torch.nn import functional

_ROWS_AT_ONCE = 256


@torch.inference_mode()
def write(network: Network, source: torch.Tensor, most: int, temperature: float, seed: int) -> list[list[int]]:
    """A text of at most so many tokens for each source (n, S), drawn from the network's probabilities.

    `temperature`: 1 draws from them as they are, less from sharper ones; 0 takes the most probable token each time.
    """
    network.eval()
    generator = torch.Generator().manual_seed(seed)
    rows: list[list[int]] = []
    for part in source.split(_ROWS_AT_ONCE):
        rows += _written(network, part, most, temperature, generator).tolist()
    return rows


def _written(
    network: Network, source: torch.Tensor, most: int, temperature: float, generator: torch.Generator
) -> torch.Tensor:
    memory = network.encode(source)
    written = torch.full((source.shape[0], 1), BEGIN)
    ended = torch.zeros(source.shape[0], dtype=torch.bool)
    for _ in range(most):
        logits = network.logits(network.decode(memory, source, written)[:, -1])
        logits[:, [PADDING, BEGIN]] = float("-inf")
        if temperature == 0:
            chosen = logits.argmax(1)
        else:
            shares = functional.softmax(logits / temperature, dim=1)
            chosen = torch.multinomial(shares, 1, generator=generator).squeeze(1)
        chosen = torch.where(ended, END, chosen)
        written = torch.cat([written, chosen[:, None]], 1)
        ended |= chosen == END
        if ended.all():
            break
    return written[:, 1:]


_WARM_UP = 0.05
_LARGEST_GRADIENT = 1.0
_SORTED_TOGETHER = 20  # batches


@dataclass(frozen=True, slots=True, kw_only=True)
class Training:
    """A training of a network. `rate`: the highest learning rate, reached after 5% of the steps, from which it falls to
    nothing; `checkpoints`: as many, at equal distances, the last at the end; `samples`: texts of each for an item.
    """

    network: str
    seed: int = 1
    width: int = 96
    dropout: float = 0.1
    rate: float = 0.003
    steps: int = 600
    batch: int = 32
    checkpoints: int = 10
    samples: int = 1
    temperature: float = 1.0
    source_tokens: int = 40
    target_tokens: int = 20

    def step_of(self, checkpoint: int) -> int:
        """The step after which a checkpoint, counted from 1, is taken."""
        return round(self.steps * checkpoint / self.checkpoints)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """`texts`: of each item that was written for its samples; `dev_loss`: the mean of -log p of a token."""

    step: int
    dev_loss: float
    texts: tuple[tuple[str, ...], ...]


Report = Callable[[int, float], None]
"""The step, and the loss of a token in it."""


def checkpoints(
    training: Training, split: Split, vocabulary: Vocabulary, report: Report | None = None
) -> Iterator[Checkpoint]:
    """Train, and let each checkpoint write for the pairs of `split.written`; the seed says all that is drawn."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(training.seed)
        network = NETWORKS[training.network](vocabulary.size, training.width, training.dropout)
    optimizer = torch.optim.AdamW(network.parameters(), lr=training.rate, betas=(0.9, 0.98), weight_decay=0.01)
    train = Numbers.of(split.train, vocabulary, training)
    dev = Numbers.of(split.dev, vocabulary, training)
    written = Numbers.of(split.written, vocabulary, training)
    taken = {training.step_of(number) for number in range(1, training.checkpoints + 1)}
    for step, batch in enumerate(train.batches(training), start=1):
        loss = _step(network, optimizer, batch, training, step)
        if report is not None:
            report(step, loss)
        if step in taken:
            yield Checkpoint(step, dev_loss(network, dev), _texts(network, written, vocabulary, training, step))


@dataclass(frozen=True, slots=True, eq=False)
class Numbers:
    """Sources and targets as numbers of tokens, the targets with their <end>."""

    sources: list[list[int]]
    targets: list[list[int]]

    @classmethod
    def of(cls, pairs: Sequence[TextPair], vocabulary: Vocabulary, training: Training) -> Numbers:
        targets = vocabulary.numbers([pair.target for pair in pairs], training.target_tokens)
        return cls(
            vocabulary.numbers([pair.source for pair in pairs], training.source_tokens),
            [[*target, END] for target in targets],
        )

    def at(self, places: Sequence[int]) -> tuple[torch.Tensor, torch.Tensor]:
        return padded([self.sources[place] for place in places]), padded([self.targets[place] for place in places])

    def batches(self, training: Training) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
        """As many as there are steps, each of sources of similar lengths, in an order that the seed draws."""
        generator = np.random.default_rng(training.seed)
        places: list[int] = []
        batches: list[list[int]] = []
        for _ in range(training.steps):
            if not batches:
                while len(places) < _SORTED_TOGETHER * training.batch:
                    places += generator.permutation(len(self.sources)).tolist()
                taken, places = places[: _SORTED_TOGETHER * training.batch], places[_SORTED_TOGETHER * training.batch :]
                taken.sort(key=lambda place: len(self.sources[place]))
                batches = [taken[k : k + training.batch] for k in range(0, len(taken), training.batch)]
                generator.shuffle(batches)
            yield self.at(batches.pop())


def seed_of(*numbers: int) -> int:
    """Of whatever these numbers name: what is dropped out in a step, or drawn for a sample."""
    return int(np.random.SeedSequence(numbers).generate_state(1)[0])


def padded(rows: Sequence[Sequence[int]]) -> torch.Tensor:
    """(n, longest)."""
    longest = max(map(len, rows))
    return torch.tensor([[*row, *[PADDING] * (longest - len(row))] for row in rows])


def rate_at(step: int, steps: int) -> float:
    """The learning rate of a step from 1, as a share of the highest."""
    up = max(round(_WARM_UP * steps), 1)
    return step / up if step <= up else (steps - step + 1) / (steps - up + 1)


@torch.inference_mode()
def dev_loss(network: Network, dev: Numbers) -> float:
    """The mean of -log p of a token."""
    network.eval()
    places = range(len(dev.sources))
    parts = [network.loss(*dev.at(places[k : k + 128])).item() for k in range(0, len(places), 128)]
    return sum(parts) / sum(map(len, dev.targets))


def _step(
    network: Network,
    optimizer: torch.optim.Optimizer,
    batch: tuple[torch.Tensor, torch.Tensor],
    training: Training,
    step: int,
) -> float:
    network.train()
    for group in optimizer.param_groups:
        group["lr"] = training.rate * rate_at(step, training.steps)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed_of(training.seed, step))
        loss = network.loss(*batch) / int((batch[1] != PADDING).sum())
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(network.parameters(), _LARGEST_GRADIENT)
    optimizer.step()
    return loss.item()


def _texts(
    network: Network, written: Numbers, vocabulary: Vocabulary, training: Training, step: int
) -> tuple[tuple[str, ...], ...]:
    source = padded(written.sources)
    samples = [
        write(network, source, training.target_tokens, training.temperature, seed_of(training.seed, step, number))
        for number in range(training.samples)
    ]
    return tuple(tuple(map(vocabulary.text, of_item)) for of_item in zip(*samples, strict=True))


RATES = (0.003, 0.02)
WIDTHS = (32, 48, 64)
DROPOUTS = (0.0, 0.1, 0.2, 0.3)
BATCHES = (16, 32)

_WARM_UP_STEPS = 20


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
            group["lr"] = training.rate * min(step / _WARM_UP_STEPS, 1.0)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed_of(training.seed, step))
            loss = network.loss(source, target) / int((target != PADDING).sum())
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), _LARGEST_GRADIENT)
        optimizer.step()
        if step in taken:
            yield Taken(step, network)
