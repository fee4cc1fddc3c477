"""A plan that makes no sense is refused with the reason and with what would be right."""

from __future__ import annotations

import pytest
from tests.importers.spreadsheet.test_guess import LONG, sheet, texts

from tiebreak.importers.spreadsheet.confidence import confidence_of
from tiebreak.importers.spreadsheet.guess import guess_mapping
from tiebreak.importers.spreadsheet.mapping import Mapping, parse_map

NUMBERS = ["0.3", "0.4", "0.5", "0.25"]
TIMES = [f"Mon May 17 08:49:3{i} PDT 2021" for i in range(4)]

NONSENSE: dict[str, tuple[dict[str, list[str]], str, str]] = {
    "a first row of data": (
        {"This place has been the best of all those that I have visited in the last ten years, really.": texts("t")},
        "the first row seems to be data", "header line",
    ),
    "cells that were not told apart": (
        {"system mqm_avg_score seg_id": [f"Some-Name -5.0 {i}" for i in range(4)]}, "has one column", "commas or tabs",
    ),
    "times for systems": (
        {"id": ["1", "2", "3", "4"], "model": TIMES, "output": texts("o")}, "which is a time", "--map system=",
    ),
    "numbers for systems": (
        {"id": ["1", "2", "3", "4"], "model": NUMBERS, "output": texts("o")}, "which is a number", "--map system=",
    ),
    "a review for a system": (
        {"id": ["1", "2"], "model": [LONG, LONG], "output": texts("o", 2)}, "is a text, not a name", "--map system=",
    ),
    "scores for people": (
        {"id": ["1", "2"], "model_a": ["x"] * 2, "model_b": ["y"] * 2, "winner": ["x", "y"], "worker": ["0.5", "0.7"]},
        "would name the people", "--map annotator=",
    ),
    "answers for systems": (
        {"id": [str(i) for i in range(40)], "x": texts("x", 40), "Lieblingsfarbe": ["rot", "blau"] * 20},
        "Lieblingsfarbe", "--map 'text=COLUMN|COLUMN'",
    ),
}  # fmt: skip


def plan(table: dict[str, list[str]], *said: str) -> Mapping:
    return guess_mapping(sheet(table), parse_map(said))


@pytest.mark.parametrize("name", NONSENSE)
def test_nonsense_is_refused(name: str) -> None:
    table, reason, cure = NONSENSE[name]
    refused = [doubt for doubt in plan(table).doubts if doubt.chance == 0]
    assert reason in refused[0].reason
    assert cure in refused[0].cure
    assert confidence_of(plan(table)) == 0


def test_what_the_user_says_is_not_doubted() -> None:
    table = {"id": ["1", "2", "3", "4"], "model": NUMBERS, "output": texts("o")}
    mapping = plan(table, "item=id,system=model,text=output")
    assert mapping.doubts == ()
    assert confidence_of(mapping) == 1


PAIRS = {"id": ["1", "2", "3", "4"], "model_a": ["x"] * 4, "model_b": ["y"] * 4}
WON = {"winner": ["A", "B", "tie", "A"]}


def test_models_among_people_are_refused() -> None:
    mapping = plan(PAIRS | WON | {"annotator": ["gpt-4o", "ann", "ann", "bo"]})
    (doubt,) = mapping.doubts
    assert "--judge-file" in doubt.cure
    assert confidence_of(mapping) == 0
    assert plan(PAIRS | WON | {"annotator": ["gpt-4o", "ann", "ann", "bo"]}, "annotator=annotator").doubts == ()


TEXTS = {"prompt": texts("p"), "x answer": texts("x"), "y answer": texts("y")}


@pytest.mark.parametrize(
    "name",
    ["loser", "Worse one", "Which is worse?", "Verlierer", "peor", "rejected", "least liked", "not preferred",
     "second choice", "runner up", "weniger bevorzugt"],
)  # fmt: skip
@pytest.mark.parametrize("cells", [["A", "B", "tie", "A"], ["x answer", "y answer", "both", "x answer"]])
def test_who_lost_is_not_who_won(name: str, cells: list[str]) -> None:
    mapping = plan(TEXTS | {name: cells})
    (doubt,) = mapping.doubts
    assert doubt.chance == 0
    assert not mapping.has("outcome")
    assert plan(TEXTS | {name: cells}, f"ignore={name}").doubts == ()
    assert plan(TEXTS | {name: cells} | WON).get("outcome").columns == ("winner",)  # type: ignore[union-attr]


def test_sides_that_were_turned_are_asked_about() -> None:
    """Where `swapped` is true, A on the screen may be the second of the row."""
    turned = {"swapped": ["TRUE", "FALSE"] * 2}
    assert len(plan(PAIRS | WON | turned).doubts) == 1
    assert plan(PAIRS | {"winner": ["x", "y", "tie", "x"]} | turned).doubts == ()
    assert plan(PAIRS | WON | turned, "ignore=swapped").doubts == ()
