"""Does an evaluator order the checkpoints of a network it has not seen? Prints Markdown; `--write` saves the page.

python benchmarks/checkpoint_order.py [--task debian] [--data FOLDER] [--seeds 3] [--cache FOLDER] [--quick] [--write]

About 45 minutes of one processor. Every network's texts and every evaluator are kept in the cache folder: what was
interrupted goes on where it was. `--quick`: one seed, fewer steps and items, nothing left out, some three minutes.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import textwrap
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS"):
    os.environ.setdefault(variable, "1")

import numpy as np  # noqa: E402

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY))  # `benchmarks` is no installed package

from benchmarks.pages import machine, show, table  # noqa: E402
from benchmarks.testbed.design import VARIANTS, WHOLE, Design  # noqa: E402
from benchmarks.testbed.networks import NETWORKS  # noqa: E402
from benchmarks.testbed.orders import METRICS, Order, order_of  # noqa: E402
from benchmarks.testbed.runs import Bench, Run, run_of  # noqa: E402
from benchmarks.testbed.tasks import TASKS  # noqa: E402

QUICK = {"steps": 200, "learned": 100, "judged": 60, "dev": 100}
TARGET = 0.9

PAGE = """# The order of checkpoints

Can an [evaluator](evaluator.md) tell how far a training has come from texts alone, for a kind of network that it has
never seen? Made by `python benchmarks/checkpoint_order.py --write`, one thread on {machine}.

**The task** is to write the one-line synopsis of a Debian package for the first paragraph of its description:
{pairs}. apt fetches them; they are not ours to pass on.

**The networks** are a recurrent, a convolutional and a transformer one of {weights} weights, with a
byte-pair vocabulary of {vocabulary:,}. Each is trained for {steps:,} steps and writes after every tenth of them, by
sampling at temperature 0.7, for {learned} packages that the evaluator learns from and {judged} others that it judges.
The networks learn from other source packages.

**The evaluator** learns from the checkpoints of two networks: references are better (strong supervision), and later
checkpoints are better (weak). Nobody labels anything. Then it compares all checkpoints of the third network, and the
references, on the other packages, and `tiebreak rank` rates them. Beside it are what a training has at hand: the dev
loss, and means over the same texts of sentence BLEU (2- to 4-grams), ROUGE-L and the number of words.

## How well the order is found

Spearman's correlation with the step, over ten checkpoints: the mean over {seeds}, the lowest and the highest in
brackets. Each seed draws other packages, other weights and another evaluator. Ten checkpoints in an order by chance
correlate by {target} or more once in {chance:,}.

{orders}

*References first*: the references have the highest rating of all. *Later text preferred*: of all pairs of texts by two
checkpoints for one package, the share of which the evaluator prefers the later.

{words}

## The checkpoints of seed {first}

{checkpoints}

## What each part does

The evaluators of seed {first} again, each with one thing changed: means over the networks, the lowest and the highest
in brackets.

{variants}

## What it took

{costs}

{total}

## On other tasks

