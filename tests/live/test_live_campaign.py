"""A campaign on disk: created whole, opened only as it was begun, shared by several processes."""

from __future__ import annotations

import shutil
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from tests.sheets.sheet_makers import AT, small_study
from tests.store.servers import postgres  # noqa: F401

from tiebreak.campaign import EventError, LabelGiven, Protocol, ProtocolError, TaskReturned, next_tasks, verdicts
from tiebreak.campaign.kinds import Preferred
from tiebreak.data.readers import read_study
from tiebreak.data.study import Study
from tiebreak.errors import InputError, UsageError
from tiebreak.live import LiveCampaign, create_campaign, open_campaign
from tiebreak.live.accounts import accounts, accounts_csv
from tiebreak.live.export import exported
from tiebreak.live.folder import back_up, check_hidden, study_for
from tiebreak.live.outlook import names_given_away, outlook
from tiebreak.places import place_at
from tiebreak.settings.protocol import DecisionSettings, GoldTask, LabelSettings, OrderSettings, PeopleSettings
from tiebreak.store import SqliteStore

PROTOCOL = Protocol(labels=LabelSettings(price=0.25), order=OrderSettings(seed=7))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    create_campaign(tmp_path / "campaign", PROTOCOL, small_study(40), at=AT)
    return tmp_path / "campaign"


def hand_out(live: LiveCampaign, who: str, n: int) -> list[str]:
    events = live.commit(lambda state, _: next_tasks(state, who, n, AT))
    return [event.task for event in events]  # type: ignore[union-attr]


def label(live: LiveCampaign, task: str, outcome: str, **more: object) -> None:
    who = live.ledger.tasks[task].assigned.annotator
    live.commit(lambda *_: [LabelGiven(AT, task, who, Preferred(outcome), **more)])  # type: ignore[arg-type]


def test_the_folder_holds_protocol_study_and_log(folder: Path) -> None:
    assert sorted(path.name for path in folder.iterdir()) == [
        "events.sqlite", "protocol.toml", "study",
    ]  # fmt: skip
    live = open_campaign(folder)
    assert live.protocol == PROTOCOL
    assert live.state.opened_at == AT
    assert live.study.name == "campaign"
    assert [path.name for path in folder.parent.iterdir()] == ["campaign"]


def test_the_campaign_has_a_copy_without_labels_and_only_what_it_needs() -> None:
    rows = [{"item": "i0", "system_a": "eta-3b", "system_b": "zeta-9b", "annotator": "x", "outcome": "a"}]
    scores = [
        {"item": f"i{k}", "system": s, "metric": "m", "value": k} for k in range(6) for s in ("eta-3b", "zeta-9b")
    ]
    study = replace(small_study(), preferences=Study.from_tables(preferences=rows).preferences)
    study = replace(study, scores=Study.from_tables(outputs=study.outputs, scores=scores).scores)
    assert set(study_for(PROTOCOL, study).tables) == {"items", "outputs"}
    with_metric = Protocol(decision=DecisionSettings(metrics=("m",)))
    assert set(study_for(with_metric, study).tables) == {"items", "outputs", "scores"}
    hidden = study_for(PROTOCOL, study, ("reference",)).items
    assert hidden["reference"].null_count() == 6
    assert hidden["input"].null_count() == 0
    three = Study.from_tables(outputs=[{"item": "1", "system": s, "text": s} for s in "abc"])
    assert study_for(Protocol(systems=("a", "b")), three).systems == ("a", "b")


def test_hidden_columns_are_known_names() -> None:
    assert check_hidden(["input", "input"]) == ("input",)
    with pytest.raises(UsageError, match="cannot hide 'inputs': did you mean input"):
        check_hidden(["inputs"])


