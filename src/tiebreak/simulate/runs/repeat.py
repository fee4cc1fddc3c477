"""Many repetitions of a whole campaign through the step engine; the same seed gives the same runs for any `workers`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol as Interface

import numpy as np
from numpy.typing import NDArray

from tiebreak.campaign import CampaignPlan, Protocol, make_plan
from tiebreak.simulate.engines.parallel import in_chunks
from tiebreak.simulate.engines.step_engine import run_campaign
from tiebreak.simulate.people.agents import Agents, World
from tiebreak.simulate.people.crowd import Habits
from tiebreak.simulate.people.workers import AnswerSource, Worker
from tiebreak.simulate.replay import Replay, shuffled
from tiebreak.simulate.runs.table import RunTable

Floats = NDArray[np.float64]

_CHUNKS = 32  # runs are shared out in about this many parts, whoever computes them
_TRUTH_DRAWS = 20_000


class Experiment(Interface):
    """Something that can be run again and again: a plan, who answers, and the truth of each pair of the plan."""

    def draw(self, rng: np.random.Generator) -> tuple[CampaignPlan, AnswerSource]:
        """A new run."""

    def truth(self, plan: CampaignPlan) -> Floats:
        """The true difference of each pair (K,), NaN where unknown."""


@dataclass(frozen=True)
class AgentExperiment:
    """Simulated people in a simulated world, a new one in every run."""

    protocol: Protocol
    world: World
    workers: tuple[Worker, ...]

    def draw(self, rng: np.random.Generator) -> tuple[CampaignPlan, AnswerSource]:
        """New outputs, a new sealed order, the same people; who comes first is another one in every run."""
        quality = self.world.draw(rng)
        plan = make_plan(shuffled(self.protocol, rng), self.world.study(quality, rng, self.workers))
        price = self.protocol.labels.price
        arriving = tuple(self.workers[k] for k in rng.permutation(len(self.workers)))
        return plan, Agents(plan, quality, arriving, rng, 0.0 if price is None else price)

    def truth(self, plan: CampaignPlan) -> Floats:
        """P(a) - P(b) for a label and an item at random; NaN for a claim about these items, whose truth is that of the
        labels they would get, other ones in every run.
        """
        if self.protocol.decision.target == "items":
            return np.full(len(plan.pairs), np.nan)
        pairs = tuple((pair.system_a, pair.system_b) for pair in plan.pairs)
        return self.world.true_differences(self.workers, pairs, _TRUTH_DRAWS)


@dataclass(frozen=True)
class ReplayExperiment:
    """Labels that exist; the truth is not known, and what stands for it is what all labels together favour."""

    replay: Replay

    def draw(self, rng: np.random.Generator) -> tuple[CampaignPlan, AnswerSource]:
        """A new sealed order, new draws of annotators."""
        return self.replay.plan(rng)

    def truth(self, plan: CampaignPlan) -> Floats:
        """Mean vote over all labels of the pair."""
        totals = [self.replay.labels.totals(pair.system_a, pair.system_b) for pair in plan.pairs]
        return np.array([(wins - losses) / (wins + ties + losses) for wins, ties, losses in totals])


def repeat(
    experiment: Experiment,
    runs: int,
    seed: int,
    *,
    habits: Habits | None = None,
    workers: int = 1,
    on_done: Callable[[int], None] | None = None,
) -> RunTable:
    """`runs` campaigns. `workers`: processes; `on_done` is told how many runs were finished since it was last called.

    Raises:
        ProtocolError, UsageError: what the experiment raises for a protocol that does not fit.
    """
    truth = experiment.truth(experiment.draw(np.random.default_rng(seed))[0])

    def task(size: int, rng: np.random.Generator) -> RunTable:
        parts = []
        for _ in range(size):
            plan, source = experiment.draw(rng)
            parts.append(RunTable.of_run(run_campaign(plan, source, rng, habits), truth))
        return RunTable.joined(parts)

    chunk = -(-runs // _CHUNKS)
    parts = in_chunks(task, runs, seed, chunk=chunk, workers=workers, prefer="processes", on_done=on_done)
    return RunTable.joined(parts)
