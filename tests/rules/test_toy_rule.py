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
from tests.small_studies import pair_votes, study_of, texts

from tiebreak.data.writers import write_study
from tiebreak.rules import registry
from tiebreak.rules.rule import MeasureFacts
from tiebreak.settings.protocol import DecisionSettings

ROOT = Path(__file__).parents[2]
ITEMS, WINS = 60, 45


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """A study in which x wins 45 of 60 comparisons with y."""
    written = {system: [f"text {k} of {system}" for k in range(ITEMS)] for system in "xy"}
    study = study_of(pair_votes("lwww" * (ITEMS // 4), "x", "y"), outputs=texts(written))
    write_study(study, tmp_path / "study")
    return tmp_path / "study"


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
    again = document("simulate", "--replay", study, "--rule", "lead", "--repetitions", "5", "--workers", "1")
    assert again["pairs"][0]["a"]["value"] == 1


def test_campaign(study: Path, tmp_path: Path) -> None:
    folder = tmp_path / "campaign"
    tiebreak("campaign", "create", study, "--out", folder, "--rule", "lead", "--seed", "1")
    found = document("campaign", "status", folder)
    assert found["terms"]["title"] == "a lead of twelve items"
    assert [pair["verdict"] for pair in found["results"][0]["pairs"]] == ["undecided"]


def test_plan() -> None:
    """Against the exact walk of items without ties, of which a wins 65%."""
    found = document("plan", "--rule", "lead", "--difference", "0.3", "--tie-rate", "0", "--labelling", "one")
    row, one_look = found["rows"]
    assert (row["rule"], one_look["rule"]) == ("lead", "fixed")
    ahead, behind = led_by(row["planned"])
    assert ahead[-1] == pytest.approx(0.8, abs=0.04)
    assert row["right"] == pytest.approx(ahead[-1], abs=0.04)
    assert row["wrong"] == pytest.approx(behind[-1], abs=0.01)
    assert row["items"]["mean"] == pytest.approx(np.sum(1 - (ahead + behind)[:-1]), rel=0.05)
    (curve,) = (of for of in found["power"] if of["difference"] == 0.3)
    exact = led_by(max(curve["labels"]))[0][curve["labels"]]
    np.testing.assert_allclose(curve["chances"], exact, atol=0.08)
    assert "lead, up to" in tiebreak("plan", "--rule", "lead", "--difference", "0.3", "--labelling", "one")


def test_plan_from_a_pilot(study: Path) -> None:
    found = document("plan", study, "--rule", "lead", "--labelling", "one")
    (pair,) = found["pair_plans"]
    assert (pair["right"], pair["labels"]["mean"]) == (found["rows"][0]["right"], found["rows"][0]["labels"]["mean"])
    assert 0.8 <= found["rows"][0]["right"] < 0.85


def led_by(items: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """The chances (2, items + 1) that a, or b, was ahead by twelve after each number of items, where a wins 65%."""
    walk, decided = np.zeros(2 * LEAD + 1), np.zeros((2, items + 1))
    walk[LEAD] = 1
    for count in range(1, items + 1):
        walk[1:-1], left = 0.65 * np.append(0, walk[1:-2]) + 0.35 * np.append(walk[2:-1], 0), walk.copy()
        decided[:, count] = decided[:, count - 1] + [0.65 * left[-2], 0.35 * left[1]]
    return decided


def test_certification(monkeypatch: pytest.MonkeyPatch) -> None:
    """How often a fair walk of 100 items without ties is ever ahead by twelve."""
    monkeypatch.setitem(registry.LINES, "lead", LINE)
    values = np.random.default_rng(1).choice([-1.0, 1.0], size=(2_000, 100))
    codes = codes_by(DecisionSettings("lead"), MeasureFacts(100), values)
    ahead = np.abs(np.cumsum(values, axis=1)).max(axis=1) >= LEAD
    np.testing.assert_array_equal((codes != 0).any(axis=1), ahead)
    assert 0.2 < ahead.mean() < 0.6, "a rule that errs far above any level is found out"
