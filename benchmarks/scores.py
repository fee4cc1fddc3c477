"""Certifies intervals of `estimate`, `audit` and campaigns of ratings: writes benchmarks/results/scores.csv.

python benchmarks/scores.py [--scale 1] [--seed 1] [--cache FOLDER] [--write]

Exit status 1 where intervals miss more than was promised. All of it takes about a quarter of an hour of one processor.
A world of `estimate` is a line in `WORLDS` of `worlds/scores/estimates.py`, one of `audit` in those of `audits.py`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS"):
    os.environ.setdefault(variable, "1")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # `benchmarks` is no installed package

from benchmarks.cells import certify  # noqa: E402
from benchmarks.worlds.scores import audits, campaigns, estimates  # noqa: E402


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status."""
    return certify("scores", __doc__, (estimates, audits, campaigns), arguments=arguments)


if __name__ == "__main__":
    sys.exit(main())
