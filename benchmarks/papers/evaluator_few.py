"""Of few labels: the whole encoder of an evaluator, or its head alone? Writes benchmarks/results/learning_few.csv.

python benchmarks/papers/evaluator_few.py [--seeds 3] [--jobs 2] [--quick] [--write]

Half an hour of one processor, half of it with two jobs; each result is kept in the cache folder. A fifth of the items
is kept for measuring, of the others as many are drawn as a row says. `--quick`: the smallest numbers of items, one
seed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS"):
    os.environ.setdefault(variable, "1")
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # `benchmarks` is no installed package

import numpy as np  # noqa: E402
from benchmarks.papers import in_bf16  # noqa: E402
from benchmarks.papers.people.measures import of_items, outputs_of, split, summaries, two_way  # noqa: E402
from benchmarks.papers.people.trainings import Result, scores_of, trained  # noqa: E402
from benchmarks.papers.testbed.trials import kept  # noqa: E402
from benchmarks.results import Value, machine, parser, write_rows  # noqa: E402
from joblib import Parallel, delayed  # noqa: E402

import tiebreak  # noqa: E402
from tiebreak.scoring.evaluator.examples.corpus import Corpus  # noqa: E402
from tiebreak.scoring.evaluator.examples.sources import human_pairs  # noqa: E402
from tiebreak.scoring.evaluator.settings import TrainSettings, Weights  # noqa: E402
from tiebreak.scoring.evaluator.training.kept import load_trained  # noqa: E402

ITEMS: Mapping[str, Sequence[int]] = {"summeval": (5, 10, 20), "pandalm": (40, 150), "naturalness-v2": (20, 80, 160)}
HEADER = ("study", "items", "texts", "frozen", "fine-tuned", "better low", "better high", "frozen s", "fine-tuned s")
WAYS: tuple[Weights, ...] = ("frozen", "fine-tuned")
SETTINGS = TrainSettings(strong=False, weak=False)


def run(data: Path, study: str, items: int, seed: int, weights: Weights) -> Result:
    """Two-way on held-out pairs, and the texts that it learned from."""
    parts = split([summaries(data) if study == "summeval" else tiebreak.read_study(data / study)], seed, 0)
    names = outputs_of(parts.learn[0])["item"].unique().sort()
    drawn = names.gather(np.random.default_rng([seed, 5]).permutation(len(names))[:items])
    corpus = Corpus.of(parts.held)

    def measured(place: Path) -> Result:
        one = load_trained(place)
        right = two_way(scores_of(one, corpus), human_pairs(corpus, parts.held)[0])
        return {"two-way": right, "texts": one.about["learned"]["texts"]}

    few = of_items(parts.learn[0], set(drawn))
    with in_bf16():
        return trained((few,), replace(SETTINGS, seed=seed, weights=weights), measured)


def rows(found: Mapping[tuple[str, int, int, Weights], Result], seeds: int) -> Iterator[tuple[Value, ...]]:
    """Means over seeds; how much better the frozen one is, the least and the most."""
    for study, items in dict.fromkeys((study, items) for study, items, *_ in found):
        by_way = [[found[study, items, seed, way] for seed in range(seeds)] for way in WAYS]
        frozen, tuned = (np.array([one["two-way"] for one in of]) for of in by_way)
        texts = float(np.mean([one["texts"] for one in by_way[0]]))
        seconds = [float(np.mean([one["seconds"] for one in of])) for of in by_way]
        better = frozen - tuned
        yield study, items, texts, frozen.mean(), tuned.mean(), better.min(), better.max(), *seconds


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status."""
    options_of = parser(__doc__, "benchmarks/results/learning_few.csv")
    options_of.add_argument("--seeds", type=int, default=3, help="trainings of each row")
    options_of.add_argument("--jobs", type=int, default=2, help="trainings at a time")
    options_of.add_argument("--quick", action="store_true", help="one seed, few items")
    options = options_of.parse_args(arguments)
    if not (options.data / "summeval").is_dir():
        print(f"skipped: the real studies are not at {options.data}", file=sys.stderr)
        return 0
    seeds = 1 if options.quick else options.seeds
    asked = [
        (study, items, seed, way)
        for study, numbers in ITEMS.items()
        for items in (numbers[:1] if options.quick else numbers)
        for seed in range(seeds)
        for way in WAYS
    ]
    made = Parallel(n_jobs=options.jobs)(
        delayed(kept)(options.cache / f"few-{'-'.join(map(str, one))}.json", lambda one=one: run(options.data, *one))
        for one in asked
    )
    folder = options.results if options.write else options.cache / "results"
    command = f"python benchmarks/papers/evaluator_few.py --seeds {seeds} --write"
    found = dict(zip(asked, made, strict=True))
    print(write_rows("learning_few", HEADER, rows(found, seeds), command, machine("torch"), folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
