"""Labelling policies on whole label matrices: who is asked on an item, the item's value, and what it costs.

Labels come as (runs, items, people), the last axis in the order in which people answer; one label is one answer of one
person. Source of the policies: dynamic-human-evaluation (Thorleiksdóttir et al. 2022, 3.1). Ties are ours: with them a
majority is the most frequent outcome and a shared lead is a tie, and three different answers are a tie.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from tiebreak.errors import UsageError, did_you_mean

Codes = NDArray[np.int8]
PolicyName = Literal["fixed", "one", "majority", "max-three"]
POLICY_NAMES: Final[tuple[PolicyName, ...]] = get_args(PolicyName)


@dataclass(frozen=True, slots=True)
class LabellingPolicy:
    """`fixed`: one person labels all items; `one`: another person on each; `majority`: `people` (odd) vote on each;
    `max-three`: two, and a third where they disagree.

    Raises `UsageError` for an unknown name, an even panel, or a number of people that the policy does not have.
    """

    name: PolicyName
    people: int = 1

    def __post_init__(self) -> None:
        if self.name not in POLICY_NAMES:
            raise UsageError(f"no labelling policy {self.name!r}{did_you_mean(self.name, POLICY_NAMES)}")
        allowed = {"fixed": "1", "one": "1", "max-three": "3"}.get(self.name)
        if self.name == "majority" and (self.people < 3 or self.people % 2 == 0):
            raise UsageError(f"a majority needs an odd number of people from 3, not {self.people}")
        if allowed is not None and str(self.people) != allowed:
            raise UsageError(f"the labelling policy {self.name} asks {allowed} on an item at most, not {self.people}")

    @classmethod
    def parse(cls, text: str) -> LabellingPolicy:
        """From `one`, `fixed`, `max-three`, `majority` (of three) or `majority-N`."""
        name, _, people = text.partition("-") if text.startswith("majority") else (text, "", "")
        if people and not people.isdigit():
            raise UsageError(f"{text!r} is no labelling policy; a panel of five is majority-5")
        panel = int(people) if people else {"max-three": 3, "majority": 3}.get(name, 1)
        return cls(name, panel)  # type: ignore[arg-type]  # checked on construction

    def __str__(self) -> str:
        return f"{self.name}-{self.people}" if self.name == "majority" else self.name


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
