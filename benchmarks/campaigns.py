"""Certifies whole campaigns: they look after every label and stop a pair at its verdict.

python benchmarks/campaigns.py [--scale 1] [--seed 1] [--cache FOLDER] [--write]

Writes benchmarks/results/campaigns.csv and campaigns_labels.csv in about ten minutes of one processor. Exit status 1
where campaigns err more than was promised. A design is a line of `worlds/campaigns/designs.py`.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # `benchmarks` is no installed package

from benchmarks.cells import Found, certify  # noqa: E402
from benchmarks.results import Value, machine, write_rows  # noqa: E402
from benchmarks.worlds.campaigns import designs  # noqa: E402

HEADER = ("world", "rule", "campaigns", "labels", "error", "undecided", "wrong")


def label_rows(found: Sequence[Found]) -> Iterator[tuple[Value, ...]]:
    """Mean labels of a campaign with their standard error; undecided campaigns count with all their labels."""
    for each in found:
        if each.cell.section == "labels":
            _, world, rule = each.cell.settings
            mean = each.share("labels 0")
            error = math.sqrt(max(each.share("squares 0") - mean**2, 0.0) / each.runs)
            yield str(world), str(rule), each.runs, mean, error, each.share("undecided 0"), each.share("wrong 0")


def write_labels(found: Sequence[Found], _: Any, command: str, folder: Path) -> None:
    """The second file."""
    write_rows("campaigns_labels", HEADER, label_rows(found), command, machine(), folder)


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status."""
    return certify("campaigns", __doc__, (designs,), write_labels, arguments)


if __name__ == "__main__":
    sys.exit(main())
