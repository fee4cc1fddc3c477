"""Ratings, and where an output is lacking a better text (price-of-debiasing, section 4: the edit prompt)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from tiebreak.campaign.events import EventError, OutputRated
from tiebreak.campaign.kinds.rating import Rating
from tiebreak.campaign.protocol import Protocol


class RatingWithEdit(Rating):
    """A rating below `ratings.edit_below` on any criterion demands an edit; others may have one.

    Whether an edit changes anything is for those to say who have the texts.
    """

    name: ClassVar[str] = "rating+edit"

    def check_rest(self, protocol: Protocol, event: OutputRated) -> None:
        """An edit where one is due, and no spans."""
        if event.spans:
            raise EventError(f"task {event.task} was answered with spans, which nobody asked for")
        lacking = lacking_on(protocol, event.values)
        edited = (event.edit or "").strip() or event.edit_size is not None  # a text that was erased since
        if lacking and not edited:
            raise EventError(
                f"task {event.task} rates {lacking} below {protocol.ratings.edit_below:g}: it needs an edit"
            )


def lacking_on(protocol: Protocol, values: Mapping[str, float]) -> str:
    """The first criterion on which an output is rated so low that it must be edited; "" for none."""
    below = protocol.ratings.edit_below
    if below is None:
        return ""
    return next((of.name for of in protocol.ratings.criteria if values.get(of.name, below) < below), "")
