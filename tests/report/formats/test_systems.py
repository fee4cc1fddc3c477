"""The table of systems by criteria: figures, letters and what stands out, in every format."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from tests.small_studies import pair_votes, rating, study_of

from tiebreak.comparison.compare import compare
from tiebreak.data.study import Study, StudySettings
from tiebreak.estimation.estimate import estimate
from tiebreak.report.formats import write_systems


def preferred() -> Study:
    """Ant beats cat clearly, bee is between them; and ant is better than bee on another criterion, without cat."""
    return study_of(
        [
            *pair_votes("w" * 18 + "l" * 12, "ant", "bee", "clear"),
            *pair_votes("w" * 27 + "l" * 3, "ant", "cat", "clear"),
            *pair_votes("w" * 20 + "l" * 10, "bee", "cat", "clear"),
            *pair_votes("w" * 28 + "l" * 2, "ant", "bee", "warm"),
        ]
    )


def written(path: Path, study: Study, **settings: object) -> str:
    write_systems(compare(study, **settings), path)  # type: ignore[arg-type]
    return path.read_text(encoding="utf-8")


def test_markdown_has_a_row_per_system_and_the_best_in_bold(tmp_path: Path) -> None:
    head, _, ant, bee, cat, _, note, *_ = written(tmp_path / "t.md", preferred()).splitlines()
    assert [cell.strip() for cell in head.split("|")[1:-1]] == ["System", "clear", "warm"]
    cells = [[cell.strip() for cell in row.split("|")[1:-1]] for row in (ant, bee, cat)]
    assert [row[0] for row in cells] == ["ant", "bee", "cat"]
    assert cells[0][1].startswith("**0.75 [")
    assert cells[0][1].endswith("] a**")
    assert [row[1].strip("*").rpartition(" ")[2] for row in cells] == ["a", "ab", "b"]
    assert [row[2].strip("*").rpartition(" ")[2] for row in cells] == ["a", "b", "-"]
    assert note == (
        "Win rate: how often a system is preferred over another one, ties half, on average over the others, with a 95% "
        "interval for each figure by itself. Systems that share a letter are not told apart by a verdict."
    )


def test_latex_has_bold_cells_and_escapes_names(tmp_path: Path) -> None:
    study = study_of([*pair_votes("w" * 28 + "l" * 2, "a_1", "b&c")])
    lines = written(tmp_path / "t.tex", study).splitlines()
    assert lines[2:5] == [r"\begin{tabular}{ll}", r"\toprule", r"System & Win rate \\"]
    assert lines[6].startswith(r"a\_1 & \textbf{0.93 [")
    assert lines[7].startswith(r"b\&c & 0.07 [")


def test_csv_has_a_row_per_criterion_and_system_with_numbers_unrounded(tmp_path: Path) -> None:
    found = compare(preferred())
    write_systems(found, tmp_path / "t.csv")
    with (tmp_path / "t.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [(row["criterion"], row["system"], row["letters"]) for row in rows] == [
        ("clear", "ant", "a"),
        ("clear", "bee", "ab"),
        ("clear", "cat", "b"),
        ("warm", "ant", "a"),
        ("warm", "bee", "b"),
    ]
    known = {(row["criterion"], row["system"]): row for row in found.systems.iter_rows(named=True)}
    for row in rows:
        rate = known[row["criterion"], row["system"]]
        assert (float(row["value"]), float(row["low"])) == (rate["estimate"], rate["low"])


def test_pairs_that_nobody_compared_are_said(tmp_path: Path) -> None:
    text = written(tmp_path / "t.md", preferred(), baseline="ant", criteria=["clear"])
    assert "not told apart by a verdict, or were never compared." in text


@pytest.mark.parametrize("means", [True, False])
def test_means_of_ratings(tmp_path: Path, means: bool) -> None:
    """With intervals, the same from both; from `compare` with the letters of its verdicts, too."""
    rows = [
        rating(f"i{k:02d}", name, "p", value) for k in range(30) for name, value in (("ant", 4 + k % 2), ("bee", 2.0))
    ]
    study = study_of(ratings=rows, settings=StudySettings(scale={"overall": (1.0, 5.0)}))
    path = tmp_path / "t.md"
    write_systems(compare(study, compare="means") if means else estimate(study), path)
    _, _, ant, bee, *_ = path.read_text(encoding="utf-8").splitlines()
    cells = [row.split("|")[2].strip() for row in (ant, bee)]
    letters = (" a", " b") if means else ("", "")
    assert cells == [f"**4.50 [4.11, 4.69]{letters[0]}**", f"2.00 [1.89, 2.34]{letters[1]}"]
