"""Certifies intervals of `estimate`, `audit` and campaigns of ratings; `--write` saves docs/certification_scores.md.

python benchmarks/certify_scores.py [--scale 1] [--seed 1] [--cache FOLDER] [--kept] [--write]

Exit status 1 where intervals miss more than was promised. Every piece of a world is kept in the cache folder, by its
settings and the code it depends on: an interrupted run goes on, and what is there already at a smaller scale counts.
All of it takes about half an hour of one processor, a piece half a minute.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS"):
    os.environ.setdefault(variable, "1")

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY))  # `benchmarks` is no installed package

from benchmarks.one_look.found import broken  # noqa: E402
from benchmarks.one_look.grid import all_cells, kept, run  # noqa: E402
from benchmarks.pages import scaled_options, scaled_parser, show  # noqa: E402
from benchmarks.scores import audits, campaigns, estimates  # noqa: E402
from benchmarks.scores.page import page  # noqa: E402

MODULES = (estimates, audits, campaigns)


def parsed() -> argparse.Namespace:
    parser = scaled_parser(__doc__, "certification_scores.md", "results")
    parser.add_argument("--kept", action="store_true", help="the page of what an interrupted run has counted so far")
    return scaled_options(parser)


def main() -> int:
    options = parsed()
    found = (kept if options.kept else run)(all_cells(options.scale, MODULES), options.cache, options.seed)
    scale = "" if options.scale == 1 else f" --scale {options.scale:g}"
    command = f"python benchmarks/certify_scores.py{scale} --seed {options.seed} --write"
    command = command.replace(" --write", " --kept --write") if options.kept else command
    show(page(found, command, sum(each.seconds for each in found) / 60), "certification_scores.md", options.write)
    failures = broken(found)
    for failure in failures:
        print(failure, file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
