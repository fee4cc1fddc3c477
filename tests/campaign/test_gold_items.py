"""Items with a known answer are asked as checks only, and whoever fails them stays out."""

from __future__ import annotations

import pytest

from tiebreak.campaign import LabelGiven, Protocol, ProtocolError, TaskAssigned, init, next_tasks, step
from tiebreak.campaign.events import CampaignOpened
from tiebreak.data.study import Study
from tiebreak.settings.protocol import DecisionSettings, GoldTask, PeopleSettings

NOW = "2026-05-01T09:00:00Z"


def study(items: int = 40) -> Study:
    outputs = [
        {"item": f"i{k}", "system": name, "text": "same" if k == 1 else f"{name} on {k}"}
        for k in range(items)
        for name in ("a", "b", "c")
    ]
    return Study.from_tables(outputs=outputs)


def protocol(golds: int, target: str = "inputs") -> Protocol:
    gold = tuple(GoldTask(f"i{k}", "a", "b", "a") for k in range(golds))
    people = PeopleSettings(gold=gold, gold_every=2, gold_after=2, gold_share=0.6)
    return Protocol(people=people, decision=DecisionSettings(target=target))  # type: ignore[arg-type]


@pytest.mark.parametrize("target", ["inputs", "items"])
def test_a_check_is_no_evidence_of_its_pair(target: str) -> None:
    plan = init(protocol(3, target), study()).plan
    with_checks = plan.tracks[plan.track_numbers["a", "b"]]
    without = plan.tracks[plan.track_numbers["a", "c"]]
    checks = {plan.item_numbers[f"i{k}"] for k in range(3)}
    assert not checks & set(with_checks.order.tolist())
    assert {plan.item_numbers["i0"], plan.item_numbers["i2"]} <= set(without.order.tolist())
    assert (with_checks.identical, without.identical) == (0, 1), "the identical outputs are an item of a check"


def test_checks_may_not_take_all_items() -> None:
    with pytest.raises(ProtocolError, match="takes every item of this pair"):
        init(protocol(4), study(4))


def test_who_failed_stays_out_whatever_comes_later() -> None:
    """Asked after two checks: both wrong. A third, answered late and rightly, changes nothing."""
    state = init(protocol(5), study())
    state = step(state, CampaignOpened(NOW, state.plan.fingerprint, state.plan.study))
    tasks: list[TaskAssigned] = []
    for task in next_tasks(state, "p", 10, NOW):
        state = step(state, task)
        tasks.append(task)
    checks = [task for task in tasks if task.gold]
    assert len(checks) == 5
    for task, outcome in zip(checks, ("b", "b", "a", "a", "a"), strict=True):
        state = step(state, LabelGiven(NOW, task.task, "p", outcome))  # type: ignore[arg-type]
    assert (state.annotators["p"].gold_right, state.annotators["p"].gold_asked) == (3, 5)
    assert state.is_excluded("p")
    assert next_tasks(state, "p", 1, NOW) == ()
    assert next_tasks(state, "q", 1, NOW)
