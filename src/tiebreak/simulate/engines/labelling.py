"""Labelling policies on whole label matrices: who is asked on an item, the item's value, and what it costs.

Labels come as (runs, items, people), the last axis in the order in which people answer; one label is one answer of one
person. Source of the policies: dynamic-human-evaluation (Thorleiksdóttir et al. 2022, 3.1). Ties are ours: with them a
majority is the most frequent outcome and a shared lead is a tie, and three different answers are a tie.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tiebreak.errors import UsageError
from tiebreak.simulate.engines.policies import LabellingPolicy

Codes = NDArray[np.int8]


@dataclass(frozen=True, slots=True)
class ItemValues:
    """`values` (runs, items): 1, 0 or -1; `cost` (runs, items) or (1, 1): labels that each item took."""

    values: Codes
    cost: NDArray[np.uint8]

    def labels_up_to(self, items: NDArray[np.int64]) -> NDArray[np.int64]:
        """Labels of the first `items` (runs,) items of each run."""
        if self.cost.shape == (1, 1):
            return items * int(self.cost[0, 0])
        paid = np.cumsum(self.cost, axis=1, dtype=np.int64)
        last = np.take_along_axis(paid, np.maximum(items - 1, 0)[:, None], axis=1)[:, 0]
        return np.where(items > 0, last, 0)


def item_values(labels: Codes, policy: LabellingPolicy) -> ItemValues:
    """The value and cost of every item, from the first `policy.people` answers on it.

    Raises `UsageError` for labels with fewer people.
    """
    if labels.ndim != 3 or labels.shape[2] < policy.people:
        raise UsageError(f"{policy} needs labels of {policy.people} people on an item, not an array {labels.shape}")
    return _POLICIES[policy.name](labels[:, :, : policy.people])


def _first_answer(labels: Codes) -> ItemValues:
    return ItemValues(labels[:, :, 0], np.ones((1, 1), dtype=np.uint8))


def _majority(labels: Codes) -> ItemValues:
    cost = np.full((1, 1), labels.shape[2], dtype=np.uint8)
    untied = labels.all(axis=2)
    if untied.all():
        return ItemValues(np.sign(labels.sum(axis=2, dtype=np.int16)).astype(np.int8), cost)
    for_a, for_b = (labels > 0).sum(axis=2), (labels < 0).sum(axis=2)
    ties = labels.shape[2] - for_a - for_b
    a_leads = for_a > np.maximum(for_b, ties)
    b_leads = for_b > np.maximum(for_a, ties)
    return ItemValues(a_leads.astype(np.int8) - b_leads.astype(np.int8), cost)


def _max_three(labels: Codes) -> ItemValues:
    first, second, third = (labels[:, :, place] for place in range(3))
    agree = first == second
    decided = (third == first) | (third == second)
    values = np.where(agree, first, np.where(decided, third, np.int8(0)))
    return ItemValues(values, np.where(agree, np.uint8(2), np.uint8(3)))


_POLICIES: Final[dict[str, Callable[[Codes], ItemValues]]] = {
    "fixed": _first_answer,
    "one": _first_answer,
    "majority": _majority,
    "max-three": _max_three,
}
