"""The tables of metric-error-correction, ours beside the paper's: writes benchmarks/results/metric_error_*.csv.

python benchmarks/papers/metric_error_correction.py [--data FOLDER] [--repetitions 8] [--jobs 2] [--write]

Finished campaigns are kept in the cache folder, so that an interrupted run goes on. A repetition takes about three
minutes of processor time.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")  # one thread a process: the processes are as many as asked for
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # `benchmarks` is no installed package

from benchmarks.papers.metric_error import tables  # noqa: E402
from benchmarks.papers.metric_error.campaigns import Finished, Job, run_job  # noqa: E402
from benchmarks.papers.metric_error.data import Domain, domains  # noqa: E402
from benchmarks.papers.metric_error.designs import all_jobs  # noqa: E402
from benchmarks.papers.metric_error.intervals import RESAMPLES  # noqa: E402
from benchmarks.results import machine, parser, write_rows  # noqa: E402

VERSION = "3"  # of what a run means: raise it, and finished runs are done again


def run_all(jobs: Sequence[Job], of: Mapping[str, Domain], finished: Finished, workers: int) -> None:
    """Do what is not finished yet, and keep each outcome as it comes."""
    missing = [job for job in jobs if job not in finished]
    if not missing:
        return
    from joblib import Parallel, delayed

    parallel = Parallel(n_jobs=workers, return_as="generator")
    outcomes = parallel(delayed(run_job)(job, of[job.domain]) for job in missing)
    for number, (job, outcome) in enumerate(zip(missing, outcomes, strict=True), 1):
        finished.keep(job, outcome)
        sys.stderr.write(f"{number} of {len(missing)}: {job.key}\n")


def rows_of(of: Mapping[str, Domain], results: tables.Results, resamples: int) -> dict[str, list[tables.Row]]:
    """The rows of each file."""
    return {
        "metric_error_naive": list(tables.naive(of, np.random.default_rng(1), resamples)),
        "metric_error_protocol": list(tables.protocol(of, results)),
        "metric_error_references": list(tables.references(of, results)),
        "metric_error_order": list(tables.order(of, results)),
        "metric_error_ideal": list(tables.ideal(of, results)),
        "metric_error_anytime": list(tables.anytime(of, results)),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status."""
    options_of = parser(__doc__, "benchmarks/results/metric_error_*.csv")
    options_of.add_argument("--repetitions", type=int, default=8, help="random orders of items for each campaign (8)")
    options_of.add_argument("--jobs", type=int, default=2, help="processes (2)")
    options_of.add_argument("--finished-only", action="store_true", help="run nothing: rows of finished campaigns")
    options = options_of.parse_args(arguments)
    if options.repetitions < 1:
        options_of.error(f"--repetitions must be at least 1, not {options.repetitions}")
    of = domains(options.data)
    finished = Finished(options.cache / "metric_error_correction.jsonl", VERSION)
    jobs = all_jobs(options.repetitions)
    if not options.finished_only:
        run_all(jobs, of, finished, options.jobs)
    results = {job: finished[job] for job in jobs if job in finished}
    folder = options.results if options.write else options.cache / "results"
    command = f"python benchmarks/papers/metric_error_correction.py --repetitions {options.repetitions} --write"
    headers = tables.HEADERS | {"metric_error_references": tables.HEADER}
    resamples = max(2, round(RESAMPLES * options.scale))
    for name, rows in rows_of(of, results, resamples).items():
        print(write_rows(name, headers[name], rows, command, machine(), folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
