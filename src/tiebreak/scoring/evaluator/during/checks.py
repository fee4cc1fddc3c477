"""Comparisons of a checkpoint with earlier ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from tiebreak.errors import UsageError
from tiebreak.scoring.evaluator.during.rules import Check

Outputs = Mapping[str, str | Sequence[str]]
"""By item: what a checkpoint wrote, one text or several samples."""

Compare = Callable[[Sequence[str], Sequence[str], Sequence[str]], NDArray[np.int8]]
"""Of items (n,), texts (n,) and others (n,): 1 where the first is better, -1 where the second is, 0 for a tie."""


def check_against(
    latest: Outputs, previous: Sequence[Outputs], comparisons: int, compare: Compare, generator: np.random.Generator
) -> Check:
    """`comparisons` in all, equally many with each of the previous checkpoints; items, and samples of them, are drawn,
    each item once before any comes again.

    Raises:
        UsageError: no item has outputs of both.
    """
    items: list[str] = []
    texts: list[str] = []
    others: list[str] = []
    for number, earlier in enumerate(previous):
        common = sorted(latest.keys() & earlier.keys())
        if not common:
            raise UsageError("two checkpoints have no item in common: let each write outputs for the same items")
        wanted = comparisons // len(previous) + (number < comparisons % len(previous))
        rounds = [generator.permutation(len(common)) for _ in range(-(-wanted // len(common)))]
        for place in np.concatenate(rounds)[:wanted] if rounds else ():
            item = common[int(place)]
            items.append(item)
            texts.append(_one_of(latest[item], generator))
            others.append(_one_of(earlier[item], generator))
    outcomes = compare(items, texts, others) if items else np.empty(0, dtype=np.int8)
    return Check(int((outcomes > 0).sum()), int((outcomes == 0).sum()), int((outcomes < 0).sum()))


def common_items(latest: Outputs, previous: Sequence[Outputs]) -> int:
    """How many items the latest checkpoint has in common with the one with which it has the fewest."""
    return min(len(latest.keys() & earlier.keys()) for earlier in previous)


def _one_of(said: str | Sequence[str], generator: np.random.Generator) -> str:
    samples = (said,) if isinstance(said, str) else said
    return samples[int(generator.integers(len(samples)))]
