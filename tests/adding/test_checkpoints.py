"""What files say of checkpoints goes into study.toml of a study that exists, and nothing else in it changes."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.importers.made import read, save

from tiebreak.adding.add import Addition, add
from tiebreak.data.readers import read_study
from tiebreak.data.settings import SystemSettings
from tiebreak.data.writers import stamps_of, write_study
from tiebreak.errors import TiebreakError
from tiebreak.importers.plans import ReadOptions, plan_files
from tiebreak.places.place import study_to_add_to

HEADER = ["run", "ckpt", "prompt", "generation", "eval_loss"]


def rows(*checkpoints: tuple[str, int, object]) -> list[list[object]]:
    return [[r, s, f"Question {i}?", f"{r} {s} {i}", loss] for r, s, loss in checkpoints for i in range(3)]


def written(tmp_path: Path, *checkpoints: tuple[str, int, object]) -> Path:
    """A study of these checkpoints."""
    write_study(read(save(tmp_path, "first.csv", [HEADER, *rows(*checkpoints)])).study, tmp_path / "study")
    return tmp_path / "study"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A study of two runs with two checkpoints each, and a comment in its study.toml."""
    made = written(tmp_path, ("hi", 500, 2.5), ("hi", 1000, 2.1), ("lo", 500, 2.7), ("lo", 1000, 2.2))
    toml = made / "study.toml"
    toml.write_text(f"# by hand\n{toml.read_text(encoding='utf-8')}", encoding="utf-8")
    return made


def added(folder: Path, table: list[list[object]], *columns: str) -> Addition:
    study = study_to_add_to(folder)
    file = save(folder.parent, "next.csv", table)
    found = add(study, plan_files([file], ReadOptions(mapped=columns)))
    found.write(folder, stamps_of(folder))
    return found


def test_a_new_checkpoint_is_written_below_the_others(folder: Path) -> None:
    before = (folder / "study.toml").read_text(encoding="utf-8")
    found = added(folder, [HEADER, *rows(("hi", 1500, 2.0))])
    assert found.accounts[0].new_checkpoints == 1
    assert (folder / "study.toml").read_text(encoding="utf-8").startswith(before)
    now = read_study(folder)
    assert "hi/1500" in now.systems
    assert now.settings.systems["hi/1500"] == SystemSettings(run="hi", step=1500, dev_loss=2.0)
    assert now.settings == found.study.settings
    again = added(folder, [HEADER, *rows(("hi", 1500, 2.0))])
    assert not again.changes


def test_of_which_run_a_checkpoint_is_has_to_be_said(folder: Path) -> None:
    table = [row[1:] for row in [HEADER, *rows(("hi", 1500, 2.0))]]
    (problem,) = added(folder, table, "system=:hi/1500").accounts[0].problems
    assert "a checkpoint of which run? study.toml has hi, lo: --map run=COLUMN, or run=:NAME" in str(problem)
    added(folder, table, "system=:hi/1500", "run=:hi")
    assert read_study(folder).settings.systems["hi/1500"].run == "hi"


def test_another_loss_of_a_checkpoint_contradicts(folder: Path) -> None:
    before = (folder / "study.toml").read_bytes()
    found = added(folder, [HEADER, *rows(("hi", 1000, 1.9))])
    (problem,) = found.accounts[0].problems
    assert "study.toml says another dev_loss of hi/1000 (2.1, and not 1.9); correct one of them" in str(problem)
    assert not found.changes
    assert (folder / "study.toml").read_bytes() == before


def test_what_study_toml_says_by_hand_is_left_as_it_is(folder: Path) -> None:
    """A system that is a reference, or of which it says less than the file."""
    toml = folder / "study.toml"
    toml.write_text('[systems."hi/500"]\nrun = "hi"\n', encoding="utf-8")
    found = added(folder, [HEADER, *rows(("hi", 500, 2.5), ("hi", 1000, 2.1))])
    assert found.accounts[0].new_checkpoints == 1
    now = read_study(folder).settings.systems
    assert now["hi/500"] == SystemSettings(run="hi")
    assert now["hi/1000"].step == 1000


def test_systems_that_are_written_in_one_line(folder: Path) -> None:
    """To such a table nothing can be added: the error has the lines to write."""
    (folder / "study.toml").write_text('systems = { "lo/500" = { run = "lo" } }\n', encoding="utf-8")
    with pytest.raises(TiebreakError, match=r'study\.toml: .*with this one:\n\[systems\."hi/1500"\]\nrun = "hi"'):
        added(folder, [HEADER, *rows(("hi", 1500, 2.0))])
    assert "hi/1500" not in read_study(folder).systems


def test_a_second_training_is_of_other_systems(tmp_path: Path) -> None:
    """Though its checkpoints are called as those of the first."""
    folder = written(tmp_path, ("hi", 500, 2.5), ("hi", 1000, 2.1))
    assert added(folder, [HEADER, *rows(("lo", 500, 2.9), ("lo", 1000, 2.7))]).accounts[0].taken
    assert set(read_study(folder).settings.systems) == {"hi/500", "hi/1000", "lo/500", "lo/1000"}
    assert added(folder, [HEADER, *rows(("hi", 1500, 2.0), ("lo", 1500, 2.6))]).accounts[0].taken
    assert read_study(folder).settings.systems["lo/1500"] == SystemSettings(run="lo", step=1500, dev_loss=2.6)


def test_systems_that_are_left_out_are_not_written(folder: Path) -> None:
    ratings = [["run", "ckpt", "prompt", "fluency", "rater"]]
    ratings += [["hi", s, f"Question {i}?", str(1 + i), "ann"] for s in (500, 1000, 1500) for i in range(3)]
    study = study_to_add_to(folder)
    file = save(folder.parent, "ratings.csv", ratings)
    found = add(study, plan_files([file]), "leave")
    assert found.accounts[0].taken
    assert not found.systems
    assert "hi/1500" not in found.study.systems