def test_nothing_is_written_where_something_is_wrong(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(UsageError, match="exists already"):
        create_campaign(folder, PROTOCOL, small_study(), at=AT)
    with pytest.raises(ProtocolError, match="not a system"):
        create_campaign(tmp_path / "x", Protocol(systems=("eta-3b", "theta")), small_study(), at=AT)
    with pytest.raises(InputError, match="no table outputs"):
        create_campaign(tmp_path / "x", PROTOCOL, replace(small_study(), outputs=None), at=AT)
    assert [path.name for path in tmp_path.iterdir()] == ["campaign"]


def test_changing_protocol_or_study_afterwards_is_refused(folder: Path) -> None:
    text = (folder / "protocol.toml").read_text()
    (folder / "protocol.toml").write_text(text.replace("alpha = 0.05", "alpha = 0.1"))
    with pytest.raises(InputError, match=r"protocol.toml: the protocol is not the one that this campaign was"):
        open_campaign(folder)
    (folder / "protocol.toml").write_text(text)
    outputs = folder / "study" / "outputs.csv"
    kept = outputs.read_text()
    outputs.write_text(kept.replace("long text on i1", "better text on i1"))
    with pytest.raises(InputError, match="the study is not the one"):
        open_campaign(folder)
    outputs.write_text(kept)
    assert open_campaign(folder).state.labels == 0


def test_a_log_of_another_campaign_is_refused(folder: Path, tmp_path: Path) -> None:
    create_campaign(tmp_path / "other", replace(PROTOCOL, question="Which is shorter?"), small_study(40), at=AT)
    shutil.copy(tmp_path / "other" / "events.sqlite", folder / "events.sqlite")
    with pytest.raises(InputError, match="the protocol is not the one"):
        open_campaign(folder)
    (folder / "events.sqlite").unlink()
    SqliteStore.create(folder / "events.sqlite")
    with pytest.raises(InputError, match="does not begin with the opening"):
        open_campaign(folder)


def test_an_event_that_does_not_fit_is_named_by_its_line(folder: Path) -> None:
    store = SqliteStore(folder / "events.sqlite")
    store.append(
        [{"type": "label-given", "at": AT, "task": "zz", "annotator": "x", "response": {"outcome": "a"}}],
        expected_length=1,
    )
    with pytest.raises(InputError, match=r"event 2 of the log does not fit: task 'zz' is not one of this campaign"):
        open_campaign(folder)


@pytest.mark.parametrize("name", ["nothing", "file"])
def test_what_is_no_campaign(name: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match="tiebreak campaign create"):
        open_campaign(tmp_path / name)


def test_two_processes_share_a_campaign_and_hand_out_each_task_once(folder: Path) -> None:
    one, other = open_campaign(folder), open_campaign(folder)
    tasks = hand_out(one, "ann", 3)
    more = hand_out(other, "bo", 3)  # other has not seen what ann got: it is told, and asks again
    assert not set(tasks) & set(more)
    items = [record.assigned.item for record in other.ledger.tasks.values()]
    assert len(items) == len(set(items)) == 6
    label(other, tasks[0], "a", seconds=3.0, comment="fine")
    assert one.refresh().labels == 1
    assert one.ledger.open_tasks("ann") == open_campaign(folder).ledger.open_tasks("ann")
    assert [task.task for task in one.ledger.open_tasks("ann")] == tasks[1:]


def test_threads_that_hand_out_at_once(folder: Path) -> None:
    def work(name: str) -> None:
        live = open_campaign(folder)
        for _ in range(4):
            hand_out(live, name, 2)

    threads = [threading.Thread(target=work, args=(name,)) for name in ("ann", "bo", "cy")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    records = open_campaign(folder).ledger.tasks.values()
    assert len(records) == 24
    assert len({record.assigned.item for record in records}) == 24


def test_a_refused_event_writes_nothing(folder: Path) -> None:
    live = open_campaign(folder)
    before = (folder / "events.sqlite").read_bytes()
    with pytest.raises(EventError):
        live.commit(lambda *_: [LabelGiven(AT, "0000-xxxx", "ann", Preferred("a"))])
    assert (folder / "events.sqlite").read_bytes() == before
    assert live.state.labels == 0


def test_export_is_a_study_with_the_labels(folder: Path) -> None:
    live = open_campaign(folder)
    tasks = hand_out(live, "ann", 4)
    for task, outcome in zip(tasks[:3], ("a", "tie", "b"), strict=True):
        label(live, task, outcome, seconds=2.0)
    study = exported(open_campaign(folder))
    frame = study.preferences
    assert frame["outcome"].to_list() == ["a", "tie", "b"]
    assert frame["decided_at"].to_list() == [AT] * 3
    assert frame["left"].to_list() == [live.ledger.tasks[task].assigned.left for task in tasks[:3]]
    assert frame["late"].to_list() == [False] * 3
    assert study.settings.price_per_label == 0.25
    assert study.outputs is not None


def test_late_answers_are_exported_as_such(folder: Path) -> None:
    live = open_campaign(folder)
    (task,) = hand_out(live, "ann", 1)
    live.commit(lambda *_: [TaskReturned(AT, task, "expired")])
    (again,) = hand_out(live, "bo", 1)
    label(live, again, "a")
    label(live, task, "b")
    frame = exported(live).preferences
    assert frame.select("annotator", "outcome", "late").rows() == [("bo", "a", False), ("ann", "b", True)]
    assert live.ledger.tasks[task].returned is not None


def test_answers_to_check_tasks_are_paid_but_no_labels(tmp_path: Path) -> None:
    gold = (GoldTask("i0", "eta-3b", "zeta-9b", "b"), GoldTask("i1", "eta-3b", "zeta-9b", "b"))
    protocol = replace(PROTOCOL, people=PeopleSettings(gold=gold, gold_every=3))
    create_campaign(tmp_path / "c", protocol, small_study(40), at=AT)
    live = open_campaign(tmp_path / "c")
    for task in hand_out(live, "ann", 9):
        label(live, task, "a" if task.startswith("t0002") else "b")
    (account,) = accounts(live)
    assert (account.labels, account.checks, account.checks_right, account.pay) == (9, 3, 2, 2.25)
    frame = exported(live).preferences
    assert frame.height == 6
    assert not account.excluded


def test_accounts_say_what_people_did_and_are_owed(folder: Path) -> None:
    live = open_campaign(folder)
    tasks = hand_out(live, "ann", 3) + hand_out(live, "=bo", 1)
    label(live, tasks[0], "a", seconds=4.0)
    label(live, tasks[1], "tie", seconds=6.0)
    found = {account.annotator: account for account in accounts(live)}
    assert (found["ann"].labels, found["ann"].open, found["ann"].pay) == (2, 1, 0.5)
    assert (found["ann"].seconds, found["ann"].seconds_per_label) == (10.0, 5.0)
    assert (found["=bo"].labels, found["=bo"].seconds_per_label, found["=bo"].first_text) == (0, None, None)
    lines = accounts_csv(accounts(live)).decode("utf-8-sig").splitlines()
    assert lines[0].startswith("annotator,labels,open,holds_up,seconds,")
    assert lines[1].startswith("'=bo,0,1,0,")
    assert lines[2].startswith("ann,2,1,0,10.0,5.0,")


def test_outlook_counts_what_could_be_asked(folder: Path) -> None:
    live = open_campaign(folder)
    found = outlook(live.state, live.study)
    assert (found.systems, found.pairs, found.items, found.labels, found.money) == (2, 1, 40, 40, 10.0)
    assert not found.within_budget


def test_outlook_within_a_budget_and_with_identical_outputs(tmp_path: Path) -> None:
    outputs = [
        {"item": f"i{k}", "system": s, "text": "same" if k < 5 else f"{s} {k}"} for k in range(60) for s in ("aa", "bb")
    ]
    protocol = Protocol(labels=LabelSettings(labelling="max-three", price=0.1))
    create_campaign(tmp_path / "c", protocol, Study.from_tables(outputs=outputs), at=AT)
    live = open_campaign(tmp_path / "c")
    found = outlook(live.state, live.study)
    assert (found.items, found.known, found.labels, found.money) == (55, 5, 165, 16.5)
    assert verdicts(live.state).results[0].pairs[0].identical == 0  # none of them is evidence yet


def test_names_that_give_a_system_away(tmp_path: Path) -> None:
    outputs = [
        {"item": f"i{k}", "system": s, "text": f"I am {s.upper()}, no {k}" if k == 3 else f"{s[0]} text {k}"}
        for k in range(40)
        for s in ("zeta-9b", "eta-3b")
    ]
    protocol = replace(PROTOCOL, question="Is Zeta-9B better?", instructions="Read meta-3b.")
    create_campaign(tmp_path / "c", protocol, Study.from_tables(outputs=outputs), at=AT)
    live = open_campaign(tmp_path / "c")
    assert names_given_away(live.state, live.study) == (("zeta-9b",), 2)
    assert names_given_away(open_campaign_with(tmp_path, PROTOCOL).state, small_study()) == ((), 0)


def open_campaign_with(tmp_path: Path, protocol: Protocol) -> LiveCampaign:
    create_campaign(tmp_path / "plain", protocol, small_study(40), at=AT)
    return open_campaign(tmp_path / "plain")


def test_events_are_stored_as_plain_text_with_what_people_wrote_apart(folder: Path) -> None:
    live = open_campaign(folder)
    label(live, hand_out(live, "ann", 2)[0], "a", comment="þrír")
    events = SqliteStore(folder / "events.sqlite").read()
    assert [event["type"] for event in events] == ["campaign-opened", *["task-assigned"] * 2, "label-given"]
    assert events[3]["texts"] == {"comment": "þrír"}
    assert read_study(folder / "study").fingerprint == events[0]["study"]


def test_a_campaign_in_postgres(tmp_path: Path, postgres: str) -> None:  # noqa: F811
    """Two computers that share a folder and a server."""
    create_campaign(tmp_path / "c", PROTOCOL, small_study(40), at=AT, database=postgres)
    assert sorted(path.name for path in (tmp_path / "c").iterdir()) == ["database.toml", "protocol.toml", "study"]
    one, other = open_campaign(tmp_path / "c"), open_campaign(tmp_path / "c")
    tasks = hand_out(one, "ann", 3)
    assert not set(tasks) & set(hand_out(other, "bo", 3))
    label(other, tasks[0], "a", comment="fine")
    assert one.refresh().labels == open_campaign(tmp_path / "c").state.labels == 1
    assert place_at(tmp_path / "c").kind == "campaign"
    with pytest.raises(UsageError, match="back it up there"):
        back_up(tmp_path / "c", tmp_path / "copy")
    (tmp_path / "c" / "database.toml").write_text("url = 1")
    with pytest.raises(InputError, match="must have the keys url and log"):
        open_campaign(tmp_path / "c")
