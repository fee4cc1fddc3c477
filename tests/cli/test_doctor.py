"""`tiebreak doctor`: readable at every width, one JSON document on request, names printed as they are."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
import typer
from benchmarks.worlds.small_campaigns import NOW, protocol_of, study_of
from rich.console import Console
from tests.small_studies import rating, vote
from tests.small_studies import study_of as small_study
from typer.testing import CliRunner

from tiebreak.campaign import LabelGiven, next_tasks
from tiebreak.cli.doctor import doctor_command
from tiebreak.cli.show_diagnosis import show_diagnosis
from tiebreak.data.readers import read_study
from tiebreak.data.study import Study
from tiebreak.data.writers import write_study
from tiebreak.diagnosis.doctor import doctor
from tiebreak.errors import UsageError
from tiebreak.live import create_campaign, open_campaign
from tiebreak.live.export import write_export
from tiebreak.places.result import result_at
from tiebreak.results.settings import CompareSettings

APP = typer.Typer()
APP.command()(doctor_command)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = ["item,system_a,system_b,annotator,outcome"]
    for k in range(40):
        rows += [f"i{k},[bold]x,y,[red]ann,{'ab'[k % 2]}", f"i{k},y,z [/],bob,{'ba'[k % 2]}"]
    (tmp_path / "preferences.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return tmp_path


def shown(study: Study, width: int) -> str:
    stream = io.StringIO()
    show_diagnosis(doctor(study), Console(file=stream, width=width, highlight=False))
    return stream.getvalue()


def test_it_prints_the_four_sections_and_names_as_they_are(folder: Path) -> None:
    result = CliRunner().invoke(APP, [str(folder)])
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    places = [lines.index(title) for title in ("Holds", "Supports", "Blocks", "Looks wrong")]
    assert places == sorted(places)
    for name in ("[bold]x", "z [/]", "[red]ann"):
        assert name in result.stdout


def test_json_is_one_document(folder: Path) -> None:
    result = CliRunner().invoke(APP, [str(folder), "--json"])
    assert result.exit_code == 0
    document = json.loads(result.stdout)
    assert set(document) == {
        "study",
        "campaign",
        "watched",
        "alpha",
        "holds",
        "supports",
        "blocks",
        "criteria",
        "warnings",
    }
    assert [system["system"] for system in document["holds"]["systems"]] == ["[bold]x", "y", "z [/]"]
    assert len(document["criteria"][0]["pairs"]) == 2
    assert document["warnings"][0]["code"] == "few-annotators"


def test_it_takes_part_of_a_study(folder: Path) -> None:
    result = CliRunner().invoke(APP, [str(folder), "--json", "--systems", "y,z [/]", "--annotators", "b*"])
    document = json.loads(result.stdout)
    assert [system["system"] for system in document["holds"]["systems"]] == ["y", "z [/]"]
    assert [person["annotator"] for person in document["holds"]["annotators"]] == ["bob"]


@pytest.mark.parametrize("options", [["--systems", "y,nobody"], ["--annotators", "expert_*"]])
def test_errors_are_left_to_the_caller(folder: Path, options: list[str]) -> None:
    result = CliRunner().invoke(APP, [str(folder), *options])
    assert isinstance(result.exception, UsageError)


@pytest.mark.parametrize("width", [80, 120])
def test_long_names_are_folded_not_cut(width: int) -> None:
    names = ["a very long name of a system " * 4, "b" * 150]
    rows = [
        {"item": f"i{k}", "system_a": names[0], "system_b": names[1], "annotator": "p" * 90, "outcome": "a"}
        for k in range(5)
    ]
    text = shown(Study.from_tables(preferences=rows), width)
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text
    # Every letter of the names is there, over several lines, and the figures beside them stay whole.
    assert text.count("b") >= 150
    assert text.count("p") >= 90
    assert "100.0%" in text


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("name", ["llmfao", "naturalness-v1", "naturalness-v2", "pandalm", "summeval", "wmt21-en-de"])
def test_real_studies_fit_the_terminal(real_studies: Path, name: str, width: int) -> None:
    text = shown(read_study(real_studies / name), width)
    lines = text.splitlines()
    assert max(map(len, lines)) <= width
    assert len(lines) < 140
    assert "…" not in text


def test_it_says_the_same_as_compare(tmp_path: Path) -> None:
    rows = ["item,system_a,system_b,annotator,outcome,decided_at,task,late"]
    for k in range(60):
        at = f"2026-01-01T00:{k:02d}:00Z"
        rows += [f"i{k},x,y,ann,{['a', 'b', 'tie'][k % 3]},{at},t{k},false"]
    rows += [f"i{k},x,y,ann,a,2026-01-02T00:00:00Z,t{k},true" for k in range(60, 90)]
    (tmp_path / "preferences.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    words = " ".join(CliRunner().invoke(APP, [str(tmp_path)], env={"COLUMNS": "500"}).stdout.split())
    (found,) = result_at(tmp_path, CompareSettings()).results
    # Late labels count in neither, and ties are those of the items.
    assert found.labels == 60
    assert "30 labels that came after the end of the campaign (column late) are left" in words


def test_of_an_export_it_says_first_that_the_campaign_has_a_verdict(tmp_path: Path) -> None:
    create_campaign(tmp_path / "camp", protocol_of(), study_of(items=60), at=NOW)
    live = open_campaign(tmp_path / "camp")
    tasks = live.commit(lambda state, _: next_tasks(state, "zoe", 20, NOW))
    live.commit(lambda _, __: [LabelGiven(NOW, task.task, "zoe", "a") for task in tasks])  # type: ignore[union-attr]
    write_export(live, tmp_path / "out")
    result = CliRunner().invoke(APP, [str(tmp_path / "out")], env={"COLUMNS": "500"})
    lines = result.stdout.splitlines()
    said = "This is the export of the campaign camp: compare shows the campaign's own verdict, by its protocol."
    assert lines[1].startswith(said)
    assert lines.index("Holds") > 1
    assert json.loads(CliRunner().invoke(APP, [str(tmp_path / "out"), "--json"]).stdout)["campaign"] == "camp"


@pytest.mark.parametrize("options", [{"baseline": "bee"}, {"only_pairs": (("ant", "bee"), ("bee", "cat"))}])
def test_pairs_that_the_campaign_of_an_export_does_not_ask_about_lack_nothing(
    options: dict[str, object], tmp_path: Path
) -> None:
    protocol = protocol_of(**options)  # type: ignore[arg-type]
    create_campaign(tmp_path / "camp", protocol, study_of(("ant", "bee", "cat")), at=NOW)
    live = open_campaign(tmp_path / "camp")
    tasks = live.commit(lambda state, _: next_tasks(state, "ann", 30, NOW))
    live.commit(lambda _, __: [LabelGiven(NOW, task.task, "ann", "a") for task in tasks])  # type: ignore[union-attr]
    write_export(live, tmp_path / "export")
    result = CliRunner().invoke(APP, [str(tmp_path / "export"), "--json"])
    assert result.exit_code == 0
    document = json.loads(result.stdout)
    assert [support["possible_pairs"] for support in document["criteria"]] == [2]
    assert "pairs-without-labels" not in {blocker["code"] for blocker in document["blocks"]}


def test_the_table_of_pairs_says_what_the_text_above_it_says() -> None:
    """Few clusters find a range; and beside 100% ties stands that a difference comes with fewer."""
    items = [{"item": f"i{k}", "cluster": f"c{k // 10}"} for k in range(100)]
    pair = {"system_a": "x", "system_b": "y", "annotator": "ann"}
    rows = [{"item": f"i{k}", **pair, "outcome": ("a", "b", "tie", "a", "tie")[k * 7 % 11 % 5]} for k in range(100)]
    study = Study.from_tables(items=items, preferences=rows)
    ((found,),) = (support.pairs for support in doctor(study).criteria)
    low, high = found.detectable_range or (0.0, 0.0)
    assert 0 < low < high < 0.6
    text = shown(study, 200)
    assert text.count(f"{low:.2f} to {high:.2f}") == 2

    tied = shown(Study.from_tables(preferences=[{**row, "outcome": "tie"} for row in rows]), 120)
    line = next(line for line in tied.splitlines() if line.lstrip().startswith("x  y"))
    assert line.split("100%")[1].strip() == "0.08, with fewer ties"


def test_it_ends_with_what_to_do_next(tmp_path: Path) -> None:
    rated = [rating(f"i{k}", system, "ann", 3.0) for k in range(4) for system in "xy"]
    write_study(small_study(ratings=rated), tmp_path / "rated")
    write_study(small_study(preferences=[vote("i1", "x", "y", "ann", "a")]), tmp_path / "judged")
    last = CliRunner().invoke(APP, [str(tmp_path / "rated")], env={"COLUMNS": "300"}).stdout.splitlines()[-2:]
    assert last == [f"Next: tiebreak compare {tmp_path / 'rated'}", f"Or: tiebreak estimate {tmp_path / 'rated'}"]
    assert "tiebreak estimate" not in CliRunner().invoke(APP, [str(tmp_path / "judged")]).stdout
