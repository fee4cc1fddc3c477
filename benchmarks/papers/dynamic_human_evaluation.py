"""The tables of dynamic-human-evaluation, ours beside the printed ones: writes benchmarks/results/dynamic_*.csv.

python benchmarks/papers/dynamic_human_evaluation.py [--data FOLDER] [--iterations 1000] [--redraws 20] [--write]

Without the real studies only what can be simulated is written.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # `benchmarks` is no installed package

from benchmarks.papers.dynamic_human import tables
from benchmarks.papers.dynamic_human.runs import KAPPA, RIVALS, TABLE_6, TITLES, replayed
from benchmarks.results import machine, parser, write_rows

from tiebreak.data.readers import read_study
from tiebreak.simulate.replay import votes_of


def real_labels(data: Path, iterations: int, seed: int) -> Iterator[tuple[str, list[tables.Row]]]:
    """What is made from the crowd's labels: names of files and their rows."""
    table_6: list[tables.Row] = []
    anytime: list[tables.Row] = []
    kappas: list[tables.Row] = []
    for study in TABLE_6:
        found = replayed(votes_of(read_study(data / study), "CGA", RIVALS[study]), iterations, seed)
        table_6 += tables.table_6(study, found)
        anytime += tables.anytime(study, found)
        measured = tables.kappas(data / study, np.random.default_rng([seed, 6]))
        cells = [end for one in measured for end in (one.estimate, one.low, one.high)]
        kappas.append((TITLES[study], KAPPA[study], *cells))
    yield "dynamic_table_6", table_6
    yield "dynamic_table_7", list(tables.table_7(found))  # of R1, the last study
    yield "dynamic_anytime", anytime
    yield "dynamic_kappa", kappas


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status."""
    options_of = parser(__doc__, "benchmarks/results/dynamic_*.csv")
    options_of.add_argument("--iterations", type=int, default=1_000)
    options_of.add_argument("--redraws", type=int, default=20)
    options_of.add_argument("--workers", type=int, default=2, help="processes (2)")
    options = options_of.parse_args(arguments)
    iterations, redraws, seed = options.iterations, options.redraws, options.seed
    if min(iterations, redraws) < 2:
        options_of.error("--iterations and --redraws must be at least 2")
    found = {"dynamic_table_3": tables.table_3(iterations, redraws, seed, options.workers)}
    found["dynamic_errors"] = list(tables.errors(iterations, seed))
    missing = [name for name in TABLE_6 if not (options.data / name).is_dir()]
    if missing:
        print(f"Tables 6 and 7 and kappa are skipped: {options.data} lacks {' and '.join(missing)}", file=sys.stderr)
    else:
        found |= real_labels(options.data, iterations, seed)
    folder = options.results if options.write else options.cache / "results"
    command = "python benchmarks/papers/dynamic_human_evaluation.py --write"
    for name, rows in found.items():
        print(write_rows(name, tables.HEADERS[name], rows, command, machine(), folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
