"""`tiebreak.simulate`: whole campaigns by either engine, replays, and one pair in arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from benchmarks.same_results.made_studies import JUDGE, METRIC
from benchmarks.same_results.product.campaigns import protocol_of
from benchmarks.same_results.product.plain import RULES, named, own_rule, pair_name, taken
from benchmarks.same_results.records import Person, Record, Rules, Simulation

from tiebreak.data.study import Study
from tiebreak.simulate.engines.engine import CampaignRuns, PairSetting, run_matrix, simulate_pair
from tiebreak.simulate.engines.policies import SimulatedLabelling
from tiebreak.simulate.engines.stopping import SimulatedRule
from tiebreak.simulate.people.agents import World
from tiebreak.simulate.people.crowd import Crowd
from tiebreak.simulate.people.habits import Habits
from tiebreak.simulate.people.metrics import IDEAL_MIXTURE, SimulatedJudge, SimulatedMetric
from tiebreak.simulate.people.workers import Worker
from tiebreak.simulate.replay.labels import votes_of
from tiebreak.simulate.replay.study import OldLabels, Replay
from tiebreak.simulate.runs.quick_engine import repeat_quickly
from tiebreak.simulate.runs.repeat import AgentExperiment, ReplayExperiment, repeat
from tiebreak.simulate.runs.table import RunTable, summarise


def simulated(asked: Simulation, quick: bool) -> Record:
    """Campaigns by simulated people: event by event, or (`quick`) many at once."""
    world = World(
        asked.qualities,
        asked.items,
        spread=asked.spread,
        cluster_size=asked.cluster_size,
        intraclass=asked.alike_in_cluster,
        metrics=() if asked.metric is None else (SimulatedMetric(METRIC, asked.metric),),
        judges=(SimulatedJudge(JUDGE, IDEAL_MIXTURE),) if asked.judge else (),
    )
    experiment = AgentExperiment(protocol_of(asked.rules), world, _workers(asked.people))
    if quick:
        return _runs(repeat_quickly(experiment, asked.runs, asked.seed))
    habits = Habits(asked.hand, asked.forgets, asked.leaves)
    return _runs(repeat(experiment, asked.runs, asked.seed, habits=habits))


def replayed(study: Study, rules: Rules, runs: int, ratings: str = "mean", people: int | None = None) -> Record:
    """Campaigns with the labels that a study has."""
    labels = OldLabels.of(study, rules.criterion, ratings)
    replay = Replay(protocol_of(rules), study, labels, people=people)
    return _runs(repeat(ReplayExperiment(replay), runs, 5))


def one_pair(people: tuple[Person, ...], difference: float, items: int, runs: int) -> Record:
    """Campaigns of one pair in arrays, under several labelling policies and all rules."""
    latent = np.clip(np.random.default_rng(3).normal(difference, 0.3, items), -1.0, 1.0)
    found = simulate_pair(PairSetting(Crowd.of(_workers(people)), latent), _array_plans(items), runs, 11)
    return named((f"{policy} {_rule_name(rule)}", _array_runs(of)) for (policy, rule), of in found.items())


def votes_in_arrays(study: Study, system_a: str, system_b: str, runs: int) -> Record:
    """Campaigns of one pair on votes that exist."""
    votes = votes_of(study, system_a, system_b)
    found = []
    for policy, rules in _array_plans(len(votes.items)):
        labels = votes.draw(runs, policy.people, np.random.default_rng(13))
        found += [(f"{policy} {_rule_name(rule)}", _array_runs(run_matrix(labels, policy, rule))) for rule in rules]
    return named(found)


def _workers(people: tuple[Person, ...]) -> tuple[Worker, ...]:
    return tuple(
        Worker(of.capability, of.indifference, of.side, of.spam, of.seconds, of.leanings, of.price) for of in people
    )


def _array_plans(items: int) -> list[tuple[SimulatedLabelling, list[SimulatedRule]]]:
    rules = [
        SimulatedRule(RULES["betting"], 0.05),
        SimulatedRule(RULES["betting"], 0.1, margin=0.4, family=3),
        SimulatedRule(RULES["betting"], 0.1, pool=items),
        SimulatedRule(RULES["metric-error"], 0.05, batch=10),
        SimulatedRule(RULES["hoeffding"], 0.05),
        SimulatedRule(RULES["hoeffding-looking-ahead"], 0.05),
        SimulatedRule(RULES["one-look"], 0.05, items=items // 2),
    ]
    return [
        (SimulatedLabelling("one"), rules),
        (SimulatedLabelling("majority", 3), rules),
        (SimulatedLabelling("max-three", 3), rules),
    ]


def _rule_name(rule: SimulatedRule) -> str:
    more = [name for name, value in (("margin", rule.margin), ("pool", rule.pool)) if value is not None]
    return " ".join([own_rule(rule.name), *more])


def _array_runs(runs: CampaignRuns) -> Record:
    return taken(runs, verdict="verdict", items="items", labels="labels")


def _runs(table: RunTable) -> Record:
    """The summary of all runs, and each of the first twenty."""
    found = summarise(table)
    return {
        "runs": found.repetitions,
        **_estimates(found, labels="labels", late_labels="late", cost="cost", hours="hours", work_hours="work_hours"),
        **_estimates(found, decided_pairs="decided_pairs", any_wrong="any_wrong"),
        "ended": {name: _estimate(share) for name, share in found.ended.items()},
        "pairs": named((pair_name(pair), _pair_over_runs(pair)) for pair in found.pairs),
        "first_runs": {own: values[:20] for own, values in _each_run(table).items()},
    }


def _each_run(table: RunTable) -> Record:
    return taken(
        table,
        verdict="verdict",
        items="items",
        pair_labels="pair_labels",
        decided_after_items="decided_at",
        decided_after_labels="decided_labels",
        labels="labels",
        late_labels="late",
        cost="cost",
        seconds="seconds",
        work="work",
        ended="ended",
    )


def _pair_over_runs(pair: Any) -> Record:
    return {
        **taken(pair, truth="truth"),
        **_estimates(pair, a="a", b="b", equivalent="equivalent", undecided="undecided", wrong="wrong"),
        **_estimates(pair, items="items", labels="labels", labels_when_decided="decided_labels"),
    }


def _estimates(source: Any, /, **fields: str) -> Record:
    return {own: _estimate(getattr(source, theirs)) for own, theirs in fields.items()}


def _estimate(found: Any) -> Record | None:
    return None if found is None else taken(found, value="value", low="low", high="high", p10="p10", p90="p90")
