"""Campaigns by the vectorised engine, by the core and by the step engine: on the same labels they agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest
from benchmarks.worlds.simulation import simulated_rule
from benchmarks.worlds.small_campaigns import NOW, WORDS, open_plan, protocol_of, study_of
from numpy.typing import NDArray

from tiebreak.campaign import (
    CampaignPlan,
    LabelGiven,
    Protocol,
    State,
    TaskAssigned,
    make_plan,
    next_tasks,
    step,
)
from tiebreak.campaign.kinds import Preferred
from tiebreak.data.study import Study
from tiebreak.errors import UsageError
from tiebreak.settings.protocol import Budget, DecisionSettings, LabelSettings, OrderSettings, PairSettings
from tiebreak.simulate.engines.engine import FamilyRuns, run_matrices, run_matrix
from tiebreak.simulate.engines.policies import SimulatedLabelling
from tiebreak.simulate.engines.step_engine import run_campaign
from tiebreak.simulate.people.workers import SimulatedAnswer
from tiebreak.simulate.runs.table import RunTable

# ---- the core ------------------------------------------------------------------------------------------------------
# Campaigns of many pairs by the vectorised engine and by the core: the same labels, one task out at a time.

Codes = NDArray[np.int8]

CODES = {"a": 1, "b": -1, "equivalent": 2, "undecided": 0}
PEOPLE = {"one": 1, "fixed": 1, "majority": 3, "max-three": 3}
MULTIPLICITIES = ("none", "bonferroni", "holm", "fdr", "fdr-any")
# Chances of a win and of a tie: pairs that are decided early, late and never, for either side.
PAIRS = ((0.9, 0.0), (0.5, 0.3), (0.22, 0.2), (0.75, 0.5), (0.5, 0.0), (0.7, 0.1))
ALPHA = 0.2


@dataclass(frozen=True)
class Setting:
    """A campaign of `systems` systems, of which `baseline` counts pairs with the first only."""

    multiplicity: str
    systems: int = 4
    policy: str = "one"
    rule: str = "anytime"
    margin: float | None = None
    target: str = "inputs"
    batch: int = 10
    items: int = 50
    unlabelled: int = 0
    baseline: bool = False

    @property
    def pairs(self) -> int:
        return self.systems - 1 if self.baseline else self.systems * (self.systems - 1) // 2


def draw(setting: Setting, seed: int) -> Codes:
    """Labels (pairs, items, people)."""
    rng = np.random.default_rng(seed)
    shape = (setting.items, PEOPLE[setting.policy])
    chances = [((1 - tie) * win, tie, (1 - tie) * (1 - win)) for win, tie in PAIRS[: setting.pairs]]
    return np.stack([rng.choice([1, 0, -1], p=of, size=shape) for of in chances]).astype(np.int8)


def one_by_one(setting: Setting, labels: Codes) -> State:
    """A campaign through the core: every task is answered before the next is asked for, by somebody new each time (by
    the same person where one person must label all).
    """
    names = [f"s{k}" for k in range(setting.systems)]
    protocol = protocol_of(
        baseline=names[0] if setting.baseline else None,
        labels=LabelSettings(setting.policy, 3 if setting.policy == "majority" else 1),
        pairs=PairSettings("batches", setting.batch),
        budget=Budget(items_per_pair=setting.items),
        decision=DecisionSettings(
            setting.rule,
            ALPHA,
            setting.multiplicity,
            setting.margin,
            setting.target,  # type: ignore[arg-type]
        ),
        order=OrderSettings("listed"),
    )
    plan = make_plan(protocol, study_of(names, setting.items + setting.unlabelled))
    state, asked = open_plan(plan), np.zeros(labels.shape[:2], dtype=int)
    while state.ended is None:
        name = "ann" if setting.policy == "fixed" else f"p{state.issued}"
        (task,) = next_tasks(state, name, 1, NOW)
        place = plan.track_numbers[(task.system_a, task.system_b)], plan.item_numbers[task.item]
        outcome = WORDS[int(labels[(*place, asked[place])])]
        state = step(step(state, task), LabelGiven(NOW, task.task, name, Preferred(outcome)))  # type: ignore[arg-type]
        asked[place] += 1
    return state


def at_once(setting: Setting, labels: Sequence[Codes]) -> FamilyRuns:
    rule = simulated_rule(
        setting.rule,
        setting.items,
        ALPHA,
        margin=setting.margin,
        batch=setting.batch,
        pool=setting.items + setting.unlabelled if setting.target == "items" else None,
        pairs=setting.pairs,
        multiplicity=setting.multiplicity,  # type: ignore[arg-type]
    )
    policy = SimulatedLabelling(setting.policy, PEOPLE[setting.policy])  # type: ignore[arg-type]
    return run_matrices(np.array(labels), policy, rule)


def check(setting: Setting, seeds: Sequence[int] = (1, 2)) -> FamilyRuns:
    """Both engines on the same labels: the verdict, the items and the labels of every pair; the fast one's result."""
    labels = [draw(setting, seed) for seed in seeds]
    fast = at_once(setting, labels)
    for run, of_run in enumerate(labels):
        state = one_by_one(setting, of_run)
        pairs, measures = state.tracks, state.measures
        assert fast.verdict[run].tolist() == [CODES[of.verdict] for of in measures]
        both = list(zip(pairs, measures, strict=True))
        assert fast.items[run].tolist() == [pair.items if of.decided_at is None else of.decided_at for pair, of in both]
        used = [pair.done_labels if of.decided_labels is None else of.decided_labels for pair, of in both]
        assert fast.item_labels[run].tolist() == used
        assert fast.labels[run].tolist() == [pair.labels for pair in pairs]
    return fast


