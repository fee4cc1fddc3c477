"""`tiebreak simulate`: agents and replays, both engines, files, and what is refused."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import polars as pl
import pytest
import typer
from typer.testing import CliRunner

from tiebreak.campaign import Protocol
from tiebreak.cli.show_simulation import show_simulation
from tiebreak.cli.simulate import simulate_command
from tiebreak.cli.terminal import Terminal
from tiebreak.errors import InputError, UsageError
from tiebreak.settings.protocol import DecisionSettings
from tiebreak.simulate.people.agents import World
from tiebreak.simulate.people.workers import Worker
from tiebreak.simulate.runs.quick_engine import repeat_quickly
from tiebreak.simulate.runs.repeat import AgentExperiment
from tiebreak.simulate.runs.table import summarise

APP = typer.Typer()
APP.command("simulate")(simulate_command)
SMALL = ["--qualities", "0.5,0", "--number-of-items", "40", "--workers", "1"]


def run(*arguments: str) -> str:
    result = CliRunner().invoke(APP, [*arguments])
    assert result.exit_code == 0, (result.output, result.exception)
    return result.stdout


def document(*arguments: str) -> dict[str, object]:
    return json.loads(run(*arguments, "--json"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    study = tmp_path / "study"
    study.mkdir()
    rows = ["item,system_a,system_b,annotator,outcome"]
    for k in range(40):
        rows += [f"i{k},x,y,w{p},{'b' if (k + p) % 5 == 0 else 'a'}" for p in range(3)]
    (study / "preferences.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    (study / "study.toml").write_text("price_per_label = 0.25\n", encoding="utf-8")
    return study


def test_agents_by_the_vectorised_engine() -> None:
    found = document(*SMALL, "--repetitions", "50", "--price", "0.2")
    assert (found["source"], found["engine"], found["repetitions"]) == ("agents", "vectorised", 50)
    assert found["pairs"][0]["a"]["value"] > 0.5  # type: ignore[index]
    assert found["cost"]["value"] == pytest.approx(0.2 * found["labels"]["value"])  # type: ignore[index]
    assert found["protocol"]["decision"]["rule"] == "anytime"  # type: ignore[index]


def test_agents_by_the_step_engine() -> None:
    found = document(*SMALL, "--repetitions", "2", "--qualities", "0.5,0.2,0", "--forgets", "0.05", "--crowd", "3")
    assert found["engine"] == "steps"
    assert len(found["pairs"]) == 3  # type: ignore[arg-type]
    forced = document(*SMALL, "--repetitions", "2", "--engine", "steps")
    assert (forced["engine"], forced["engine_why"]) == ("steps", None)


def test_many_pairs_by_the_vectorised_engine() -> None:
    many = ("--qualities", "0.5,0.2,0", "--repetitions", "40", "--price", "0.2")
    found = document(*SMALL, *many)
    assert (found["engine"], len(found["pairs"])) == ("vectorised", 3)  # type: ignore[arg-type]
    assert found["labels"]["value"] == pytest.approx(  # type: ignore[index]
        sum(pair["labels"]["value"] for pair in found["pairs"])  # type: ignore[attr-defined]
    )


def test_only_named_pairs() -> None:
    three = ("--qualities", "0.5,0.2,0", "--number-of-items", "40", "--repetitions", "4", "--workers", "1")
    for engine in ("steps", "vectorised"):
        found = document(*three, "--pair", "a,b", "--pair", "c,a", "--engine", engine)
        assert [(pair["system_a"], pair["system_b"]) for pair in found["pairs"]] == [("a", "b"), ("a", "c")]  # type: ignore[index,union-attr]


def test_a_claim_about_these_items_has_no_truth() -> None:
    found = document(*SMALL, "--repetitions", "5", "--target", "items")
    assert found["any_wrong"] is None
    assert found["pairs"][0]["truth"] is None  # type: ignore[index]
    text = run(*SMALL, "--repetitions", "5", "--target", "items")
    assert "truth" not in text.split("A is better")[0]


def test_a_narrow_terminal_gets_a_table_that_fits() -> None:
    protocol = Protocol(decision=DecisionSettings(margin=0.3, alpha=0.2))
    people = (Worker(0.9, 0.1, 0.0, 0.0, 20.0),)
    experiment = AgentExperiment(protocol, World((0.8, 0.4, 0.1, 0.1), items=200), people)
    summary = summarise(repeat_quickly(experiment, 60, 1))
    narrow, wide = io.StringIO(), io.StringIO()
    for text, width in ((narrow, 80), (wide, 120)):
        show_simulation(experiment, summary, "vectorised", None, Terminal(file=text, width=width))
    lines = narrow.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    names = [line for line in lines if line in ("a, b", "a, c", "a, d", "b, c", "b, d", "c, d")]
    assert len(names) == len(summary.pairs) == 6
    figures = set(re.findall(r"[\d.,]*\d%?", wide.getvalue()))
    assert figures <= set(re.findall(r"[\d.,]*\d%?", narrow.getvalue()))
    assert "equivalent" in wide.getvalue()


def test_a_replay(folder: Path) -> None:
    found = document("--replay", str(folder), "--repetitions", "4", "--workers", "1")
    assert (found["source"], found["study"], found["engine"]) == ("replay", "study", "steps")
    assert found["pairs"][0]["truth"] == pytest.approx(0.6)  # type: ignore[index]
    assert found["cost"]["value"] == pytest.approx(0.25 * found["labels"]["value"])  # type: ignore[index]
    text = run(
        "--replay", str(folder), "--repetitions", "2", "--labelling", "majority", "--per-item", "3", "--workers", "1"
    )
    assert "Cost: $" in text


def test_a_protocol_file_and_options_that_change_it(tmp_path: Path) -> None:
    file = tmp_path / "protocol.toml"
    file.write_text(
        '[decision]\nrule = "hoeffding"\nalpha = 0.01\n[labels]\nlabelling = "max-three"\n', encoding="utf-8"
    )
    found = document(*SMALL, "--repetitions", "3", "--protocol", str(file), "--alpha", "0.1")
    protocol = found["protocol"]
    assert protocol["decision"]["rule"] == "hoeffding"  # type: ignore[index]
    assert protocol["decision"]["alpha"] == 0.1  # type: ignore[index]
    assert protocol["labels"]["labelling"] == "max-three"  # type: ignore[index]


WORLD = """[systems]
baseline = 0
tuned = 0.5
[items]
number_of_items = 60
[[judges]]
name = "gemini"
mixture = [[0.8, 0.25, 0.1], [0.1, 0.5, 0.1], [0.1, 0.25, 0.8]]
[[people]]
crowd = 3
price = 0.1
"""


def test_a_world_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "world.toml"
    file.write_text(WORLD, encoding="utf-8")
    given = ["--world", str(file), "--rule", "posterior", "--judge", "gemini"]
    found = document(*given, "--repetitions", "3", "--workers", "1")
    pairs = [(pair["system_a"], pair["system_b"]) for pair in found["pairs"]]  # type: ignore[attr-defined]
    assert pairs == [("baseline", "tuned")]
    assert found["cost"]["value"] == pytest.approx(0.1 * found["labels"]["value"])  # type: ignore[index]
    for arguments, message in (
        (["--judge", "gemni"], "has no judge 'gemni': did you mean gemini?"),
        (["--metric", "m"], "has no metric 'm'; it has none"),
        (["--spread", "0.1"], "--spread cannot be given with --world"),
        (["--replay", str(tmp_path)], "exclude each other"),
        (["--labelling", "majority", "--per-item", "5"], "has 3 people, but an item may need 5"),
    ):
        result = CliRunner().invoke(APP, ["--world", str(file), *arguments])
        assert isinstance(result.exception, UsageError), result.output
        assert message in str(result.exception)


def test_files(tmp_path: Path) -> None:
    out, plot = tmp_path / "runs.parquet", tmp_path / "runs.svg"
    text = run(*SMALL, "--repetitions", "20", "--out", str(out), "--plot", str(plot))
    assert "vectorised engine" in text
    assert pl.read_parquet(out).height == 20
    assert b"<svg" in plot.read_bytes()
    table = tmp_path / "runs.csv"
    run(*SMALL, "--repetitions", "5", "--out", str(table))
    assert pl.read_csv(table)["verdict"].len() == 5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--engine", "fast"], "engine is 'fast', but must be one of auto, steps, vectorised"),
        (
            ["--engine", "vectorised", "--qualities", "0.1,0,0", "--pair-policy", "winner"],
            "the choice of pairs winner",
        ),
        (["--qualities", "x"], "write numbers with commas between, such as 0.2,0"),
        (["--qualities", "0.2"], "must be 2 numbers or more"),
        (["--capability", "0.9,0.2"], "LOW,HIGH"),
        (["--labelling", "majority", "--per-item", "5", "--crowd", "3"], "--crowd 3 is too small"),
        (["--metric", "metric"], "only with --metric-quality-correlation"),
        (["--out", "runs.xlsx"], "must end in .parquet or .csv"),
        (["--number-of-items", "3"], "1 pair of 1 cannot be decided"),
    ],
)
def test_what_cannot_be_is_refused(arguments: list[str], message: str) -> None:
    result = CliRunner().invoke(APP, ["--number-of-items", "40", "--workers", "1", *arguments])
    assert isinstance(result.exception, UsageError), result.output
    assert message in str(result.exception)


def test_bad_input_is_refused(tmp_path: Path, folder: Path) -> None:
    file = tmp_path / "protocol.toml"
    file.write_text("[decision]\nalpah = 0.1\n", encoding="utf-8")
    for arguments in (["--protocol", str(file)], ["--protocol", str(tmp_path / "none.toml")]):
        assert isinstance(CliRunner().invoke(APP, arguments).exception, InputError)
    inside = CliRunner().invoke(APP, ["--replay", str(folder), "--out", str(folder / "runs.csv")])
    assert isinstance(inside.exception, UsageError)
