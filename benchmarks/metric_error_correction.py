"""The tables and figures of metric-error-correction, ours beside the paper's: prints a Markdown page.

`--write` saves docs/metric_error_correction.md and its figures. Finished campaigns are kept in --cache, so that an
interrupted run goes on where it was.

python benchmarks/metric_error_correction.py [--data FOLDER] [--repetitions 3] [--jobs 2] [--write]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY / "benchmarks"))

import metric_error_page as page  # noqa: E402
import metric_error_runs as runs  # noqa: E402
from metric_error_figures import draw_figures  # noqa: E402

VERSION = "1"  # of what a run means: raise it, and finished runs are done again


def all_jobs(repetitions: int) -> list[runs.Job]:
    """Every campaign of the page, first the first repetition of each."""
    jobs = []
    for name in ("relevance", "wmt21", "coherence", "consistency", "fluency"):
        jobs += [runs.Job(name, "posterior", metric, 0) for metric in (None, *page.protocol_metrics(name))]
        jobs += [
            runs.Job(name, "anytime", metric, 0, target, multiplicity)
            for target, multiplicity, metric in page.anytime_designs(name)
        ]
    jobs.append(runs.Job("relevance", "ideal", "ideal", 0))
    return runs.repeated(jobs, repetitions)


def run_all(
    jobs: Sequence[runs.Job], domains: Mapping[str, runs.Domain], finished: runs.Finished, workers: int
) -> None:
    """Do what is not finished yet, and keep each outcome as it comes."""
    missing = [job for job in jobs if job not in finished]
    if not missing:
        return
    from joblib import Parallel, delayed

    parallel = Parallel(n_jobs=workers, return_as="generator")
    outcomes = parallel(delayed(runs.run_job)(job, domains[job.domain]) for job in missing)
    for number, (job, outcome) in enumerate(zip(missing, outcomes, strict=True), 1):
        finished.keep(job, outcome)
        sys.stderr.write(f"{number} of {len(missing)}: {job.key}\n")


def main() -> None:
    parser = argparse.ArgumentParser(description="Tables and figures of metric-error-correction, as Markdown.")
    parser.add_argument("--data", type=Path, default=REPOSITORY.parent / "shared" / "data")
    parser.add_argument("--repetitions", type=int, default=3, help="orders of items for each campaign (3)")
    parser.add_argument("--jobs", type=int, default=2, help="processes (2)")
    parser.add_argument("--cache", type=Path, default=REPOSITORY / "build" / "metric_error_correction.jsonl")
    parser.add_argument("--finished-only", action="store_true", help="run nothing: the page from finished campaigns")
    parser.add_argument("--write", action="store_true", help="save the page and its figures in docs as well")
    arguments = parser.parse_args()
    if arguments.repetitions < 1:
        parser.error(f"--repetitions must be at least 1, not {arguments.repetitions}")
    domains = runs.domains(arguments.data)
    finished = runs.Finished(arguments.cache, VERSION)
    jobs = all_jobs(arguments.repetitions)
    if not arguments.finished_only:
        run_all(jobs, domains, finished, arguments.jobs)
    results = {job: finished[job] for job in jobs if job in finished}
    ideal = runs.naive_ideal(domains["relevance"])
    text = page.report(domains, results, len(jobs), arguments.repetitions, ideal)
    print(text)
    if arguments.write:
        docs = REPOSITORY / "docs"
        (docs / "metric_error_correction.md").write_text(text, encoding="utf-8")
        draw_figures(domains, results, docs)


if __name__ == "__main__":
    main()
