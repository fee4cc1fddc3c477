"""The step engine and the vectorised engine on the same labels: the same verdicts, items and labels in every run."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.worlds.simulation import simulated_rule
from numpy.typing import NDArray

from tiebreak.campaign import CampaignPlan, Preferred, Protocol, TaskAssigned, make_plan
from tiebreak.data.study import Study
from tiebreak.settings.protocol import Budget, DecisionSettings, LabelSettings, OrderSettings
from tiebreak.simulate.engines.engine import run_matrix
from tiebreak.simulate.engines.policies import SimulatedLabelling
from tiebreak.simulate.engines.step_engine import run_campaign
from tiebreak.simulate.people.workers import SimulatedAnswer
from tiebreak.simulate.runs.table import RunTable

ITEMS, RUNS = 60, 6
POLICIES = {"one": (1, 1), "fixed": (1, 1), "majority": (3, 3), "max-three": (1, 3)}
RULES = ("anytime", "hoeffding", "dirichlet", "fixed")


class MatrixAnswers:
    """The k-th person who is asked about an item gives its k-th label; `labels` (items, people)."""

    def __init__(self, labels: NDArray[np.int8], people: int) -> None:
        self._labels, self.people = labels, people
        self._asked = np.zeros(len(labels), dtype=int)

    def answer(self, person: int, task: TaskAssigned) -> SimulatedAnswer:  # noqa: ARG002
        item = int(task.item[1:])
        given = self._labels[item, self._asked[item]]
        self._asked[item] += 1
        return SimulatedAnswer(Preferred({1: "a", 0: "tie", -1: "b"}[int(given)]), 10.0, 0.5)  # type: ignore[arg-type]


def draw(share_a: float, ties: float, seed: int) -> NDArray[np.int8]:
    chances = [(1 - ties) * share_a, ties, (1 - ties) * (1 - share_a)]
    return np.random.default_rng(seed).choice([1, 0, -1], p=chances, size=(RUNS, ITEMS, 3)).astype(np.int8)


def plan_for(policy: str, rule: str, margin: float | None, *, alpha: float = 0.05) -> CampaignPlan:
    rows = [{"item": f"i{k:03d}", "system": s, "text": f"{s}{k}"} for k in range(ITEMS) for s in ("x", "y")]
    study = Study.from_tables(outputs=rows, items=[{"item": f"i{k:03d}"} for k in range(ITEMS)])
    protocol = Protocol(
        labels=LabelSettings(policy, POLICIES[policy][0]),
        budget=Budget(items_per_pair=ITEMS),
        decision=DecisionSettings(rule=rule, alpha=alpha, margin=margin),
        order=OrderSettings("listed"),
    )
    return make_plan(protocol, study)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("policy", POLICIES)
def test_same_verdicts_items_and_labels(policy: str, rule: str) -> None:
    decided = 0
    people = POLICIES[policy][1]
    for k, (share_a, ties) in enumerate(((0.8, 0.2), (0.35, 0.0), (0.5, 0.3))):
        labels = draw(share_a, ties, seed=k)
        fast = run_matrix(labels, SimulatedLabelling(policy, people), simulated_rule(rule, ITEMS))
        plan = plan_for(policy, rule, None)
        rng = np.random.default_rng(0)
        runs = [run_campaign(plan, MatrixAnswers(run, people), rng) for run in labels]
        slow = RunTable.joined([RunTable.of_run(run, np.array([np.nan])) for run in runs])
        np.testing.assert_array_equal(slow.verdict[:, 0], fast.verdict)
        # People work side by side: what is begun at a verdict is still answered, and paid, but is no evidence.
        at = np.where(fast.decided, slow.decided_at[:, 0], slow.items[:, 0])
        np.testing.assert_array_equal(at, fast.items)
        used = np.where(fast.decided, slow.decided_labels[:, 0], slow.labels)
        np.testing.assert_array_equal(used, fast.labels)
        decided += int(fast.decided.sum())
    assert decided > RUNS  # both engines were compared on campaigns that end early, too
