"""Figures that the prose of the documentation states and no other test or benchmark covers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from benchmarks.worlds.metric_simulation import gated_paths
from benchmarks.worlds.simulation import simulated_rule
from tests.planned_evidence import decides

from tiebreak.kernels.control_variate import plan_companions
from tiebreak.kernels.outcome_regression import regress_inputs
from tiebreak.rules import planned
from tiebreak.rules.family import Family
from tiebreak.simulate.engines.stops import stops

pytestmark = pytest.mark.full  # simulations of prose that hardly changes


def test_a_random_order_of_what_a_stopped_campaign_left_errs_more_often_than_the_campaign() -> None:
    # docs/campaign.md, "Export": two equal systems, items that lean to one side or the other, the majority of three,
    # planned for 1,000 items, alpha = 0.05 in both directions; stopped at the campaign's verdict, then tested in a
    # random order.
    rng, runs, items = np.random.default_rng(11), 1_200, 1_000
    shares = np.array([[0.6, 0.2, 0.2], [0.2, 0.2, 0.6]])  # of labels for b, ties and labels for a
    values = np.empty((runs, items), dtype=np.int8)
    for run in range(runs):
        bounds = np.cumsum(shares[rng.integers(0, 2, items)], axis=1)[:, None, :2]
        labels = (rng.random((items, 3, 1)) >= bounds).sum(axis=2) - 1
        wins, losses = (labels == 1).sum(axis=1), (labels == -1).sum(axis=1)
        values[run] = np.where(wins >= 2, 1, np.where(losses >= 2, -1, 0))
    found = stops(values, simulated_rule("anytime", items))
    stopped = np.flatnonzero(found.decided)
    again = sum(decides(rng.permutation(values[run, : found.items[run]])) for run in stopped)
    campaign = stopped.size / runs
    left = np.flatnonzero(~found.decided)
    others = stops(rng.permuted(values[left], axis=1), simulated_rule("anytime", items)).decided.sum()
    assert campaign <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / runs)  # "5%"
    assert again + others > stopped.size
    assert abs((again + others) / runs - 0.08) < 3 * math.sqrt(0.08 * 0.92 / runs)  # "8%"


def test_new_companions_at_every_look_do_not_control_the_error() -> None:
    # docs/score.md, "Metrics and judges in a verdict": two equal systems, 30% ties, a metric of correlation 0.9,
    # alpha = 0.05 in both directions, 500 items left over at the end, looks at 20, 40, ... 400 labels; at each look the
    # items that are without a label then are drawn anew as reserve and companions.
    campaigns, labels, left, reserve = 200, 400, 500, 100
    rng = np.random.default_rng(11)
    outcomes = rng.choice([-1.0, 0.0, 1.0], p=[0.35, 0.3, 0.35], size=(campaigns, labels + left))
    metric = 0.9 * outcomes / math.sqrt(0.7) + math.sqrt(1 - 0.9**2) * rng.standard_normal(outcomes.shape)
    ever = np.zeros(campaigns, dtype=bool)
    for n in range(20, labels + 1, 20):
        rest = rng.permuted(metric[:, n:], axis=1)
        plan = plan_companions(n - np.arange(n), rest.shape[1] - reserve)
        plans = np.broadcast_to(plan, (campaigns, n))
        of = regress_inputs(outcomes[:, :n], metric[:, :n], rest[:, reserve:], plans, rest[:, :reserve])
        last = np.max([path.max(axis=1) for path in gated_paths(outcomes[:, :n], of, 0.025)], axis=0) >= math.log(40)
        ever |= last
    assert abs(ever.mean() - 0.13) < 3 * math.sqrt(0.13 * 0.87 / campaigns)  # "13%"; twice either would be found out
    assert last.mean() <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / campaigns)


def test_what_a_withdrawn_label_costs() -> None:
    # docs/campaign.md, "A label that was a mistake": items of the first 20 withdrawn after their answers, 20% ties,
    # planned for 600 items, alpha = 0.05 in both directions.
    rng, withdrawn, runs = np.random.default_rng(6), 3, 300
    family = Family(0.05, "holm", 1, margin=False)
    plan = planned.plan_pair(family, 600, steps=None)
    for difference, low, high in ((0.3, 7, 14), (0.2, 9, 18)):  # "about 10", "about 13"
        chances = [0.4 - difference / 2, 0.2, 0.4 + difference / 2]
        values = rng.choice([-1.0, 0.0, 1.0], p=chances, size=(runs, 600))
        lowered = values.copy()
        lowered[:, rng.permutation(20)[:withdrawn]] = -1.0
        ends = []
        for of in (values, lowered):
            state, stop = planned.start(plan, runs), np.full(runs, 600)
            for unit in range(600):
                for_b = np.where(of[:, unit] == values[:, unit], of[:, unit], 1.0)
                state = planned.advance(plan, state, of[:, unit], for_b, values[:, unit])
                reached = planned.evidence(plan, state).directions[:, 0] >= math.log(40)
                stop = np.where(reached & (stop == 600), unit + 1, stop)
            ends.append(stop)
        assert low < (ends[1] - ends[0]).mean() / withdrawn < high
