"""Labels that do not count for what can be seen of them without looking at what they say.

Exclusions that look at answers would bend what is found out; these do not, so that they may be automatic
(price-of-debiasing, appendix A). Somebody else is asked in their stead.
"""

from __future__ import annotations

from tiebreak.campaign.events import Answered, OutputRated
from tiebreak.campaign.protocol import Protocol


def why_set_aside(protocol: Protocol, event: Answered) -> str | None:
    """Why a label does not count, in words; None where it does."""
    people = protocol.people
    if people.least_seconds is not None and event.seconds is not None and event.seconds < people.least_seconds:
        return f"took less than {people.least_seconds:g} seconds"
    if not isinstance(event, OutputRated):
        return None
    if people.least_edit is not None and event.edit_size is not None and event.edit_size < people.least_edit:
        return f"changed fewer than {people.least_edit:,} characters"
    unmarked = any(span.support != "neither" and span.start is None for span in event.spans)
    return "marked no span in a passage" if people.spans and unmarked else None
