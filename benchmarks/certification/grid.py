"""The grid: which rules are certified in which worlds, with how many campaigns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.certification.human_rules import HUMAN_RULES
from benchmarks.certification.metric_rules import METRIC_RULES
from benchmarks.certification.posterior_rule import POSTERIOR_RULES
from benchmarks.certification.rules import Rule
from benchmarks.certification.worlds import World

# Those for which every look is claimed to be safe, by us, come first.
RULES: dict[str, Rule] = {
    rule.name: rule
    for rule in sorted(
        (*HUMAN_RULES, *METRIC_RULES, *POSTERIOR_RULES),
        key=lambda rule: not rule.title.startswith(("anytime", "exact")),
    )
}

TIES = (0.0, 0.3, 0.6)
RHOS = ("rho 0", "rho .5", "rho .9")
HARMFUL = ("inverted", "constant", "heavy-tailed", "two-valued")
ITEMS, INPUTS = "items", "inputs"
# Labels at most, by target and number of items, where a metric helps: the others are its companions or undrawn.
LABELS = {(ITEMS, 300): 250, (ITEMS, 3_000): 1_200, (INPUTS, 300): 100, (INPUTS, 3_000): 1_000}

FORMS = ("linear", "regression", "hedge")

ERRORS, LENGTHS = "errors", "labels"


@dataclass(frozen=True, slots=True)
class Task:
    """Rules (names) to play in one world. `part`: true error where nothing is to be found, or labels to a verdict."""

    part: str
    world: World
    rules: tuple[str, ...]
    runs: int


def grid(scale: float = 1.0) -> list[Task]:
    """All tasks; `scale` multiplies the numbers of campaigns."""
    parts = (_human_errors, _metric_errors, _equivalence_errors, _human_labels, _metric_labels, _equivalence_labels)
    tasks = [task for part in parts for task in part()]
    return [Task(task.part, task.world, task.rules, max(2, round(task.runs * scale))) for task in tasks]


def _human_errors() -> Iterator[Task]:
    on_inputs = ("outcomes", "hedge-alone", "budget", "sign", "dirichlet", "hoeffding", "hoeffding-last")
    for size, runs in ((300, 2_000), (3_000, 1_000)):
        for ties in TIES:
            yield Task(ERRORS, World(INPUTS, size, size, ties), on_inputs, runs)
            yield Task(ERRORS, World(ITEMS, size, size, ties), ("bounded", "hedge-alone"), runs)
        for target in (INPUTS, ITEMS):
            yield Task(ERRORS, World(target, size, size, 0.0, annotators=3), ("bounded",), runs)


def _metric_errors() -> Iterator[Task]:
    for target in (INPUTS, ITEMS):
        for size, forms, runs in ((300, (*FORMS, "hedge-reserve"), 1_000), (3_000, FORMS, 400)):
            for ties in TIES:
                for metric in RHOS:
                    yield Task(ERRORS, World(target, size, LABELS[target, size], ties, metric=metric), forms, runs)
            yield Task(ERRORS, World(target, size, LABELS[target, size], 0.3, metric="three"), ("linear",), runs)
        for metric in HARMFUL:
            yield Task(ERRORS, World(target, 300, LABELS[target, 300], 0.3, metric=metric), FORMS, 1_000)
    for ties in TIES:
        for metric in RHOS:
            yield Task(ERRORS, World(INPUTS, 300, 250, ties, metric=metric), ("posterior",), 30 if ties else 100)


def _equivalence_errors() -> Iterator[Task]:
    """The true difference is the margin itself."""
    for size, margin, runs in ((300, 0.2, 1_000), (3_000, 0.1, 500)):
        for ties in TIES:
            yield Task(ERRORS, World(INPUTS, size, size, ties, margin), ("outcome-equivalence",), runs)
            yield Task(ERRORS, World(ITEMS, size, size, ties, margin), ("bounded-equivalence",), runs)
    for target in (INPUTS, ITEMS):
        for metric in RHOS:
            world = World(target, 300, LABELS[target, 300], 0.3, 0.2, metric)
            yield Task(ERRORS, world, ("linear-equivalence", "regression-equivalence"), 1_000)


def _human_labels() -> Iterator[Task]:
    for size, difference, runs in ((300, 0.3, 500), (3_000, 0.1, 250)):
        for ties in TIES:
            rules = ("outcomes", "hedge-alone", "budget", "hoeffding", "hoeffding-last")
            yield Task(LENGTHS, World(INPUTS, size, size, ties, difference), rules, runs)
            yield Task(LENGTHS, World(ITEMS, size, size, ties, difference), ("bounded", "hedge-alone"), runs)


def _metric_labels() -> Iterator[Task]:
    for target in (INPUTS, ITEMS):
        for size, difference in ((300, 0.3), (3_000, 0.1)):
            for metric in RHOS:
                world = World(target, size, LABELS[target, size], 0.3, difference, metric)
                yield Task(LENGTHS, world, FORMS, 250)
    for metric in RHOS:
        yield Task(LENGTHS, World(INPUTS, 300, 250, 0.3, 0.3, metric), ("posterior",), 20)


def _equivalence_labels() -> Iterator[Task]:
    """There is no difference."""
    for size in (300, 3_000):
        yield Task(LENGTHS, World(INPUTS, size, size, 0.3), ("outcome-equivalence",), 250)
        yield Task(LENGTHS, World(ITEMS, size, size, 0.3), ("bounded-equivalence",), 250)
        for metric in RHOS:
            world = World(ITEMS, size, LABELS[ITEMS, size], 0.3, metric=metric)
            yield Task(LENGTHS, world, ("linear-equivalence", "regression-equivalence"), 125)