`--task writing-prompts` and `--task daily-dialog` take the tasks of *Learning to Compare* from the files that their
authors published: `train.wp_source` and `train.wp_target`, of which stories are cut at the last sentence within 250
words, or `dialogues_text.txt`, of which every turn answers the three before it. `--data` names their folder; they are
not ours to pass on, and nothing on this page comes from them.
"""


def between(values: Sequence[float], write: Callable[[float], str] = "{:.2f}".format) -> str:
    """`0.98 (0.96 to 1.00)`, or one number where there is one."""
    mean = write(float(np.mean(values)))
    return mean if len(values) == 1 else f"{mean} ({write(min(values))} to {write(max(values))})"


def share(value: float) -> str:
    return f"{100 * value:.0f}%"


def by_chance(checkpoints: int) -> float:
    """How often so many checkpoints in an order by chance correlate by the target or more with their steps: exact.

    Orders are counted by the sum of squared distances: of the first steps by the set of places that they take.
    """
    orders = [Counter[int]() for _ in range(1 << checkpoints)]
    orders[0][0] = 1
    for places in range(1 << checkpoints):
        step = places.bit_count()
        for place in range(checkpoints):
            if not places >> place & 1:
                more = (place - step) ** 2
                orders[places | 1 << place].update({sum_ + more: n for sum_, n in orders[places].items()})
    most = (1 - TARGET) * checkpoints * (checkpoints**2 - 1) / 6 + 1e-9
    return sum(n for sum_, n in orders[-1].items() if sum_ <= most) / math.factorial(checkpoints)


def orders_table(orders: Sequence[Order]) -> str:
    measures = ["evaluator", "dev loss", *METRICS.values()]
    rows = []
    for network in NETWORKS:
        mine = [order for order in orders if order.held_out == network]
        if mine:
            first = sum(order.people_first for order in mine)
            rows.append([
                network, *(between([order.correlation(name) for order in mine]) for name in measures),
                f"{first} of {len(mine)}", between([order.two_way for order in mine], share),
            ])  # fmt: skip
    return table(("network never seen", *measures, "references first", "later text preferred"), rows)


def words(orders: Sequence[Order]) -> str:
    found = [order.correlation("evaluator") for order in orders]
    reached = sum(value >= TARGET for value in found)
    metrics = {name: float(np.mean([order.correlation(name) for order in orders])) for name in METRICS.values()}
    best = max(metrics, key=lambda name: metrics[name])
    said = (
        f"The evaluator reaches {TARGET} for {reached} of {len(found)} trainings; its lowest is {min(found):.2f}. "
        f"Of the metrics of texts, {best} comes closest with {metrics[best]:.2f} on average; BLEU and ROUGE-L need "
        "references of the judged items, which the evaluator does not see. The dev loss needs the network itself, and "
        "compares no networks of different vocabularies."
    )
    return textwrap.fill(said, 120)


def checkpoints_table(orders: Sequence[Order], seed: int) -> str:
    rows = []
    for order in orders:
        if order.seed == seed:
            for k, step in enumerate(order.steps):
                of = {name: values[k] for name, values in order.measures.items()}
                rows.append([
                    order.held_out, f"{step:,}", f"{of['evaluator']:.0f}", f"{-of['dev loss']:.2f}",
                    f"{of['BLEU']:.1f}", f"{of['ROUGE-L']:.3f}", f"{of['length']:.1f}",
                ])  # fmt: skip
    return table(("network", "step", "rating", "dev loss", "BLEU", "ROUGE-L", "words"), rows)


def variants_table(bench: Bench, seed: int, variants: Sequence[str]) -> str:
    rows = []
    for variant in variants:
        found = [order_of(bench, network, seed, variant) for network in NETWORKS]
        rows.append([
            variant, between([order.correlation("evaluator") for order in found]),
            f"{sum(order.people_first for order in found)} of {len(found)}",
            between([order.two_way for order in found], share),
        ])  # fmt: skip
    return table(("evaluator", "correlation", "references first", "later text preferred"), rows)


def costs_table(runs: Sequence[Run], orders: Sequence[Order]) -> str:
    rows = []
    for network in NETWORKS:
        mine = [run.about for run in runs if run.about["network"] == network]
        ordered = [order for order in orders if order.held_out == network]
        rows.append([
            network, f"{mine[0]['weights']:,}", *(between([of["dev_loss"][k] for of in mine]) for k in (0, -1)),
            between([of["cpu"] for of in mine], seconds),
            between([of.cpu_training for of in ordered], seconds) if ordered else "-",
            between([of.cpu_judging for of in ordered], seconds) if ordered else "-",
        ])  # fmt: skip
    header = ("network", "weights", "first dev loss", "last dev loss", "its training and writing",
              "training the evaluator without it", "judging it")  # fmt: skip
    return table(header, rows)


def seconds(value: float) -> str:
    return f"{value:.0f} s"


def page(bench: Bench, seeds: Sequence[int], variants: Sequence[str] = tuple(VARIANTS)) -> str:
    design = bench.design
    runs, orders = [], []
    for seed in seeds:
        runs += [run_of(bench, network, seed) for network in NETWORKS]
        orders += [order_of(bench, network, seed) for network in NETWORKS]
    weights = [run.about["weights"] for run in runs]
    total = sum(run.about["cpu"] for run in runs) + sum(of.cpu_training + of.cpu_judging for of in orders)
    return PAGE.format(
        machine=machine(),
        pairs=f"{runs[0].about['learned_from'] + design.dev + design.learned + design.judged:,} pairs at least, after "
        "repeats are left out, split by source package",
        weights=f"{min(weights):,} to {max(weights):,}",
        vocabulary=design.vocabulary, steps=design.steps, learned=design.learned, judged=design.judged,
        seeds="one seed" if len(seeds) == 1 else f"{len(seeds)} seeds",
        target=TARGET, chance=round(1 / by_chance(design.training("recurrent", 1).checkpoints)),
        orders=orders_table(orders), words=words(orders), first=seeds[0],
        checkpoints=checkpoints_table(orders, seeds[0]), variants=variants_table(bench, seeds[0], variants),
        costs=costs_table(runs, orders),
        total=f"{total / 60:.0f} minutes of one processor, without the evaluators that one thing was changed in.",
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--task", choices=tuple(TASKS), default="debian")
    parser.add_argument("--data", type=Path, help="files of the task; without them apt fetches those of Debian")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--cache", type=Path, default=REPOSITORY / ".testbed", help="where everything is kept")
    parser.add_argument("--quick", action="store_true", help="a small one, to see that it works")
    parser.add_argument("--write", action="store_true", help="save docs/checkpoint_order.md")
    options = parser.parse_args()
    if options.write and (options.quick or options.task != "debian"):
        parser.error("the page is that of the whole experiment on debian")
    import torch

    torch.set_num_threads(1)
    design = replace(Design(task=options.task), **(QUICK if options.quick else {}))
    bench = Bench(design, options.cache, options.data, lambda line: print(line, file=sys.stderr, flush=True))
    seeds = range(1, 2 if options.quick else options.seeds + 1)
    show(page(bench, seeds, (WHOLE,) if options.quick else tuple(VARIANTS)), "checkpoint_order.md", options.write)


if __name__ == "__main__":
    main()
