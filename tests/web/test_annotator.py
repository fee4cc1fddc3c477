"""What annotators see and send: links, consent, tasks, answers of every kind, thanks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks.worlds.rating_campaigns import rated_study, rating_protocol
from benchmarks.worlds.small_campaigns import NOW, protocol_of, study_of
from starlette.testclient import TestClient
from tests.sheets.sheet_makers import PREFERENCE
from tests.web.visitors import Served, Visitor

from tiebreak.campaign import LabelGiven, Protocol, Ranked, Rated, RatedWithEdit, TaskReturned
from tiebreak.live.accounts import accounts
from tiebreak.live.answers import pause, resume, stop, texts_of
from tiebreak.live.export import write_export
from tiebreak.live.folder import store_of
from tiebreak.live.links import revoke_link
from tiebreak.settings.protocol import LabelSettings, PeopleSettings, RatedCriterion
from tiebreak.web.app import create_app
from tiebreak.web.settings import ServeSettings
from tiebreak.web.site import Site, rendered

THREE = ("ant", "bee", "cat")


@pytest.fixture
def served(tmp_path: Path) -> Served:
    return Served(tmp_path / "camp", replace(Protocol(), instructions="Be <b>fair</b>."))


# ---- the way in --------------------------------------------------------------------------------------------------


def test_from_a_link_to_the_first_answer(served: Served) -> None:
    visitor = Visitor(served.app)
    page = visitor.get(served.link())
    assert page.url.endswith("/join"), "the secret leaves the address"
    assert "What is stored" in page.words
    assert not served.live.state.tasks, "no task before they agree"
    page = visitor.post("/join", {"ticket": page.ticket})
    assert page.url.endswith("/task")
    assert page.words.count("Which text is better?") >= 1
    assert "Be <b>fair</b>." in page.words, "instructions are text"
    page = visitor.answer(page, answer="First text")
    assert "Saved on the server." in page.words
    assert "1 answer so far" in page.words
    (label,) = served.answers()
    assert label.annotator.startswith("annotator-")
    assert visitor.get("/join").url.endswith("/task"), "who has joined goes on"


def test_a_link_with_a_name_is_resumed_in_another_browser(served: Served) -> None:
    link = served.link("ann")
    one, other = Visitor(served.app), Visitor(served.app)
    assert one.join(link).shown == other.join(link).shown, "the same person, with the same task"
    assert [*served.live.state.annotators] == ["ann"]


def test_no_more_people_join_than_a_link_is_for(served: Served) -> None:
    link = served.link(most=2)
    first = [Visitor(served.app) for _ in range(2)]
    assert all(one.join(link).status == 200 for one in first)
    late = Visitor(served.app).join(link)
    assert (late.status, "As many people as were needed" in late.words) == (403, True)
    assert first[0].task().status == 200


def test_a_revoked_link_lets_nobody_in(served: Served) -> None:
    link = served.link("ann")
    visitor = Visitor(served.app)
    visitor.join(link)
    live = served.live
    revoke_link(live, next(iter(live.ledger.links))[:12], now=NOW)
    assert visitor.task().status == 403, "nor those who came by it"
    assert Visitor(served.app).get(link).status == 404


# ---- tasks -------------------------------------------------------------------------------------------------------


def test_a_task_stays_until_it_is_answered_and_names_nothing(served: Served, visitor: Visitor) -> None:
    page = visitor.task()
    assert visitor.task().shown == page.shown, "stable on reload"
    (task,) = served.live.state.tasks.values()
    texts = {f"{system} {int(served.live.state.plan.items[0][1:])}" for system in ("ant", "bee")}
    assert len(page.shown) == len(texts) == 2
    assert [text.split()[0] for text in page.shown] == list(task.shown)
    head = page.text.split("<article")[0]
    for telling in ("ant", "bee", "small", "i0"):
        assert f">{telling}" not in head
    assert "system" not in page.words


def test_answers_count_for_the_side_on_which_they_were_shown(served: Served, visitor: Visitor) -> None:
    for answer in ("First text", "Second text", "No difference"):
        visitor.answer(visitor.task(), answer=answer)
    for label, side in zip(served.answers(), (0, 1, None), strict=True):
        task = served.live.ledger.tasks[label.task].assigned
        expected = "tie" if side is None else "a" if task.shown[side] == "ant" else "b"
        assert label.response.outcome == expected  # type: ignore[attr-defined]
        assert label.seconds is not None


def test_an_answer_again_changes_nothing(served: Served, visitor: Visitor) -> None:
    page = visitor.task()
    visitor.answer(page, answer="First text")
    again = visitor.answer(page, answer="Second text")
    assert "had an answer already; the first one counts" in again.words
    assert len(served.answers()) == 1


def test_what_is_wrong_is_said_beside_it(served: Served) -> None:
    visitor = Visitor(served.app)
    visitor.join(served.link())
    wrong = visitor.answer(visitor.task(), answer="perhaps")
    assert wrong.status == 422
    assert "not an answer; allowed are First text, No difference, Second text" in wrong.words
    assert not served.answers()


def test_a_skipped_task_goes_to_somebody_else(served: Served) -> None:
    ann = served.person("ann")
    page = ann.task()
    after = ann.post("/skip", {"ticket": page.ticket, "reason": "language"})
    assert "Skipped." in after.words
    assert after.shown != page.shown
    (back,) = [event for event in served.live.events() if isinstance(event, TaskReturned)]
    assert (back.declined, back.reason) == (True, "skipped: I do not know the language")
    assert sorted(served.person("bo").task().shown) == sorted(page.shown)
    for _ in range(5):
        assert sorted(ann.answer(ann.task(), answer="First text").shown) != sorted(page.shown), "and not to them again"


def test_the_last_answer_can_be_taken_back(served: Served, visitor: Visitor) -> None:
    first = visitor.task()
    second = visitor.answer(first, answer="First text")
    assert served.live.state.labels == 0, "no label before it can be taken back no more"
    back = visitor.post("/undo", second.undo)
    assert "please answer it once more" in back.words
    assert back.shown == first.shown
    assert served.answers() == []
    again = visitor.answer(back, answer="Second text")
    assert again.shown == second.shown, "the task that was before them"
    visitor.answer(again, answer="No difference")
    assert served.live.state.labels == 1, "the next answer makes a label of the one before"
    assert [said(served, label) for label in served.answers()] == ["Second text", "No difference"]
    last = visitor.task()
    visitor.post("/undo", last.undo)
    assert [said(served, label) for label in served.answers()] == ["Second text"]
    assert visitor.post("/undo", last.undo).status == 200
    assert len(served.answers()) == 1, "only one can be taken back"


def said(served: Served, label: LabelGiven) -> str:
    return PREFERENCE.said(served.live.ledger.tasks[label.task].assigned, label.response)


def test_after_a_minute_an_answer_is_a_label(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    ann, bo = served.person("ann"), served.person("bo")
    ann.answer(ann.task(), answer="First text")
    monkeypatch.setattr("tiebreak.web.annotator.now", lambda: "2099-01-01T00:00:00Z")
    bo.answer(bo.task(), answer="First text")
    bo.task()
    assert [event.annotator for event in served.live.events() if type(event) is LabelGiven] == ["ann"]


def test_a_server_that_ends_makes_labels_of_what_is_held(served: Served) -> None:
    with TestClient(served.app, base_url="http://127.0.0.1:8765") as client:
        visitor = served.person("ann")
        visitor.answer(visitor.task(), answer="First text")
        assert client.get("/health").text == "ok"
        assert served.live.state.labels == 0
    assert served.live.state.labels == 1


def test_comments_are_texts_that_can_be_erased(served: Served, visitor: Visitor) -> None:
    visitor.post("/task", {"ticket": visitor.task().ticket, "answer:answer": "First text", "comment": " hm \r\n"})
    assert [label.comment for label in served.answers()] == ["hm"]


def test_seconds_are_those_that_the_page_counted_or_less(served: Served, visitor: Visitor) -> None:
    for counted in ("0.0001", "9999", "nan", "-1", "x", ""):
        page = visitor.task()
        visitor.post("/task", {"ticket": page.ticket, "answer:answer": "First text", "seconds": counted})
    assert all(label.seconds is not None and 0 <= label.seconds < 5 for label in served.answers())


# ---- the other kinds ---------------------------------------------------------------------------------------------


def test_a_ranking(tmp_path: Path) -> None:
    served = Served(tmp_path / "camp", protocol_of(labels=LabelSettings(kind="ranking")), study_of(THREE))
    visitor = served.person("ann")
    page = visitor.task()
    order = [text.split()[0] for text in page.shown]
    assert visitor.answer(page, rank_of_text_1="2", rank_of_text_2="1").status == 422
    visitor.answer(page, rank_of_text_1="2", rank_of_text_2="1", rank_of_text_3="2")
    (label,) = served.answers()
    assert label.response == Ranked(dict(zip(order, (2, 1, 2), strict=True)))


def test_ratings(tmp_path: Path) -> None:
    served = Served(tmp_path / "camp", rating_protocol(), rated_study())
    visitor = served.person("ann")
    wrong = visitor.answer(visitor.task(), clear="9")
    assert (wrong.status, "not a rating; write a whole number from 1 to 5" in wrong.words) == (422, True)
    visitor.answer(wrong, clear="4")
    assert [label.response for label in served.answers()] == [Rated({"clear": 4.0})]


def test_a_grade_says_what_it_means(tmp_path: Path) -> None:
    cues = ("poor", "weak", "fair", "good", "<b>best</b>")
    protocol = rating_protocol(criteria=(RatedCriterion("clear", 1, 5, cues=cues),))
    page = Served(tmp_path / "camp", protocol, rated_study()).person("ann").task()
    assert 'title="weak"' in page.text
    assert "2 weak 3 fair" in page.words
    assert "&lt;b&gt;best&lt;/b&gt;" in page.text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a **bold** word", "<p>a <strong>bold</strong> word</p>"),
        ("# Title", '<p class="heading">Title</p>'),
        ("[a](https://example.org)", "<p>[a](https://example.org)</p>"),
        ("![a](https://example.org/a.png)", "<p>![a](https://example.org/a.png)</p>"),
        ("<img src=x onerror=alert(1)>", "<p>&lt;img src=x onerror=alert(1)&gt;</p>"),
        ("<script>alert(1)</script>", "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>"),
        ("```py\n<b>\n```", '<pre><code class="language-py">&lt;b&gt;\n</code></pre>'),
        ("a&quot; <https://example.org>", "<p>a&quot; &lt;https://example.org&gt;</p>"),
    ],
)
def test_markdown_leads_nowhere_and_loads_nothing(text: str, shown: str) -> None:
    assert rendered(text).strip() == shown


def test_a_rating_with_an_edit(tmp_path: Path) -> None:
    protocol = rating_protocol(labels=LabelSettings(kind="rating+edit"), edit_below=3)
    served = Served(tmp_path / "camp", protocol, rated_study())
    visitor = served.person("ann")
    page = visitor.task()
    wrong = visitor.answer(page, clear="2", edit=page.shown[0])
    assert "must be changed until it is good" in wrong.words
    assert 'value="2" checked' in wrong.text, "what was chosen is still there"
    visitor.answer(wrong, clear="2", edit=f"{page.shown[0]}!")
    page = visitor.task()
    visitor.answer(page, clear="5", edit=page.shown[0])
    first, second = (label.response for label in served.answers())
    assert isinstance(first, RatedWithEdit)
    assert (first.edit_size, second) == (1, RatedWithEdit({"clear": 5.0}, None, 0, 1.0))
    assert [person.edited for person in accounts(served.live)] == [1.0]
    assert "Characters an edit changes" in served.owner().get("/owner").words


# ---- nothing to do -----------------------------------------------------------------------------------------------


def test_pause_and_stop(served: Served, visitor: Visitor) -> None:
    page = visitor.task()
    pause(served.live, now=NOW)
    assert visitor.task().shown == page.shown, "what is out stays out"
    after = visitor.answer(page, answer="First text")
    assert "There is a pause" in after.words
    assert len(served.answers()) == 1
    resume(served.live, now=NOW)
    page = visitor.task()
    assert len(page.shown) == 2
    stop(served.live, now=NOW)
    late = visitor.answer(page, answer="First text")
    assert "You are finished, thank you" in late.words
    assert "Your completion code:" in late.words
    assert (len(served.answers()), served.live.state.late) == (2, 1), "kept and paid, and no evidence"


def test_who_has_given_all_of_their_labels_is_thanked(tmp_path: Path) -> None:
    served = Served(tmp_path / "camp", protocol_of(people=PeopleSettings(labels_per_person=2)))
    visitor = served.person("ann")
    for _ in range(2):
        page = visitor.answer(visitor.task(), answer="First text")
    assert "You are finished, thank you" in page.words
    assert visitor.task().words == page.words, "with the same code"


def test_a_campaign_through_the_pages_stops_by_itself(tmp_path: Path) -> None:
    """Three people answer in turns, one task at a time, and like ant best; every label is evidence."""
    served = Served(tmp_path / "camp")
    people = [served.person(name) for name in ("ann", "bo", "cy")]
    for turn in range(200):
        page = people[turn % 3].task()
        if not page.shown:
            break
        first = page.shown[0].startswith("ant")
        people[turn % 3].answer(page, answer="First text" if first else "Second text")
    state = served.live.state
    assert state.ended == "decided"
    assert state.measures[0].verdict == "a"
    assert state.tracks[0].done_labels >= 0.97 * state.labels - 3, "each holds one at most"
    assert all("You are finished" in one.task().words for one in people)


# ---- platforms for crowds ----------------------------------------------------------------------------------------


class OnPlatform(Served):
    """A campaign whose people come from a platform and go back to it."""

    def __init__(self, folder: Path, protocol: Protocol | None = None) -> None:
        super().__init__(folder, protocol)
        back = "https://app.example.org/complete?cc={code}"
        self.app = create_app(Site(folder, ServeSettings(return_url=back, codes=("done=D1", "stopped=S1"))))


def test_a_person_of_a_platform_is_one_person_in_every_browser(tmp_path: Path) -> None:
    served = OnPlatform(tmp_path / "camp")
    link = served.link(most=4)
    one, again, other = (Visitor(served.app) for _ in range(3))
    page = one.join(f"{link}?PROLIFIC_PID=5f3a&STUDY_ID=x&SESSION_ID=y")
    assert again.join(f"{link}?PROLIFIC_PID=5f3a&SESSION_ID=z").shown == page.shown, "a person who comes back goes on"
    assert other.join(f"{link}?PROLIFIC_PID=77aa").shown != page.shown
    assert set(served.live.ledger.crowd_ids) == {"5f3a", "77aa"}
    assert len(served.live.state.annotators) == 2
    shared = other.get(f"{link}?PROLIFIC_PID=8ccc")
    assert "What is stored" in shared.words, "somebody else at the same browser agrees, too"
    assert other.post("/join", {"ticket": shared.ticket}).shown not in (page.shown, [])
    assert set(served.live.ledger.crowd_ids) == {"5f3a", "77aa", "8ccc"}
    next_one = one.join(f"{link}?PROLIFIC_PID=9bbb")
    assert next_one.shown != page.shown, "somebody else in the same browser is somebody else"


def test_people_go_back_with_the_code_of_how_it_ended(tmp_path: Path) -> None:
    served = OnPlatform(tmp_path / "camp")
    worked, idle = served.person("ann"), served.person("bo")
    worked.answer(worked.task(), answer="First text")
    assert "complete?cc" not in worked.task().text
    stop(served.live, now=NOW)
    assert 'href="https://app.example.org/complete?cc=D1"' in worked.task().text
    assert 'href="https://app.example.org/complete?cc=S1"' in idle.task().text


def test_what_a_platform_calls_people_is_erased_and_never_exported(tmp_path: Path) -> None:
    served = OnPlatform(tmp_path / "camp")
    visitor = Visitor(served.app)
    visitor.join(f"{served.link()}?PROLIFIC_PID=secret5f3a")
    for _ in range(3):
        visitor.answer(visitor.task(), answer="First text")
    live = served.live
    write_export(live, tmp_path / "out", comments=True)
    assert "secret5f3a" not in (tmp_path / "out" / "campaign" / "events.jsonl").read_text(encoding="utf-8")
    (name,) = live.state.annotators
    assert store_of(served.folder).erase_texts(texts_of(live, name)) == 1
    assert served.live.ledger.crowd_ids == {}
    assert served.live.state.labels == live.state.labels
