"""Several people rate each output, and the mean of their ratings is its value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from tiebreak.campaign.labelling.policy import LabellingPolicy


class Mean(LabellingPolicy):
    """For ratings only: a mean of preferences is no outcome. With one person per output it is as `one`."""

    name: ClassVar[str] = "mean"
    title: ClassVar[str] = "mean of several people per output"
    takes_number: ClassVar[bool] = True
    rates: ClassVar[bool] = True

    def labels_wanted(self, answers: Sequence[object], per_item: int) -> int:  # noqa: ARG002
        """The protocol's number."""
        return per_item

    def most_labels(self, per_item: int) -> int:
        """The protocol's number."""
        return per_item
