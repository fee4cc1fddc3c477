"""`tiebreak.simulate`: whole campaigns by either engine, replays, and one pair in arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from benchmarks.same_results.made_studies import JUDGE, METRIC
from benchmarks.same_results.product.campaigns import protocol_of
from benchmarks.same_results.product.plain import RULES, named, pair_name, taken
from benchmarks.same_results.records import Person, Record, Rules, Simulation

from tiebreak.data.study import Study
from tiebreak.kernels.reproduced import hoeffding_crossings
from tiebreak.settings.protocol import DecisionSettings
from tiebreak.simulate.engines.engine import CampaignRuns, PairSetting, run_matrix, simulate_pair
from tiebreak.simulate.engines.policies import SimulatedLabelling, item_values
from tiebreak.simulate.engines.stops import SimulatedRule
from tiebreak.simulate.people.agents import World
from tiebreak.simulate.people.crowd import Crowd, Habits
from tiebreak.simulate.people.metrics import IDEAL_MIXTURE, SimulatedJudge, SimulatedMetric
from tiebreak.simulate.people.workers import Worker
from tiebreak.simulate.replay import OldLabels, Replay, votes_of
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
    setting, rules = PairSetting(Crowd.of(_workers(people)), latent), _array_rules(items)
    found = simulate_pair(setting, [(policy, list(rules.values())) for policy in LABELLING], runs, 11)
    named_runs = [
        (f"{policy} {name}", _array_runs(found[policy, rule])) for policy in LABELLING for name, rule in rules.items()
    ]
    return named(named_runs)


def votes_in_arrays(study: Study, system_a: str, system_b: str, runs: int) -> Record:
    """Campaigns of one pair on votes that exist, also by the rule that looks ahead."""
    votes = votes_of(study, system_a, system_b)
    found = []
    for policy in LABELLING:
        labels = votes.draw(runs, policy.people, np.random.default_rng(13))
        for name, rule in _array_rules(len(votes.items)).items():
            found.append((f"{policy} {name}", _array_runs(run_matrix(labels, policy, rule))))
        valued = item_values(labels, policy)
        verdict, items = hoeffding_crossings((valued.values + 1) / 2, 0.05, last=True)
        runs_ahead = CampaignRuns(verdict, items, valued.labels_up_to(items))
        found.append((f"{policy} hoeffding-looking-ahead", _array_runs(runs_ahead)))
    return named(found)


def _workers(people: tuple[Person, ...]) -> tuple[Worker, ...]:
    return tuple(
        Worker(of.capability, of.indifference, of.side, of.spam, of.seconds, of.leanings, of.price) for of in people
    )


LABELLING = (SimulatedLabelling("one"), SimulatedLabelling("majority", 3), SimulatedLabelling("max-three", 3))


def _array_rules(items: int) -> dict[str, SimulatedRule]:
    def rule(name: str, alpha: float, margin: float | None = None, **more: int) -> SimulatedRule:
        target = "items" if "pool" in more else "inputs"
        decision = DecisionSettings(RULES[name], alpha, "none", margin, target)  # type: ignore[arg-type]
        return SimulatedRule(decision, **{"items": items, **more})

    return {
        "betting": rule("betting", 0.05),
        "betting margin": rule("betting", 0.1 / 3, margin=0.4),
        "betting pool": rule("betting", 0.1, pool=items),
        "metric-error": rule("dirichlet", 0.05),
        "hoeffding": rule("hoeffding", 0.05),
        "one-look": rule("one-look", 0.05, items=items // 2),
    }


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
