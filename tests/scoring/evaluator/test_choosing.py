"""The best of several trainings, by an evaluator."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from tests.cli.campaign_commands import ok, refused
from tests.docs.documents import run_command
from tests.scoring.evaluator.conftest import settings, text

from tiebreak.data.settings import StudySettings, SystemSettings
from tiebreak.data.study import Study
from tiebreak.data.writers import write_study
from tiebreak.errors import UsageError
from tiebreak.scoring.evaluator.choosing import candidates_of
from tiebreak.scoring.evaluator.training.run import train_evaluator

QUALITY = {"small": 0.1, "middle": 0.5, "large": 0.9, "large-too": 0.9}


def runs(losses: dict[str, float] | None = None) -> Study:
    """Four runs of two checkpoints, of which the second writes better; sizes and rates as their settings."""
    generator = np.random.default_rng(8)
    systems = {
        f"{run}-{step}": SystemSettings(
            run=run, step=step, total_steps=2, dev_loss=None if losses is None else losses[run] - 0.1 * step,
            settings={"size": run, "rate": 0.001},
        )
        for run in QUALITY for step in (1, 2)
    }  # fmt: skip
    outputs = [
        {"item": f"n{item}", "system": name, "text": text(QUALITY[about.run or ""] * about.step / 2, generator)}  # type: ignore[operator]
        for item in range(60) for name, about in systems.items()
    ]  # fmt: skip
    items = [{"item": f"n{item}", "input": f"what is {item}"} for item in range(60)]
    return Study.from_tables(items=items, outputs=outputs, settings=StudySettings(systems=systems))


def test_the_best_run_is_named_with_those_that_may_be_as_good(evaluator: Path, tmp_path: Path) -> None:
    write_study(runs(), tmp_path / "runs")
    command = f"tiebreak evaluator choose '{tmp_path / 'runs'}' '{evaluator}'"
    output = ok(f"{command} --json")
    found = json.loads(output)
    order = [one["run"] for one in found["candidates"]]
    assert set(order[:2]) == {"large", "large-too"}
    assert order[2:] == ["middle", "small"]
    assert found["may_be_best"] == [order[1]]
    assert {one["system"] for one in found["candidates"]} == {f"{run}-2" for run in QUALITY}
    assert found["best_by_dev_loss"] is None
    first = found["candidates"][0]
    assert first["games"] == 180
    assert first["win_rate"] == pytest.approx((first["wins"] + first["ties"] / 2) / 180)

    code, output = run_command(command)  # judged before: the same answers
    assert code == 0
    said = " ".join(output.split())
    assert "rate" not in said.split("Best:")[0]  # the same in all runs


def test_a_run_that_wrote_for_other_inputs_is_named(evaluator: Path, tmp_path: Path) -> None:
    """It was left out in silence, and "no other run may be the best" was said of the rest."""
    study = runs()
    of_small = pl.col("system").str.starts_with("small-")
    apart = study.outputs.with_columns(item=pl.when(of_small).then("other " + pl.col("item")).otherwise(pl.col("item")))
    write_study(replace(study, outputs=apart, items=None), tmp_path / "runs")
    refused(f"tiebreak evaluator choose '{tmp_path / 'runs'}' '{evaluator}'", 2)


def test_the_checkpoint_of_a_run() -> None:
    study = runs({"small": 1.0, "middle": 2.0, "large": 3.0, "large-too": 3.0})
    about = dict(study.settings.systems)
    about["small-1"] = replace(about["small-1"], dev_loss=0.1)  # then it got worse
    study = replace(study, settings=replace(study.settings, systems=about))
    assert "small-1" in candidates_of(study, "lowest-loss")
    assert set(candidates_of(study, "last")) == {f"{run}-2" for run in QUALITY}
    about["small-2"] = replace(about["small-2"], dev_loss=None)  # it was no number
    study = replace(study, settings=replace(study.settings, systems=about))
    assert candidates_of(study, "lowest-loss")["small-1"].notes == (
        "Of 2 checkpoints of small 1 has a dev loss; small-1 has the lowest.",
    )
    about["small-1"] = replace(about["small-1"], dev_loss=None)
    study = replace(study, settings=replace(study.settings, systems=about))
    assert candidates_of(study, "lowest-loss")["small-2"].notes == (
        "small has no dev loss: its last checkpoint, small-2, stands for it.",
    )


def test_runs_without_steps_have_no_last_checkpoint() -> None:
    study = runs(dict.fromkeys(QUALITY, 1.0))
    about = {name: replace(one, step=None) for name, one in study.settings.systems.items()}
    study = replace(study, settings=replace(study.settings, systems=about))
    with pytest.raises(
        UsageError, match=r"nothing tells which checkpoint of .* is the last: give .* its step in study"
    ):
        candidates_of(study, "last")


def test_a_choice_that_proves_nothing_is_refused_before_anything_is_judged(
    tiny: str, evaluator: Path, tmp_path: Path
) -> None:
    """The evaluator learned from labels of the same texts."""
    study = runs(dict.fromkeys(QUALITY, 1.0))
    rows = study.outputs.select("item", "system").with_columns(annotator=pl.lit("ann"), criterion=pl.lit("c"))
    rated = rows.with_columns(value=pl.int_range(pl.len()) % 5 + 1.0)
    write_study(Study.from_tables(**study.tables, ratings=rated, settings=study.settings), tmp_path / "runs")
    trained = tmp_path / "own"
    code, output = run_command(
        f"tiebreak evaluator train '{tmp_path / 'runs'}' --out '{trained}' --no-strong --no-weak --rounds 0.2 "
        f"--held-out 0 --encoder '{tiny}'"
    )
    assert code == 0, output
    output = refused(f"tiebreak evaluator choose '{tmp_path / 'runs'}' '{trained}'", 2)
    assert {place.name for place in (tmp_path / "runs").iterdir()}.isdisjoint({"judge_preferences.csv"})
    code, output = run_command(f"tiebreak evaluator choose '{tmp_path / 'runs'}' '{evaluator}'")
    assert code == 0, "nothing of the refused one is in the way"


def test_answers_about_outputs_that_are_gone_do_not_count(evaluator: Path, tmp_path: Path) -> None:
    study = runs(dict.fromkeys(QUALITY, 1.0))
    write_study(study, tmp_path / "runs")
    command = f"tiebreak evaluator choose '{tmp_path / 'runs'}' '{evaluator}' --json"
    before = json.loads(run_command(command)[1])
    left = sorted(set(study.outputs["item"]))[:5]
    outputs = study.outputs.filter(pl.col("item").is_in(left))
    shutil.copyfile(tmp_path / "runs" / "judge_preferences.csv", tmp_path / "kept.csv")
    write_study(replace(study, outputs=outputs), tmp_path / "runs", overwrite=True)
    shutil.copyfile(tmp_path / "kept.csv", tmp_path / "runs" / "judge_preferences.csv")
    after = json.loads(run_command(command)[1])
    assert (before["items"], after["items"]) == (60, 5)
    assert not [note for note in after["notes"] if "gone" in note]


def test_a_checkpoint_without_outputs_is_told_and_not_replaced_in_silence(evaluator: Path, tmp_path: Path) -> None:
    """middle-1 has the lowest loss of its run, and of all: by dev loss it is middle, though middle-2 stands for it."""
    study = runs({"small": 1.0, "middle": 2.0, "large": 3.0, "large-too": 3.0})
    about = dict(study.settings.systems)
    about["middle-1"] = replace(about["middle-1"], dev_loss=0.1)
    about["lost-1"] = SystemSettings(run="lost", step=1, dev_loss=0.01)
    study = replace(
        study,
        outputs=study.outputs.filter(pl.col("system") != "middle-1"),
        settings=replace(study.settings, systems=about),
    )
    write_study(study, tmp_path / "runs")
    code, output = run_command(f"tiebreak evaluator choose '{tmp_path / 'runs'}' '{evaluator}'")
    said = " ".join(output.split())
    assert code == 0
    assert "- middle-1, the checkpoint with the lowest dev loss of middle, has no outputs: middle-2 stands for" in said
    about["small-3"] = SystemSettings(run="small", step=3)  # nothing is known of it but that it is the last
    study = replace(study, settings=replace(study.settings, systems=about))
    assert candidates_of(study, "lowest-loss")["small-2"].notes == (
        "Of 3 checkpoints of small 2 have a dev loss; small-2 has the lowest.",
    )
    assert candidates_of(study, "last")["small-2"].notes == (
        "small-3, the last checkpoint of small, has no outputs: small-2 stands for the run.",
    )


@pytest.mark.parametrize("best", [None, "small"])
def test_what_the_dev_loss_would_choose(best: str | None, evaluator: Path, tmp_path: Path) -> None:
    """Nothing where all runs have the same."""
    write_study(runs({run: 1.0 if run == best else 2.0 for run in QUALITY}), tmp_path / "runs")
    command = f"tiebreak evaluator choose '{tmp_path / 'runs'}' '{evaluator}' --json"
    assert json.loads(run_command(command)[1])["best_by_dev_loss"] == best


def test_where_every_comparison_ties_no_run_is_the_best(evaluator: Path, tmp_path: Path) -> None:
    systems = {f"{run}-1": SystemSettings(run=run, step=1) for run in ("one", "two")}
    outputs = [{"item": f"i{k}", "system": name, "text": "good cat"} for k in range(6) for name in systems]
    write_study(Study.from_tables(outputs=outputs, settings=StudySettings(systems=systems)), tmp_path / "same")
    command = f"tiebreak evaluator choose '{tmp_path / 'same'}' '{evaluator}'"
    code, output = run_command(command)
    said = " ".join(output.split())
    assert code == 0
    assert (
        "No run is the best: the judge 'evaluator' tells none of them apart. Every one of 6 comparisons is a tie."
        in said
    )
    assert "Best:" not in said
    assert "fixed" not in said
    found = json.loads(run_command(f"{command} --json")[1])
    assert (found["best"], found["may_be_best"]) == (None, ["one", "two"])


def test_of_two_that_wrote_the_same_neither_is_the_best(evaluator: Path, tmp_path: Path) -> None:
    study = runs()
    twin = study.outputs.filter(pl.col("system") == "large-2").with_columns(system=pl.lit("large-too-2"))
    outputs = pl.concat([study.outputs.filter(pl.col("system").is_in(["large-2", "small-2"])), twin])
    about = {name: study.settings.systems[name] for name in ("large-2", "large-too-2", "small-2")}
    write_study(replace(study, outputs=outputs, settings=replace(study.settings, systems=about)), tmp_path / "runs")
    output = ok(f"tiebreak evaluator choose '{tmp_path / 'runs'}' '{evaluator}' --json")
    assert json.loads(output)["best"] is None
    assert set(json.loads(output)["may_be_best"]) == {"large", "large-too"}


def test_one_run_is_no_choice() -> None:
    study = runs()
    about = {name: one for name, one in study.settings.systems.items() if one.run == "small"}
    with pytest.raises(UsageError, match="takes two runs with outputs, and the study has 1"):
        candidates_of(replace(study, settings=replace(study.settings, systems=about)), "last")


def test_labels_that_trained_it_are_no_evidence(tiny: str, tmp_path: Path) -> None:
    study = runs()
    rated = [
        {"item": row["item"], "system": row["system"], "annotator": "ann", "criterion": "quality",
         "value": float(row["text"].count("good"))}
        for row in study.outputs.iter_rows(named=True)  # type: ignore[union-attr]
    ]  # fmt: skip
    assert study.outputs is not None
    assert study.items is not None
    labelled = Study.from_tables(items=study.items, outputs=study.outputs, ratings=rated, settings=study.settings)
    write_study(labelled, tmp_path / "runs")
    train_evaluator([labelled], tmp_path / "e", settings(tiny, rounds=1.0))
    output = ok(f"tiebreak evaluator choose '{tmp_path / 'runs'}' '{tmp_path / 'e'}'")
    left = re.search(r"is left out on (\d+) of (\d+) items", " ".join(output.split()))
    assert 0 < int(left[1]) < int(left[2]), "what was held out is judged"


def test_answers_on_a_criterion_are_of_another_question(evaluator: Path, tmp_path: Path) -> None:
    """Of whichever judge of that name: here they say the contrary."""
    write_study(runs(), tmp_path / "runs")
    command = f"tiebreak evaluator choose '{tmp_path / 'runs'}' '{evaluator}' --json"
    before = json.loads(run_command(command)[1])
    kept = tmp_path / "runs" / "judge_preferences.csv"
    said = pl.read_csv(kept)
    turned = said.with_columns(outcome=pl.col("outcome").replace({"a": "b", "b": "a"}), signature=pl.lit("another"))
    every = [said, *(turned.with_columns(criterion=pl.lit(name)) for name in ("quality", "fluency"))]
    pl.concat(every, how="diagonal_relaxed").write_csv(kept)
    output = ok(command)
    assert json.loads(output)["candidates"] == before["candidates"]


def test_where_verdicts_go_in_a_circle_none_is_the_best(evaluator: Path, tmp_path: Path) -> None:
    """One scale cannot say it: by the ratings alone no other run may be the best, and one beats it."""
    study = runs()
    assert study.outputs is not None
    names = ["large-2", "middle-2", "small-2"]
    outputs = [{"item": f"i{k}", "system": name, "text": f"{name} on {k}"} for k in range(200) for name in names]
    about = {name: study.settings.systems[name] for name in names}
    made = Study.from_tables(outputs=outputs, settings=StudySettings(systems=about))
    write_study(made, tmp_path / "runs")
    command = f"tiebreak evaluator choose '{tmp_path / 'runs'}' '{evaluator}'"
    assert run_command(command)[0] == 0
    shares = {("large-2", "middle-2"): 0.95, ("middle-2", "small-2"): 0.75, ("large-2", "small-2"): 0.38}
    kept = tmp_path / "runs" / "judge_preferences.csv"
    said = pl.read_csv(kept).with_columns(place=pl.col("item").str.slice(1).cast(pl.Float64) / 200)
    share = pl.struct("system_a", "system_b").map_elements(
        lambda pair: shares[pair["system_a"], pair["system_b"]], return_dtype=pl.Float64
    )
    won = pl.when(pl.col("place") < share).then(pl.lit("a")).otherwise(pl.lit("b"))
    said.with_columns(outcome=won, p_a=None, p_tie=None, p_b=None).drop("place").write_csv(kept)
    code, output = run_command(command)
    told = " ".join(output.split())
    assert code == 0, output
    assert "One scale does not fit (p < 0.001)" in told
    assert "Best:" not in told
    found = json.loads(run_command(f"{command} --json")[1])
    assert found["best"] is None
    assert {"large", "small"} <= set(found["may_be_best"])
