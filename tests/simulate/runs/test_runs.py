"""Many campaigns: the same runs from the same seed, the same distribution by both engines, and their error rates."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.small_studies import pair_votes, study_of

from tiebreak.campaign import Protocol
from tiebreak.errors import UsageError
from tiebreak.records import Multiplicity
from tiebreak.settings.protocol import Budget, DecisionSettings, LabelSettings, OrderSettings, PairSettings
from tiebreak.simulate.engines.policies import SimulatedLabelling
from tiebreak.simulate.people.agents import World
from tiebreak.simulate.people.crowd import Habits
from tiebreak.simulate.people.workers import Worker
from tiebreak.simulate.replay import OldLabels, Replay
from tiebreak.simulate.runs.quick_engine import DrawnLabels, repeat_quickly, why_not_quick
from tiebreak.simulate.runs.repeat import AgentExperiment, ReplayExperiment, repeat
from tiebreak.simulate.runs.table import RunEstimate, RunTable, mean, run_frame, share, summarise

# ---- the vectorised engine -----------------------------------------------------------------------------------------
# The vectorised engine beside the step engine on experiments with agents: the same distribution, far sooner.

WORKERS = tuple(Worker(c, 0.1, 0.0, 0.0, 20.0) for c in (0.7, 0.8, 0.9))
THREE, WINNER = World((0.4, 0.2, 0.0), items=80), PairSettings("winner")
BASE = AgentExperiment(Protocol(labels=LabelSettings("max-three", price=0.5)), World((0.5, 0.0), items=80), WORKERS)


def test_the_same_distribution_as_the_step_engine() -> None:
    # 16 step campaigns beside 3,000 vectorised ones: the mean numbers of items to the verdict agree within four
    # standard errors, and so do the prices per label and the truth.
    slow, fast = repeat(BASE, 16, 5), repeat_quickly(BASE, 3000, 5)
    assert slow.truth == fast.truth
    items = np.where(slow.verdict != 0, slow.decided_at, slow.items)[:, 0]
    error = float(items.std(ddof=1)) / 16**0.5
    assert abs(items.mean() - fast.items.mean()) < 4 * error
    assert abs((slow.verdict == 1).mean() - (fast.verdict == 1).mean()) < 0.4
    np.testing.assert_allclose(fast.cost, 0.5 * fast.labels)
    np.testing.assert_allclose(slow.cost, 0.5 * slow.labels)
    # Log-normal seconds with spread 1/2 around 20: 20 exp(1/8) = 22.7 a label, in both engines.
    for table in (slow, fast):
        assert abs(table.work.sum() / table.labels.sum() - 22.7) < 1.0


def test_workers_do_not_change_the_runs() -> None:
    world = replace(BASE.world, items=4_000)  # several chunks
    experiment = replace(BASE, world=world)
    for several in (experiment, replace(BASE, world=THREE)):
        one, two = repeat_quickly(several, 80, 1), repeat_quickly(several, 80, 1, workers=2)
        np.testing.assert_array_equal(one.pair_labels, two.pair_labels)
        np.testing.assert_array_equal(one.verdict, two.verdict)


def test_pairs_share_the_outputs_of_their_systems() -> None:
    """Wins of a over b and of a over c, counted over all items in each pair's own order: both depend on a's outputs.

    Differences x - y and x - z of independent outputs correlate by 1/2, y - z and x - y by -1/2; people who see
    differences only in part leave less of it. A pair by itself in each campaign would leave nothing.
    """
    perfect = (Worker(1.0, 0.0, 0.0, 0.0, 20.0),)
    experiment = AgentExperiment(Protocol(), World((0.0, 0.0, 0.0), items=30, spread=0.4), perfect)
    plan, _ = experiment.draw(np.random.default_rng(0))
    runs = 2_000
    drawn = DrawnLabels(experiment, plan, SimulatedLabelling("one"), runs, np.random.default_rng(1))
    every = drawn(np.arange(3 * runs), 0, 30)[:, :, 0]
    correlation = np.corrcoef(every.sum(axis=1).reshape(runs, 3).T)
    # (a, b) with (a, c), (a, b) with (b, c), (a, c) with (b, c); standard error of a correlation: .022.
    assert correlation[0, 1] > 0.08
    assert correlation[0, 2] < -0.08
    assert correlation[1, 2] > 0.08
    # But not item by item in the order in which they are asked: the orders are the pairs' own.
    of_runs = every.reshape(runs, 3, 30).astype(float)
    same_place = (of_runs[:, 0] * of_runs[:, 1]).mean()
    listed = replace(experiment, protocol=Protocol(order=OrderSettings("listed")))
    in_order = DrawnLabels(listed, plan, SimulatedLabelling("one"), runs, np.random.default_rng(1))
    as_listed = in_order(np.arange(3 * runs), 0, 30)[:, :, 0].reshape(runs, 3, 30).astype(float)
    assert (as_listed[:, 0] * as_listed[:, 1]).mean() > 5 * abs(same_place)


def test_whoever_keeps_a_pair_is_somebody_else_while_there_are_enough() -> None:
    extremes = tuple(Worker(c, 0.0, 0.0, 0.0, 20.0) for c in (0.0, 1.0))
    sure = AgentExperiment(Protocol(labels=LabelSettings("fixed")), World((1.0, 0.0, -1.0), 40, spread=0.0), extremes)
    plan, _ = sure.draw(np.random.default_rng(0))
    drawn = DrawnLabels(sure, plan, SimulatedLabelling("fixed"), 200, np.random.default_rng(1))
    always_a = (drawn(np.arange(600), 0, 40)[:, :, 0] == 1).all(axis=1).reshape(200, 3)
    # One of two people sees everything: the first two pairs are kept by different people, the third by the first.
    assert (always_a[:, 0] != always_a[:, 1]).all()
    assert (always_a[:, 0] == always_a[:, 2]).all()
    assert 60 < always_a[:, 0].sum() < 140


def test_leanings_belong_to_their_pairs() -> None:
    fan = (Worker(1.0, 0.0, 0.0, 0.0, 20.0, leanings=(("c", 0.9),)),)
    found = repeat_quickly(AgentExperiment(Protocol(), World((0.0, 0.0, 0.0), 200, spread=0.0), fan), 20, 1)
    assert (found.verdict[:, 1:] == -1).all()
    assert (found.verdict[:, 0] != -1).mean() > 0.8


@pytest.mark.parametrize(("multiplicity", "holds"), [("holm", True), ("bonferroni", True), ("none", False)])
def test_the_chance_of_any_wrong_verdict_is_at_most_alpha(multiplicity: str, holds: bool) -> None:
    """Five equal systems, ten pairs. Without an account of the pairs it is not: the test can fail."""
    decision = DecisionSettings(alpha=0.1, multiplicity=multiplicity)  # type: ignore[arg-type]
    world = World((0.0,) * 5, items=250, spread=0.3)
    found = repeat_quickly(AgentExperiment(Protocol(decision=decision), world, WORKERS), 600, 11)
    wrong = found.wrong.any(axis=1).mean()
    three_errors = 3 * (0.1 * 0.9 / 600) ** 0.5
    assert (wrong <= 0.1 + three_errors) == holds
    assert not holds or wrong > 0.005


@pytest.mark.full
def test_the_false_discovery_rate_is_at_most_alpha() -> None:
    """Two groups of equal systems: 9 pairs differ, 6 do not."""
    decision = DecisionSettings(alpha=0.2, multiplicity="fdr")
    world = World((0.4,) * 3 + (0.0,) * 3, items=200, spread=0.3)
    found = repeat_quickly(AgentExperiment(Protocol(decision=decision), world, WORKERS), 600, 12)
    given = (found.verdict != 0).sum(axis=1)
    shares = found.wrong.sum(axis=1) / np.maximum(given, 1)
    assert shares.mean() <= 0.2 + 3 * shares.std() / 600**0.5
    assert shares.mean() > 0, "equal systems are told apart now and then"
    assert given.mean() > 6


def test_a_baseline_turns_the_pair() -> None:
    turned = replace(BASE, protocol=Protocol(baseline="a"))
    found = repeat_quickly(turned, 20, 1)
    assert found.pairs == (("b", "a"),)
    assert found.truth[0] < 0
    assert (found.verdict[found.verdict != 0] == -1).all()
    assert repeat(turned, 2, 1).pairs == found.pairs


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"world": World((0.2, 0.1, 0.0), items=80)}, None),
        ({"world": THREE, "protocol": Protocol(pairs=WINNER)}, "the choice of pairs winner"),
        ({"world": THREE, "protocol": Protocol(("a", "b"), pairs=WINNER)}, None),
        ({"world": THREE, "protocol": Protocol(baseline="c", pairs=WINNER)}, "the choice of pairs winner"),
        ({"world": World((0.2, 0.0), items=80, cluster_size=4)}, "clusters of items"),
        ({"protocol": Protocol(decision=DecisionSettings(target="items"))}, None),
        ({"protocol": Protocol(decision=DecisionSettings(multiplicity="fdr"))}, None),
        ({"protocol": Protocol(budget=Budget(max_labels=100))}, "a budget in labels or money"),
        ({"protocol": Protocol(pairs=PairSettings(open=3))}, "a limit of open items"),
        ({"protocol": Protocol(labels=LabelSettings(ties=False))}, "answers without ties"),
        ({"workers": (*WORKERS, replace(WORKERS[0], seconds_median=1.0))}, "people of unequal speed"),
        ({"protocol": Protocol(order=OrderSettings("listed"))}, None),
        ({}, None),
    ],
)
def test_where_it_may_not_stand_in(change: dict[str, object], reason: str | None) -> None:
    experiment = replace(BASE, **change)  # type: ignore[arg-type]
    assert why_not_quick(experiment, Habits()) == reason
    if reason is None:
        assert why_not_quick(experiment, Habits(forgets=0.1)) == "people who forget tasks or leave"


def test_more_people_than_the_crowd_has_are_refused() -> None:
    with pytest.raises(UsageError, match="different people"):
        repeat_quickly(replace(BASE, workers=WORKERS[:2]), 5, 0)


def test_the_long_table() -> None:
    table = repeat_quickly(BASE, 40, 2)
    frame = run_frame(table)
    assert frame.height == 40
    assert frame["run"].to_list() == list(range(40))
    undecided = frame.filter(frame["verdict"] == "undecided")
    assert undecided["decided_at"].null_count() == undecided.height
    assert frame["decided_labels"].drop_nulls().to_list() == table.labels[table.verdict[:, 0] != 0].tolist()
    assert frame["run_cost"].sum() == pytest.approx(table.cost.sum())
    unknown = run_frame(replace(table, truth=np.array([np.nan])))
    assert unknown["true_difference"].null_count() == 40


# ---- errors at a planned end ---------------------------------------------------------------------------------------
# How often the rule `fixed` errs at its planned end, over several pairs that share systems.

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


# ---- repetitions ---------------------------------------------------------------------------------------------------

THREE_KINDS = (Worker(1.0, 0.2, 0.1, 0.0, 10.0), Worker(0.9, 0.1, 0.0, 0.05, 20.0), Worker(0.8, 0.0, 0.0, 0.0, 5.0))


def same(one: RunTable, other: RunTable) -> None:
    for name in (
        "verdict",
        "items",
        "pair_labels",
        "decided_at",
        "decided_labels",
        "labels",
        "cost",
        "seconds",
        "work",
    ):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    assert one.ended == other.ended


def test_the_same_seed_gives_the_same_runs_with_any_number_of_workers() -> None:
    protocol = Protocol(labels=LabelSettings("max-three", price=0.1))
    experiment = AgentExperiment(protocol, World((0.4, 0.0), items=20), THREE_KINDS)
    habits = Habits(hand=2, forgets=0.05)
    done: list[int] = []
    alone = repeat(experiment, 6, 7, habits=habits, on_done=done.append)
    assert sum(done) == 6
    same(alone, repeat(experiment, 6, 7, habits=habits, workers=2))
    other = repeat(experiment, 6, 8, habits=habits)
    assert not np.array_equal(alone.seconds, other.seconds)


def test_with_one_person_a_pair_any_person_may_be_it() -> None:
    # One sees everything, one nothing: a pair whose items all differ by 1 is a's by 40 : 0, or by about 20 : 20.
    people = (Worker(1.0, 0.0, 0.0, 0.0, 10.0), Worker(0.0, 0.0, 0.0, 0.0, 10.0))
    protocol = Protocol(
        labels=LabelSettings("fixed"), decision=DecisionSettings(rule="fixed"), budget=Budget(items_per_pair=40)
    )
    found = repeat(AgentExperiment(protocol, World((1.0, 0.0), items=40, spread=0.0), people), 20, 1)
    # Everybody's turn: 20 runs of a fair choice are all the same in 2 of a million. (The guess is right in 2.5%.)
    assert 0 < (found.verdict[:, 0] == 1).sum() < 20


def test_the_truth_of_a_replay_is_what_all_labels_favour() -> None:
    study = study_of(pair_votes("lwwwwwwwww" * 5, "x", "y"))
    found = repeat(ReplayExperiment(Replay(Protocol(), study, OldLabels.of(study))), 5, 1)
    assert found.truth.tolist() == [0.8]
    assert (found.verdict == 1).all()
    assert not found.wrong.any()
    assert len(set(found.labels.tolist())) > 1  # another order of items in every run


def test_equal_systems_are_seldom_called_different() -> None:
    # alpha = .2 in both directions together; 40 campaigns of 60 items, Wilson's lower end must not exceed it.
    protocol = Protocol(decision=DecisionSettings(alpha=0.2))
    experiment = AgentExperiment(protocol, World((0.0, 0.0), items=60, spread=0.3), THREE_KINDS)
    found = summarise(repeat(experiment, 40, 3))
    assert found.any_wrong.low <= 0.2
    assert found.pairs[0].truth == 0.0  # so that either direction is wrong


def table(verdict: list[list[int]], truth: list[float]) -> RunTable:
    codes = np.array(verdict, dtype=np.int8)
    counts = np.arange(codes.size).reshape(codes.shape)
    runs = len(codes)
    per_run = {name: np.arange(1.0, runs + 1) for name in ("cost", "seconds", "work")}
    return RunTable(
        pairs=tuple((f"a{k}", f"b{k}") for k in range(codes.shape[1])),
        verdict=codes,
        items=counts,
        pair_labels=counts,
        decided_at=counts,
        decided_labels=counts,
        labels=np.arange(runs),
        late=np.zeros(runs, dtype=np.int64),
        ended=("decided",) * (runs - 1) + ("items",),
        truth=np.array(truth),
        **per_run,
    )


def test_wrong_is_a_direction_against_the_truth() -> None:
    found = table([[1, -1, 1], [-1, 0, 2], [1, 1, -1]], [0.3, 0.0, float("nan")])
    assert found.wrong.tolist() == [[False, True, False], [True, False, False], [False, True, False]]
    summary = summarise(found)
    assert summary.any_wrong.value == 1.0
    assert summary.pairs[2].wrong is None
    assert summary.pairs[0].a.value == pytest.approx(2 / 3)
    assert summary.pairs[0].decided_labels.value == 3.0  # labels 0, 3, 6
    assert summary.pairs[1].decided_labels.value == 4.0  # 1 and 7; the middle run is undecided
    ended = {name: end.value for name, end in summary.ended.items()}
    assert ended == pytest.approx({"decided": 2 / 3, "items": 1 / 3})
    assert summary.to_dict()["pairs"][1]["truth"] == 0.0


def test_intervals() -> None:
    # Wilson for 8 of 10: (8 + 1.92) / 13.84 +- ...: [.490, .943].
    found = share(8, 10)
    assert (round(found.low, 3), round(found.high, 3)) == (0.490, 0.943)
    assert (share(0, 5).low, share(5, 5).high) == (0.0, pytest.approx(1.0))
    # 1, 2, 3, 4: sd 1.291, Student's 3.182 with 3 degrees of freedom, half width 3.182 x 1.291 / 2 = 2.054.
    centre = mean(np.array([1, 2, 3, 4]))
    assert (centre.value, round(centre.low, 3), round(centre.high, 3)) == (2.5, 0.446, 4.554)
    assert mean(np.array([0, 0, 1])).low == 0.0
    assert mean(np.array([7])) == RunEstimate(value=7.0, low=7.0, high=7.0, p10=7.0, p90=7.0)
