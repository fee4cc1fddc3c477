"""At most three workers: a third decides where two disagree (Thorleiksdóttir et al. 2022, "Max Three Workers")."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from tiebreak.campaign.labelling.policy import OutcomePolicy, most_frequent
from tiebreak.records import LabelRule


class MaxThree(OutcomePolicy):
    """Two people; if they disagree, a third. Three different answers (a, tie, b) are a tie."""

    name: ClassVar[str] = "max-three"
    title: ClassVar[str] = "two people per item, a third where they disagree"
    several: ClassVar[LabelRule] = "majority"

    def labels_wanted(self, answers: Sequence[object], per_item: int) -> int:  # noqa: ARG002
        """Two, or three once two have disagreed."""
        return 3 if len(answers) >= 2 and answers[0] != answers[1] else 2

    def value(self, answers: Sequence[int]) -> int:
        """What two agree on, or a tie."""
        return most_frequent(answers)

    def most_labels(self, per_item: int) -> int:  # noqa: ARG002
        """Three."""
        return 3
