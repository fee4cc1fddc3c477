"""Two processes that write judgements into one study at the same time: nothing of either is lost."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tiebreak.data.readers import read_study
from tiebreak.data.study import Study
from tiebreak.data.writers import write_study
from tiebreak.errors import TiebreakError
from tiebreak.files import one_writer

TIMES = 8
WRITER = """
import sys
import polars as pl
from tiebreak.data.readers import read_study
from tiebreak.scoring.writing import add_judgements

study, name = read_study(sys.argv[1]), sys.argv[2]
for k in range(int(sys.argv[3])):
    signature = f"evaluator|{name}{k}"
    row = {"item": "1", "system_a": "s", "system_b": "t", "judge": f"{name}{k}", "outcome": "a", "signature": signature}
    rows = pl.DataFrame([row]).with_columns(
        pl.lit(None, pl.String).alias(name) for name in ("criterion", "sample_a", "sample_b")
    )
    add_judgements(study, row["judge"], None, rows, {signature: {"kind": "evaluator", "items_with_labels": []}})
"""


def test_rows_and_signatures_of_both_stay(tmp_path: Path) -> None:
    outputs = [{"item": "1", "system": system, "text": "x"} for system in "st"]
    write_study(Study.from_tables(outputs=outputs), tmp_path / "study")
    command = [sys.executable, "-c", WRITER, str(tmp_path / "study")]
    both = [subprocess.Popen([*command, name, str(TIMES)]) for name in ("one", "other")]
    assert [process.wait() for process in both] == [0, 0]
    study = read_study(tmp_path / "study")
    assert study.judge_preferences.height == 2 * TIMES
    assert set(study.judge_preferences["signature"]) == study.signatures.keys()
    assert {path.name for path in (tmp_path / "study").iterdir()} == {
        "outputs.csv", "judge_preferences.csv", "signatures.jsonl"
    }  # fmt: skip


def test_whoever_waits_for_long_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tiebreak.files._PATIENCE", 0.1)
    holder = "import sys, time; from pathlib import Path; from tiebreak.files import one_writer\n"
    holder += "with one_writer(Path(sys.argv[1])): print(1, flush=True); time.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", holder, str(tmp_path)], stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        with pytest.raises(TiebreakError, match="others have been writing it for a minute"), one_writer(tmp_path):
            pass
        process.kill()
    with one_writer(tmp_path), one_writer(tmp_path):
        pass
