"""Answers that may be taken back: no way around them loses, doubles or changes one."""

from __future__ import annotations

import csv
import io
import time
from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks.worlds.small_campaigns import NOW, protocol_of, study_of
from tests.web.visitors import CORRECTNESS, SETTINGS, Served, Visitor, with_passages

from tiebreak.campaign import LabelGiven, TaskReturned
from tiebreak.errors import TiebreakError
from tiebreak.live import open_campaign
from tiebreak.live.answers import release, stop, texts_of, withdraw
from tiebreak.live.export import write_export
from tiebreak.live.folder import store_of
from tiebreak.live.result import result_of
from tiebreak.places.result import result_at
from tiebreak.settings.protocol import LabelSettings, PeopleSettings, RatingSettings
from tiebreak.sheets.collecting import collect_sheet
from tiebreak.sheets.handing_out import hand_out, open_again
from tiebreak.web.site import Site

LATER = "2099-01-01T00:00:00Z"


@pytest.fixture
def served(tmp_path: Path) -> Served:
    return Served(tmp_path / "camp")


def labels(served: Served) -> list[LabelGiven]:
    return [event for event in served.live.events() if type(event) is LabelGiven]


def sheet_rows(content: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline="")))


def as_csv(rows: list[list[str]]) -> bytes:
    stream = io.StringIO(newline="")
    csv.writer(stream).writerows(rows)
    return stream.getvalue().encode()


def test_a_sheet_does_not_replace_an_answer_that_is_held(served: Served, visitor: Visitor) -> None:
    visitor.task()
    sheet = open_again(served.live, "ann", ending=".csv")
    visitor.post("/task", {"ticket": visitor.task().ticket, "answer:answer": "First text", "comment": "hm"})
    (held,) = served.live.ledger.held.values()
    rows = sheet_rows(sheet.file)
    rows[1][rows[0].index("answer")] = "Second text"
    taken = collect_sheet(served.live, as_csv(rows), "s.csv", at=NOW)
    assert (taken.content.labels, len(taken.content.changed)) == ((), 1)
    rows[1][rows[0].index("answer")] = ""
    taken = collect_sheet(served.live, as_csv(rows), "s.csv", at=NOW)
    assert taken.returned == 0, "an empty row gives back no task that is answered"
    release(served.live, NOW)
    (label,) = labels(served)
    assert (label.response, label.comment) == (held.response, "hm")


