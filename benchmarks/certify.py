"""Certifies error rates: nominal against true, for every rule of `compare`; `--write` saves docs/certification.md.

python benchmarks/certify.py [--jobs 2] [--repeats 4] [--scale 1] [--orders 5] [--seed 1]
    [--cache FOLDER] [--data FOLDER] [--only-campaigns | --without-campaigns] [--write]

Every finished result is kept in the cache folder, by its settings and the code it depends on: an interrupted run goes
on, a new rule or world adds its own results only, and one more repeat adds its campaigns to those that are there.
A repeat takes about seven minutes of processor time, the real studies about half a minute an order. `--repeats 1
--scale 0.02 --orders 1` gives a first impression. `--only-campaigns` plays whole campaigns only, about three minutes of
processor time a repeat, and writes their section of the page, leaving the rest as it is; `--without-campaigns` does
the rest, and leaves that section as it is.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")  # one thread a process: the processes are as many as asked for

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY))  # `benchmarks` is no installed package

from benchmarks.certification import real_data  # noqa: E402
from benchmarks.certification.campaign_cells import run_designs  # noqa: E402
from benchmarks.certification.campaign_page import campaign_section, section_of, with_section  # noqa: E402
from benchmarks.certification.figure import rates_figure  # noqa: E402
from benchmarks.certification.grid import grid  # noqa: E402
from benchmarks.certification.page import PICTURE, Real, page  # noqa: E402
from benchmarks.certification.runner import run_grid  # noqa: E402
from benchmarks.certification.shares import shares_of  # noqa: E402


def real_studies(data: Path, cache: Path, orders: int) -> Real:
    """Replays of the real studies, or why there are none."""
    missing = real_data.missing_studies(data)
    if missing:
        reason = f"{' and '.join(missing)} are not in {data.name}/; say where they are with --data FOLDER"
        print(f"real studies skipped: {reason}", file=sys.stderr)
        return Real({}, reason)
    replays = {}
    for setting in real_data.settings():
        print(f"{setting.study}, {setting.target}, {setting.metric}", file=sys.stderr, flush=True)
        replays[setting] = real_data.replays(setting, data, cache, orders)
    return Real(replays)


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=2, help="processes (2)")
    parser.add_argument("--repeats", type=int, default=4, help="how often the grid is played, and added up (4)")
    parser.add_argument("--scale", type=float, default=1.0, help="multiplies the numbers of campaigns (1)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cache", type=Path, default=REPOSITORY / ".certification", help="where results are kept")
    parser.add_argument("--data", type=Path, default=REPOSITORY.parent / "shared" / "data", help="the real studies")
    parser.add_argument("--orders", type=int, default=5, help="random orders of each real study (5)")
    parts = parser.add_mutually_exclusive_group()
    parts.add_argument("--only-campaigns", action="store_true", help="the section about whole campaigns alone")
    parts.add_argument("--without-campaigns", action="store_true", help="all but that section, which stays as it is")
    parser.add_argument("--write", action="store_true", help="save docs/certification.md and its picture")
    options = parser.parse_args()
    if min(options.jobs, options.repeats, options.orders) < 1 or not options.scale > 0:
        parser.error("--jobs, --repeats and --orders must be at least 1 and --scale above 0")
    return options


def command(options: argparse.Namespace) -> str:
    """What makes the same page again."""
    scale = "" if options.scale == 1 else f" --scale {options.scale:g}"
    numbers = f"--repeats {options.repeats}{scale} --orders {options.orders} --seed {options.seed}"
    return f"python benchmarks/certify.py {numbers} --write"


def whole_campaigns(options: argparse.Namespace) -> str:
    """The section about whole campaigns."""
    counts = run_designs(options.cache, options.seed, options.repeats, options.jobs, options.scale)
    scale = "" if options.scale == 1 else f" --scale {options.scale:g}"
    numbers = f"--only-campaigns --repeats {options.repeats}{scale} --seed {options.seed}"
    return campaign_section(counts, f"python benchmarks/certify.py {numbers} --write")


def main() -> None:
    options = parsed()
    start = time.monotonic()
    docs = REPOSITORY / "docs"
    written = (docs / "certification.md").read_text(encoding="utf-8")
    section = section_of(written) if options.without_campaigns else whole_campaigns(options)
    if options.only_campaigns:
        print(section)
        if options.write:
            (docs / "certification.md").write_text(with_section(written, section), encoding="utf-8")
        return
    results = run_grid(grid(options.scale), options.cache, options.seed, options.repeats, options.jobs)
    text = page(results, real_studies(options.data, options.cache, options.orders), command(options))
    text = with_section(text, section)
    print(text)
    minutes = (time.monotonic() - start) / 60
    print(f"{minutes:.1f} minutes, {results.seconds / 60:.1f} of processor time behind the grid", file=sys.stderr)
    if options.write:
        (docs / "certification.md").write_text(text, encoding="utf-8")
        rates_figure(shares_of(results)).savefig(docs / PICTURE)


if __name__ == "__main__":
    main()
