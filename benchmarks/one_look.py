"""Certifies the rule `fixed`, one look at a finished set: prints Markdown; `--write` saves it as docs/one_look.md.

python benchmarks/one_look.py [--scale 1] [--seed 1] [--cache FOLDER] [--data FOLDER] [--kept] [--write]

Exit status 1 where anything errs more than was promised. Every piece of a cell is kept in the cache folder, by its
settings and the code it depends on: an interrupted run goes on, and what is there already at a smaller scale counts.
All of it takes about twenty minutes of one processor; `--scale 0.05` gives a first impression.
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

from benchmarks.one_look.found import broken  # noqa: E402
from benchmarks.one_look.grid import all_cells, kept, run  # noqa: E402
from benchmarks.one_look.page import page  # noqa: E402
from benchmarks.one_look.real import real_table  # noqa: E402
from benchmarks.pages import scaled_options, scaled_parser, show  # noqa: E402


def parsed() -> argparse.Namespace:
    parser = scaled_parser(__doc__, "one_look.md", "results")
    parser.add_argument("--kept", action="store_true", help="the page of what an interrupted run has counted so far")
    return scaled_options(parser)


def main() -> int:
    options = parsed()
    cells = all_cells(options.scale)
    found = (kept if options.kept else run)(cells, options.cache, options.seed)
    scale = "" if options.scale == 1 else f" --scale {options.scale:g}"
    command = f"python benchmarks/one_look.py{scale} --seed {options.seed} --write"
    command = command.replace(" --write", " --kept --write") if options.kept else command
    planned = sum(cell.runs for cell in cells)
    minutes = sum(each.seconds for each in found) / 60
    show(page(found, command, minutes, real_table(options.data), planned), "one_look.md", options.write)
    failures = broken(found)
    for failure in failures:
        print(failure, file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
