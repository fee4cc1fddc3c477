"""N-worker majority: an odd number of people label each item (Thorleiksdóttir et al. 2022, "N Workers")."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from tiebreak.campaign.labelling.policy import OutcomePolicy, most_frequent
from tiebreak.records import LabelRule


class Majority(OutcomePolicy):
    """The most frequent outcome; a shared lead is a tie.

    It asks on what share of items a majority prefers a, which depends on the number of people and can differ in sign
    from the mean preference.
    """

    name: ClassVar[str] = "majority"
    title: ClassVar[str] = "majority of several people per item"
    several: ClassVar[LabelRule] = "majority"
    takes_number: ClassVar[bool] = True

    def labels_wanted(self, answers: Sequence[object], per_item: int) -> int:  # noqa: ARG002
        """The protocol's number, even when fewer would settle the majority: all are charged in the paper too."""
        return per_item

    def value(self, answers: Sequence[int]) -> int:
        """The most frequent outcome."""
        return most_frequent(answers)

    def most_labels(self, per_item: int) -> int:
        """The protocol's number."""
        return per_item
