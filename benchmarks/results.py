"""Raw figures of the benchmarks, one CSV file a table in `benchmarks/results`, and what their command lines share."""

from __future__ import annotations

import argparse
import csv
import os
import platform
from collections.abc import Iterable, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
RESULTS = REPOSITORY / "benchmarks" / "results"
REAL_STUDIES = REPOSITORY.parent / "shared" / "data"  # where real studies are, unless --data says otherwise
CACHE = REPOSITORY / ".certification"

Value = str | float | int | None


def machine(*packages: str) -> str:
    """`Linux on x86_64, 2 cores, Python 3.11.7, numpy 2.2.1`, with the versions of more packages."""
    names = ("tiebreak", "numpy", "scipy", *packages)
    versions = ", ".join(f"{name} {_version(name)}" for name in names)
    system = f"{platform.system()} on {platform.machine()}, {os.cpu_count()} cores"
    return f"{system}, Python {platform.python_version()}, {versions}"


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "absent"


def write_rows(
    name: str,
    header: Sequence[str],
    rows: Iterable[Sequence[Value]],
    command: str,
    made_on: str,
    folder: Path = RESULTS,
) -> Path:
    """Write `folder/NAME.csv`: two comments (the command, the machine and versions), the header and the rows.

    Numbers are written with six significant digits, None as an empty cell.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(f"# {command}\n# {made_on}\n")
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows([[_cell(value) for value in row] for row in rows])
    return path


def _cell(value: Value) -> str:
    if value is None or value != value:  # nan
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def read_rows(name: str, folder: Path = RESULTS) -> list[dict[str, str]]:
    """The rows of `folder/NAME.csv` as texts by column."""
    lines = (folder / f"{name}.csv").read_text(encoding="utf-8").splitlines()
    return list(csv.DictReader(line for line in lines if not line.startswith("#")))


def parser(about: str | None, writes: str) -> argparse.ArgumentParser:
    """The options that every benchmark has: --scale, --seed, --cache, --data, --results and --write."""
    found = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    found.add_argument("--scale", type=float, default=1.0, help="multiplies the numbers of simulated studies (1)")
    found.add_argument("--seed", type=int, default=1)
    found.add_argument("--cache", type=Path, default=CACHE, help="where finished pieces are kept")
    found.add_argument("--data", type=Path, default=REAL_STUDIES, help="the real studies")
    found.add_argument("--results", type=Path, default=RESULTS, help="where CSV files are written")
    found.add_argument("--write", action="store_true", help=f"write {writes}")
    return found
