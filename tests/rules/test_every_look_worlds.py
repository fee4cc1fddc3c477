"""The rules that benchmarks/every_look.py certifies decide as `compare --rule anytime`, and err in at most alpha."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.cells import ALPHAS
from benchmarks.worlds.every_look import grid
from benchmarks.worlds.every_look.rules import EQUIVALENT, NOTHING, RULES, A, B
from benchmarks.worlds.every_look.samples import Sample, World, draw
from benchmarks.worlds.simulation import largest_rate
from numpy.typing import NDArray

from tiebreak.kernels.metric_help import MetricHelp
from tiebreak.rules.anytime import AnytimeProcess, AssistedProcess, Priors, evidence_paths
from tiebreak.rules.family import FamilyRule, decide_family
from tiebreak.rules.sequence import ValueSequence

CODES = {"a": A, "b": B, "equivalent": EQUIVALENT, "undecided": NOTHING}
RULE = FamilyRule(0.05, "holm")
HUMAN = World("inputs", 120, 120, 0.3, 0.2)
POOL = World("items", 100, 80, 0.3, 0.2)
WITH_METRIC = World("items", 100, 80, 0.3, 0.2, "rho .5")
FRESH_WITH_METRIC = World("inputs", 300, 90, 0.3, 0.2, "rho .5")


def sample_of(world: World, runs: int = 6) -> Sample:
    return draw(world, np.random.default_rng(3), runs)


def first(codes: NDArray[np.int8]) -> tuple[int, int | None]:
    """The first verdict of one campaign, and the labels that it took."""
    at = np.flatnonzero(codes)
    return (int(codes[at[0]]), int(at[0]) + 1) if at.size else (NOTHING, None)


def help_for(sample: Sample, run: int, form: str) -> MetricHelp:
    batch = getattr(sample, form)
    fields = {field: getattr(batch, field)[run] for field in batch.__slots__ if field != "pool_size"}
    return MetricHelp(**fields, pool_size=batch.pool_size)


@pytest.mark.parametrize(
    ("name", "world", "form"),
    [
        ("outcomes", HUMAN, None),
        ("pools and means", POOL, None),
        ("pools and means", World("inputs", 60, 60, 0.0, annotators=3), None),
        ("metric, linear", WITH_METRIC, "linear"),
        ("metric, linear", World("items", 100, 80, 0.3, 0.2, "three"), "linear"),
        ("metric, regression", FRESH_WITH_METRIC, "regression"),
        ("equivalence of outcomes", World("inputs", 300, 300, 0.6), None),
        ("equivalence on a pool", World("items", 200, 200, 0.3), None),
    ],
)
def test_rules_decide_as_compare(name: str, world: World, form: str | None) -> None:
    sample, decided = sample_of(world), 0
    margin = world.margin if name.startswith("equivalence") else None
    (codes,) = RULES[name].verdicts(sample, [0.05])
    for run, values in enumerate(sample.values):
        sequence = ValueSequence.complete(values, sample.pool_size)
        process: AnytimeProcess | AssistedProcess = AnytimeProcess(sequence, Priors.default())
        if form is not None:
            regression = form == "regression"
            process = AssistedProcess(sequence, help_for(sample, run, form), Priors.default(), regression=regression)
        (found,) = decide_family([evidence_paths(process, margin)], RULE)
        if margin is None or found.verdict == "equivalent":
            assert first(codes[run]) == (CODES[found.verdict], found.stopped_at)
            decided += found.stopped_at is not None
    assert decided > 0 or world.annotators > 1


@pytest.mark.parametrize(
    ("name", "world", "runs"),
    [
        ("outcomes", World("inputs", 300, 300, 0.3), 600),
        ("pools and means", World("items", 200, 200, 0.0), 600),
        ("metric, linear", World("items", 200, 150, 0.6, metric="rho .9"), 400),
        ("metric, regression", World("inputs", 300, 100, 0.3, metric="rho .5"), 400),
        ("budget known", World("items", 200, 200, 0.3), 400),
        ("metric, budget known", World("items", 200, 150, 0.3, metric="rho .5"), 400),
        ("equivalence of outcomes", World("inputs", 300, 300, 0.3, 0.2), 600),
        ("equivalence on a pool", World("items", 200, 200, 0.3, 0.2), 600),
    ],
)
def test_rules_hold_at_every_look(name: str, world: World, runs: int) -> None:
    found = grid.errors(RULES[name], world, "wrong")(np.random.default_rng(11), runs)
    for alpha in ALPHAS:
        assert found[f"wrong at the end {alpha}"] <= found[f"wrong {alpha}"] <= runs * largest_rate(alpha, runs)
    assert found["wrong 0.05"] > 0  # a rule that never decides would be no test


@pytest.mark.parametrize(("name", "least"), [("sign test", 0.25), ("dirichlet", 0.3), ("hoeffding", 0.1)])
def test_rules_for_one_look_err_when_looked_at_again(name: str, least: float) -> None:
    world = World("inputs", 300, 300, 0.0)
    assert grid.errors(RULES[name], world, "control")(np.random.default_rng(12), 600)["control 0.05"] > 600 * least
