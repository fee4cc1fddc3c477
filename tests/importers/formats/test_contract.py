"""What every format promises, whatever tool it reads."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from tests.importers.made import save

from tiebreak.importers.formats.format import Format
from tiebreak.importers.formats.registry import FORMATS
from tiebreak.importers.plans import format_named
from tiebreak.tabular.source import Source

TEXTS = {
    "votes.csv": "item,model_a,model_b,winner,worker\n1,north,south,a,ann\n2,north,south,tie,bo\n",
    "outputs.jsonl": '{"item": "1", "system": "north", "text": "Hi"}\n{"item": "2", "system": "north", "text": "Ho"}\n',
    "nothing.json": "{}",
    "no_objects.json": "[1, 2]",
    "words.txt": "only words\n",
}  # fmt: skip


@pytest.fixture(scope="module")
def others(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Files that no tool wrote."""
    folder = tmp_path_factory.mktemp("others")
    for name, text in TEXTS.items():
        save(folder, name, text)
    save(folder, "ratings.xlsx", {"Sheet": [["item", "system", "rating"], ["1", "north", 4], ["1", "south", 2]]})
    empty = folder / "folder"
    empty.mkdir()
    return [*(folder / name for name in TEXTS), folder / "ratings.xlsx", empty, folder]


def test_names_are_unique() -> None:
    assert {name: count for name, count in Counter(of.name for of in FORMATS).items() if count > 1} == {}
    assert all(format_named(of.name) is of for of in FORMATS)


@pytest.mark.parametrize("of", FORMATS, ids=lambda of: of.name)
def test_a_format_has_a_title_and_reads_in_one_way(of: Format) -> None:
    assert of.name == of.name.strip().casefold() != ""
    assert of.title.strip()
    assert (of.read is None) != (of.rows is None)
    assert of.rows is not None or not of.recipe.fields


@pytest.mark.parametrize("of", FORMATS, ids=lambda of: of.name)
def test_a_format_leaves_files_of_other_shapes(of: Format, others: list[Path]) -> None:
    assert [path.name for path in others if of.fits(Source(str(path)))] == []
    for path in others:
        of.beside(Source(str(path)))
