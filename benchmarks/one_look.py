"""Certifies the rule `fixed`, one look at a finished set: writes benchmarks/results/one_look.csv and one_look_real.csv.

python benchmarks/one_look.py [--scale 1] [--seed 1] [--cache FOLDER] [--data FOLDER] [--write]

Exit status 1 where anything errs more than was promised. All of it takes about twenty minutes of one processor;
`--scale 0.05` gives a quick impression. A world is a `Cell` of a module in `worlds/one_look`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # `benchmarks` is no installed package

from benchmarks.cells import Found, certify  # noqa: E402
from benchmarks.results import machine, write_rows  # noqa: E402
from benchmarks.worlds.one_look import (  # noqa: E402
    clusters,
    counts,
    families,
    metrics,
    panels,
    people,
    pools,
    raters,
    real,
    repeats,
)

MODULES = (counts, pools, panels, clusters, metrics, raters, people, repeats, families)


def real_studies(_: Sequence[Found], options: Any, command: str, folder: Path) -> None:
    """What both rules decide on real studies."""
    write_rows("one_look_real", real.HEADER, real.rows(options.data), command, machine(), folder)


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status."""
    return certify("one_look", __doc__, MODULES, real_studies, arguments)


if __name__ == "__main__":
    sys.exit(main())
