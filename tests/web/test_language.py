"""The pages in the language of the browser: everything is translated, nothing that the server reads is."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.mofile import read_mo
from benchmarks.translations import catalogues, messages, updated
from benchmarks.worlds.rating_campaigns import rated_study, rating_protocol
from benchmarks.worlds.small_campaigns import NOW, protocol_of, study_of
from tests.web.test_checked import ANSWER, PASSAGE
from tests.web.test_tutorial import TWO, Taught
from tests.web.visitors import CORRECTNESS, Page, Served, Visitor, with_passages

from tiebreak.campaign import Protocol
from tiebreak.campaign.kinds import Phrase
from tiebreak.data.study import Study
from tiebreak.live.answers import pause, stop
from tiebreak.settings.protocol import LabelSettings, RatedCriterion
from tiebreak.web.site import best_language

PLACES = re.compile(r"%\(\w+\)[sd]|\{\w+\}")


def told(catalogue: Catalog) -> dict[tuple[str, ...], tuple[str, ...]]:
    """What a catalogue says of each message, in all of its forms; its header left out."""
    return {forms(message.id): forms(message.string or "") for message in catalogue if message.id}


def forms(words: str | tuple[str, ...] | list[str]) -> tuple[str, ...]:
    return (words,) if isinstance(words, str) else tuple(words)


@pytest.mark.parametrize("path", catalogues(), ids=lambda path: path.parts[-3])
def test_every_message_is_translated_and_none_is_stale(path: Path) -> None:
    found = catalogues()[path]
    assert not found.obsolete
    assert not [message.id for message in found if message.fuzzy and message.id]
    assert set(told(found)) == set(told(messages())), "run: python benchmarks/translations.py --write"
    for message, strings in told(found).items():
        assert all(strings), f"{message!r} has no translation"
        for of, string in zip(message, strings, strict=True):
            assert sorted(PLACES.findall(string)) == sorted(PLACES.findall(of))
    with path.with_suffix(".mo").open("rb") as file:
        assert told(read_mo(file)) == told(found), "run: python benchmarks/translations.py --write"
    assert told(updated(found)) == told(found)


# ---- which language ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("", "en"),
        ("de", "de"),
        ("DE-at,de;q=0.9,en;q=0.8", "de"),
        ("fr,de;q=0.5,en;q=0.2", "de"),
        ("fr-CH, it", "en"),
        ("en,de", "en"),
        ("en;q=0.3, de ; q=0.8", "de"),
        ("de;q=0", "en"),
        ("de;q=x,en;q=0.1", "en"),
        ("../../de,\x00,;;;,=", "en"),
        ("deutsch", "en"),
    ],
)
def test_the_language_that_a_browser_likes_best(header: str, expected: str) -> None:
    assert best_language(header) == expected


def test_a_phrase_is_said_in_another_language_and_names_in_it_stay() -> None:
    inner = Phrase("from {low}", low="x{y}")
    phrase = Phrase("{name} {what}; {words}", name="yes", what=inner, words=("a", "b"))
    assert phrase == "yes from x{y}; a, b"
    words = {"from {low}": "von {low}", "a": "ä", "yes": "ja", "{name} {what}; {words}": "{words}: {name} {what}"}
    assert phrase.said(lambda text: words.get(text, text)) == "ä, b: yes von x{y}"


# ---- pages -------------------------------------------------------------------------------------------------------


def german(visitor: Visitor) -> Visitor:
    """Whose browser likes German best."""
    visitor.client.headers["accept-language"] = "de-DE,de;q=0.9,en;q=0.5"
    return visitor


def english_in(page: Page) -> list[str]:
    """Messages in a page that are not in German; those of one word may be part of others."""
    text = html.unescape(page.text)
    return [
        of
        for message in told(messages())
        for of in message
        if len(of.split()) > 2 and not PLACES.search(of) and of in text
    ]


CUED = (RatedCriterion("clear", 1, 5, half_width=0.5, question="Is it?"), RatedCriterion("long", 1, 50, half_width=9))
KINDS: dict[str, Callable[[], tuple[Protocol, Study]]] = {
    "preference": lambda: (protocol_of(), study_of()),
    "ranking": lambda: (protocol_of(labels=LabelSettings(kind="ranking")), study_of(("ant", "bee", "cat"))),
    "rating": lambda: (rating_protocol(criteria=CUED), rated_study()),
    "rating+edit": lambda: (rating_protocol(labels=LabelSettings(kind="rating+edit"), edit_below=3), rated_study()),
    "correctness": lambda: (CORRECTNESS, with_passages(PASSAGE)),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_page_of_a_kind_is_in_german(kind: str, tmp_path: Path) -> None:
    served = Served(tmp_path / "camp", *KINDS[kind]())
    visitor = german(Visitor(served.app))
    first = visitor.get(served.link())
    page = visitor.post("/join", {"ticket": first.ticket})
    wrong = visitor.answer(page, **({"clear": "1"} if kind == "rating+edit" else {}))
    checked = visitor.answer(page, **ANSWER)
    assert wrong.status == 422
    for shown in (first, page, wrong, *((checked,) if kind == "correctness" else ())):
        assert '<html lang="de">' in shown.text
        assert english_in(shown) == []
    if kind == "preference":
        assert 'value="First text" data-key="1">Erster Text' in page.text
        assert "Auf dem Server gespeichert." in visitor.answer(page, answer="First text").words
    elif kind == "correctness":
        assert 'value="supports"> <span>stützt die Antwort' in page.text
        assert "stützt die Antwort" in checked.words
    assert '<html lang="en">' in Visitor(served.app).get("/join").text


def test_the_other_pages_are_in_german_and_the_owners_is_not(tmp_path: Path) -> None:
    served = Taught(tmp_path / "camp", TWO)
    visitor, owner = german(served.person("ann")), german(served.owner())
    question = visitor.task()
    empty = visitor.post("/tutorial", {"ticket": question.ticket})
    told_right = visitor.post("/tutorial", {"ticket": question.ticket, "answer:answer": "First text"})
    for path in ("/task", "/no/such/page", "/a/nothing"):
        assert english_in(german(Visitor(served.app)).get(path)) == []
    assert english_in(question) == english_in(empty) == english_in(told_right) == []
    assert "Erster Text" in told_right.words
    pause(served.live, now=NOW)
    page = visitor.post("/tutorial", {"ticket": visitor.task().ticket, "answer:answer": "No difference"})
    paused = visitor.task()
    stop(served.live, now=NOW)
    assert english_in(page) == english_in(paused) == english_in(visitor.task()) == []
    dashboard = owner.get("/owner")
    assert '<html lang="en">' in dashboard.text
    assert "Annotators" in dashboard.words


def test_only_words_of_the_program_are_translated(tmp_path: Path) -> None:
    """An output, a criterion and instructions that read as one of them stay as they are."""
    outputs = [{"item": f"i{k}", "system": name, "text": "No difference"} for k in range(40) for name in ("ant", "bee")]
    protocol = replace(rating_protocol(criteria=(RatedCriterion("answer", 1, 5),)), instructions="Skip this task")
    served = Served(tmp_path / "camp", protocol, Study.from_tables(outputs=outputs))
    page = german(served.person("ann")).task()
    assert page.shown == ["No difference"]
    assert "Skip this task" in page.words
    assert "<legend>answer</legend>" in page.text


def test_an_empty_text_says_so(tmp_path: Path) -> None:
    outputs = [{"item": f"i{k}", "system": name, "text": " "} for k in range(40) for name in ("ant", "bee")]
    protocol = rating_protocol()
    served = Served(tmp_path / "camp", protocol, Study.from_tables(outputs=outputs))
    assert german(served.person("ann")).task().shown == ["[dieser Text ist leer]"]
