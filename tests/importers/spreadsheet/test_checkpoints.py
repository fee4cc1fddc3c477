"""Checkpoints of a training: which column names the systems of a file, in tables of people."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pytest
from tests.importers.spreadsheet.made_files import Rows, bound, imported, proposed, save

from tiebreak.data.readers import read_study
from tiebreak.data.system_settings import SystemSettings, checkpoints_by_name
from tiebreak.data.writers import write_study
from tiebreak.errors import InputError, UsageError
from tiebreak.importers.importer import SURE_ENOUGH
from tiebreak.importers.tables import TABLES_IMPORTER, TableSettings

STEPS = ("500", "1000", "2000")
NO_STEP = "; no step is said of it, so that study.toml has none."


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
    assert f"Each {name} is one system, a checkpoint of a training." in made.assumptions


@pytest.mark.parametrize("steps", [("1", "2", "3"), ("0", "1"), ("step 1", "step 2"), ("plan", "act", "look")])
def test_steps_of_an_answer_are_no_systems(steps: tuple[str, ...], tmp_path: Path) -> None:
    """They may be, and the error says how: nothing is written of which a step is a sample, or the file a system."""
    with pytest.raises(InputError, match=r"rows apart: --map system=COLUMN if several.*--map sample=COLUMN if"):
        imported(tmp_path, generations("step", steps))
    assert imported(tmp_path, generations("step", steps), columns=["system=step"]).systems == tuple(sorted(steps))


def test_an_epoch_that_is_called_checkpoint(tmp_path: Path) -> None:
    assert imported(tmp_path, generations("checkpoint", "123")).systems == ("1", "2", "3")


def test_a_checkpoint_for_each_item_is_no_system(tmp_path: Path) -> None:
    """It names what wrote the text, and no two wrote for one item."""
    rows = [
        ["id", "checkpoint", "prompt", "generation"],
        *([i, f"c{i}", f"Q {i}?", f"An answer {i}."] for i in range(6)),
    ]
    assert bound(proposed(tmp_path, rows))["system"] == ()


def test_one_text_for_all_checkpoints_is_none_of_theirs(tmp_path: Path) -> None:
    rows = [["id", "checkpoint", "prompt", "output"]]
    rows += [[str(i), f"c{c}", f"Question {i}?", f"The only answer to {i}."] for c in range(3) for i in range(4)]
    assert bound(proposed(tmp_path, rows))["system"] == ()


def test_checkpoints_of_several_models(tmp_path: Path) -> None:
    rows = [["id", "model", "checkpoint", "output"]]
    rows += [[str(i), m, c, f"Answer {i} {m} {c}."] for m in ("base", "large") for c in "xy" for i in range(3)]
    plan = proposed(tmp_path, rows)
    assert bound(plan)["system"] == ("model", "checkpoint")
    made = plan.build("s")
    assert made.study.systems == ("base/x", "base/y", "large/x", "large/y")
    assert f"Each checkpoint of each model is one system{NO_STEP}" in made.assumptions


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
    assert f"Each {checkpoint} of each {name} is one system, a checkpoint of a training." in made.assumptions


@pytest.mark.parametrize("runs", [("1", "2"), ("2024-05-17", "2024-05-18"), ("lr-high", "lr-low")])
@pytest.mark.parametrize("text", ["generation", "what came back"])
def test_runs_may_be_called_anything(runs: tuple[str, ...], text: str, tmp_path: Path) -> None:
    rows = [["id", "prompt", "run", "checkpoint", text]]
    rows += [[str(i), f"Q {i}?", r, c, f"In {r}, {c} said {i}."] for r in runs for c in ("c1", "c2") for i in range(9)]
    plan = proposed(tmp_path, rows)
    plan.refuse_nonsense()
    assert plan.build("s").study.systems == tuple(f"{r}/{c}" for r in runs for c in ("c1", "c2"))


def test_the_step_of_a_checkpoint_is_no_rating_of_it(tmp_path: Path) -> None:
    rows = [["id", "run", "ckpt", "global_step", "output"]]
    rows += [[str(i), r, f"c{s}", s, f"{r} {s} {i}"] for r in "AB" for s in ("250", "500") for i in range(4)]
    plan = proposed(tmp_path, rows)
    assert bound(plan) == {
        "item": ("id",), "system": ("run", "ckpt"), "run": ("run",), "step": ("global_step",), "text": ("output",),
    }  # fmt: skip
    assert plan.confidence >= SURE_ENOUGH


def test_runs_of_models_with_samples(tmp_path: Path) -> None:
    rows = [["id", "model", "run", "checkpoint", "seed", "output"]]
    rows += [
        [str(i), m, r, c, s, f"{m} {r} {c} {s} {i}"]
        for m in ("base", "large") for r in "AB" for c in ("c1", "c2") for s in "12" for i in range(3)
    ]  # fmt: skip
    plan = proposed(tmp_path, rows)
    assert bound(plan)["system"] == ("model", "run", "checkpoint")
    assert bound(plan)["sample"] == ("seed",)
    made = plan.build("s")
    assert "base/A/c1" in made.study.systems
    assert f"Each checkpoint of each run of each model is one system{NO_STEP}" in made.assumptions


def test_one_run_is_part_of_the_names_of_checkpoints_unless_they_have_it_in_them(tmp_path: Path) -> None:
    """The next file may be of another run, and its checkpoints are called alike."""
    rows = [["id", "run", "checkpoint", "output"]]
    rows += [[str(i), "base", c, f"Answer {i} {c}."] for c in ("c1", "c2") for i in range(3)]
    assert imported(tmp_path, rows).systems == ("base/c1", "base/c2")
    rows = [rows[0], *([i, run, f"out/{run}/{c}", text] for i, run, c, text in rows[1:])]
    assert imported(tmp_path, rows).systems == ("out/base/c1", "out/base/c2")


def test_models_of_one_checkpoint_each_stay_models(tmp_path: Path) -> None:
    rows = [["id", "model", "checkpoint", "output"]]
    rows += [[str(i), m, f"{m}-last", f"Answer {i} {m}."] for m in ("base", "large") for i in range(3)]
    assert imported(tmp_path, rows).systems == ("base", "large")


def test_several_answers_of_each_checkpoint(tmp_path: Path) -> None:
    rows = [["id", "checkpoint", "seed", "output"]]
    rows += [[str(i), c, str(s), f"Answer {i} {c} {s}."] for c in ("c1", "c2") for s in (1, 2) for i in range(3)]
    assert bound(proposed(tmp_path, rows)) == {
        "item": ("id",), "system": ("checkpoint",), "sample": ("seed",), "text": ("output",),
    }  # fmt: skip


def test_ratings_of_checkpoints(tmp_path: Path) -> None:
    rows = [["id", "checkpoint", "fluency", "rater"]]
    rows += [[str(i), c, str(1 + i), "ann"] for c in ("c1", "c2") for i in range(4)]
    assert imported(tmp_path, rows).systems == ("c1", "c2")


def test_numbers_of_rows_beside_inputs_that_repeat(tmp_path: Path) -> None:
    rows = [["id", "prompt", "checkpoint", "output"]]
    rows += [[str(n), f"Question {n % 4}?", f"c{n // 4}", f"Answer {n}."] for n in range(12)]
    study = imported(tmp_path, rows)
    assert study.systems == ("c0", "c1", "c2")
    assert study.outputs is not None
    assert study.outputs["item"].n_unique() == 4


def test_checkpoints_in_a_list(tmp_path: Path) -> None:
    records = [
        {"id": i, "prompt": f"Question {i}?", "outputs": [{"checkpoint": c, "text": f"{c} {i}"} for c in ("c1", "c2")]}
        for i in range(3)
    ]
    path = tmp_path / "outputs.json"
    path.write_text(json.dumps(records), encoding="utf-8")
    assert TABLES_IMPORTER.read([str(path)], TableSettings()).build("s").study.systems == ("c1", "c2")


def test_what_the_user_says_of_checkpoints_is_obeyed(tmp_path: Path) -> None:
    rows: Rows = generations("checkpoint", ("c1", "c2"))
    assert imported(tmp_path, rows, columns=["sample=checkpoint,system=:net"]).systems == ("net",)
    assert bound(proposed(tmp_path, rows, columns=["cluster=checkpoint"]))["system"] == ()


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
    said = "run, step, total_steps, dev_loss, settings (lr, dropout)"
    assert f"study.toml has what the file says of its checkpoints: {said}." in made.assumptions
    path = tmp_path / "study"
    write_study(made.study, path)
    assert read_study(path).settings == made.study.settings


def test_checkpoints_without_a_run_are_of_one(tmp_path: Path) -> None:
    made = proposed(tmp_path, generations("ckpt", STEPS)).build("s")
    assert {one.run for one in made.study.settings.systems.values()} == {"training"}
    assert any(said.endswith("no column names runs, so that all are of one training.") for said in made.assumptions)


def test_the_run_of_a_model_with_checkpoints_is_the_model(tmp_path: Path) -> None:
    rows = [["id", "model", "run", "checkpoint", "output"]]
    rows += [
        [str(i), m, "7", f"step-{c}", f"{m} {c} {i}"] for m in ("base", "large") for c in (5, 10) for i in range(3)
    ]
    found = imported(tmp_path, rows).settings.systems
    assert found["base/step-5"] == SystemSettings(run="base", step=5)
    assert found["large/step-10"] == SystemSettings(run="large", step=10)


@pytest.mark.parametrize("names", [("best", "last"), ("a-500", "b-500"), ("500", "final")])
def test_names_that_say_no_step(names: tuple[str, str], tmp_path: Path) -> None:
    """Of two names that differ in more than a number, nobody knows whether one training wrote them."""
    found = imported(tmp_path, generations("checkpoint", names))
    assert found.systems == names
    assert not found.settings.systems


def test_systems_of_any_name_with_run_and_step(tmp_path: Path) -> None:
    rows: list[list[object]] = [["id", "system", "training run", "global step", "output"]]
    rows += [[i, f"{r}{s}", r, s, f"{r} {s} {i}"] for r in ("x", "y") for s in (10, 20) for i in range(3)]
    found = imported(tmp_path, rows, columns=["run=training run"]).settings.systems
    assert found["x10"] == SystemSettings(run="x", step=10)
    assert len(found) == 4
    rows = [[cell for place, cell in enumerate(row) if place != 2] for row in rows]
    assert not imported(tmp_path, rows).settings.systems, "of which runs they are, nothing says"


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


def test_what_is_the_same_for_a_checkpoint_is_no_score_of_its_texts(tmp_path: Path) -> None:
    """An epoch, a loss and a cost; a score differs from text to text, and a metric has a name."""
    rows = [["id", "checkpoint", "output", "epoch", "loss", "cost", "overlap", "bleu"]]
    rows += [
        [i, f"ckpt-{c}", f"{c} {i}", c / 1000, 3 - c / 1000, c * 7, 0.25 + i / 8, 0.5]
        for c in (250, 500)
        for i in range(4)
    ]
    plan = proposed(tmp_path, rows, columns=["score=overlap|bleu"])
    assert set(bound(plan)) == {"item", "system", "step", "text", "score"}
    assert set(bound(proposed(tmp_path, rows))["score"]) == {"bleu"}
    rows = [row[:-1] for row in rows]
    assert set(bound(proposed(tmp_path, rows)).get("score", ())) == {"overlap"}


def test_columns_and_files_that_are_called_as_checkpoints(tmp_path: Path) -> None:
    rows = [
        ["prompt", "checkpoint-500", "checkpoint-1000"],
        *([f"Question {i}?", f"a {i}.", f"b {i}."] for i in range(4)),
    ]
    made = proposed(tmp_path, rows).build("s")
    assert made.study.settings.systems["checkpoint-500"] == SystemSettings(run="training", step=500)
    assert "study.toml has the steps that names of checkpoints say, such as checkpoint-500." in made.assumptions
    files = [save(tmp_path, f"ckpt_{c}.csv", [["id", "output"], *([i, f"{c} {i}"] for i in range(3))]) for c in (1, 2)]
    made = TABLES_IMPORTER.read(files, TableSettings()).build("s")
    assert made.study.settings.systems["ckpt_2"] == SystemSettings(run="training", step=2)


@pytest.mark.parametrize("names", [("gpt-4", "gpt-3"), ("step-by-step", "ckpt"), ("ckpt-500", "llama")])
def test_names_that_are_no_checkpoints(names: tuple[str, str], tmp_path: Path) -> None:
    rows = [["prompt", "model", "output"], *([f"Question {i}?", m, f"{m} {i}."] for m in names for i in range(4))]
    assert not imported(tmp_path, rows).settings.systems


def test_paths_of_checkpoints(tmp_path: Path) -> None:
    rows = [["prompt", "checkpoint", "output"]]
    rows += [
        [f"Question {i}?", f"{r}/checkpoint-{c}", f"{r} {c} {i}."] for r in "ab" for c in (5, 10) for i in range(4)
    ]
    made = proposed(tmp_path, rows).build("s")
    assert "study.toml has what the file says of its checkpoints: step." in made.assumptions, "names say the runs"
    found = made.study.settings.systems
    assert found["a/checkpoint-5"] == SystemSettings(run="a", step=5)
    assert found["b/checkpoint-10"] == SystemSettings(run="b", step=10)


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


def test_a_list_of_texts_beside_an_answer_about_them_is_none_of_samples(tmp_path: Path) -> None:
    records = [
        {"prompt": f"Question {i}?", "model": "m", "responses": [f"a {i}", f"b {i}"], "winner": "A"} for i in range(4)
    ]
    path = tmp_path / "votes.jsonl"
    path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    with pytest.raises(UsageError, match="winner may say who won, and no column says which two systems"):
        TABLES_IMPORTER.read([str(path)], TableSettings())


@pytest.mark.parametrize("name", ["sample_idx", "gen_idx", "completion_id"])
def test_other_names_of_samples(name: str, tmp_path: Path) -> None:
    rows = [["id", "model", name, "output"]]
    rows += [[i, m, s, f"{m} {i} {s}"] for m in "xy" for i in range(4) for s in range(2)]
    assert bound(proposed(tmp_path, rows))["sample"] == (name,)


def test_columns_may_be_left_out_one_by_one(tmp_path: Path) -> None:
    rows = of_trainings()
    one_by_one = ["ignore=lr", "ignore=dropout", "ignore=max_steps"]
    assert bound(proposed(tmp_path, rows, columns=one_by_one)) == bound(
        proposed(tmp_path, rows, columns=["ignore=lr|dropout|max_steps"])
    )


@pytest.mark.parametrize(
    "names",
    [
        ("gpt-4-0314", "gpt-4-0613"), ("llama-3-8b", "llama-3-70b"), ("v1", "v2"), ("run-20240501", "run-20240502"),
        ("epoch-0.25", "epoch-0.5"), ("google/gemma-2-2b-it", "google/gemma-2-9b-it"), ("opt-125m", "opt-350m"),
    ],
)  # fmt: skip
def test_numbers_in_names_of_models_are_no_steps(names: tuple[str, str], tmp_path: Path) -> None:
    """A larger model is no later checkpoint of a smaller one, nor 5 before 25 what 0.5 is beside 0.25."""
    found = imported(tmp_path, generations("checkpoint", names))
    assert found.systems == tuple(sorted(names))
    assert not found.settings.systems


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


def test_one_checkpoint_of_each_run(tmp_path: Path) -> None:
    """At one step, as a choice among trainings has them."""
    rows = [["run", "step", "checkpoint", "eval_loss", "lr", "prompt", "prediction"]]
    rows += [
        [r, 1000, f"{r}/ckpt-1000", loss, rate, f"Q {i}?", f"{r} {i}"]
        for r, loss, rate in (("base", 2.1, 1e-3), ("low", 2.6, 1e-4)) for i in range(3)
    ]  # fmt: skip
    found = imported(tmp_path, rows).settings.systems
    assert found["low/ckpt-1000"] == SystemSettings(run="low", step=1000, dev_loss=2.6, settings={"lr": 1e-4})
    assert len(found) == 2


@pytest.mark.parametrize("more", [(), ("best",), (1000,), ("m",)])
def test_trainings_without_checkpoints_are_systems_and_no_samples(more: tuple[object, ...], tmp_path: Path) -> None:
    """A log says how each was trained; seeds of one training have nothing like that."""
    names = {(): (), ("best",): ("checkpoint",), (1000,): ("step",), ("m",): ("model",)}[more]
    rows = [["run", "lr", "eval_loss", *names, "prompt", "prediction"]]
    told = (("base", 1e-3, 2.1), ("low", 1e-4, 2.6))
    rows += [[*one, *more, f"Q {i}?", f"{one[0]} {i}."] for one in told for i in range(3)]
    made = proposed(tmp_path, rows).build("s")
    study = made.study
    assert any(said.startswith("study.toml has what the file says of its ") for said in made.assumptions)
    assert not any(said.startswith("No step") for said in made.assumptions)
    assert study.outputs is not None
    assert study.outputs["sample"].null_count() == study.outputs.height
    about = {one.run: one for one in study.settings.systems.values()}
    assert len(study.systems) == len(about) == 2
    (low,) = (one for run, one in about.items() if run is not None and run.endswith("low"))
    assert (low.dev_loss, dict(low.settings)) == (2.6, {"lr": 1e-4})
    rows = [[*row[:1], *row[3 + len(more) :]] for row in rows]
    assert bound(proposed(tmp_path, rows))["sample"] == ("run",)


def test_a_base_model_is_of_no_training(tmp_path: Path) -> None:
    rows: list[list[object]] = [["id", "checkpoint", "run", "step", "eval_loss", "output"]]
    told = (("base", "", "", 3.1), ("c1", "sft", 100, 2.0), ("c2", "sft", 200, 1.5))
    rows += [[i, *one, f"{one[0]} {i}"] for one in told for i in range(3)]
    found = imported(tmp_path, rows, columns=["system=checkpoint"]).settings.systems
    assert set(found) == {"c1", "c2"}


def test_a_last_checkpoint_without_a_step_is_told(tmp_path: Path) -> None:
    rows: list[list[object]] = [["id", "checkpoint", "run", "step", "output"]]
    told = (("base-100", "base", 100), ("base-500", "base", 500), ("base-final", "base", ""))
    rows += [[i, *one, f"{one[0]} {i}"] for one in told for i in range(3)]
    made = proposed(tmp_path, rows).build("s")
    assert made.study.settings.systems["base-final"] == SystemSettings(run="base")
    assert "No step is said of base-final." in made.assumptions
    made = proposed(tmp_path, generations("checkpoint", ("best", "final"))).build("s")
    assert f"Each checkpoint is one system{NO_STEP}" in made.assumptions


def test_steps_of_agents_that_are_released_models(tmp_path: Path) -> None:
    rows: list[list[object]] = [["id", "model", "step", "output"]]
    rows += [[i, m, s, f"{m} {s} {i}"] for m in ("gpt-4", "llama-3-8b") for s in (10, 20, 30) for i in range(3)]
    with pytest.raises(InputError, match="another text"):
        imported(tmp_path, rows)


@pytest.mark.parametrize("name", ["epoch", "iteration"])
def test_epochs_beside_losses_are_checkpoints(name: str, tmp_path: Path) -> None:
    rows: list[list[object]] = [["id", name, "eval_loss", "output"]]
    rows += [[i, e, 3 - e / 4, f"epoch {e} {i}"] for e in (1, 2, 3) for i in range(4)]
    found = imported(tmp_path, rows)
    assert found.systems == ("1", "2", "3")
    assert found.settings.systems["2"] == SystemSettings(run="training", step=2, dev_loss=2.5)


@pytest.mark.parametrize("made", ["prediction", "samples", "generations"])
@pytest.mark.parametrize("inner", ["", "text"])
def test_lists_of_samples_by_any_name(made: str, inner: str, tmp_path: Path) -> None:
    records = []
    for c, i in ((c, i) for c in (100, 200) for i in range(3)):
        texts = [f"{c} {i} {s}" for s in range(2)]
        found = [{inner: text} for text in texts] if inner else texts
        records.append({"checkpoint": f"ckpt-{c}", "prompt": f"Q {i}?", "label": f"So it is, {i}.", made: found})
    path = tmp_path / "list.jsonl"
    path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    study = TABLES_IMPORTER.read([str(path)], TableSettings()).build("s").study
    assert study.systems == ("ckpt-100", "ckpt-200")
    assert study.outputs is not None
    assert study.outputs.height == 12
    assert set(study.outputs["sample"]) == {"1", "2"}
    assert study.items is not None
    assert study.items["reference"].to_list()[0] == "So it is, 0."
