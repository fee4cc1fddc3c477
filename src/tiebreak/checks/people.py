"""People who are left out of means and leaderboards: who they are, and how many labels they gave."""

from __future__ import annotations

from collections.abc import Sequence

from tiebreak.data.study import Study
from tiebreak.evidence.human_labels import labels_of_people
from tiebreak.messages import people as messages
from tiebreak.records import Notice


def people_left_out(study: Study, chosen: Study, criteria: Sequence[str | None]) -> tuple[Notice, ...]:
    """That the `chosen` part of a study lacks people who labelled these criteria; none where nobody is left out."""
    everybody, left = (labels_of_people(some, criteria) for some in (study, chosen))
    names = sorted(everybody.keys() - left.keys())
    return (messages.left_out(names, everybody),) if names else ()
