"""Every kind of label keeps the same contract: from fields to an answer, an event, rows, evidence, and back."""

from __future__ import annotations

import json

import pytest
from benchmarks.worlds.rating_campaigns import open_ratings, rated_study, rating_protocol
from benchmarks.worlds.small_campaigns import NOW, open_campaign, protocol_of, study_of

from tiebreak.campaign import (
    EventError,
    ItemWithdrawn,
    LabelGiven,
    Protocol,
    RatedWithEdit,
    State,
    TaskAssigned,
    event_from_json,
    event_to_json,
    next_tasks,
    step,
)
from tiebreak.campaign.events import Response
from tiebreak.campaign.kinds import LABEL_KINDS, AnswerError, ItemTexts, kind_of
from tiebreak.data.schema import LABEL_TABLES, TABLES
from tiebreak.data.study import Study
from tiebreak.settings.protocol import LABEL_KINDS as WORDS
from tiebreak.settings.protocol import DecisionSettings, LabelSettings, RatedCriterion, RatingSettings
from tiebreak.tabular.cells import visible

CLEAR = (RatedCriterion("clear", 1, 5), RatedCriterion("short", 1, 5))

FILLED: dict[str, list[dict[str, str]]] = {
    "preference": [{"answer": "First text"}, {"answer": "second"}, {"answer": "no difference"}],
    "ranking": [
        {"rank of text 1": "2", "rank of text 2": "1", "rank of text 3": "3"},
        {"rank of text 1": "1", "rank of text 2": "1", "rank of text 3": "3"},
    ],
    "rating": [{"clear": "4", "short": "1"}],
    "rating+edit": [
        {"clear": "4", "short": "5", "edit": "ant on i000"},
        {"clear": "2", "short": "5", "edit": "a better text"},
    ],
    "correctness": [
        {"sensible": "yes", "plausible": "no", "sure": "yes"},
        {"sensible": "no", "sure": "yes"},
        {
            "sensible": "yes", "plausible": "yes", "sure": "yes", "passage 1 says": "supports",
            "words of passage 1": "text p", "passage 2 says": "neither",
        },
    ],
}  # fmt: skip
"""For each kind, what people fill in."""


def begun(kind: str) -> State:
    """A campaign of a kind, opened."""
    if kind == "preference":
        return open_campaign()
    if kind == "ranking":
        return open_campaign(protocol_of(labels=LabelSettings(kind=kind)), study_of(systems=("ant", "bee", "cat")))
    if kind == "correctness":
        study = rated_study()
        items = sorted(set(study.outputs["item"]))  # type: ignore[index]
        rows = [{"item": item, "passage": name, "text": f"the text {name}"} for item in items for name in ("p", "q")]
        study = Study.from_tables(items=study.items, outputs=study.outputs, passages=rows)
        decision, ratings = DecisionSettings(rule="width"), RatingSettings(half_width=0.2)
        return open_ratings(Protocol(labels=LabelSettings(kind=kind), decision=decision, ratings=ratings), study)
    below = {"edit_below": 3} if kind == "rating+edit" else {}
    return open_ratings(rating_protocol(labels=LabelSettings(kind=kind), criteria=CLEAR, **below))


def texts_of(task: TaskAssigned) -> ItemTexts:
    outputs = {system: f"{system} on {task.item}" for system in task.systems}
    return ItemTexts(outputs, {"p": "the text p", "q": "the text q"})


CASES = [(kind, cells) for kind, filled in FILLED.items() for cells in filled]


def test_every_kind_is_here_and_has_words() -> None:
    assert [*LABEL_KINDS] == [*WORDS] == [*FILLED]
    assert all(kind.name == name for name, kind in LABEL_KINDS.items())


