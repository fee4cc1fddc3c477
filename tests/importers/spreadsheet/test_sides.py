"""Two columns that say a side: names of systems, or what two systems wrote."""

from __future__ import annotations

import pytest
from tests.importers.spreadsheet.test_guess import found, sheet

from tiebreak.importers.importer import SURE_ENOUGH
from tiebreak.importers.spreadsheet.confidence import confidence_of
from tiebreak.importers.spreadsheet.guess import guess_mapping
from tiebreak.importers.spreadsheet.mapping import parse_map

ROWS = range(12)


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
