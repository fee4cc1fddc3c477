"""The vectorised engine for an experiment with agents, and when it may stand in for the step engine."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final, cast

import numpy as np
from numpy.typing import NDArray

from tiebreak.campaign import Protocol
from tiebreak.simulate.answers import Habits
from tiebreak.simulate.crowd import Crowd, draw_labels, draw_one_person, draw_people
from tiebreak.simulate.engine import run_matrix
from tiebreak.simulate.items import pair_differences
from tiebreak.simulate.labelling import LabellingPolicy, PolicyName
from tiebreak.simulate.parallel import in_chunks
from tiebreak.simulate.repeat import AgentExperiment
from tiebreak.simulate.run_table import RunTable
from tiebreak.simulate.stopping import RuleName, StoppingRule, boundary_for

Floats = NDArray[np.float64]

_CELLS: Final = 400_000  # labels drawn at once
_MEAN_OF_SECONDS: Final = math.exp(0.125)  # log-normal times of spread 1/2 around the median


def why_not_quick(experiment: AgentExperiment, habits: Habits) -> str | None:
    """Why the vectorised engine cannot run an experiment, in words; None where it can.

    It knows one pair, the built-in policies and rules, and people who answer all that they are asked.
    """
    protocol, world = experiment.protocol, experiment.world
    pairs = len(world.qualities) if protocol.baseline is None else len(world.qualities) - 1
    reasons = {
        "more than one pair": (len(protocol.systems) or len(world.qualities)) > 2 or pairs < 1,
        "a metric": bool(protocol.decision.metrics or protocol.decision.judges),
        "clusters of items": world.cluster_size > 1,
        "a claim about these items": protocol.decision.rule == "anytime" and protocol.decision.target == "items",
        "a false discovery rate": protocol.decision.multiplicity == "fdr",
        "a budget in labels or money": protocol.most_labels is not None,
        "a limit of open items": protocol.pairs.open is not None,
        "check tasks or a limit per person": bool(protocol.people.gold) or protocol.people.most_labels is not None,
        "people of unequal speed": len({worker.seconds_median for worker in experiment.workers}) > 1,
        "people who forget tasks or leave": bool(habits.forgets or habits.leaves),
        "answers without ties": not protocol.labels.ties,
    }
    found = [reason for reason, applies in reasons.items() if applies]
    return ", ".join(found) if found else None


def repeat_quickly(
    experiment: AgentExperiment,
    runs: int,
    seed: int,
    *,
    workers: int = 1,
    on_done: Callable[[int], None] | None = None,
) -> RunTable:
    """`runs` campaigns at once. Labels are those up to the verdict, without what others are writing just then; time is
    not simulated: the campaign lasts as long as its work, shared evenly by all people.

    The same seed gives the same runs with any number of `workers`; they differ from those of the step engine as two
    seeds differ. Only for experiments that `why_not_quick` has no objection to. Raises what the plan raises.
    """
    protocol, world = experiment.protocol, experiment.world
    plan, _ = experiment.draw(np.random.default_rng(seed))  # refuses what does not fit, as the step engine does
    pair = (plan.pairs[0].system_a, plan.pairs[0].system_b)
    crowd = Crowd.of(experiment.workers, *pair)
    policy = LabellingPolicy(
        cast(PolicyName, protocol.labels.policy),
        3 if protocol.labels.policy == "max-three" else protocol.labels.annotators,
    )
    items = plan.pairs[0].most_units
    rule = _rule(protocol, items)
    boundary = boundary_for(rule, items)
    columns = [world.systems.index(name) for name in pair]
    truth = experiment.truth(plan)
    seconds = float(crowd.seconds.mean()) * _MEAN_OF_SECONDS
    prices = np.where(crowd.price > 0, crowd.price, protocol.labels.price or 0.0)

    def task(size: int, rng: np.random.Generator) -> RunTable:
        differences = np.array([pair_differences(world.draw(rng)[:items], *columns) for _ in range(size)])
        if policy.name == "fixed":
            people = draw_one_person(len(crowd), size, items, rng)
        else:
            people = draw_people(len(crowd), size, items, policy.people, rng)
        found = run_matrix(draw_labels(crowd, people, differences, rng), policy, rule, boundary)
        at = np.where(found.decided, found.items, 0)[:, None]
        spent = np.where(found.decided, found.labels, 0)[:, None]
        labels = found.labels.astype(np.float64)
        work = labels * seconds
        return RunTable(
            pairs=(pair,),
            verdict=found.verdict[:, None],
            items=found.items[:, None],
            pair_labels=found.labels[:, None],
            decided_at=at,
            decided_labels=spent,
            labels=found.labels,
            late=np.zeros(size, dtype=np.int64),
            cost=labels * float(prices.mean()),
            seconds=work / len(crowd),
            work=work,
            ended=tuple("decided" if decided else "items" for decided in found.decided),
            truth=truth,
        )

    chunk = max(1, _CELLS // (items * policy.people))
    return RunTable.joined(in_chunks(task, runs, seed, chunk=chunk, workers=workers, on_done=on_done))


def _rule(protocol: Protocol, items: int) -> StoppingRule:
    decision = protocol.decision
    return StoppingRule(
        cast(RuleName, decision.rule),
        alpha=decision.alpha,
        margin=decision.margin,
        batch=protocol.pairs.batch,
        items=items if decision.rule == "fixed" else None,
    )
