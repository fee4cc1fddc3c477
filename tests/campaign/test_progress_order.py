"""A verdict comes at its place in the sealed order, however late the answer was that everything waited for."""

from __future__ import annotations

from tiebreak.campaign import CampaignOpened, LabelGiven, Protocol, init, next_tasks, step
from tiebreak.data.study import Study
from tiebreak.settings.protocol import Budget, DecisionSettings, PairSettings

NOW = "2026-01-01T00:00:00Z"


def test_the_batch_that_a_late_answer_completes_is_looked_at() -> None:
    # The posterior looks after 10, 20, 30 items. Ten wins are a verdict; then the tide turns, and after 30 items there
    # is none. All answers but the first arrive before it: the look at 10 must not be missed.
    rows = [{"item": f"i{k:02d}", "system": s, "text": f"{s}{k}"} for k in range(40) for s in "xy"]
    protocol = Protocol(
        pairs=PairSettings(batch=10), budget=Budget(items_per_pair=30), decision=DecisionSettings(rule="posterior")
    )
    state = init(protocol, Study.from_tables(outputs=rows))
    state = step(state, CampaignOpened(NOW, state.plan.fingerprint, state.plan.study))
    tasks = next_tasks(state, "ann", 30, NOW)
    for task in tasks:
        state = step(state, task)
    for number, task in list(enumerate(tasks))[::-1]:
        assert state.measures[0].verdict == "undecided"
        state = step(state, LabelGiven(NOW, task.task, "ann", "a" if number < 10 else "b"))
    assert (state.measures[0].verdict, state.measures[0].decided_at, state.measures[0].decided_labels) == ("a", 10, 10)
