"""`tiebreak report` and `tiebreak plot`: files from a study folder, and hints where a name is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from tiebreak.cli.report import plot_command, report_command
from tiebreak.errors import UsageError
from tiebreak.report.kinds import KINDS

APP = typer.Typer()
APP.command("report")(report_command)
APP.command("plot")(plot_command)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    study = tmp_path / "study"
    study.mkdir()
    rows = ["item,system_a,system_b,annotator,outcome"]
    for k in range(60):
        rows += [f"i{k},x,y,ann,a", f"i{k},y,z,bob,{'ab'[k % 2]}", f"i{k},x,z,bob,{'aab'[k % 3]}"]
    (study / "preferences.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return study


def test_report_writes_a_page(folder: Path) -> None:
    out = folder.parent / "out.html"
    result = CliRunner().invoke(APP, ["report", str(folder), "-o", str(out), "--rule", "anytime", "--margin", "0.3"])
    assert result.exit_code == 0, result.output
    assert result.stdout == ""
    assert f"Wrote {out}" in result.stderr
    text = out.read_text(encoding="utf-8")
    assert "came to a verdict" in text


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "metric"])
def test_plot_writes_every_kind(kind: str, folder: Path) -> None:
    out = folder.parent / f"{kind}.svg"
    rule = ["--rule", "anytime"] if kind in ("evidence", "learning") else []
    pair = ["--pair", "z,x"] if kind == "evidence" else []
    result = CliRunner().invoke(APP, ["plot", kind, str(folder), "-o", str(out), *rule, *pair])
    assert result.exit_code == 0, result.output
    assert "<svg" in out.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["plot", "matirx", "{study}", "-o", "{beside}/a.svg"], "did you mean matrix"),
        (["plot", "matrix", "{study}", "-o", "{beside}/a.jpg"], "must end in .svg"),
        (["plot", "matrix", "{study}", "-o", "{study}/a.svg"], "lies in the study folder"),
        (
            ["plot", "evidence", "{study}", "-o", "{beside}/a.svg", "--rule", "anytime", "--pair", "x"],
            "takes two systems",
        ),
        (["report", "{study}", "-o", "{beside}/a.txt"], "must end in .html"),
        (["report", "{study}", "-o", "{study}/a.html"], "lies in the study folder"),
        (["report", "{study}", "-o", "{beside}/none/a.html"], "does not exist"),
    ],
)
def test_wrong_uses_write_nothing(arguments: list[str], message: str, folder: Path) -> None:
    filled = [part.format(study=folder, beside=folder.parent) for part in arguments]
    with pytest.raises(UsageError, match=message):
        CliRunner().invoke(APP, filled, catch_exceptions=False)
    assert [path.name for path in folder.parent.iterdir()] == ["study"]
    assert [path.name for path in folder.iterdir()] == ["preferences.csv"]
