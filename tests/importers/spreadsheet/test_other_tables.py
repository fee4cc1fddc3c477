"""Tables about something else are refused or asked about, and what looks like them is not."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from tests.importers.raw_files.foreign import KINDS, table_of_something_else
from tests.importers.raw_files.reading import read, save
from tests.importers.raw_files.shapes import RawFile
from tests.importers.spreadsheet.test_guess import sheet, texts

from tiebreak.importers.importer import SURE_ENOUGH
from tiebreak.importers.spreadsheet.confidence import confidence_of
from tiebreak.importers.spreadsheet.draft import Beside
from tiebreak.importers.spreadsheet.guess import guess_mapping
from tiebreak.importers.spreadsheet.mapping import Mapping, parse_map


def plan(table: dict[str, list[str]], source: str = "file.csv", beside: Beside | None = None) -> Mapping:
    return guess_mapping(sheet(table, source), (), beside or Beside())


def test_tables_about_something_else_are_not_written(tmp_path: Path) -> None:
    seen = set()
    for seed in range(400):
        name, table = table_of_something_else(Random(seed))
        found = read(RawFile(name, table, None), save(RawFile(name, table, None), tmp_path, seed))
        seen.add(name)
        assert found.end in ("refused", "error") or found.confidence < SURE_ENOUGH, (name, found.said)
    assert seen == set(KINDS)


SENTENCES = {"sentence1": texts("a"), "sentence2": texts("b")}
SAID = ["A", "B", "both good", "A"]


@pytest.mark.parametrize(
    ("more", "sure"),
    [
        ({"label": ["1", "2", "1", "2"]}, False),
        ({"winner": ["1", "2", "1", "2"]}, True),
        ({"Which is better?": ["1", "2", "1", "2"]}, True),
        ({"label": SAID}, True),
        ({}, False),
        ({"prompt": texts("p")}, True),
        ({"prompt": ["Why?", "How?"] * 2, "score": ["1.5", "2.5", "0.5", "0.1"]}, False),
    ],
)
def test_two_sentences(more: dict[str, list[str]], sure: bool) -> None:
    """Of a task, unless somebody says which is better or both answer a prompt."""
    assert (confidence_of(plan(SENTENCES | more)) >= SURE_ENOUGH) == sure


@pytest.mark.parametrize(
    ("name", "text", "sure"),
    [
        ("gpt-4.csv", "answer", True), ("run_llama3.csv", "answer", True), ("squad.csv", "answer", False),
        ("data.csv", "prediction", False), ("baseline.csv", "prediction", True), ("faq.csv", "text", False),
    ],
)  # fmt: skip
def test_a_file_alone_that_would_name_the_system(name: str, text: str, sure: bool) -> None:
    table = {"question": texts("q"), text: texts("t")}
    assert (confidence_of(plan(table, name)) >= SURE_ENOUGH) == sure
    assert confidence_of(plan(table, name, Beside(one_of_several=True))) >= SURE_ENOUGH
    said = guess_mapping(sheet(table, name), parse_map(["system=:mine"]), Beside())
    assert confidence_of(said) >= SURE_ENOUGH


def test_ratings_of_which_no_two_are_about_one_item() -> None:
    table = {"id": ["1", "2", "3", "4"], "model": ["x", "y", "x", "y"], "rating": ["1", "2", "3", "4"]}
    (doubt,) = plan(table).doubts
    assert "no item has ratings of two systems" in doubt.reason
    assert plan(table | {"id": ["1", "1", "2", "2"]}).doubts == ()


def test_ratings_beside_the_texts_of_others_are_refused() -> None:
    (doubt, _) = plan(SENTENCES | {"id": ["1", "2", "3", "4"], "rating": ["1", "2", "3", "4"]}).doubts
    assert "rating would be about a system called file, after the file; the texts are not" in doubt.reason
    assert doubt.chance == 0


@pytest.mark.parametrize("odd", ["Team A/B", "Reply by", "Group B", "Initials"])
def test_people_in_a_small_file_are_no_third_system(odd: str) -> None:
    table = {"Prompt": texts("p", 6), "gpt": texts("g", 6), "llama": texts("l", 6), odd: ["ann", "bo"] * 3}
    doubt = plan(table).doubts[-1]
    assert doubt.reason == f"{odd} would be a system, though the name does not say so"
    assert doubt.cure.endswith("--map 'text=gpt|llama' if not")
    assert confidence_of(plan(table)) < SURE_ENOUGH


@pytest.mark.parametrize("third", ["prompt-b", "finetuned v2", "ours"])
def test_a_third_system_among_models(third: str) -> None:
    table = {"Prompt": texts("p"), "gpt-4o": texts("g"), "llama": texts("l"), third: texts("o")}
    assert confidence_of(plan(table)) >= SURE_ENOUGH
