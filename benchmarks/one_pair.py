"""Time and memory of `compare`, `doctor` and `report` where very many labels are of one pair, or on one item.

    python benchmarks/one_pair.py --before ../older-checkout --labels 1000000

Runs every command with this checkout and with another one, in turn and in processes of their own; prints the ratios.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

HERE = Path(__file__).resolve().parents[1]
COMMANDS = ("compare", "doctor", "report")


def one_pair(labels: int) -> pl.DataFrame:
    """One label on each of many items, by 50 people."""
    rng = np.random.default_rng(1)
    return _preferences(np.arange(labels), rng.integers(50, size=labels), rng)


def one_item(labels: int) -> pl.DataFrame:
    """As many labels on one item, each of another person."""
    return _preferences(np.zeros(labels, dtype=np.int64), np.arange(labels), np.random.default_rng(1))


def _preferences(item: np.ndarray, person: np.ndarray, rng: np.random.Generator) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "item": "i" + pl.Series(item).cast(pl.String),
            "system_a": ["x"] * item.size,
            "system_b": ["y"] * item.size,
            "annotator": "p" + pl.Series(person).cast(pl.String),
            "outcome": rng.choice(["a", "tie", "b"], item.size, p=[0.4, 0.3, 0.3]),
        }
    )


def run(checkout: Path, command: str, study: Path) -> tuple[float, float]:
    """Seconds of processor time, and megabytes at most, of one command with one checkout."""
    words = [sys.executable, "-c", "from tiebreak.cli.main import run; run()", command, str(study)]
    words += ["-o", str(study.parent / "report.html")] if command == "report" else []
    pid = os.fork()
    if pid == 0:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for stream in (1, 2):
            os.dup2(nowhere, stream)
        os.environ["PYTHONPATH"] = str(checkout / "src")
        os.execv(sys.executable, words)
    _, status, used = os.wait4(pid, 0)
    if status:
        raise SystemExit(f"{' '.join(words)} ended with status {status} with {checkout}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def main() -> None:
    """Print a line for each study and command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", type=Path, required=True, help="another checkout, to compare with")
    parser.add_argument("--labels", type=int, default=1_000_000, help="labels of each study")
    asked = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        for name, made in (("one pair", one_pair), ("one item", one_item)):
            study = Path(folder) / name.replace(" ", "-")
            study.mkdir()
            made(asked.labels).write_csv(study / "preferences.csv")
            for command in COMMANDS:
                before, after = run(asked.before.resolve(), command, study), run(HERE, command, study)
                seconds, memory = after[0] / before[0], after[1] / before[1]
                sys.stdout.write(
                    f"{name}, {command}: {before[0]:.1f} s, {before[1]:,.0f} MB before; {after[0]:.1f} s, "
                    f"{after[1]:,.0f} MB now; {seconds:.2f} of the time, {memory:.2f} of the memory\n"
                )
                sys.stdout.flush()
    sys.stdout.write(f"{time.monotonic() - begun:.0f} s in all\n")


if __name__ == "__main__":
    main()
