"""What a comparison has to show."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import tiebreak
from tiebreak.cli.commands import app
from tiebreak.comparison.condition import Condition, condition_from
from tiebreak.errors import UsageError

VOTES = [
    {"item": f"q{k}", "system_a": "old", "system_b": "new", "annotator": "ann", "outcome": "b", "criterion": criterion}
    if criterion == "style"
    else {"item": f"q{k}", "system_a": "old", "system_b": "new", "annotator": "ann", "outcome": "ab"[k % 2],
          "criterion": criterion}
    for k in range(40)
    for criterion in ("style", "truth")
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "condition"),
    [("new > old", Condition("new", "old")), ("a>=b", Condition("a", "b", or_equal=True))],
)
def test_conditions(text: str, condition: Condition) -> None:
    assert condition_from(text) == condition
    assert condition_from(str(condition)) == condition


@pytest.mark.parametrize("text", ["new", "> old", "new >", "x > x", "new = old", ""])
def test_what_is_no_condition(text: str) -> None:
    with pytest.raises(UsageError, match="write 'A > B'"):
        condition_from(text)


def test_every_criterion_has_to_show_it() -> None:
    study = tiebreak.Study.from_tables(preferences=VOTES)
    style = tiebreak.compare(study, criteria=("style",))
    assert condition_from("new > old").unmet(style) == []
    assert condition_from("old > new").unmet(style) == ["new > old on style"]
    assert condition_from("new > old").unmet(tiebreak.compare(study)) == ["new ? old on truth"]
    with pytest.raises(UsageError, match="no system 'newer': did you mean new"):
        condition_from("newer > old").unmet(style)


def test_or_equivalent() -> None:
    ties = [vote | {"outcome": "tie"} for vote in VOTES]
    same = tiebreak.compare(tiebreak.Study.from_tables(preferences=ties), margin=0.3)
    assert condition_from("new >= old").unmet(same) == []
    assert condition_from("new > old").unmet(same)


def test_the_command_exits_with_3(tmp_path: Path) -> None:
    folder = str(tmp_path / "study")
    tiebreak.write_study(tiebreak.Study.from_tables(preferences=VOTES), folder)
    run = CliRunner().invoke
    held = run(app, ["compare", folder, "--criterion", "style", "--fail-unless", "new > old"])
    assert held.exit_code == 0, held.output
    failed = run(app, ["compare", folder, "--fail-unless", "new > old", "--json"])
    assert failed.exit_code == 3
    assert json.loads(failed.stdout)["unmet"] == {"new > old": ["new ? old on truth"]}
    assert "Not shown: new > old (new ? old on truth)" in failed.stderr
    wrong = run(app, ["compare", folder, "--fail-unless", "new"])
    assert isinstance(wrong.exception, UsageError)
