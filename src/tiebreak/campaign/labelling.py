"""Labelling policies: how many people label an item, and how their answers become its value.

A new policy is a class here and an entry in `LABELLING_POLICIES`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from tiebreak.records import LabelRule


class LabellingPolicy:
    """How many people label an item: one, or the protocol's number of them (`per_item`) where it `takes_number`.

    `same_annotator`: one person labels all items of a pair. `rates`: it is for ratings, whose mean is the value of an
    item.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    takes_number: ClassVar[bool] = False
    same_annotator: ClassVar[bool] = False
    rates: ClassVar[bool] = False

    def in_words(self, per_item: int) -> str:
        """Its title with the number of people, where it takes one: "majority of 3 people per item"."""
        return self.title.replace("several", str(per_item)) if self.takes_number else self.title

    def labels_wanted(self, answers: Sequence[object], per_item: int) -> int:  # noqa: ARG002
        """Labels that the item should have in all, as far as these answers tell; the item is complete when it has
        them.
        """
        return per_item if self.takes_number else 1

    def most_labels(self, per_item: int) -> int:
        """The most labels that an item can take."""
        return self.labels_wanted((), per_item)


class OutcomePolicy(LabellingPolicy):
    """Also how outcomes (codes `records.A`, `TIE`, `B`) of several people become one. `several`: the label rule that
    makes the same value of them, for whoever looks at the labels as a table.
    """

    several: ClassVar[LabelRule] = "mean"

    def value(self, answers: Sequence[int]) -> int:
        """The outcome of a complete item: that with the most votes; a shared lead is a tie."""
        if len(answers) == 1:
            return answers[0]
        counts = {code: sum(answer == code for answer in answers) for code in (-1, 0, 1)}
        largest = max(counts.values())
        leaders = [code for code, count in counts.items() if count == largest]
        return leaders[0] if len(leaders) == 1 else 0


class Majority(OutcomePolicy):
    """The most frequent outcome; a shared lead is a tie. All people are asked, even when fewer would settle it: all are
    charged in the paper too.

    It asks on what share of items a majority prefers a, which depends on the number of people and can differ in sign
    from the mean preference.
    """

    name: ClassVar[str] = "majority"
    title: ClassVar[str] = "majority of several people per item"
    several: ClassVar[LabelRule] = "majority"
    takes_number: ClassVar[bool] = True


class MaxThree(OutcomePolicy):
    """Two people; if they disagree, a third. Three different answers (a, tie, b) are a tie."""

    name: ClassVar[str] = "max-three"
    title: ClassVar[str] = "two people per item, a third where they disagree"
    several: ClassVar[LabelRule] = "majority"

    def labels_wanted(self, answers: Sequence[object], per_item: int) -> int:  # noqa: ARG002
        """Two, or three once two have disagreed."""
        return 3 if len(answers) >= 2 and answers[0] != answers[1] else 2

    def most_labels(self, per_item: int) -> int:  # noqa: ARG002
        """Three."""
        return 3


class MeanLabels(LabellingPolicy):
    """For ratings only: a mean of preferences is no outcome. With one person per output it is as `one`."""

    name: ClassVar[str] = "mean"
    title: ClassVar[str] = "mean of several people per output"
    takes_number: ClassVar[bool] = True
    rates: ClassVar[bool] = True


class OneWorker(OutcomePolicy):
    """The cheapest policy: more items beat more people per item in nearly every setting."""

    name: ClassVar[str] = "one"
    title: ClassVar[str] = "one person per item"


class FixedWorker(OneWorker):
    """As one worker, but the first annotator of a pair keeps it. The verdict is about this person's taste.

    Somebody who is excluded is followed by the next who asks.
    """

    name: ClassVar[str] = "fixed"
    title: ClassVar[str] = "one person for all items of a pair"
    same_annotator: ClassVar[bool] = True


OUTCOME_POLICIES: Final[dict[str, OutcomePolicy]] = {
    policy.name: policy for policy in (OneWorker(), FixedWorker(), Majority(), MaxThree())
}
"""For preferences."""
LABELLING_POLICIES: Final[dict[str, LabellingPolicy]] = {**OUTCOME_POLICIES, MeanLabels.name: MeanLabels()}
