"""The events of a campaign without what they tell about people: for an export that others will see."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tiebreak.campaign.events import (
    Abandoned,
    AnnotatorExcluded,
    Answered,
    Asked,
    CampaignStopped,
    Event,
    LogRepaired,
    Withdrawn,
)


def new_names(events: Sequence[Event]) -> dict[str, str]:
    """From each person's name to person-1, person-2, ... in the order in which they first occur.

    A later export of the same campaign gives everybody the same name again.
    """
    found: dict[str, str] = {}
    for event in events:
        if isinstance(event, Asked | Answered | AnnotatorExcluded):
            found.setdefault(event.annotator, f"person-{len(found) + 1}")
    return found


def renamed(events: Sequence[Event], names: dict[str, str]) -> list[Event]:
    """The same events, done by people of these names; who is not named keeps theirs."""
    return [
        replace(event, annotator=names.get(event.annotator, event.annotator))
        if isinstance(event, Asked | Answered | AnnotatorExcluded)
        else event
        for event in events
    ]


def without_remarks(events: Sequence[Event]) -> list[Event]:
    """The same events without what people wrote: comments, and why somebody stopped, excluded, withdrew or gave up."""
    return [_without_remarks(event) for event in events]


def _without_remarks(event: Event) -> Event:
    if isinstance(event, Answered):
        return replace(event, comment=None)
    if isinstance(event, AnnotatorExcluded | CampaignStopped | Abandoned | Withdrawn | LogRepaired):
        return replace(event, reason="")
    return event
