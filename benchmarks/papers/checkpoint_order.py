"""Does an evaluator order the checkpoints of a network it has not seen? Writes benchmarks/results/learning_order.csv.

python benchmarks/papers/checkpoint_order.py [--data FOLDER] [--seeds 3] [--cache FOLDER] [--quick] [--write]

About 40 minutes of one processor. Every network's texts and every evaluator are kept in the cache folder: what was
interrupted goes on where it was. `--quick`: one seed, fewer steps and items, some three minutes.
`--data`: Translation-en files; without them apt fetches those of Debian.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS"):
    os.environ.setdefault(variable, "1")

import numpy as np  # noqa: E402

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # `benchmarks` is no installed package

from benchmarks.papers.testbed.design import Design  # noqa: E402
from benchmarks.papers.testbed.networks import NETWORKS  # noqa: E402
from benchmarks.papers.testbed.runs import METRICS, Bench, Order, order_of, run_of  # noqa: E402  # noqa: E402
from benchmarks.results import REPOSITORY, Value, machine, parser, write_rows  # noqa: E402

QUICK = {"steps": 200, "learned": 100, "judged": 60, "dev": 100}
MEASURES = ("evaluator", "dev loss", *METRICS.values())
HEADER = (
    "network",
    *(column for name in MEASURES for column in (name, f"{name} low", f"{name} high")),
    *("references first", "later preferred", "later low", "later high"),
)


def between(values: Sequence[float]) -> tuple[float, float, float]:
    """The mean, the least and the most."""
    return float(np.mean(values)), min(values), max(values)


def order_rows(orders: Sequence[Order]) -> Iterator[tuple[Value, ...]]:
    """For each network that the evaluator has not seen: means over seeds."""
    for network in NETWORKS:
        if mine := [order for order in orders if order.held_out == network]:
            correlations = [end for name in MEASURES for end in between([order.correlation(name) for order in mine])]
            first = sum(order.people_first for order in mine)
            later = between([order.two_way for order in mine])
            yield network, *correlations, f"{first} of {len(mine)}", *later


def write_results(bench: Bench, seeds: Sequence[int], folder: Path) -> None:
    """The file."""
    for seed in seeds:
        for network in NETWORKS:
            run_of(bench, network, seed)
    orders = [order_of(bench, network, seed) for seed in seeds for network in NETWORKS]
    command, made_on = "python benchmarks/papers/checkpoint_order.py --write", machine("torch")
    print(write_rows("learning_order", HEADER, order_rows(orders), command, made_on, folder))


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status."""
    options_of = parser(__doc__, "benchmarks/results/learning_order.csv")
    options_of.add_argument("--seeds", type=int, default=3)
    options_of.add_argument("--quick", action="store_true", help="a small one, to see that it works")
    options_of.set_defaults(data=None, cache=REPOSITORY / ".testbed")
    options = options_of.parse_args(arguments)
    if options.write and options.quick:
        options_of.error("the results are those of the whole experiment")
    import torch

    torch.set_num_threads(1)
    design = replace(Design(), **(QUICK if options.quick else {}))
    bench = Bench(design, options.cache, options.data, lambda line: print(line, file=sys.stderr, flush=True))
    seeds = list(range(1, 2 if options.quick else options.seeds + 1))
    folder = options.results if options.write else options.cache / "results"
    write_results(bench, seeds, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
