"""Certifies `rank`: how often leaderboards of known strengths err; writes benchmarks/results/rank.csv.

python benchmarks/rank.py [--scale 1] [--seed 1] [--cache FOLDER] [--write]

Exit status 1 where intervals, places or the test of one scale err more than was promised. The control takes all games
for independent, which must fail where items have several games.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # `benchmarks` is no installed package

from benchmarks.cells import certify  # noqa: E402
from benchmarks.worlds import leaderboards  # noqa: E402


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status."""
    return certify("rank", __doc__, (leaderboards,), arguments=arguments)


if __name__ == "__main__":
    sys.exit(main())
