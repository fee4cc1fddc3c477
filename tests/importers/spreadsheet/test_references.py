"""Several references of an item, in columns or in a list."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.importers.spreadsheet.made_files import bound, imported, proposed, save

from tiebreak.adding.add import Addition, add
from tiebreak.data.readers import read_study
from tiebreak.data.writers import stamps_of, write_study
from tiebreak.errors import InputError, TiebreakError
from tiebreak.importers.tables import TABLES_IMPORTER, TableSettings
from tiebreak.places.place import study_to_add_to
from tiebreak.scoring.evaluator.examples.corpus import Corpus

REFERENCES = {"1": ["Red.", "Green."], "2": ["Apple.", "Plum.", "Kiwi."], "3": ["Four."]}


def in_columns(*names: str) -> list[list[object]]:
    return [
        ["id", "model", "prompt", "output", *names],
        *(
            [i, m, f"Question {i}?", f"{m} {i}", *[*texts, "", ""][: len(names)]]
            for m in ("a", "b") for i, texts in REFERENCES.items()
        ),
    ]  # fmt: skip


def references(study: object) -> dict[str, list[str] | None]:
    items = study.items  # type: ignore[attr-defined]
    return dict(items.select("item", "references").iter_rows())


def test_a_list_in_json(tmp_path: Path) -> None:
    path = tmp_path / "outputs.jsonl"
    rows = [
        {"id": i, "model": m, "prompt": f"Question {i}?", "output": f"{m} {i}", "references": texts}
        for m in "ab" for i, texts in REFERENCES.items()
    ]  # fmt: skip
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    study = TABLES_IMPORTER.read([str(path)], TableSettings()).build("s").study
    assert references(study) == REFERENCES
    assert set(study.systems) == {"a", "b"}
    write_study(study, tmp_path / "study")
    assert references(read_study(tmp_path / "study")) == REFERENCES


@pytest.mark.parametrize(
    "names",
    [
        ("reference", "reference 2", "reference 3"), ("Reference1", "Reference2", "Reference3"),
        ("ref_0", "ref_1", "ref_2"), ("gold.0", "gold.1", "gold.2"), ("target", "target_2", "target_3"),
    ],
)  # fmt: skip
def test_numbered_columns(names: tuple[str, ...], tmp_path: Path) -> None:
    plan = proposed(tmp_path, in_columns(*names))
    assert bound(plan)["reference"] == names
    study = plan.build("s").study
    assert references(study) == REFERENCES
    assert study.systems == ("a", "b")


def test_columns_that_the_user_names(tmp_path: Path) -> None:
    study = imported(tmp_path, in_columns("x", "by people", "z"), columns=["reference=x|by people|z"])
    assert references(study) == REFERENCES


def test_one_column_stays_a_text(tmp_path: Path) -> None:
    study = imported(tmp_path, in_columns("reference"))
    assert study.items is not None
    assert study.items["reference"].to_list() == [texts[0] for texts in REFERENCES.values()]
    study = imported(tmp_path, in_columns("reference_1", "reference_2"), columns=["reference=reference_2"])
    assert study.items is not None
    assert study.items["reference"].to_list() == ["Green.", "Plum.", None]


@pytest.mark.parametrize("write", [json.dumps, repr])
@pytest.mark.parametrize("name", ["references", "label"])
def test_a_list_in_a_cell(name: str, write: Callable[[object], str], tmp_path: Path) -> None:
    """As a spreadsheet, or pandas, has it."""
    texts = {"1": ["It is red.", "It is green."], "2": ["An apple."], "3": ["One, so to speak.", "Two of them."]}
    rows = [["id", "model", "prompt", "output", name]]
    rows += [[i, m, f"Question {i}?", f"{m} {i}", write(said)] for m in ("a", "b") for i, said in texts.items()]
    assert references(imported(tmp_path, rows)) == texts


def test_other_references_of_one_item(tmp_path: Path) -> None:
    table = in_columns("reference_1", "reference_2")
    table[4][5] = "Lime."
    with pytest.raises(InputError, match=r"row 5, column reference_1: 'Red\.': item 1 has other references at .*row 2"):
        imported(tmp_path, table)


def test_an_evaluator_learns_ties_from_them(tmp_path: Path) -> None:
    study = imported(tmp_path, in_columns("reference_1", "reference_2", "reference_3"))
    corpus = Corpus.of([study])
    assert sum(one.about.reference for one in corpus.writers) == 1
    assert sorted(text for text in corpus.texts if text[-1] == ".") == sorted(
        text for texts in REFERENCES.values() for text in texts
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A study without references, in JSON Lines."""
    write_study(imported(tmp_path, in_columns()), tmp_path / "study", format="jsonl")
    return tmp_path / "study"


def added(folder: Path, *texts: str) -> Addition:
    """References of the first inputs, parted by a bar, in a file of inputs and references."""
    rows = [[f"Question {number}?", *several.split("|")] for number, several in enumerate(texts, 1)]
    header = ["prompt", *(f"reference_{place}" for place in range(1, len(rows[0])))]
    file = save(folder.parent, "references.csv", [header, *rows])
    study = study_to_add_to(folder)
    found = add(study, TABLES_IMPORTER.read([file], TableSettings(), study.systems))
    found.write(folder, stamps_of(folder))
    return found


def test_references_for_a_study_that_exists(folder: Path) -> None:
    assert added(folder, "Red.|Green.", "Apple.|Plum.").accounts[0].taken
    assert references(read_study(folder)) == {"1": ["Red.", "Green."], "2": ["Apple.", "Plum."], "3": None}
    assert not added(folder, "Red.|Green.", "Apple.|Plum.").changes, "known by now"
    assert len(added(folder, "Red.|Lime.").accounts[0].problems) == 1


def test_a_table_in_csv_holds_one_reference_of_an_item(tmp_path: Path) -> None:
    """The error has what makes it JSON Lines, which is true."""
    folder = tmp_path / "study"
    write_study(imported(tmp_path, in_columns()), folder)
    with pytest.raises(TiebreakError, match="make it JSON Lines first, in Python: ") as raised:
        added(folder, "Red.|Green.")
    exec("import tiebreak; " + str(raised.value).partition("Python: ")[2])
    assert added(folder, "Red.|Green.").changes
    assert references(read_study(folder))["1"] == ["Red.", "Green."]
