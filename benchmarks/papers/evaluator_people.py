"""An evaluator that learned from people, on unseen texts: writes benchmarks/results/learning_*.csv (four files).

python benchmarks/papers/evaluator_people.py [--seeds 5] [--variant-seeds 1] [--jobs 2] [--quick] [--write]

Two and a half hours of one processor, half of it with two jobs. Every training is kept in the cache folder, by its
settings and seed: an interrupted run goes on. `--quick` takes one seed and a twentieth of the rounds: nine minutes of
one processor. A fifth of the inputs is kept from each training, and of the summaries five systems as well; the seed
draws both.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS"):
    os.environ.setdefault(variable, "1")
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # `benchmarks` is no installed package

from benchmarks.papers.people import tables  # noqa: E402
from benchmarks.papers.people.trainings import Scale, results_of  # noqa: E402
from benchmarks.results import machine, parser, write_rows  # noqa: E402


def rows_of(results: tables.Results, data: Path, variant_seeds: int) -> dict[str, list[tables.Row]]:
    """The rows of each file."""
    return {
        "learning_summaries": list(tables.summaries(results, data)),
        "learning_scores": list(tables.scores(results, data)),
        "learning_parts": list(tables.parts(results, data, variant_seeds)),
        "learning_sentences": list(tables.sentences(results, data)),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status."""
    options_of = parser(__doc__, "benchmarks/results/learning_{summaries,scores,parts,sentences}.csv")
    options_of.add_argument("--seeds", type=int, default=5, help="trainings of each evaluator")
    options_of.add_argument("--variant-seeds", type=int, default=1, help="trainings of each variant and baseline")
    options_of.add_argument("--jobs", type=int, default=2, help="trainings at a time")
    options_of.add_argument("--quick", action="store_true", help="one seed, a twentieth of the rounds")
    options = options_of.parse_args(arguments)
    if not (options.data / "summeval").is_dir():
        print(f"skipped: the real studies are not at {options.data}", file=sys.stderr)
        return 0
    scale = Scale(1, 1, 1 / 20) if options.quick else Scale(options.seeds, options.variant_seeds)
    results = results_of(options.data, options.cache, scale, options.jobs)
    folder = options.results if options.write else options.cache / "results"
    command = (
        f"python benchmarks/papers/evaluator_people.py --seeds {scale.seeds} --variant-seeds {scale.variant_seeds}"
    )
    for name, rows in rows_of(results, options.data, scale.variant_seeds).items():
        print(write_rows(name, tables.HEADERS[name], rows, f"{command} --write", machine("torch"), folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
