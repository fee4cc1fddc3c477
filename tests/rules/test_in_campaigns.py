"""Every rule in a campaign: the evidence of its labels in their sealed order, and its first verdict."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.worlds.small_campaigns import (
    NOW,
    open_campaign,
    protocol_of,
    random_outcomes,
    run,
    sealed_outcomes,
    study_of,
)

from tiebreak.campaign import ItemAbandoned, ProtocolError, State, step, verdicts
from tiebreak.records import Target, UnitValue
from tiebreak.rules.registry import RULES, pair_rules
from tiebreak.rules.rule import VERDICTS, Units
from tiebreak.settings.protocol import Budget, DecisionSettings

DIFFERENCE = 0.45
ABANDONED = (0, 3, 20)
"""Places in the sealed order."""
WORLDS = ("single items", "identical outputs", "abandoned items", "clusters", "a metric")


def campaign(name: str, target: Target, world: str) -> State:
    """One pair; a metric has more items than people are asked about."""
    helped = RULES[name].needs_metric or world == "a metric"
    items, rng = 300 if helped else 120, np.random.default_rng(6)
    scores = {"bleu": {"ant": rng.normal(size=items), "bee": np.zeros(items)}} if helped else None
    decision = DecisionSettings(name, target=target, metrics=("bleu",) if helped else ())
    budget = Budget(items_per_pair=60 if helped or RULES[name].looks == "one" else None)
    study = study_of(
        items=items,
        identical=range(0, items, 6) if world == "identical outputs" else (),
        cluster_size=4 if world == "clusters" else 1,
        scores=scores,
    )
    return open_campaign(protocol_of(decision=decision, budget=budget), study)


def unit_values(state: State, outcomes: list[int], gone: tuple[int, ...]) -> list[UnitValue]:
    """Of all units in the sealed order: the means of their items, an abandoned one counting against either side."""
    track, values = state.plan.tracks[0], []
    for first, end in zip(track.starts[:-1], track.starts[1:], strict=True):
        places = range(first, end)
        value = float(np.mean([outcomes[place] for place in places]))
        values.append(UnitValue(-1.0, 1.0, None) if first in gone else UnitValue.labelled(value))
    return values


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("target", ["inputs", "items"])
@pytest.mark.parametrize("name", pair_rules())
def test_a_campaign_feeds_its_rule_the_sealed_order(name: str, target: Target, world: str) -> None:
    rule = RULES[name]
    try:
        state = campaign(name, target, world)
    except ProtocolError:
        counts_single_items = name in ("dirichlet", "posterior") and target == "inputs"
        assert counts_single_items if world == "clusters" else not rule.takes_metric_in_campaigns
        return
    track, (plan,) = state.plan.tracks[0], state.plan.rule_plans
    gone = ABANDONED if world == "abandoned items" else ()
    for place in gone:
        state = step(state, ItemAbandoned(NOW, ("ant", "bee"), state.plan.items[int(track.order[place])]))
    outcomes = random_outcomes(5, track.order.size, DIFFERENCE)
    outcomes = [0 if known else outcome for known, outcome in zip(track.known, outcomes, strict=True)]
    state = run(state, sealed_outcomes(state, {0: outcomes}))
    (measure,) = state.measures
    values = unit_values(state, outcomes, gone)[: measure.done]
    alone, path = rule.advance(plan, rule.start(plan), Units.of(values))
    np.testing.assert_allclose(measure.evidence.evidence, alone.evidence, rtol=1e-9)
    largest = np.maximum.accumulate(path[0])[:, None]
    codes = rule.verdicts([plan], largest, state.protocol.decision)[:, 0]
    decided_at = int((codes != 0).argmax()) + 1 if codes.any() else None
    assert measure.decided_at == decided_at
    assert measure.verdict == VERDICTS[int(codes[decided_at - 1]) if decided_at else 0]
    (pair,) = verdicts(state).results[0].pairs
    assert (pair.verdict, pair.abandoned) == (measure.verdict, len(gone))
    if world == "single items":
        assert measure.verdict == "a", "the world is one that every rule decides"
