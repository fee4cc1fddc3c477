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


def check_outputs(name: str, outputs: Outputs) -> None:
    """Raise UsageError for an item without a text, or with something that is none."""
    if not isinstance(outputs, Mapping):
        raise UsageError(f"{name} has {type(outputs).__name__}: outputs are a dictionary, by item a text or several")
    for item, said in outputs.items():
        samples = (said,) if isinstance(said, str) else said
        if not isinstance(samples, Sequence) or not samples or not all(isinstance(text, str) for text in samples):
            raise UsageError(
                f"{name} has {said!r} for the item {item}: a checkpoint writes a text or a list of texts, and an empty "
                "one is a text, too"
            )


def check_against(
    latest: Outputs, previous: Sequence[Outputs], comparisons: int, compare: Compare, generator: np.random.Generator
) -> Check:
    """`comparisons` in all, equally many with each of the previous checkpoints; items, and samples of them, are drawn,
    each item once before any comes again.

    Raises:
        UsageError: no item has outputs of both.
    """
    asked: list[tuple[str, Outputs]] = []
    for number, earlier in enumerate(previous):
        common = common_items(latest, earlier)
        wanted = comparisons // len(previous) + (number < comparisons % len(previous))
        asked += [(item, earlier) for item in drawn(common, wanted, generator)]
    return Check.of(outcomes_on(latest, asked, compare, generator))


def outcomes_on(
    latest: Outputs, asked: Sequence[tuple[str, Outputs]], compare: Compare, generator: np.random.Generator
) -> NDArray[np.int8]:
    """Of one comparison (n,) for each item and earlier checkpoint; of several samples of either one is drawn."""
    items = [item for item, _ in asked]
    texts = [_one_of(latest[item], generator) for item in items]
    others = [_one_of(earlier[item], generator) for item, earlier in asked]
    return compare(items, texts, others) if items else np.empty(0, dtype=np.int8)


def drawn(items: Sequence[str], wanted: int, generator: np.random.Generator) -> list[str]:
    """So many of the items at random, each once before any comes again."""
    rounds = [generator.permutation(len(items)) for _ in range(-(-wanted // max(len(items), 1)))]
    return [items[int(place)] for place in np.concatenate(rounds)[:wanted]] if rounds else []


def common_items(latest: Outputs, earlier: Outputs) -> list[str]:
    """The items for which both wrote, sorted.

    Raises:
        UsageError: there is none.
    """
    common = sorted(latest.keys() & earlier.keys())
    if not common:
        raise UsageError("two checkpoints have no item in common: let each write outputs for the same items")
    return common


def _one_of(said: str | Sequence[str], generator: np.random.Generator) -> str:
    samples = (said,) if isinstance(said, str) else said
    return samples[int(generator.integers(len(samples)))]
