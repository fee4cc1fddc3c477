"""A rule that is added in one file, and in no other, works wherever rules do."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks.worlds.every_look.rules import codes_by
from tests.rules.toy_rule import LEAD, LINE

from tiebreak.rules import registry
from tiebreak.rules.rule import MeasureFacts
from tiebreak.settings.protocol import DecisionSettings

ROOT = Path(__file__).parents[2]
ITEMS, WINS = 60, 45


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """A study in which x wins 45 of 60 comparisons with y."""
    folder = tmp_path / "study"
    folder.mkdir()
    rows, texts = ["item,system_a,system_b,annotator,outcome"], ["item,system,text"]
    for k in range(ITEMS):
        rows.append(f"i{k},x,y,ann,{'b' if k % 4 == 0 else 'a'}")
        texts += [f"i{k},{system},text {k} of {system}" for system in "xy"]
    (folder / "preferences.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    (folder / "outputs.csv").write_text("\n".join(texts) + "\n", encoding="utf-8")
    return folder


def tiebreak(*arguments: str | Path) -> str:
    command = [sys.executable, "-W", "error", "-m", "tests.rules.toy_rule", *map(str, arguments)]
    found = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert found.returncode == 0, found.stderr
    return found.stdout


def document(*arguments: str | Path) -> dict[str, Any]:
    return json.loads(tiebreak(*arguments, "--json"))


def test_comparison_and_report(study: Path, tmp_path: Path) -> None:
    found = document("compare", study, "--rule", "lead")
    (pair,) = found["results"][0]["pairs"]
    assert (pair["verdict"], pair["wins"], pair["difference"]["estimate"]) == ("a", WINS, 0.5)
    assert LEAD <= pair["stopped_at"] < ITEMS
    assert (found["terms"]["rule"], found["terms"]["guarantee"]) == ("lead", "promise nothing")
    page = tmp_path / "report.html"
    tiebreak("report", study, "--rule", "lead", "--out", page)
    assert "a lead of twelve items" in page.read_text(encoding="utf-8")


def test_simulation_by_both_engines(study: Path) -> None:
    agents = ["--qualities", "0.5,0", "--number-of-items", "80", "--workers", "1", "--repetitions", "20"]
    quick = document("simulate", *agents, "--rule", "lead")
    slow = document("simulate", *agents, "--rule", "lead", "--max-labels", "1000")  # a budget needs the step engine
    assert (quick["engine"], slow["engine"]) == ("vectorised", "steps")
    assert quick["protocol"]["decision"]["rule"] == "lead"
    for found in (quick, slow):
        assert found["pairs"][0]["a"]["value"] > 0.7
    assert (
        document("simulate", "--replay", study, "--rule", "lead", "--repetitions", "5", "--workers", "1")["pairs"][0][
            "a"
        ]["value"]
        == 1
    )


def test_campaign(study: Path, tmp_path: Path) -> None:
    folder = tmp_path / "campaign"
    tiebreak("campaign", "create", study, "--out", folder, "--rule", "lead", "--seed", "1")
    found = document("campaign", "status", folder)
    assert found["terms"]["title"] == "a lead of twelve items"
    assert [pair["verdict"] for pair in found["results"][0]["pairs"]] == ["undecided"]


def test_certification(monkeypatch: pytest.MonkeyPatch) -> None:
    """How often a fair walk of 100 items without ties is ever ahead by twelve."""
    monkeypatch.setitem(registry.LINES, "lead", LINE)
    values = np.random.default_rng(1).choice([-1.0, 1.0], size=(2_000, 100))
    codes = codes_by(DecisionSettings("lead"), MeasureFacts(100), values)
    ahead = np.abs(np.cumsum(values, axis=1)).max(axis=1) >= LEAD
    np.testing.assert_array_equal((codes != 0).any(axis=1), ahead)
    assert 0.2 < ahead.mean() < 0.6, "a rule that errs far above any level is found out"
