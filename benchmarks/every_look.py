"""Certifies `--rule anytime`, looked at after every label: errors, and labels until a verdict.

python benchmarks/every_look.py [--scale 1] [--seed 1] [--cache FOLDER] [--write]

Writes benchmarks/results/every_look.csv and every_look_labels.csv. Exit status 1 where a rule errs more than was
promised. Rules for one look, looked at after every label, are the controls. A world is a line of
`worlds/every_look/grid.py`, a rule a function of `rules.py` there.
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

from benchmarks.cells import ALPHAS, Found, certify  # noqa: E402
from benchmarks.results import Value, machine, write_rows  # noqa: E402
from benchmarks.worlds.every_look import grid  # noqa: E402
from benchmarks.worlds.every_look.samples import metric_title  # noqa: E402

HEADER = ("rule", "claim", "items", "difference", "ties", "metric", "alpha")
HEADER += ("campaigns", "bound", "labels", "error", "undecided", "wrong")


def label_rows(found: Sequence[Found]) -> Iterator[tuple[Value, ...]]:
    """Mean labels with their standard error, beside the fewest that any rule needs."""
    for each in found:
        if each.cell.section == "labels":
            rule, world = each.cell.settings
            metric = "" if world.metric is None else metric_title(world.metric)  # type: ignore[attr-defined]
            for alpha in ALPHAS:
                mean = each.share(f"labels {alpha}")
                error = math.sqrt(max(each.share(f"squares {alpha}") - mean**2, 0.0) / each.runs)
                of_world = (world.target, world.size, world.difference, world.ties, metric, alpha)  # type: ignore[attr-defined]
                shares = (each.share(f"undecided {alpha}"), each.share(f"wrong {alpha}"))
                yield str(rule), *of_world, each.runs, grid.bound(world, alpha), mean, error, *shares  # type: ignore[arg-type]


def write_labels(found: Sequence[Found], _: Any, command: str, folder: Path) -> None:
    """The second file."""
    write_rows("every_look_labels", HEADER, label_rows(found), command, machine(), folder)


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status."""
    return certify("every_look", __doc__, (grid,), write_labels, arguments)


if __name__ == "__main__":
    sys.exit(main())
