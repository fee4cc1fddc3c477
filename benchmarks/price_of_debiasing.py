"""The figures of price-of-debiasing, ours beside the paper's.

Prints a Markdown page; `--write` saves docs/price_of_debiasing.md. The tables on SummEval need the real studies, and
are left out with a word where these are absent. It takes seconds.

python benchmarks/price_of_debiasing.py [--data FOLDER] [--write]
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

from benchmarks.debiasing.experts import summeval  # noqa: E402
from benchmarks.debiasing.inflation import inflation  # noqa: E402
from benchmarks.debiasing.page import Measured, report  # noqa: E402
from benchmarks.pages import REAL_STUDIES, show  # noqa: E402


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=REAL_STUDIES, help="the real studies")
    parser.add_argument("--write", action="store_true", help="save docs/price_of_debiasing.md")
    options = parser.parse_args()
    experts = summeval(options.data) if (options.data / "summeval").is_dir() else None
    if experts is None:
        sys.stderr.write(f"{options.data / 'summeval'} is absent: the tables on SummEval are left out\n")
    inflations = [inflation(gamma, people) for gamma in (0.36, 1.0, 1.23) for people in (2, 3, 5)]
    show(report(Measured(inflations, experts)), "price_of_debiasing.md", options.write)


if __name__ == "__main__":
    main()
