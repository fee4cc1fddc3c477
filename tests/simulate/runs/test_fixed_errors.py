"""How often the rule `fixed` errs at its planned end, over several pairs that share systems."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.worlds.simulation import simulated_rule

from tiebreak.campaign import Protocol
from tiebreak.records import Multiplicity
from tiebreak.settings.protocol import Budget, DecisionSettings
from tiebreak.simulate.engines.engine import run_matrices
from tiebreak.simulate.engines.policies import SimulatedLabelling
from tiebreak.simulate.people.agents import World
from tiebreak.simulate.people.workers import Worker
from tiebreak.simulate.runs.quick_engine import repeat_quickly
from tiebreak.simulate.runs.repeat import AgentExperiment

ALPHA, RUNS = 0.1, 3_000
ABOVE = 3 * (ALPHA * (1 - ALPHA) / RUNS) ** 0.5
"""Three standard errors, .016: a rule at twice the level would be six of them beyond."""


def verdicts(qualities: tuple[float, ...], multiplicity: Multiplicity) -> np.ndarray:  # type: ignore[type-arg]
    """(runs, pairs) after 60 items of each pair."""
    decision = DecisionSettings("fixed", alpha=ALPHA, multiplicity=multiplicity)
    world = World(qualities, items=60, spread=0.3)
    people = (Worker(0.9, 0.1, 0.0, 0.0, 20.0),) * 3
    experiment = AgentExperiment(Protocol(decision=decision, budget=Budget(items_per_pair=60)), world, people)
    return repeat_quickly(experiment, RUNS, 3).verdict


def test_any_wrong_direction_among_equal_systems_is_as_rare_as_alpha() -> None:
    """Six pairs of four equal systems; without a correction every third campaign errs."""
    wrong = {name: (verdicts((0.0,) * 4, name) != 0).any(axis=1).mean() for name in ("holm", "fdr", "none")}  # type: ignore[arg-type]
    assert wrong["holm"] < ALPHA + ABOVE
    assert wrong["fdr"] < ALPHA + ABOVE
    assert wrong["none"] > 3 * ALPHA


@pytest.mark.parametrize("multiplicity", ["fdr", "fdr-any"])
def test_the_share_of_false_discoveries_is_as_small_as_alpha(multiplicity: Multiplicity) -> None:
    """Of four systems one is better: three pairs have a true direction, three have none."""
    found = verdicts((0.45, 0.0, 0.0, 0.0), multiplicity)
    false = (found[:, :3] < 0).sum(axis=1) + (found[:, 3:] != 0).sum(axis=1)
    share = (false / np.maximum((found != 0).sum(axis=1), 1)).mean()
    assert share < ALPHA + ABOVE
    assert (found[:, :3] > 0).mean() > 0.5
    if multiplicity == "fdr":
        assert (found[:, 3:] != 0).any(axis=1).mean() > ALPHA, "it bounds the share, not the chance of any"


@pytest.mark.parametrize("multiplicity", ["holm", "fdr"])
def test_on_these_items_too(multiplicity: Multiplicity) -> None:
    """Pools of 90 in which nobody is ahead, of which 60 are labelled, eight pairs; and one that is ahead."""
    pools = np.repeat([1, 0, -1], 30), np.repeat([1, 0, -1], [60, 10, 20])
    rng = np.random.default_rng(4)
    everything = rng.permuted(np.tile([pools[0]] * 8 + [pools[1]], (RUNS, 1, 1)), axis=2)
    labels = everything[:, :, :60, None].astype(np.int8)

    def verdicts_of(multiplicity: Multiplicity) -> np.ndarray:  # type: ignore[type-arg]
        rule = simulated_rule("fixed", 60, ALPHA, pool=90, pairs=9, multiplicity=multiplicity)
        return run_matrices(labels, SimulatedLabelling("one"), rule).verdict

    found = verdicts_of(multiplicity)
    false = (found[:, :8] != 0).sum(axis=1) + (found[:, 8] < 0)
    assert (found[:, 8] == 1).mean() > 0.9
    if multiplicity == "holm":
        assert (false > 0).mean() < ALPHA + ABOVE
    assert (false / np.maximum((found != 0).sum(axis=1), 1)).mean() < ALPHA + ABOVE
    alone = verdicts_of("none")
    assert (alone[:, :8] != 0).any(axis=1).mean() > 2 * ALPHA, "without a correction it errs"
