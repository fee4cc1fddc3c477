"""The vectorised engine for an experiment with agents, and when it may stand in for the step engine."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final, cast

import numpy as np
from numpy.typing import NDArray

from tiebreak.campaign import CampaignPlan
from tiebreak.simulate.engines.engine import FamilyRuns, run_family
from tiebreak.simulate.engines.parallel import in_chunks
from tiebreak.simulate.engines.policies import PolicyName, SimulatedLabelling
from tiebreak.simulate.engines.stops import SimulatedRule
from tiebreak.simulate.people.crowd import Crowd, Habits, draw_labels, draw_people
from tiebreak.simulate.people.workers import quality_difference
from tiebreak.simulate.runs.repeat import AgentExperiment
from tiebreak.simulate.runs.table import RunTable

Codes = NDArray[np.int8]
Floats = NDArray[np.float64]
Cells = NDArray[np.intp]

_CELLS: Final = 1_000_000  # items of all pairs of the campaigns that run at once
_CHUNKS: Final = 8  # at least, where there are as many campaigns
_MEAN_OF_SECONDS: Final = math.exp(0.125)  # log-normal times of spread 1/2 around the median


def why_not_quick(experiment: AgentExperiment, habits: Habits) -> str | None:
    """Why the vectorised engine cannot run an experiment, in words; None where it can.

    It knows pairs that take turns, the built-in labelling policies and rules, and people who answer all that they are
    asked.
    """
    protocol, world = experiment.protocol, experiment.world
    others = set(protocol.systems or world.systems) - {protocol.baseline}
    one_pair = len(others) <= (2 if protocol.baseline is None else 1) or len(protocol.only_pairs) == 1
    people = protocol.people
    reasons = {
        f"the choice of pairs {protocol.pairs.pair_policy}": protocol.pairs.pair_policy != "batches" and not one_pair,
        "a metric": bool(protocol.decision.metrics or protocol.decision.judges),
        "clusters of items": world.cluster_size > 1,
        "a budget in labels or money": protocol.most_labels is not None,
        "a limit of open items": protocol.pairs.open is not None,
        "check tasks or a limit per person": bool(people.gold) or people.labels_per_person is not None,
        "people of unequal speed": len({worker.seconds_median for worker in experiment.workers}) > 1,
        "people who forget tasks or leave": bool(habits.forgets or habits.leaves),
        "answers without ties": not protocol.labels.ties,
        "rankings": protocol.labels.kind == "ranking",
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
    """`runs` campaigns, many at once. Labels are those up to the verdicts, without what others are writing just then;
    time is not simulated: the campaign lasts as long as its work, shared evenly by all people.

    The same seed gives the same runs with any number of `workers`; they differ from those of the step engine as two
    seeds differ. Only for experiments that `why_not_quick` has no objection to. Raises what the plan raises.
    """
    plan, _ = experiment.draw(np.random.default_rng(seed))  # refuses what does not fit, as the step engine does
    truth = experiment.truth(plan)
    rule, policy = _rule(experiment, plan), _policy(experiment)
    items, pairs = plan.tracks[0].most_units, len(plan.tracks)
    crowd = Crowd.of(experiment.workers)
    seconds = float(crowd.seconds.mean()) * _MEAN_OF_SECONDS
    price = float(np.where(crowd.price > 0, crowd.price, experiment.protocol.labels.price or 0.0).mean())

    def task(size: int, rng: np.random.Generator) -> RunTable:
        ask = DrawnLabels(experiment, plan, policy, size, rng)
        found = run_family(ask, size, policy, rule)
        return _table(found, plan, truth, price, seconds, len(crowd))

    chunk = max(1, min(_CELLS // (items * pairs), -(-runs // _CHUNKS)))
    return RunTable.joined(in_chunks(task, runs, seed, chunk=chunk, workers=workers, on_done=on_done))


class DrawnLabels:
    """The labels of some campaigns, drawn when they are asked for: new outputs in each, of which every pair with a
    system sees the same, an order of items for each pair, and the people of the experiment.
    """

    def __init__(
        self,
        experiment: AgentExperiment,
        plan: CampaignPlan,
        policy: SimulatedLabelling,
        runs: int,
        rng: np.random.Generator,
    ) -> None:
        world, pairs = experiment.world, len(plan.tracks)
        self._rng, self._policy = rng, policy
        self._quality = np.array([world.draw(rng) for _ in range(runs)])
        number = {name: k for k, name in enumerate(world.systems)}
        self._systems = np.array([(number[of.system_a], number[of.system_b]) for of in plan.tracks])
        # What comes as listed, or for one pair only, are items at random anyway.
        shuffled = pairs > 1 and experiment.protocol.order.order == "shuffled"
        self._order = _orders(runs * pairs, world.items, plan.tracks[0].most_units, rng) if shuffled else None
        crowds = [Crowd.of(experiment.workers, of.system_a, of.system_b) for of in plan.tracks]
        self._crowds = crowds if any(crowd.lean.any() for crowd in crowds) else crowds[:1]
        self._keepers = _keepers(len(experiment.workers), runs, pairs, rng) if policy.name == "fixed" else None

    def __call__(self, cells: Cells, start: int, stop: int) -> Codes:
        """Labels (cells, items, people)."""
        run, pair = np.divmod(cells, len(self._systems))
        item = np.arange(start, stop)[None] if self._order is None else self._order[cells, start:stop]
        a, b = self._systems[pair].T
        quality_a, quality_b = (self._quality[run[:, None], item, system[:, None]] for system in (a, b))
        difference = quality_difference(quality_a, quality_b)
        shape = (cells.size, stop - start, self._policy.people)
        if self._keepers is None:
            people = draw_people(len(self._crowds[0]), *shape, self._rng)
        else:
            people = np.broadcast_to(self._keepers[cells, None, None], shape)
        if len(self._crowds) == 1:
            return draw_labels(self._crowds[0], people, difference, self._rng)
        labels = np.empty(shape, dtype=np.int8)
        for k, crowd in enumerate(self._crowds):
            of_pair = np.flatnonzero(pair == k)
            labels[of_pair] = draw_labels(crowd, people[of_pair], difference[of_pair], self._rng)
        return labels


def _orders(cells: int, items: int, most: int, rng: np.random.Generator) -> NDArray[np.unsignedinteger]:
    """The first `most` of all items in a random order for each cell."""
    kind = np.uint16 if items <= 2**16 else np.uint32
    listed = np.broadcast_to(np.arange(items, dtype=kind), (cells, items))
    return rng.permuted(listed, axis=1)[:, :most]


def _keepers(crowd: int, runs: int, pairs: int, rng: np.random.Generator) -> NDArray[np.uint16]:
    """(runs * pairs,) who labels all of a pair: people in a random order, one pair each before anybody gets another."""
    people = rng.permuted(np.broadcast_to(np.arange(crowd, dtype=np.uint16), (runs, crowd)), axis=1)
    return people[:, np.arange(pairs) % crowd].reshape(-1)


def _table(found: FamilyRuns, plan: CampaignPlan, truth: Floats, price: float, seconds: float, people: int) -> RunTable:
    labels = found.labels.sum(axis=1)
    work, decided = labels * seconds, np.asarray(found.decided.all(axis=1))
    return RunTable(
        pairs=tuple((of.system_a, of.system_b) for of in plan.tracks),
        verdict=found.verdict,
        items=found.items,
        pair_labels=found.labels,
        decided_at=np.where(found.decided, found.items, 0),
        decided_labels=np.where(found.decided, found.item_labels, 0),
        labels=labels,
        late=np.zeros(len(labels), dtype=np.int64),
        cost=labels * price,
        seconds=work / people,
        work=work,
        ended=tuple("decided" if all_decided else "items" for all_decided in decided.tolist()),
        truth=truth,
    )


def _policy(experiment: AgentExperiment) -> SimulatedLabelling:
    labels = experiment.protocol.labels
    return SimulatedLabelling(cast(PolicyName, labels.labelling), experiment.protocol.most_labels_per_item)


def _rule(experiment: AgentExperiment, plan: CampaignPlan) -> SimulatedRule:
    decision = experiment.protocol.decision
    return SimulatedRule(
        decision,
        items=plan.tracks[0].most_units,
        pairs=len(plan.tracks),
        pool=experiment.world.items if decision.target == "items" else None,
        batch=experiment.protocol.pairs.batch,
    )
