"""The tables and figures of metric-error-correction, ours beside the paper's: prints a Markdown page.

`--write` saves docs/metric_error_correction.md and its figures. Finished campaigns are kept in --cache, so that an
interrupted run goes on where it was. A repetition takes about three minutes of processor time.

python benchmarks/metric_error_correction.py [--data FOLDER] [--repetitions 8] [--jobs 2] [--write]
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")  # one thread a process: the processes are as many as asked for

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY))  # `benchmarks` is no installed package

import numpy as np  # noqa: E402
from benchmarks.metric_error.campaigns import Finished, Job, run_job  # noqa: E402
from benchmarks.metric_error.data import Domain, domains  # noqa: E402
from benchmarks.metric_error.designs import all_jobs  # noqa: E402
from benchmarks.metric_error.document_order import order_test, settings  # noqa: E402
from benchmarks.metric_error.figures import draw_figures  # noqa: E402
from benchmarks.metric_error.intervals import RESAMPLES  # noqa: E402
from benchmarks.metric_error.page import Measured, report  # noqa: E402

from tiebreak.data.readers import read_study  # noqa: E402

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


def main() -> None:
    parser = argparse.ArgumentParser(description="Tables and figures of metric-error-correction, as Markdown.")
    parser.add_argument("--data", type=Path, default=REPOSITORY.parent / "shared" / "data")
    parser.add_argument("--repetitions", type=int, default=8, help="random orders of items for each campaign (8)")
    parser.add_argument("--jobs", type=int, default=2, help="processes (2)")
    parser.add_argument("--cache", type=Path, default=REPOSITORY / "build" / "metric_error_correction.jsonl")
    parser.add_argument("--finished-only", action="store_true", help="run nothing: the page from finished campaigns")
    parser.add_argument("--write", action="store_true", help="save the page and its figures in docs as well")
    arguments = parser.parse_args()
    if arguments.repetitions < 1:
        parser.error(f"--repetitions must be at least 1, not {arguments.repetitions}")
    of = domains(arguments.data)
    finished = Finished(arguments.cache, VERSION)
    jobs = all_jobs(arguments.repetitions)
    if not arguments.finished_only:
        run_all(jobs, of, finished, arguments.jobs)
    results = {job: finished[job] for job in jobs if job in finished}
    orders = order_test(of["wmt21-eleven"], batch=50, orders=1_000, rng=np.random.default_rng(1))
    tried = settings(read_study(arguments.data / "wmt21-en-de"))
    text = report(Measured(of, results, len(jobs), arguments.repetitions, RESAMPLES, orders, tried))
    print(text)
    if arguments.write:
        docs = REPOSITORY / "docs"
        (docs / "metric_error_correction.md").write_text(text, encoding="utf-8")
        draw_figures(of, results, docs)


if __name__ == "__main__":
    main()
