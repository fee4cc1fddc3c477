"""Certifies `watch`: how often any look at equal systems gives a verdict; writes benchmarks/results/watch.csv.

python benchmarks/watch.py [--scale 1] [--seed 1] [--cache FOLDER] [--write]

Exit status 1 where `watch` errs more than was promised. Each world has a control: another reading of the same labels.
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
from benchmarks.worlds import watched  # noqa: E402


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status."""
    return certify("watch", __doc__, (watched,), arguments=arguments)


if __name__ == "__main__":
    sys.exit(main())
