"""What every labelling policy says."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from tiebreak.records import LabelRule


class LabellingPolicy(ABC):
    """How many people label an item; `per_item` is the protocol's number of them.

    `takes_number`: the policy uses that number. `same_annotator`: one person labels all items of a pair. `rates`: it is
    for ratings, whose mean is the value of an item.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    takes_number: ClassVar[bool] = False
    same_annotator: ClassVar[bool] = False
    rates: ClassVar[bool] = False

    def in_words(self, per_item: int) -> str:
        """Its title with the number of people, where it takes one: "majority of 3 people per item"."""
        return self.title.replace("several", str(per_item)) if self.takes_number else self.title

    @abstractmethod
    def labels_wanted(self, answers: Sequence[object], per_item: int) -> int:
        """Labels that the item should have in all, as far as these answers tell; the item is complete when it has
        them.
        """

    @abstractmethod
    def most_labels(self, per_item: int) -> int:
        """The most labels that an item can take."""


class OutcomePolicy(LabellingPolicy):
    """Also how outcomes (codes `records.A`, `TIE`, `B`) of several people become one. `several`: the label rule that
    makes the same value of them, for whoever looks at the labels as a table.
    """

    several: ClassVar[LabelRule] = "mean"

    @abstractmethod
    def value(self, answers: Sequence[int]) -> int:
        """The outcome of a complete item."""


def most_frequent(answers: Sequence[int]) -> int:
    """The outcome with the most votes; a shared lead is a tie (0). No answers: a tie."""
    counts = {code: sum(answer == code for answer in answers) for code in (-1, 0, 1)}
    largest = max(counts.values())
    leaders = [code for code, count in counts.items() if count == largest]
    return leaders[0] if len(leaders) == 1 else 0
