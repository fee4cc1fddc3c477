"""Sets evalica, evalstats, ppi-python and truescore beside `compare`: writes benchmarks/results/other_packages.csv.

python benchmarks/other_packages.py --python PATH [--scale 1] [--seed 1] [--cache FOLDER] [--write]

None of them is a dependency: PATH is a Python in which they are installed (`pip install evalica evalstats ppi-python
truescore` in an environment of its own). A package that is missing is skipped, with the reason. All of it takes about
half an hour of one processor. Answers of the packages are kept in the cache folder: an interrupted run goes on.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # `benchmarks` is no installed package

from benchmarks.results import Value, machine, parser, write_rows  # noqa: E402
from benchmarks.worlds.other_packages.asked import PACKAGES, Package, package  # noqa: E402
from benchmarks.worlds.other_packages.measured import measure  # noqa: E402
from benchmarks.worlds.other_packages.worlds import WORLDS  # noqa: E402

_RATES = ("wrong by p", "wrong by interval", "missed", "power by p", "power by interval", "contradictions")
_BEFORE_WIDTH = 3
HEADER = (
    *("world", "package", "claimed", "method"),
    *(name for rate in _RATES[:_BEFORE_WIDTH] for name in (rate, f"{rate}, error")),
    "width",
    *(name for rate in _RATES[_BEFORE_WIDTH:] for name in (rate, f"{rate}, error")),
)


def rows(packages: Sequence[Package], seed: int, scale: float) -> Iterator[tuple[Value, ...]]:
    """One row for each world and package, tiebreak first. "Claimed": the documentation says that it handles this."""
    for world in WORLDS:
        for found in measure(world, packages, seed, scale):
            claimed = "no" if found.name in dict(world.unclaimed) else "yes"
            method = "; ".join(found.methods) or "rule fixed"
            first = (found.wrong_by_p, found.wrong_by_interval, found.missed)
            last = (found.power_by_p, found.power_by_interval, found.contradictions)
            before = tuple(cell for rate in first for cell in rate.cells)
            after = tuple(cell for rate in last for cell in rate.cells)
            yield world.name, found.name, claimed, method, *before, found.width, *after


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status."""
    options_of = parser(__doc__, "benchmarks/results/other_packages.csv")
    options_of.add_argument("--python", type=Path, default=Path(sys.executable), help="a Python that has the packages")
    options = options_of.parse_args(arguments)
    asked = [package(name, options.python, options.cache) for name in PACKAGES]
    there = [found for found in asked if isinstance(found, Package)]
    for reason in asked:
        if isinstance(reason, str):
            print(reason, file=sys.stderr)
    command = f"python benchmarks/other_packages.py --python PATH --seed {options.seed} --write"
    made_on = ", ".join([machine(), *(f"{found.name} {found.version}" for found in there)])
    folder = options.results if options.write else options.cache / "results"
    print(write_rows("other_packages", HEADER, rows(there, options.seed, options.scale), command, made_on, folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
