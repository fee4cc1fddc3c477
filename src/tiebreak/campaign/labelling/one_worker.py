"""One worker: each item is labelled once, by whoever is free (Thorleiksdóttir et al. 2022, "One Worker")."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from tiebreak.campaign.labelling.policy import OutcomePolicy


class OneWorker(OutcomePolicy):
    """The cheapest policy: more items beat more people per item in nearly every setting."""

    name: ClassVar[str] = "one"
    title: ClassVar[str] = "one person per item"

    def labels_wanted(self, answers: Sequence[object], per_item: int) -> int:  # noqa: ARG002
        """Always one."""
        return 1

    def value(self, answers: Sequence[int]) -> int:
        """The answer."""
        return answers[0]

    def most_labels(self, per_item: int) -> int:  # noqa: ARG002
        """One."""
        return 1