@pytest.mark.parametrize(("name", "cells"), CASES)
def test_an_answer_is_read_stored_and_counted(name: str, cells: dict[str, str]) -> None:
    state = begun(name)
    kind, protocol = kind_of(state.protocol), state.protocol
    (task,) = next_tasks(state, "ann", 1, NOW)
    state = step(state, task)
    texts = texts_of(task)
    cells = {field: text.replace("ant on i000", texts.outputs[task.system_a]) for field, text in cells.items()}
    assert not kind.is_empty(cells)
    response = kind.read(protocol, task, texts, cells)
    assert type(response) is kind.response
    assert kind.said(task, response)
    event = LabelGiven(NOW, task.task, "ann", response, 4.0, "hm")
    document = json.loads(json.dumps(event_to_json(event)))
    assert event_from_json(document, kind.response) == event
    after = step(state, event)
    assert (after.labels, after.set_aside, after.late) == (1, 0, 0)
    track = after.plan.track_numbers[task.systems]
    assert after.tracks[track].done_labels == 1
    for number in after.plan.measures_of[track]:
        value = kind.unit_value(after.plan, after.tracks, after.plan.measures[number], 0)
        assert value.for_a == value.for_b == value.taught
        tally = kind.tally(after.plan, after.tracks[track], after.plan.measures[number])
        assert (sum(tally), tally.abandoned) == (1, 0)
    gone = step(after, ItemWithdrawn(NOW, task.task, task.systems, task.item, "a slip"))
    for number in gone.plan.measures_of[track]:
        value = kind.unit_value(gone.plan, gone.tracks, gone.plan.measures[number], 0)
        assert (value.for_a, value.for_b) == (-1.0, 1.0)
        assert kind.tally(gone.plan, gone.tracks[track], gone.plan.measures[number]).abandoned == 1
    assert step(gone, ItemWithdrawn(NOW, task.task, task.systems, task.item)) is gone


@pytest.mark.parametrize(("name", "cells"), CASES)
def test_an_answer_becomes_rows_of_a_study(name: str, cells: dict[str, str]) -> None:
    state = begun(name)
    kind = kind_of(state.protocol)
    (task,) = next_tasks(state, "ann", 1, NOW)
    cells = {field: text.replace("ant on i000", f"{task.system_a} on {task.item}") for field, text in cells.items()}
    rows = kind.rows(state.protocol, task, kind.read(state.protocol, task, texts_of(task), cells), texts_of(task))
    assert next(iter(rows)) in ("preferences", "ratings")
    for table, found in rows.items():
        assert table in LABEL_TABLES
        assert found
        assert all(set(row) <= set(TABLES[table].known) for row in found)
    if name == "rating+edit":
        (edit,) = rows["edits"]
        assert edit["text"] == cells["edit"], "an output that may stay is an edit with its own text"


@pytest.mark.parametrize("name", LABEL_KINDS)
def test_fields_say_what_to_fill_in(name: str) -> None:
    state = begun(name)
    kind = kind_of(state.protocol)
    (task,) = next_tasks(state, "ann", 1, NOW)
    assert len(kind.text_names(len(task.shown))) == len(task.shown)
    assert sorted(task.shown) == sorted(task.systems)
    fields = kind.fields(state.protocol, outputs=len(task.shown), passages=2)
    names = [field.name for field in fields]
    assert len(set(names)) == len(names)
    assert fields[0].told
    for cells in FILLED[name]:
        assert set(cells) <= set(names)
    assert kind.answer_column in ("", names[0])
    assert kind.is_empty({})
    assert kind.is_empty(kind.filled(task, texts_of(task))), "what stands there before is no answer"
    with pytest.raises(AnswerError) as raised:
        kind.read(state.protocol, task, texts_of(task), dict.fromkeys(names, "what?"))
    assert {problem.field for problem in raised.value.problems} <= set(names)


@pytest.mark.parametrize("text", ["", "a\x07b\x1b[0m", "a\r\nb", " x "])
def test_a_text_that_stays_is_no_edit_whatever_a_spreadsheet_makes_of_it(text: str) -> None:
    state = begun("rating+edit")
    kind = kind_of(state.protocol)
    (task,) = next_tasks(state, "ann", 1, NOW)
    texts = ItemTexts({task.system_a: text})
    for shown in (text, visible(text), text.replace("\r\n", "\n").strip()):
        response = kind.read(state.protocol, task, texts, {"clear": "4", "short": "4", "edit": shown})
        assert response == RatedWithEdit({"clear": 4.0, "short": 4.0}, None, 0, 1.0)
        with pytest.raises(AnswerError, match="must be changed"):
            kind.read(state.protocol, task, texts, {"clear": "2", "short": "4", "edit": shown})


@pytest.mark.parametrize("name", LABEL_KINDS)
def test_an_answer_of_another_kind_is_refused(name: str) -> None:
    state = begun(name)
    (task,) = next_tasks(state, "ann", 1, NOW)
    with pytest.raises(EventError, match="was answered with another kind of label"):
        step(step(state, task), LabelGiven(NOW, task.task, "ann", Response()))


@pytest.mark.parametrize("name", LABEL_KINDS)
def test_what_is_shown_is_drawn_from_the_seed(name: str) -> None:
    tasks = [next_tasks(begun(name), "ann", 6, NOW) for _ in range(2)]
    assert tasks[0] == tasks[1]
    if name in ("preference", "ranking"):
        assert len({task.shown for task in tasks[0]}) > 1
