"""What a command imports decides how fast it starts; times vary with the machine, imports do not."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.sheets.sheet_makers import AT, small_study
from tests.small_studies import simulated_votes, study_of, texts

from tiebreak.campaign import Protocol
from tiebreak.data.writers import write_study
from tiebreak.live import create_campaign

NEVER = {"scipy.stats", "matplotlib", "pandas", "pyarrow", "torch", "statsmodels", "starlette", "sqlalchemy"}
"""Slow, and needed by no command (pyarrow and pandas: only where the caller brings them)."""

PROBE = """
import json, sys
sys.argv = ["tiebreak", *json.loads(sys.argv[1])]
from tiebreak.cli.main import run
try:
    run()
except SystemExit as left:
    code = left.code or 0
sys.stderr.write("\\n" + json.dumps([code, sorted(sys.modules)]))
"""


def modules_after(*arguments: str, folder: Path) -> set[str]:
    command = [sys.executable, "-c", PROBE, json.dumps(arguments)]
    result = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False, timeout=60)
    code, modules = json.loads(result.stderr.splitlines()[-1])
    assert code == 0, result.stderr
    return set(modules)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("startup")
    votes = simulated_votes({"ant": 0.2, "bee": 0.0, "cat": 0.0}, 60, annotators=2)
    written = texts({name: [f"{name} {k} ran" for k in range(60)] for name in ("ant", "bee", "cat")})
    written = [{**row, "item": f"i{int(str(row['item'])[1:]):03d}"} for row in written]
    write_study(study_of(votes, outputs=written), path / "study")
    return path


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["campaign", "--help"], ["evaluator", "--help"]])
def test_the_list_of_commands_loads_none_of_them(arguments: list[str], folder: Path) -> None:
    modules = modules_after(*arguments, folder=folder)
    assert not modules & (NEVER | {"numpy", "polars", "scipy", "joblib", "openpyxl", "tiebreak.settings"})


@pytest.mark.parametrize(
    "words",
    [
        "compare",
        "demo",
        "pair",
        "import",
        "plan",
        "rank",
        "audit",
        "score",
        "campaign create",
        "simulate",
        "report",
        "plot",
    ],
)
def test_help_of_a_command_loads_nothing_slow(words: str, folder: Path) -> None:
    assert not modules_after(*words.split(), "--help", folder=folder) & NEVER


@pytest.mark.parametrize(
    "arguments",
    [
        ["compare", "study"],
        ["compare", "study", "--json"],
        ["compare", "study", "--rule", "fixed", "--out", "verdicts.tex"],
        ["compare", "study", "--margin", "0.2", "--target", "items"],
        ["demo", "demo", "--number-of-items", "20"],
        ["score", "study", "--metric", "length", "--metric", "distinct-1"],
    ],
)
def test_no_command_loads_what_it_does_not_need(arguments: list[str], folder: Path) -> None:
    modules = modules_after(*arguments, folder=folder)
    assert not modules & NEVER
    assert not modules & ({"openpyxl", "joblib"} | ({"jinja2"} if arguments[0] == "compare" else set()))


def test_a_campaign_loads_no_workbooks_where_there_are_none(tmp_path: Path) -> None:
    create_campaign(tmp_path / "camp", Protocol(), small_study(40), at=AT)
    sheet = ["campaign", "sheet", "camp", "--annotator", "ann", "-o", "ann.csv"]
    for arguments in (sheet, ["campaign", "collect", "camp", "ann.csv"], ["campaign", "status", "camp"]):
        modules = modules_after(*arguments, folder=tmp_path)
        assert not modules & NEVER
        assert not modules & {"openpyxl", "joblib", "jinja2"}


def test_import_tiebreak_costs_nothing() -> None:
    code = "import sys, json, tiebreak; dir(tiebreak); print(json.dumps(sorted(sys.modules)))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    modules = set(json.loads(result.stdout))
    assert not modules & {"numpy", "scipy", "polars", "typer", "rich"}


@pytest.mark.parametrize(
    "name", ["Audit", "audit", "compare", "read_study", "write_study", "Study", "CompareResult", "check", "UsageError"]
)
def test_every_public_name_loads(name: str) -> None:
    import tiebreak

    assert getattr(tiebreak, name).__name__ == name
    assert name in tiebreak.__all__