def test_a_task_that_is_answered_does_not_expire(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    visitor = served.person("ann")
    visitor.answer(visitor.task(), answer="First text")
    live = served.live
    (held,) = live.ledger.held.values()
    hand_out(live, "bo", 3, now=LATER, ending=".csv")
    assert all(event.task != held.task for event in live.events() if isinstance(event, TaskReturned))
    monkeypatch.setattr("tiebreak.web.annotator.now", lambda: LATER)
    visitor.task()
    state = served.live.state
    assert (state.labels, state.late) == (1, 0)


def test_what_is_erased_does_not_come_back(served: Served, visitor: Visitor) -> None:
    visitor.post("/task", {"ticket": visitor.task().ticket, "answer:answer": "First text", "comment": "my secret"})
    live = served.live
    release(live, NOW, "ann")
    store_of(served.folder).erase_texts(texts_of(live, "ann"))
    visitor.answer(visitor.task(), answer="First text")
    visitor.answer(visitor.task(), answer="First text")
    assert "my secret" not in str(store_of(served.folder).read())


def test_what_was_taken_back_is_in_no_export(served: Served, visitor: Visitor, tmp_path: Path) -> None:
    page = visitor.task()
    visitor.post("/task", {"ticket": page.ticket, "answer:answer": "First text", "comment": "a slip of mine"})
    visitor.post("/undo", visitor.task().undo)
    for _ in range(3):
        visitor.answer(visitor.task(), answer="First text")
    write_export(served.live, tmp_path / "out", comments=True)
    assert "a slip of mine" not in (tmp_path / "out" / "campaign" / "events.jsonl").read_text(encoding="utf-8")
    assert result_at(tmp_path / "out").campaign.labels == 2  # type: ignore[union-attr]


def test_an_end_makes_labels_first_and_nothing_is_taken_back_after_it(served: Served, visitor: Visitor) -> None:
    page = visitor.answer(visitor.task(), answer="First text")
    stop(served.live, now=NOW)
    assert (served.live.state.labels, served.live.state.late) == (1, 0), "an acknowledged answer counts"
    assert 'class="undo"' not in visitor.task().text
    visitor.post("/undo", page.undo)
    assert len(labels(served)) == 1


def test_an_answer_is_taken_back_for_a_minute_and_not_longer(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    visitor = served.person("ann")
    page = visitor.answer(visitor.task(), answer="First text")
    monkeypatch.setattr("tiebreak.web.annotator.now", lambda: LATER)
    visitor.post("/undo", page.undo)
    assert len(labels(served)) == 1


def test_a_task_that_was_skipped_and_answered_is_not_shown_again(visitor: Visitor) -> None:
    page = visitor.task()
    visitor.post("/skip", {"ticket": page.ticket, "reason": "unclear"})
    answered = visitor.answer(page, answer="First text")
    assert "Saved" in answered.words
    back = visitor.post("/undo", answered.undo)
    assert "has gone to somebody else" in back.words
    assert back.shown != page.shown


def test_an_old_button_takes_back_nothing_newer(served: Served, visitor: Visitor) -> None:
    first = visitor.answer(visitor.task(), answer="First text")
    visitor.answer(first, answer="Second text")
    visitor.post("/undo", first.undo)
    assert len(served.answers()) == 2


def test_a_held_task_is_not_skipped(served: Served, visitor: Visitor) -> None:
    page = visitor.task()
    visitor.answer(page, answer="First text")
    visitor.post("/skip", {"ticket": page.ticket, "reason": "unclear"})
    assert not [event for event in served.live.events() if isinstance(event, TaskReturned)]
    release(served.live, NOW)
    assert (served.live.state.labels, served.live.state.late) == (1, 0)


def test_seconds_before_a_correction_count(tmp_path: Path) -> None:
    served = Served(tmp_path / "camp", protocol_of(people=PeopleSettings(least_seconds=1)))
    visitor = served.person("ann")
    page = visitor.task()
    time.sleep(0.6)
    wrong = visitor.post("/task", {"ticket": page.ticket, "answer:answer": "?", "comment": "so far"})
    assert "so far" in wrong.text, "a comment stays where an answer is not understood"
    visitor.answer(wrong, answer="First text")
    back = visitor.post("/undo", visitor.task().undo)
    visitor.answer(back, answer="First text")
    (held,) = served.live.ledger.held.values()
    assert held.seconds is not None
    assert held.seconds >= 0.6, "those of the first look, too"


def test_a_form_that_is_sent_twice_is_one_person(served: Served) -> None:
    link = served.link(most=5)
    one, other = Visitor(served.app), Visitor(served.app)
    ticket = one.get(link).ticket
    other.client.cookies.update(one.client.cookies)
    one.post("/join", {"ticket": ticket})
    other.post("/join", {"ticket": ticket})
    (joined,) = [link.joined for link in served.live.ledger.links.values()]
    assert len(joined) == 1


def test_items_without_passages_are_not_asked(tmp_path: Path) -> None:
    study = with_passages({"p": "A passage."}, items=30)
    served = Served(tmp_path / "camp", replace(CORRECTNESS, ratings=RatingSettings(half_width=0.4)), study)
    visitor = served.person("ann")
    said = {"sensible": "yes", "plausible": "yes", "passage_1_says": "supports"}
    for _ in range(60):
        page = visitor.task()
        if page.shown:
            assert visitor.post("/task", visitor.answer(page, **said).hidden).status == 200
    assert {served.live.ledger.tasks[of.task].assigned.item for of in served.answers()} <= set(study.passages["item"])  # type: ignore[index]


def test_a_write_that_fails_is_tried_again(served: Served, visitor: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    visitor.answer(visitor.task(), answer="First text")
    site = Site(served.folder, SETTINGS)

    def fail(*_: object) -> None:
        raise TiebreakError("the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr("tiebreak.web.site.release", fail)
        with pytest.raises(TiebreakError):
            site.release_held(everything=True)
    site.release_held(everything=True)
    assert len(labels(served)) == 1


@pytest.mark.parametrize("text", ["\ud800boo", "a\0b", "é" * 5_000])
def test_odd_texts_are_stored_and_exported(served: Served, visitor: Visitor, tmp_path: Path, text: str) -> None:
    body = f"ticket={visitor.task().ticket}&answer%3Aanswer=First+text&comment=".encode()
    raw = text.encode("utf-8", "surrogatepass")
    visitor.client.post(
        "/task", content=body + b"".join(f"%{byte:02X}".encode() for byte in raw),
        headers={"content-type": "application/x-www-form-urlencoded", "origin": "http://127.0.0.1:8765"},
    )  # fmt: skip
    release(served.live, NOW)
    assert len(labels(served)) == 1
    write_export(served.live, tmp_path / "out", comments=True)
    assert open_campaign(served.folder).state.labels == 1


@pytest.mark.parametrize(
    "kind", ["multipart/form-data; boundary=x", "application/x-www-form-urlencoded; charset=utf-7", "text/plain"]
)
def test_only_forms_are_read(visitor: Visitor, kind: str) -> None:
    answer = visitor.client.post("/task", content=b"ticket=x", headers={"content-type": kind})
    assert answer.status_code == 415


def test_a_withdrawn_ranking_can_be_looked_at(tmp_path: Path) -> None:
    ranking = protocol_of(labels=LabelSettings(kind="ranking"))
    served = Served(tmp_path / "camp", ranking, study_of(("ant", "bee", "cat")))
    visitor = served.person("ann")
    visitor.answer(visitor.task(), rank_of_text_1="1", rank_of_text_2="2", rank_of_text_3="3")
    live = served.live
    release(live, NOW)
    withdraw(live, [labels(served)[0].task], now=NOW, reason="a slip")
    assert "ant and bee and cat" in result_of(live).warnings[0].text
    assert served.owner().get("/owner").status == 200
