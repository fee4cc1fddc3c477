"""Sets the packages evalstats and truescore beside `compare`: prints Markdown; `--write` saves docs/other_packages.md.

python benchmarks/other_packages.py --python PATH [--scale 1] [--seed 1] [--cache FOLDER] [--data FOLDER] [--write]

Neither package is a dependency: PATH is a Python in which they are installed (`pip install evalstats truescore` in an
environment of its own). One that is not there is skipped, with the reason. All of it takes about ten minutes of one
processor. Answers of the packages are kept in the cache folder: an interrupted run goes on.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY))  # `benchmarks` is no installed package

from benchmarks.other_packages.asked import PACKAGES, Package, package  # noqa: E402
from benchmarks.other_packages.measured import measure  # noqa: E402
from benchmarks.other_packages.page import page  # noqa: E402
from benchmarks.other_packages.real import real_rows  # noqa: E402
from benchmarks.other_packages.worlds import WORLDS  # noqa: E402
from benchmarks.pages import scaled_options, scaled_parser, show  # noqa: E402


def parsed() -> argparse.Namespace:
    parser = scaled_parser(__doc__, "other_packages.md", "answers", "; needs both packages")
    parser.add_argument("--python", type=Path, default=Path(sys.executable), help="a Python that has the packages")
    return scaled_options(parser)


def main() -> int:
    options = parsed()
    asked = [package(name, options.python, options.cache) for name in PACKAGES]
    skipped = [reason for reason in asked if isinstance(reason, str)]
    for reason in skipped:
        print(reason, file=sys.stderr)
    if skipped and options.write:
        print("nothing is saved: the page sets both packages beside compare", file=sys.stderr)
        return 1
    there = [found for found in asked if isinstance(found, Package)]
    measured = [(world, measure(world, there, options.seed, options.scale)) for world in WORLDS]
    scale = "" if options.scale == 1 else f" --scale {options.scale:g}"
    command = f"python benchmarks/other_packages.py --python PATH{scale} --seed {options.seed} --write"
    real = real_rows(options.data, there, options.seed, options.scale)
    show(page(measured, there, real, command, options.scale), "other_packages.md", options.write)
    return 0


if __name__ == "__main__":
    sys.exit(main())
