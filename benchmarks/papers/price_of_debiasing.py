"""The tables of price-of-debiasing, ours beside the paper's figures: writes benchmarks/results/price_*.csv.

python benchmarks/papers/price_of_debiasing.py [--data FOLDER] [--write]

The tables on SummEval need the real studies, and are left out where these are absent. It takes two minutes or more.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS"):
    os.environ.setdefault(variable, "1")
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # `benchmarks` is no installed package

from benchmarks.papers.debiasing import stopping, tables  # noqa: E402
from benchmarks.papers.debiasing.experts import summeval  # noqa: E402
from benchmarks.results import machine, parser, write_rows  # noqa: E402


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status."""
    options = parser(__doc__, "benchmarks/results/price_*.csv").parse_args(arguments)
    found = {"price_caps": tables.caps(), "price_perfect": tables.perfect(max(2, round(40 * options.scale)))}
    experts = summeval(options.data) if (options.data / "summeval").is_dir() else None
    if experts:
        found |= {name: rows(experts) for name, rows in tables.ON_SUMMEVAL.items()}
    else:
        print(f"{options.data / 'summeval'} is absent: the tables on SummEval are left out", file=sys.stderr)
    runs = max(len(stopping.SHARES), round(stopping.RUNS * options.scale))
    found["price_stopping"] = stopping.saved(runs, experts)
    folder = options.results if options.write else options.cache / "results"
    command = "python benchmarks/papers/price_of_debiasing.py --write"
    for name, rows in found.items():
        print(write_rows(name, tables.HEADERS[name], rows, command, machine(), folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
