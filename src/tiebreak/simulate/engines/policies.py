"""Labelling policies by name, without the arrays that `labelling` computes with.

Labelling policies on whole label matrices: who is asked on an item, the item's value, and what it costs.

Labels come as (runs, items, people), the last axis in the order in which people answer; one label is one answer of one
person. Source of the policies: dynamic-human-evaluation (Thorleiksdóttir et al. 2022, 3.1). Ties are ours: with them a
majority is the most frequent outcome and a shared lead is a tie, and three different answers are a tie.

Which pair gets the next label where undecided pairs take turns, a batch each, and nobody works side by side.

The order is that of the pair policy `batches` with one task out at a time. It does not depend on what is decided: a
decided pair leaves its turns empty. So the place of an item in the campaign is known beforehand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiebreak.errors import UsageError, did_you_mean

PolicyName = Literal["fixed", "one", "majority", "max-three"]
POLICY_NAMES: Final[tuple[PolicyName, ...]] = get_args(PolicyName)


@dataclass(frozen=True, slots=True)
class SimulatedLabelling:
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
    def parse(cls, text: str) -> SimulatedLabelling:
        """From `one`, `fixed`, `max-three`, `majority` (of three) or `majority-N`."""
        name, _, people = text.partition("-") if text.startswith("majority") else (text, "", "")
        if people and not people.isdigit():
            raise UsageError(f"{text!r} is no labelling policy; a panel of five is majority-5")
        panel = int(people) if people else {"max-three": 3, "majority": 3}.get(name, 1)
        return cls(name, panel)  # type: ignore[arg-type]  # checked on construction

    def __str__(self) -> str:
        return f"{self.name}-{self.people}" if self.name == "majority" else self.name


Codes = NDArray[np.int8]


@dataclass(frozen=True, slots=True)
class PolicyValues:
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


def item_values(labels: Codes, policy: SimulatedLabelling) -> PolicyValues:
    """The value and cost of every item, from the first `policy.people` answers on it.

    Raises `UsageError` for labels with fewer people.
    """
    if labels.ndim != 3 or labels.shape[2] < policy.people:
        raise UsageError(f"{policy} needs labels of {policy.people} people on an item, not an array {labels.shape}")
    return _POLICIES[policy.name](labels[:, :, : policy.people])


def _first_answer(labels: Codes) -> PolicyValues:
    return PolicyValues(labels[:, :, 0], np.ones((1, 1), dtype=np.uint8))


def _majority(labels: Codes) -> PolicyValues:
    cost = np.full((1, 1), labels.shape[2], dtype=np.uint8)
    untied = labels.all(axis=2)
    if untied.all():
        return PolicyValues(np.sign(labels.sum(axis=2, dtype=np.int16)).astype(np.int8), cost)
    for_a, for_b = (labels > 0).sum(axis=2), (labels < 0).sum(axis=2)
    ties = labels.shape[2] - for_a - for_b
    a_leads = for_a > np.maximum(for_b, ties)
    b_leads = for_b > np.maximum(for_a, ties)
    return PolicyValues(a_leads.astype(np.int8) - b_leads.astype(np.int8), cost)


def _max_three(labels: Codes) -> PolicyValues:
    first, second, third = (labels[:, :, place] for place in range(3))
    agree = first == second
    decided = (third == first) | (third == second)
    values = np.where(agree, first, np.where(decided, third, np.int8(0)))
    return PolicyValues(values, np.where(agree, np.uint8(2), np.uint8(3)))


_POLICIES: Final[dict[str, Callable[[Codes], PolicyValues]]] = {
    "fixed": _first_answer,
    "one": _first_answer,
    "majority": _majority,
    "max-three": _max_three,
}


Counts = NDArray[np.int64]


_FIRST_ITEMS = 48  # of each pair, looked at together at first; then twice as many


@dataclass(frozen=True, slots=True)
class Turns:
    """Turns 0, 1, ...; in each the pairs come in their order. `most`: items of a pair. `several`: labels per item.

    A turn ends when the last item of its batch is begun. With several labels an item the rest of that item's labels
    comes in the pair's next turn, before anything else.
    """

    batch: int
    most: int
    several: bool

    @property
    def count(self) -> int:
        """Turns until all items of all pairs are done."""
        return (self.most - (not self.several)) // self.batch + 1

    def done_after(self, turn: ArrayLike) -> Counts:
        """Items of a pair that are done when its turn is over; 0 after turn -1, before the first."""
        ends = (np.asarray(turn, dtype=np.int64) + 1) * self.batch - self.several
        return np.asarray(np.minimum(np.maximum(ends, 0), self.most))

    def begun_after(self, turn: ArrayLike) -> Counts:
        """Labels (0 or 1) on an item that is begun, not done, when its pair's turn is over."""
        begun = (np.asarray(turn, dtype=np.int64) + 1) * self.batch
        return np.asarray(self.several & (begun > 0) & (begun <= self.most)).astype(np.int64)

    def stretches(self) -> Iterator[tuple[int, int]]:
        """Turns (first, one beyond the last) to be looked at together, each stretch about as long as all before."""
        first, items = 0, _FIRST_ITEMS
        while first < self.count:
            last = min(self.count, max(first + 1, -(-(items + self.several) // self.batch)))
            yield first, last
            first, items = last, 2 * items
