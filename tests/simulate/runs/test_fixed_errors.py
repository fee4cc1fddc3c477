"""How often the rule `fixed` errs at its planned end, over several pairs that share systems."""

from __future__ import annotations

import numpy as np

from tiebreak.campaign import Protocol
from tiebreak.records import Multiplicity
from tiebreak.settings.protocol import Budget, DecisionSettings
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
