"""Two columns that say a side: names of systems, or what two systems wrote."""

from __future__ import annotations

import pytest
from tests.importers.spreadsheet.test_guess import found, sheet

from tiebreak.importers.importer import SURE_ENOUGH
from tiebreak.importers.spreadsheet.confidence import confidence_of
from tiebreak.importers.spreadsheet.guess import guess_mapping

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