@pytest.mark.parametrize("policy", PEOPLE)
@pytest.mark.parametrize("multiplicity", MULTIPLICITIES)
def test_every_account_of_many_pairs_under_every_policy(multiplicity: str, policy: str) -> None:
    # Where thresholds stand still pairs do not depend on one another: one campaign shows it.
    moving = multiplicity in ("holm", "fdr", "fdr-any")
    found = check(Setting(multiplicity, policy=policy), seeds=(1, 2) if moving else (1,))
    assert found.decided.any(axis=0).sum() >= 2 + moving
    assert not found.decided.all(), "pairs that stay open keep all thresholds in play"


@pytest.mark.parametrize("multiplicity", MULTIPLICITIES)
@pytest.mark.parametrize("target", ["inputs", "items"])
@pytest.mark.parametrize("margin", [None, 0.35])
def test_a_planned_number_of_items(margin: float | None, target: str, multiplicity: str) -> None:
    """In the engine by the walk alone where it decides, and by bets side by side elsewhere."""
    setting = Setting(multiplicity, rule="anytime", margin=margin, target=target, items=60)
    found = check(replace(setting, unlabelled=30 if target == "items" else 0))
    assert found.decided.any(axis=0).sum() >= 3
    assert (found.items < 60).any()


@pytest.mark.parametrize("multiplicity", MULTIPLICITIES)
@pytest.mark.parametrize("target", ["inputs", "items"])
@pytest.mark.parametrize("margin", [None, 0.35])
def test_one_look_at_the_end(margin: float | None, target: str, multiplicity: str) -> None:
    """Of 80 items; for a claim about them all are labelled, or only 30."""
    setting = Setting(multiplicity, rule="fixed", margin=margin, target=target, items=80)
    found = check(setting)
    if target == "items":
        assert found.decided.all(), "with all items labelled a difference is known"
        found = check(replace(setting, items=30, unlabelled=50))
    assert found.decided.any()
    if margin is None:
        assert not found.decided.all()
    elif target == "inputs":
        assert 2 in found.verdict


@pytest.mark.parametrize("multiplicity", ["none", "holm", "fdr"])
@pytest.mark.parametrize("rule", ["hoeffding", "dirichlet", "fixed"])
def test_rules_that_are_no_betting(rule: str, multiplicity: str) -> None:
    found = check(Setting(multiplicity, systems=3, policy="max-three", rule=rule, batch=4), seeds=(1, 2))
    assert found.decided.any()


@pytest.mark.parametrize("multiplicity", MULTIPLICITIES)
def test_equivalence_and_claims_about_these_items(multiplicity: str) -> None:
    found = check(Setting(multiplicity, systems=3, margin=0.6, items=80))
    assert {1, 2} <= set(found.verdict.ravel().tolist())
    found = check(Setting(multiplicity, systems=3, target="items"))
    assert found.decided.all(), "with all items labelled a difference is known"
    with_margin = check(Setting(multiplicity, systems=3, target="items", margin=0.3), seeds=(1,))
    assert with_margin.decided.all()


def test_a_baseline() -> None:
    found = check(Setting("holm", systems=5, baseline=True))
    assert found.verdict.shape == (2, 4)


@pytest.mark.parametrize(("multiplicity", "seed"), [("holm", 26), ("fdr", 6)])
def test_a_pair_that_waits_for_its_last_turn(multiplicity: str, seed: int) -> None:
    """Seeds at which a verdict in the last turn decides a pair that has begun an item and not had this turn."""
    found = check(Setting(multiplicity, policy="max-three", batch=30), seeds=(seed,))
    waiting = found.items == 29
    assert (found.labels - found.item_labels)[waiting].max() == 1


def test_a_fixed_number_is_that_of_all_pairs() -> None:
    labels = np.zeros((1, 3, 40, 1), dtype=np.int8)
    with pytest.raises(UsageError, match="labels of 3 pairs on 40 items, not 3 on 30"):
        run_matrices(labels, SimulatedLabelling("one"), simulated_rule("fixed", 30, pairs=3))


# ---- the step engine -----------------------------------------------------------------------------------------------
# The step engine and the vectorised engine on the same labels: the same verdicts, items and labels in every run.

MATRIX_ITEMS, RUNS = 60, 6
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


def draw_matrix(share_a: float, ties: float, seed: int) -> NDArray[np.int8]:
    chances = [(1 - ties) * share_a, ties, (1 - ties) * (1 - share_a)]
    return np.random.default_rng(seed).choice([1, 0, -1], p=chances, size=(RUNS, MATRIX_ITEMS, 3)).astype(np.int8)


def plan_for(policy: str, rule: str, margin: float | None, *, alpha: float = 0.05) -> CampaignPlan:
    rows = [{"item": f"i{k:03d}", "system": s, "text": f"{s}{k}"} for k in range(MATRIX_ITEMS) for s in ("x", "y")]
    study = Study.from_tables(outputs=rows, items=[{"item": f"i{k:03d}"} for k in range(MATRIX_ITEMS)])
    protocol = Protocol(
        labels=LabelSettings(policy, POLICIES[policy][0]),
        budget=Budget(items_per_pair=MATRIX_ITEMS),
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
        labels = draw_matrix(share_a, ties, seed=k)
        fast = run_matrix(labels, SimulatedLabelling(policy, people), simulated_rule(rule, MATRIX_ITEMS))
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
