"""Whether all results are what they were: writes the numbers of many computations, or holds today's against them.

python benchmarks/same_results.py --write [FILE.json] [--jobs 2] [--only PREFIX]
python benchmarks/same_results.py --check [FILE.json] [--except LIST] [--jobs 2] [--only PREFIX]

For changes that must not change any number, such as a renaming: write before, check after. FILE is .same-results.json
in the repository unless said otherwise. Words and counts must be equal, numbers equal within 1e-12 (absolute or
relative); names of fields, settings and modules do not matter, but keys of JSON documents do. `--check` prints the
first 20 differences and exits with 1 if there are any, or if nothing was compared. `--except` takes a list of intended
changes, a line each: a pattern of cells, two blanks, a pattern of fields; a pattern that covers nothing is an error.

The cells are comparisons of six real studies and of made ones under all rules and settings (compare/, against/,
check/), whole campaigns (campaign/), simulations (simulate/, replay/, arrays/), plans (plan/), JSON documents of
commands (document/), tables that commands write (files/), exports of campaigns (export/) and the evaluator's ratings
(evaluator/). The base of a series of commits is written where the series begins: `git worktree add ../base COMMIT`, and
there `python benchmarks/same_results.py --write FILE.json`.
`--only` takes the cells whose names begin so. All names of the product are in `same_results/product/`.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from importlib.metadata import version
from itertools import islice
from multiprocessing import get_context
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS"):
    os.environ.setdefault(variable, "1")  # one thread a process: the processes are as many as asked for

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY))

from benchmarks.same_results import campaign_cells, compare_cells, document_cells, real_studies, simulation_cells  # noqa: E402
from benchmarks.same_results.product.plain import REFUSED, refused  # noqa: E402
from benchmarks.same_results.records import Cell, Record  # noqa: E402
from benchmarks.same_results.tolerance import MISSING, Difference, Exceptions, differences  # noqa: E402

DEFAULT_FILE = REPOSITORY / ".same-results.json"
SHOWN = 20
LIBRARIES = ("numpy", "polars", "scipy")


def chosen_cells(prefix: str) -> list[Cell]:
    """The cells whose names begin so; no two have one name."""
    every = [*compare_cells.cells(), *campaign_cells.cells(), *simulation_cells.cells(), *document_cells.cells()]
    names = [cell.name for cell in every]
    if len(set(names)) < len(names):
        raise ValueError("two cells have the same name")
    return [cell for cell in every if cell.name.startswith(prefix)]


def computed(cell: Cell) -> tuple[str, Record, float]:
    """The name of a cell, its record, and the seconds that it took; what the product refuses is a record too."""
    start = time.monotonic()
    try:
        found = cell.compute(*cell.arguments)
    except REFUSED as error:
        found = refused(error)
    except Exception as error:
        raise RuntimeError(f"cell {cell.name} cannot be computed: {error!r}") from error
    return cell.name, found, time.monotonic() - start


def all_computed(cells: Sequence[Cell], jobs: int) -> dict[str, Record]:
    """The records of all cells, in the order of the cells; tells on standard error how far it is."""
    start = time.monotonic()
    found: dict[str, Record] = {}
    spent: dict[str, float] = {}
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        waiting = [pool.submit(computed, cell) for cell in cells]
        try:
            for done, future in enumerate(as_completed(waiting), start=1):
                name, record, seconds = future.result()
                found[name], spent[name] = record, seconds
                if done % 50 == 0 or done == len(cells):
                    print(f"{done}/{len(cells)} cells, {time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    _tell_times(spent)
    return {cell.name: found[cell.name] for cell in cells}


def _tell_times(spent: dict[str, float]) -> None:
    slowest = sorted(spent.items(), key=lambda entry: -entry[1])[:5]
    listed = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in slowest)
    print(f"{sum(spent.values()):.0f} s of computing; slowest: {listed}", file=sys.stderr)


def versions() -> dict[str, str]:
    """What else may move a last digit."""
    return {"python": platform.python_version(), **{name: version(name) for name in LIBRARIES}}


def write(file: Path, cells: dict[str, Record]) -> None:
    """One line per cell, so that two files can be held against each other by other programs too."""
    lines = [f"{json.dumps(name)}: {json.dumps(record)}" for name, record in cells.items()]
    body = ",\n".join(lines)
    partial = file.with_name(file.name + ".part")
    partial.write_text(f'{{"versions": {json.dumps(versions())},\n"cells": {{\n{body}\n}}}}\n', encoding="utf-8")
    partial.replace(file)  # never half a file under the final name


def all_differences(before: dict[str, Record], now: dict[str, Record]) -> Iterator[Difference]:
    """Cells that one side lacks, and every field that is not as it was."""
    for name in [*before, *(name for name in now if name not in before)]:
        if name not in before or name not in now:
            there = ["(there)" if name in cells else MISSING for cells in (before, now)]
            yield Difference(name, "", *there)
        else:
            yield from differences(name, before[name], now[name])


def check(file: Path, prefix: str, jobs: int, exceptions: Exceptions) -> int:
    """Computes again and compares; how many differences there are that are not intended."""
    document = json.loads(file.read_text(encoding="utf-8"))
    if document["versions"] != versions():
        print(f"written with {document['versions']}, checked with {versions()}", file=sys.stderr)
    before = {name: record for name, record in document["cells"].items() if name.startswith(prefix)}
    # As the file has it: a record is what JSON makes of it.
    now = json.loads(json.dumps(all_computed(chosen_cells(prefix), jobs)))
    differing = [difference for difference in all_differences(before, now) if not exceptions.cover(difference)]
    for of in islice(differing, SHOWN):
        print(f"{of.cell}: {of.field}: {of.before!r} before, {of.now!r} now")
    for (cell, field), count in exceptions.used.items():
        print(f"intended: {count:,} differences of {cell}  {field}")
    for cell, field in exceptions.unused:
        print(f"{cell}  {field}: this exception covers nothing; take it out")
    compared = len(before.keys() & now.keys())
    if not compared:
        print("nothing was compared")
    cells = len({of.cell for of in differing})
    summary = f"{len(differing):,} differences in {cells:,} cells" if differing else "no other difference"
    print(f"{compared:,} cells compared: {summary}")
    return len(differing) + len(exceptions.unused) + (not compared)


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--write", nargs="?", const=DEFAULT_FILE, type=Path, metavar="FILE", help="record the numbers")
    what.add_argument("--check", nargs="?", const=DEFAULT_FILE, type=Path, metavar="FILE", help="compare with a record")
    parser.add_argument("--except", dest="exceptions", type=Path, metavar="LIST", help="intended changes")
    parser.add_argument("--jobs", type=int, default=2, help="processes (2)")
    parser.add_argument("--only", default="", metavar="PREFIX", help="only the cells whose names begin so")
    options = parser.parse_args()
    if options.jobs < 1:
        parser.error("--jobs must be at least 1")
    if options.check is not None and not options.check.is_file():
        parser.error(f"{options.check} is not there: make it with --write, before the change")
    if options.exceptions is not None and options.check is None:
        parser.error("--except goes with --check")
    return options


def main() -> int:
    options = parsed()
    missing = real_studies.missing()
    if missing:
        print(f"nothing done: the real studies {', '.join(missing)} are not in {real_studies.FOLDER}")
        return 1 if options.check is not None else 0
    for line in real_studies.LEFT_OUT:
        print(f"left out: {line}", file=sys.stderr)
    if options.check is not None:
        lines = [] if options.exceptions is None else options.exceptions.read_text(encoding="utf-8").splitlines()
        return 1 if check(options.check, options.only, options.jobs, Exceptions.read(lines)) else 0
    cells = all_computed(chosen_cells(options.only), options.jobs)
    write(options.write, cells)
    refusals = sum("refused" in record for record in cells.values())
    print(f"{len(cells):,} cells written to {options.write}, {refusals:,} of them refusals")
    return 0


if __name__ == "__main__":
    sys.exit(main())
