"""Events survive being stored, and nothing else is taken for one."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tiebreak.campaign import (
    AnnotatorExcluded,
    CampaignOpened,
    CampaignStopped,
    EventError,
    ItemAbandoned,
    LabelGiven,
    Preferred,
    TaskAssigned,
    TaskReturned,
    event_from_json,
    event_to_json,
)
from tiebreak.campaign.events import LinkIssued, event_time

NOW = "2026-05-01T09:30:00Z"
text = st.text(max_size=8)
systems = st.lists(text, min_size=1, max_size=2).map(tuple)
events = st.one_of(
    st.builds(CampaignOpened, text, text, text),
    st.builds(TaskAssigned, text, text, text, systems, text, systems, st.booleans()),
    st.builds(
        LabelGiven,
        text,
        text,
        text,
        st.builds(Preferred, st.sampled_from(["a", "tie", "b"])),
        st.none() | st.floats(0, 1e6),
        st.none() | text,
    ),
    st.builds(TaskReturned, text, text, text),
    st.builds(ItemAbandoned, text, systems, text, text),
    st.builds(AnnotatorExcluded, text, text, text),
    st.builds(CampaignStopped, text, text),
)


@given(events)
@settings(max_examples=100, derandomize=True)
def test_an_event_reads_back_as_itself(event: object) -> None:
    document = event_to_json(event)  # type: ignore[arg-type]
    assert event_from_json(document, Preferred) == event
    assert None not in document.values()


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"type": "label"}, "unknown type of event: 'label'; known are campaign-opened, task-assigned"),
        ({"at": NOW}, "unknown type of event: None"),
        ({"type": ["a"], "at": NOW}, "unknown type of event"),
        ({"type": "campaign-stopped", "at": NOW, "why": "x"}, "has no field 'why'; its fields are at, reason"),
        ({"type": "task-returned", "at": NOW}, "task-returned event: key task is missing"),
        ({"type": "campaign-stopped", "at": 3}, "campaign-stopped event: key at is 3, but must be text"),
        (
            {"type": "label-given", "at": NOW, "task": "t", "annotator": "p", "response": {"outcome": "c"}},
            'response of a label-given event: key outcome is "c", but must be one of a, tie, b',
        ),
        (
            {"type": "label-given", "at": NOW, "task": "t", "annotator": "p", "response": {"outcome": ["a"]}},
            "key outcome is a list, but must be one of a, tie, b",
        ),
        (
            {
                "type": "label-given",
                "at": NOW,
                "task": "t",
                "annotator": "p",
                "response": {"outcome": "a"},
                "seconds": True,
            },
            "key seconds is true, but must be a number",
        ),
        (
            {
                "type": "label-given",
                "at": NOW,
                "task": "t",
                "annotator": "p",
                "response": {"outcome": "a"},
                "seconds": "9",
            },
            'key seconds is "9", but must be a number',
        ),
        (
            {
                "type": "task-assigned",
                "at": NOW,
                "task": "t",
                "annotator": "p",
                "systems": ["a", "b"],
                "item": "i",
                "shown": ["a", "b"],
                "gold": 1,
            },
            "key gold is 1, but must be true or false",
        ),
    ],
)
def test_anything_else_is_refused(document: dict[str, object], message: str) -> None:
    with pytest.raises(EventError, match=message):
        event_from_json(document, Preferred)


def test_a_link_of_an_older_log_is_for_annotators() -> None:
    document = {"type": "link-issued", "at": NOW, "link": "f" * 64, "annotator": "ann", "most": 1}
    assert event_from_json(document, Preferred) == LinkIssued(NOW, "f" * 64, "ann", role="annotator")
    with pytest.raises(EventError, match="key role"):
        event_from_json(document | {"role": "admin"}, Preferred)


def test_times_may_have_an_offset_or_none() -> None:
    assert event_time("2026-05-01T09:30:00Z") == datetime(2026, 5, 1, 9, 30, tzinfo=UTC)
    assert event_time("2026-05-01T09:30:00") == event_time("2026-05-01T09:30:00Z")
    assert event_time("2026-05-01T11:30:00+02:00").astimezone(timezone(timedelta(0))).hour == 9


@pytest.mark.parametrize("at", ["", "yesterday", "09:30", "2026-13-01"])
def test_what_is_no_time(at: str) -> None:
    with pytest.raises(EventError, match="is not a time such as 2026-05-01T09:30:00Z"):
        event_time(at)
