"""Events survive being stored, and nothing else is taken for one."""

from __future__ import annotations

import re
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
    ItemWithdrawn,
    LabelGiven,
    Preferred,
    TaskAssigned,
    TaskReturned,
    event_from_json,
    event_to_json,
)
from tiebreak.campaign.events import LinkIssued, PriceChanged, event_time
from tiebreak.campaign.openings import task_id, task_number

# ---- events --------------------------------------------------------------------------------------------------------

NOW = "2026-05-01T09:30:00Z"
text = st.text(max_size=8)
systems = st.lists(text, min_size=1, max_size=2).map(tuple)
answers = st.builds(Preferred, st.sampled_from(["a", "tie", "b"]))
events = st.one_of(
    st.builds(CampaignOpened, text, text, text),
    st.builds(TaskAssigned, text, text, text, systems, text, systems, st.booleans()),
    st.builds(LabelGiven, text, text, text, answers, st.none() | st.floats(0, 1e6), st.none() | text),
    st.builds(TaskReturned, text, text, text),
    st.builds(ItemAbandoned, text, systems, text, text),
    st.builds(ItemWithdrawn, text, text, systems, text, text),
    st.builds(PriceChanged, text, st.floats(0, 1e6)),
    st.builds(AnnotatorExcluded, text, text, text),
    st.builds(CampaignStopped, text, text),
)


@given(events)
@settings(max_examples=100, derandomize=True)
def test_an_event_reads_back_as_itself(event: object) -> None:
    document = event_to_json(event)  # type: ignore[arg-type]
    assert event_from_json(document, Preferred) == event
    assert None not in document.values()


LABEL = {"type": "label-given", "at": NOW, "task": "t", "annotator": "p", "response": {"outcome": "a"}}
BOTH = {"systems": ["a", "b"], "shown": ["a", "b"]}
TASK = {"type": "task-assigned", "at": NOW, "task": "t", "annotator": "p", "item": "i", **BOTH}


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"type": "label"}, "unknown type of event: 'label'; known are campaign-opened, task-assigned"),
        ({"at": NOW}, "unknown type of event: None"),
        ({"type": ["a"], "at": NOW}, "unknown type of event"),
        ({"type": "campaign-stopped", "at": NOW, "why": "x"}, "has no field 'why'; its fields are at, reason"),
        ({"type": "task-returned", "at": NOW}, "task-returned event: key task is missing"),
        ({"type": "price-changed", "at": NOW, "price": "2"}, "key price"),
        ({"type": "campaign-stopped", "at": 3}, "campaign-stopped event: key at is 3, but must be text"),
        (
            LABEL | {"response": {"outcome": "c"}},
            'response of a label-given event: key outcome is "c", but must be one',
        ),
        (LABEL | {"response": {"outcome": ["a"]}}, "key outcome is a list, but must be one of a, tie, b"),
        (LABEL | {"seconds": True}, "key seconds is true, but must be a number"),
        (LABEL | {"seconds": "9"}, 'key seconds is "9", but must be a number'),
        (TASK | {"gold": 1}, "key gold is 1, but must be true or false"),
    ],
)
def test_anything_else_is_refused(document: dict[str, object], message: str) -> None:
    with pytest.raises(EventError, match=message):
        event_from_json(document, Preferred)


def test_the_names_in_stored_logs_stay() -> None:
    """They are those of the classes: whoever renames one could not read the logs that exist."""
    stored = (
        "campaign-opened task-assigned label-given answer-held answer-undone task-returned item-abandoned "
        "item-withdrawn annotator-excluded campaign-paused campaign-resumed instructions-changed price-changed "
        "link-issued link-revoked annotator-joined annotator-left crowd-study tutorial-answered campaign-stopped "
        "owner-told"
    )
    with pytest.raises(EventError) as refused:
        event_from_json({"type": "label"}, Preferred)
    assert str(refused.value).partition("known are ")[2].split(", ") == stored.split()


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


# ---- task ids ------------------------------------------------------------------------------------------------------
# Task ids: nothing to read from them, nothing that a spreadsheet program would change.

MINE, OTHER = "a" * 64, "b" * 64


@given(st.integers(0, 40**6))
def test_a_number_comes_back_however_it_is_typed(number: int) -> None:
    written = task_id(number, MINE)
    assert task_number(written, MINE) == task_number(f"  {written.upper()} ", MINE) == number


def test_ids_are_short_and_no_dates_or_numbers() -> None:
    # Spreadsheet programs make dates of texts such as 0012-2031, and numbers of 12e5; none begins with a t.
    found = [task_id(number, MINE) for number in range(5000)]
    assert len(set(found)) == 5000
    assert all(re.fullmatch(r"t[0-9a-z]{4}-[0-9a-z]{4}", written) for written in found)


def test_an_id_of_another_campaign_or_with_a_changed_digit_is_unknown() -> None:
    for number in range(2000):  # 20 bits of check: one of a million ids passes by chance, and none of these does
        written = task_id(number, MINE)
        assert task_number(written, OTHER) is None
        changed = written[:4] + ("0" if written[4] != "0" else "1") + written[5:]
        assert task_number(changed, MINE) is None


@pytest.mark.parametrize(
    "text", ["", "t", "-", "t-", "t0000", "0000-0000", "t0000-", "1.5", "t00000-0000", "tü000-0000"]
)
def test_other_texts_are_no_ids(text: str) -> None:
    assert task_number(text, MINE) is None
