"""Two columns that say a side: names of systems, or what two systems wrote."""

from __future__ import annotations

import pytest
from tests.importers.spreadsheet.test_guess import found, sheet

from tiebreak.importers.importer import SURE_ENOUGH
from tiebreak.importers.spreadsheet.confidence import confidence_of
from tiebreak.importers.spreadsheet.guess import guess_mapping
from tiebreak.importers.spreadsheet.mapping import parse_map

ROWS = range(12)
WINNERS = ["A", "B", "tie", "A"] * 3


def pair_of_texts(first: str, second: str, texts: list[str], others: list[str]) -> dict[str, list[str]]:
    return {"prompt": [f"Question {i}?" for i in ROWS], first: texts, second: others, "winner": WINNERS}


@pytest.mark.parametrize(("first", "second"), [("System A", "System B"), ("Assistant A", "Assistant B")])
@pytest.mark.parametrize("text", ["Text one is number {}.", "cat {}", "A text that is long and has nothing but o{}"])
def test_texts_under_the_names_of_systems(first: str, second: str, text: str) -> None:
    table = pair_of_texts(first, second, [text.format(i) for i in ROWS], [f"The other text {i}." for i in ROWS])
    mapping = guess_mapping(sheet(table), ())
    assert found(mapping) == {"input": "prompt", "text": f"{first}|{second}", "outcome": "winner"}
    assert mapping.systems == (first, second)
    assert confidence_of(mapping) >= SURE_ENOUGH


def test_texts_that_several_people_saw() -> None:
    """Ten rows about two items hold four texts, each five times."""
    table = {
        "prompt": ["Why?"] * 5 + ["How?"] * 5, "Model A": ["So that it works."] * 5 + ["With care and time."] * 5,
        "Model B": ["Nobody can know that."] * 5 + ["By doing it at once."] * 5, "winner": ["A", "B"] * 5,
        "annotator": ["p", "q", "r", "s", "t"] * 2,
    }  # fmt: skip
    assert guess_mapping(sheet(table), ()).systems == ("Model A", "Model B")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (["gpt", "llama"] * 6, ["llama", "gpt"] * 6),
        (["GPT 4 Turbo (June)", "the old baseline system"] * 6, ["T5"] * 12),
        ([f"v{i}" for i in range(6)] * 2, ["v6"] * 12),
    ],
)
def test_names_stay_names(first: list[str], second: list[str]) -> None:
    mapping = guess_mapping(sheet(pair_of_texts("Model A", "Model B", first, second)), ())
    assert mapping.has("system_a", "system_b")
    assert set(mapping.systems) == {*first, *second}
    assert confidence_of(mapping) >= SURE_ENOUGH


@pytest.mark.parametrize("count", [3, 12])
def test_another_system_in_every_row_is_a_question(count: int) -> None:
    """Ids of outputs, or answers of one word."""
    table = pair_of_texts("Model A", "Model B", [f"x{i}" for i in ROWS], [f"y{i}" for i in ROWS])
    mapping = guess_mapping(sheet({name: cells[:count] for name, cells in table.items()}), ())
    (doubt,) = mapping.doubts
    assert "other systems in nearly every row" in doubt.reason
    assert doubt.cure == "--map 'text=Model A|Model B' if they hold what two systems wrote"
    assert confidence_of(mapping) < SURE_ENOUGH


SIGNED = [
    ("Answer 1", "Answer 2", "{} model"), ("A", "B", "{} model"), ("A", "B", "model {}"),
    ("Essay A", "Essay B", "model of {}"),
    ("response_a", "response_b", "{}_model_name"), ("Input.text_1", "Input.text_2", "{}_system"),
    ("left_reply", "right_reply", "{} (LLM)"), ("output one", "output two", "System for {}"),
]  # fmt: skip


def signed(first: str, second: str, owner: str, *, turned: bool) -> dict[str, list[str]]:
    names = {owner.format(first): ["x", "y", "x", "z"] * 3, owner.format(second): ["y", "x", "z", "x"] * 3}
    texts = {first: [f"It is {i}." for i in ROWS], second: [f"Other {i}." for i in ROWS]}
    columns = texts | names if turned else names | texts
    answers = [first, second, "tie", first] * 3
    return {"prompt": [f"Question {i}?" for i in ROWS], **columns, "better": answers, "worker": ["ann", "bo"] * 6}


@pytest.mark.parametrize("turned", [True, False])
@pytest.mark.parametrize(("first", "second", "owner"), SIGNED)
def test_texts_beside_the_names_of_who_wrote_them(first: str, second: str, owner: str, turned: bool) -> None:
    table = signed(first, second, owner, turned=turned)
    asked = {"input": "prompt", "outcome": "better", "annotator": "worker"}
    sides = {"system_a": owner.format(first), "system_b": owner.format(second), "text_a": first, "text_b": second}
    mapping = guess_mapping(sheet(table), ())
    assert found(mapping) == asked | sides
    assert set(mapping.systems) == {"x", "y", "z"}
    assert confidence_of(mapping) >= SURE_ENOUGH
    for said in (f"text={first}|{second}", f"text={second}|{first}", f"system_a={sides['system_a']}"):
        assert found(guess_mapping(sheet(table), parse_map([said]))) == asked | sides
    obeyed = guess_mapping(sheet(table), parse_map([f"text={sides['system_a']}|{sides['system_b']}"]))
    assert found(obeyed)["text"] == f"{sides['system_a']}|{sides['system_b']}"


def test_models_of_things_that_nobody_wrote() -> None:
    """Cars, with what each is called and its model, are no texts with their systems."""
    table = signed("car 1", "car 2", "{} model", turned=False) | {"car 1": ["VW", "Seat"] * 6, "car 2": ["Kia"] * 12}
    assert not guess_mapping(sheet(table), ()).has("text_a")


def test_systems_of_texts_alone_are_no_texts() -> None:
    table = {"prompt": [f"Question {i}?" for i in ROWS], "Answer 1 model": ["x", "y"] * 6, "Answer 2 model": ["z"] * 12}
    mapping = guess_mapping(sheet(table | {"winner": WINNERS}), ())
    assert mapping.systems == ("x", "y", "z")
    assert mapping.tables == ("items", "preferences")
