"""Checkpoints of a training: which column names the systems of a file, in tables of people."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pytest
from tests.importers.spreadsheet.made_files import bound, imported, proposed, save

from tiebreak.data.readers import read_study
from tiebreak.data.system_settings import SystemSettings, checkpoints_by_name
from tiebreak.data.writers import write_study
from tiebreak.errors import InputError
from tiebreak.importers.importer import SURE_ENOUGH
from tiebreak.importers.tables import TABLES_IMPORTER, TableSettings

STEPS = ("500", "1000", "2000")


def generations(name: str, checkpoints: Iterable[str], items: int = 4) -> list[list[object]]:
    rows = [[i, c, f"Question {i}?", f"An answer to {i} by {c}."] for c in checkpoints for i in range(items)]
    return [["id", name, "prompt", "generation"], *rows]


@pytest.mark.parametrize("name", ["checkpoint", "ckpt", "Checkpoint Name", "global_step", "step"])
@pytest.mark.parametrize("called", ["ckpt-{}", "{}", "runs/7/step_{}"])
@pytest.mark.parametrize("items", [2, 4])
def test_checkpoints_are_systems(name: str, called: str, items: int, tmp_path: Path) -> None:
    checkpoints = [called.format(step) for step in STEPS]
    plan = proposed(tmp_path, generations(name, checkpoints, items))
    assert bound(plan) == {
        "item": ("id",), "input": ("prompt",), "system": (name,), "step": (name,), "text": ("generation",),
    }  # fmt: skip
    assert plan.confidence >= SURE_ENOUGH
    made = plan.build("s")
    assert made.study.systems == tuple(sorted(checkpoints))
    assert made.study.settings.systems == {
        checkpoint: SystemSettings(run="runs/7" if "/" in called else "training", step=int(step))
        for checkpoint, step in zip(checkpoints, STEPS, strict=True)
    }


def test_checkpoints_of_several_models(tmp_path: Path) -> None:
    rows = [["id", "model", "checkpoint", "output"]]
    rows += [[str(i), m, c, f"Answer {i} {m} {c}."] for m in ("base", "large") for c in "xy" for i in range(3)]
    plan = proposed(tmp_path, rows)
    assert bound(plan)["system"] == ("model", "checkpoint")
    made = plan.build("s")
    assert made.study.systems == ("base/x", "base/y", "large/x", "large/y")


@pytest.mark.parametrize("name", ["run", "Run ID", "experiment"])
@pytest.mark.parametrize("checkpoint", ["ckpt", "step"])
def test_checkpoints_of_several_runs(name: str, checkpoint: str, tmp_path: Path) -> None:
    """Runs are trainings, not samples: what two of them wrote at one step has no mean of one system."""
    rows = [[name, checkpoint, "prompt", "generation"]]
    rows += [[r, c, f"Question {i}?", f"{r} {c} {i}"] for r in "AB" for c in ("500", "1000") for i in range(3)]
    plan = proposed(tmp_path, rows)
    assert bound(plan) == {
        "input": ("prompt",), "system": (name, checkpoint), "run": (name,), "step": (checkpoint,),
        "text": ("generation",),
    }  # fmt: skip
    made = plan.build("s")
    assert made.study.systems == ("A/1000", "A/500", "B/1000", "B/500")


def of_trainings(losses: tuple[str, ...] = ("2.5", "2.1", "nan", "2.4")) -> list[list[object]]:
    """Two checkpoints of two trainings, with what a log says of them."""
    told = zip((("hi", "500"), ("hi", "1000"), ("lo", "500"), ("lo", "1000")), losses, strict=True)
    rows = [
        [run, step, f"Question {i}?", f"{run} {step} {i}", loss, "1e-3" if run == "hi" else "1e-4", "1000", "true"]
        for (run, step), loss in told for i in range(3)
    ]  # fmt: skip
    return [["run", "ckpt", "prompt", "generation", "eval_loss", "lr", "max_steps", "dropout"], *rows]


def test_what_a_log_says_of_checkpoints_is_in_study_toml(tmp_path: Path) -> None:
    """And is no rating and no score of a metric."""
    plan = proposed(tmp_path, of_trainings())
    assert plan.confidence >= SURE_ENOUGH
    made = plan.build("s")
    assert set(made.study.tables) == {"items", "outputs"}
    assert dict(made.study.settings.systems) == {
        f"{run}/{step}": SystemSettings(
            run=run, step=step, total_steps=1000, dev_loss=loss, settings={"lr": rate, "dropout": True}
        )
        for run, step, loss, rate in (
            ("hi", 500, 2.5, 1e-3), ("hi", 1000, 2.1, 1e-3), ("lo", 500, None, 1e-4), ("lo", 1000, 2.4, 1e-4)
        )
    }  # fmt: skip
    path = tmp_path / "study"
    write_study(made.study, path)
    assert read_study(path).settings == made.study.settings


def test_each_file_is_a_checkpoint(tmp_path: Path) -> None:
    files = []
    for step in (500, 1000):
        rows = [["id", "step", "loss", "output"], *([i, step, 3 - step / 1e3, f"{step} {i}"] for i in range(3))]
        files.append(f"ckpt {step}={save(tmp_path, f'{step}.csv', rows)}")
    settings = TableSettings(systems=files, columns=["run=:long,dev_loss=loss"])
    found = TABLES_IMPORTER.read([], settings).build("s").study.settings.systems
    assert found["ckpt 500"] == SystemSettings(run="long", step=500, dev_loss=2.5)
    assert found["ckpt 1000"] == SystemSettings(run="long", step=1000, dev_loss=2.0)


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (("1.5", "2", "3"), r"column steps: '1\.5': step must be a whole number from 0 to .*, or blank"),
        (("1", "2", "many"), r"column steps: 'many': step must be a whole number"),
        (("9", "9", "8"), r"column steps: '8': m has another step at .*table0\.csv, row 2 \(9\); a checkpoint has one"),
    ],
)
def test_what_cannot_be_a_step(cells: tuple[str, ...], message: str, tmp_path: Path) -> None:
    rows = [["id", "model", "steps", "output"], *([i, "m", cell, f"Text {i}."] for i, cell in enumerate(cells))]
    with pytest.raises(InputError, match=message):
        imported(tmp_path, rows, columns=["step=steps,system=model,run=:r"])


def test_a_step_beyond_the_last(tmp_path: Path) -> None:
    rows = of_trainings()
    rows = [rows[0], *([*row[:6], "900", row[7]] for row in rows[1:])]
    with pytest.raises(InputError, match=r"row 5, column ckpt: '1000': step 1,000 is beyond the last of 900 steps"):
        imported(tmp_path, rows)


def test_renamed_checkpoints_keep_what_is_said_of_them(tmp_path: Path) -> None:
    file = save(tmp_path, "t.csv", of_trainings())
    found = TABLES_IMPORTER.read([file], TableSettings(rename=["hi/500=early"])).build("s").study
    assert found.settings.systems["early"].step == 500
    with pytest.raises(InputError, match="hi/1000 has another step"):
        TABLES_IMPORTER.read([file], TableSettings(rename=["hi/500=hi/1000"])).build("s")


def test_a_list_of_samples_of_each_checkpoint(tmp_path: Path) -> None:
    records = [
        {"step": c, "eval_loss": 3 - c / 1e3, "question": f"Q {i}?", "generations": [f"{c} {i} {s}" for s in range(n)]}
        for c in (200, 400) for i, n in enumerate((3, 3, 2))
    ]  # fmt: skip
    path = tmp_path / "samples.jsonl"
    path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    made = TABLES_IMPORTER.read([str(path)], TableSettings()).build("s")
    outputs = made.study.outputs
    assert outputs is not None
    assert outputs.height == 16
    assert outputs.filter(system="200", item="item0001").select("sample", "text").rows() == [
        ("1", "200 0 0"), ("2", "200 0 1"), ("3", "200 0 2"),
    ]  # fmt: skip
    assert made.study.settings.systems["400"] == SystemSettings(run="training", step=400, dev_loss=2.6)
    said = "Each text in generations is a sample, called by its place there; 2 blank or missing ones are left out."
    assert said in made.assumptions


@pytest.mark.parametrize(
    ("name", "step", "run"),
    [
        ("checkpoint-500", 500, None), ("ckpt_0500", 500, None), ("global_step500", 500, None),
        ("step=120.ckpt", 120, None),
        ("epoch=1-step=120.ckpt", 120, None), ("out/base/step_900.pt", 900, "out/base"), ("base-ckpt-900", 900, "base"),
        ("a_step100", 100, "a"), ("epoch-3", 3, None),
    ],
)  # fmt: skip
def test_names_of_checkpoints(name: str, step: int, run: str | None) -> None:
    assert checkpoints_by_name([name]) == {name: SystemSettings(run=run, step=step)}
