"""Questions before the first task: read from a file, explained, resumed, and with a threshold."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.worlds.rating_campaigns import rated_study, rating_protocol
from benchmarks.worlds.small_campaigns import NOW, protocol_of, study_of
from tests.web.visitors import SETTINGS, Page, Served, Visitor

from tiebreak.campaign import Protocol
from tiebreak.errors import InputError
from tiebreak.live import create_campaign, open_campaign
from tiebreak.live.accounts import accounts
from tiebreak.live.folder import back_up
from tiebreak.live.tutorial import SHIPPED, read_tutorial
from tiebreak.settings.protocol import LabelSettings
from tiebreak.web.app import create_app
from tiebreak.web.site import Site

TWO = """
pass_share = 0.5
bonus = 1.5
[[questions]]
texts = ["A good <b>text</b>.", "A bad text."]
answer = { answer = "First text" }
explanation = "The first is good."
[[questions]]
texts = ["One.", "Another."]
answer = { answer = ["No difference", "Second text"] }
"""


class Taught(Served):
    """A campaign with a tutorial."""

    def __init__(self, folder: Path, tutorial: str, protocol: Protocol | None = None) -> None:
        self.folder = folder
        own = protocol or protocol_of(labels=LabelSettings(price=0.1))
        study = rated_study() if own.rates else study_of()
        create_campaign(folder, own, study, at=NOW, tutorial=tutorial)
        self.app = create_app(Site(folder, SETTINGS))


def answer(visitor: Visitor, page: Page, **fields: str) -> Page:
    return visitor.post("/tutorial", {"ticket": page.ticket, **{f"answer:{name}": of for name, of in fields.items()}})


def test_who_passes_gets_tasks(tmp_path: Path) -> None:
    served = Taught(tmp_path / "camp", TWO)
    visitor = served.person("ann")
    page = visitor.task()
    assert page.url.endswith("/tutorial")
    assert "Tutorial: question 1 of 2" in page.words
    assert page.shown == ["A good <b>text</b>.", "A bad text."]
    assert not served.live.state.tasks, "no task is taken before"
    after = answer(visitor, page, answer="Second text")
    assert "Not quite" in after.words
    assert "The first is good." in after.words
    again = answer(visitor, page, answer="First text")
    assert "That is right" in again.words
    assert served.live.ledger.tutorials == {"ann": {0: False}}, "the first answer counts"
    page = visitor.task()
    assert "question 2 of 2" in page.words, "resumed"
    assert "That is right" in answer(visitor, page, answer="No difference").words
    assert visitor.task().url.endswith("/task")
    visitor.answer(visitor.task(), answer="First text")
    visitor.answer(visitor.task(), answer="First text")
    (person,) = accounts(served.live)
    assert person.pay == 1.6, "one label, and the bonus once"


def test_who_does_not_pass_gets_none(tmp_path: Path) -> None:
    served = Taught(tmp_path / "camp", TWO)
    visitor = served.person("ann")
    for wrong in ("Second text", "First text"):
        answer(visitor, visitor.task(), answer=wrong)
    page = visitor.task()
    assert "did not go well enough" in page.words
    assert "Your completion code:" in page.words
    assert not served.live.state.tasks


def test_an_empty_answer_is_asked_again(tmp_path: Path) -> None:
    served = Taught(tmp_path / "camp", TWO)
    visitor = served.person("ann")
    page = visitor.post("/tutorial", {"ticket": visitor.task().ticket})
    assert (page.status, "please answer" in page.words) == (422, True)
    assert served.live.ledger.tutorials == {}


def test_a_ticket_of_a_task_is_none_of_the_tutorial(tmp_path: Path) -> None:
    served = Served(tmp_path / "camp")
    visitor = served.person("ann")
    assert answer(visitor, visitor.task(), answer="First text").status == 403
    taught = Taught(tmp_path / "taught", TWO)
    visitor = taught.person("ann")
    refused = visitor.post("/task", {"ticket": visitor.task().ticket, "answer:answer": "First text"})
    assert refused.status == 409


def test_nobody_checks_answers_in_a_tutorial(tmp_path: Path) -> None:
    asked = 'kind = "correctness"\n[[questions]]\ntexts = ["A"]\nanswer = { plausible = "no", sure = "yes" }'
    visitor = Taught(tmp_path / "camp", asked, rating_protocol()).person("ann")
    assert "That is right" in answer(visitor, visitor.task(), plausible="no").words


@pytest.mark.parametrize("name", SHIPPED)
def test_tutorials_that_come_with_the_program(name: str, tmp_path: Path) -> None:
    served = Taught(tmp_path / "camp", SHIPPED[name].read_text(encoding="utf-8"), rating_protocol())
    tutorial = served.live.tutorial
    assert len(tutorial.questions) == {"language": 10, "correctness": 8}[name]
    visitor = served.person("ann")
    for question in tutorial.questions:
        cells = {field: right[0] for field, right in question.right.items()}
        assert "That is right" in answer(visitor, visitor.task(), **cells).words
    assert visitor.task().url.endswith("/task")
    assert len({str(question.answer) for question in tutorial.questions}) > 1, "not always the same answer"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("questions = []", "a tutorial needs"),
        ("bonus = inf\nquestions = []", "key bonus: 'Infinity': must be a number from 0 to 1e\\+09"),
        ('[[questions]]\ntexts = ["a", "b"]\nanswer = { answer = [] }', "question 1: answer has no right answer"),
        ('kind = "preferences"\nquestions = []', "kind 'preferences' is none of preference, ranking.*did you mean"),
        ('[[questions]]\ntexts = ["a"]\nanswer = { answer = "tie" }', "question 1 has 1 texts"),
        ('[[questions]]\ntexts = ["a", "b"]\nanswer = { better = "a" }', "answers 'better', which is no field"),
        ('[[questions]]\ntexts = ["a", "b"]\nanswer = { answer = "a" }', "answer cannot be 'a', but First text, No"),
        ('[[questions]]\ntexts = ["a", "b"]\nanswer = {}', "question 1 has no answer"),
        ('[[questions]]\ntexts = ["a", "b"]', r"line 1, key questions\[1\].answer: is missing"),
        ('[[questions]]\ntexts = ["a", " "]\nanswer = { answer = "tie" }', "question 1 has an empty text"),
    ],
)
def test_what_is_no_tutorial(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        read_tutorial(text, "t.toml", Protocol())
    with pytest.raises(InputError):
        create_campaign(tmp_path / "camp", Protocol(), study_of(), at=NOW, tutorial=text)
    assert not (tmp_path / "camp").exists(), "nothing is half-written"


def test_a_backup_has_the_tutorial(tmp_path: Path) -> None:
    served = Taught(tmp_path / "camp", TWO)
    assert back_up(served.folder, tmp_path / "copy").tutorial == open_campaign(served.folder).tutorial is not None
