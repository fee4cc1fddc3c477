"""What a network writes."""

from __future__ import annotations

import torch
from benchmarks.papers.testbed.networks import Network
from benchmarks.papers.testbed.vocabulary import BEGIN, END, PADDING
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
