"""The campaign protocol, pure: who labels what next, what a label changes, and when to stop. No files, no clock.

    state = init(protocol, study)
    for task in next_tasks(state, "ann", 5, now):
        state = step(state, task)
    state = step(state, LabelGiven(now, task.task, "ann", Preferred("a")))
    verdicts(state)

The web app, label sheets, the simulator and a replay of old labels all feed the same `step`.
"""

from __future__ import annotations

from tiebreak.campaign.events import (
    AnnotatorExcluded,
    CampaignOpened,
    CampaignStopped,
    Event,
    EventError,
    ItemAbandoned,
    ItemWithdrawn,
    LabelGiven,
    TaskAssigned,
    TaskReturned,
    event_from_json,
    event_to_json,
)
from tiebreak.campaign.kinds import Judged, Preferred, Ranked, Rated, RatedWithEdit, Span
from tiebreak.campaign.make_plan import make_plan
from tiebreak.campaign.openings import sheet_size
from tiebreak.campaign.plan import CampaignPlan
from tiebreak.campaign.protocol import Protocol, protocol_from_toml, protocol_to_toml
from tiebreak.campaign.protocol_parts import ProtocolError
from tiebreak.campaign.state import State, init, init_again, init_from_plan
from tiebreak.campaign.step import replay, step
from tiebreak.campaign.tasks import assign_tasks, expired_tasks, next_tasks
from tiebreak.campaign.verdicts import verdicts

__all__ = [
    "AnnotatorExcluded",
    "CampaignOpened",
    "CampaignPlan",
    "CampaignStopped",
    "Event",
    "EventError",
    "ItemAbandoned",
    "ItemWithdrawn",
    "Judged",
    "LabelGiven",
    "Preferred",
    "Protocol",
    "ProtocolError",
    "Ranked",
    "Rated",
    "RatedWithEdit",
    "Span",
    "State",
    "TaskAssigned",
    "TaskReturned",
    "assign_tasks",
    "event_from_json",
    "event_to_json",
    "expired_tasks",
    "init",
    "init_again",
    "init_from_plan",
    "make_plan",
    "next_tasks",
    "protocol_from_toml",
    "protocol_to_toml",
    "replay",
    "sheet_size",
    "step",
    "verdicts",
]
