"""Answers that people check on a page of their own: none before they say so, and none but those that they saw."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from benchmarks.worlds.rating_campaigns import rated_study, rating_protocol
from benchmarks.worlds.small_campaigns import NOW, protocol_of, study_of
from tests.web.visitors import CORRECTNESS, Served, Visitor, with_passages

from tiebreak.campaign.kinds import LABEL_KINDS, Judged, Span
from tiebreak.live.answers import stop
from tiebreak.settings.protocol import LabelSettings

PASSAGE = {"p": "One & two, {item}."}
ANSWER = {"sensible": "yes", "plausible": "yes", "passage_1_says": "supports", "words_of_passage_1": "& two"}


@pytest.fixture
def served(tmp_path: Path) -> Served:
    return Served(tmp_path / "camp", CORRECTNESS, with_passages(PASSAGE))


def test_nothing_is_an_answer_before_it_is_confirmed(served: Served) -> None:
    visitor, head = served.person("ann"), ""
    page = visitor.task()
    head = str(served.live.head)
    assert "do not stand in passage 1" in visitor.answer(page, **(ANSWER | {"words_of_passage_1": "three"})).words
    check = visitor.answer(page, **ANSWER)
    assert "Are these your answers?" in check.words
    for given in ("yes", "supports", "& two", "One & two"):
        assert given in check.words
    assert check.shown == page.shown
    assert str(served.live.head) == head, "not even in the log"
    assert visitor.task().shown == page.shown
    assert "Saved on the server." in visitor.post("/task", check.hidden).words
    (label,) = served.answers()
    yes = {"sensible": 1.0, "plausible": 1.0, "sure": 1.0}
    assert label.response == Judged(yes, (Span("p", "supports", 4, 9),))
    assert "the first one counts" in visitor.post("/task", check.hidden).words
    assert "the first one counts" in visitor.answer(page, **ANSWER).words
    assert len(served.answers()) == 1


def test_answers_are_changed_and_all_else_goes_on(served: Served, visitor: Visitor) -> None:
    sent = {"ticket": visitor.task().ticket, "left": "2", "pasted": "1", "comment": 'so "far"'}
    time.sleep(1.1)
    check = visitor.post("/task", sent | {f"answer:{name.replace('_', ' ')}": of for name, of in ANSWER.items()})
    assert 'so "far"' in check.words
    time.sleep(1.1)
    form = visitor.post("/task", check.hidden | {"change": "yes"})
    assert 'value="supports" checked' in form.text
    assert ">&amp; two</textarea>" in form.text
    assert ">so &#34;far&#34;</textarea>" in form.text
    changed = {f"answer:{name.replace('_', ' ')}": of for name, of in (ANSWER | {"plausible": "no"}).items()}
    check = visitor.post("/task", form.hidden | changed | {"comment": "so far"})
    visitor.post("/task", check.hidden | {"left": "3"})
    (label,) = served.answers()
    assert label.response == Judged({"sensible": 1.0, "plausible": 0.0, "sure": 1.0})
    assert (label.left_page, label.pasted, label.comment) == (3, 1, "so far")
    assert label.seconds is not None
    assert label.seconds >= 2, "those of all four pages"
    back = visitor.post("/undo", visitor.task().undo)
    assert 'value="no" checked' in back.text
    assert ">so far</textarea>" in back.text
    visitor.post("/task", visitor.answer(back, sensible="no").hidden)
    assert "checked" not in visitor.get("/task?saved=undone").text, "another task has no answer of this one"


FORGED = (
    {"answer:plausible": "no"},
    {"comment": "not shown"},
    {"answer:passage 1 says": "perhaps"},
    {"ticket": "forged"},
    {"ticket": "bo"},
)


@pytest.mark.parametrize("forged", FORGED)
def test_only_what_was_shown_is_saved(served: Served, forged: dict[str, str]) -> None:
    visitor, bo = served.person("ann"), served.person("bo")
    check = visitor.answer(visitor.task(), **ANSWER)
    others = bo.answer(bo.task(), **ANSWER).hidden["ticket"]
    visitor.post("/task", check.hidden | {name: others if of == "bo" else of for name, of in forged.items()})
    assert "Are these your answers?" in visitor.answer(visitor.task(), sensible="no", sure="yes").words
    assert served.answers() == []


def test_late_confirmations_are_kept_as_late_answers_are(served: Served, visitor: Visitor) -> None:
    check = visitor.answer(visitor.task(), **ANSWER)
    stop(served.live, now=NOW)
    assert "You are finished" in visitor.post("/task", check.hidden).words
    assert (served.live.state.labels, served.live.state.late) == (1, 1)


@pytest.mark.parametrize(
    ("kind", "answer"),
    [
        ("preference", {"answer": "Second text"}),
        ("ranking", {"rank_of_text_1": "2", "rank_of_text_2": "1", "rank_of_text_3": "3"}),
        ("rating", {"clear": "4"}),
        ("rating+edit", {"clear": "2", "edit": "a better text\n<b>of two lines</b>"}),
    ],
)
def test_any_kind_may_ask_for_it(
    kind: str, answer: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(LABEL_KINDS[kind]), "confirmation", {"checked": "yes"})
    labels, rates = LabelSettings(kind=kind), kind.startswith("rating")
    below = {"edit_below": 3} if kind == "rating+edit" else {}
    protocol = rating_protocol(labels=labels, **below) if rates else protocol_of(labels=labels)
    study = rated_study() if rates else study_of(("ant", "bee", "cat") if kind == "ranking" else ("ant", "bee"))
    served = Served(tmp_path / "camp", protocol, study)
    visitor = served.person("ann")
    page = visitor.task()
    check = visitor.answer(page, **answer)
    assert check.shown == page.shown
    assert all(" ".join(of.split()) in check.words for of in answer.values())
    assert served.answers() == []
    visitor.post("/task", check.hidden)
    (label,) = served.answers()
    assert getattr(label.response, "edit", None) == answer.get("edit")


def test_a_preview_has_the_page_and_stores_nothing(served: Served) -> None:
    owner, head = served.owner(), str(served.live.head)
    page = owner.get("/owner/preview")
    sent = page.hidden | {f"answer:{name.replace('_', ' ')}": of for name, of in ANSWER.items()}
    check = owner.post("/owner/preview?after=0", sent)
    assert "Are these your answers?" in check.words
    assert "checked" in owner.post("/owner/preview?after=0", check.hidden | {"change": "yes"}).text
    assert owner.post("/owner/preview?after=0", check.hidden).url.endswith("after=1")
    assert str(served.live.head) == head
