"""Excluding people while a campaign runs: harmless to the error rate where it changes nothing about who prefers what,
and not where people are excluded for what they prefer. The latter is why the documentation forbids it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np
import pytest
from benchmarks.worlds.simulation import largest_rate
from benchmarks.worlds.small_campaigns import NOW, open_plan, protocol_of, study_of

from tiebreak.campaign import AnnotatorExcluded, LabelGiven, State, TaskReturned, make_plan, next_tasks, step
from tiebreak.campaign.kinds import Preferred
from tiebreak.settings.protocol import DecisionSettings

ALPHA = 0.1
PLAN = make_plan(protocol_of(decision=DecisionSettings(alpha=ALPHA)), study_of(items=60))
ALIKE = dict.fromkeys("pqrstu", 0.5)
DIVIDED = {"p": 0.8, "q": 0.2, "r": 0.8, "s": 0.2, "t": 0.8, "u": 0.2}  # systems that the six like equally


def campaign(rng: np.random.Generator, tastes: Mapping[str, float], most: int) -> State:
    """A campaign to its end. `tastes`: how often each person prefers system_a. In every round each gets two tasks; then
    whoever has preferred system_a least gets no more, `most` people in all, and leaves the tasks they have unanswered.
    """
    state, wins, gone = open_plan(PLAN), Counter[str](), 0
    while state.ended is None:
        excluded = min((p for p in tastes if not state.is_excluded(p)), key=lambda p: wins[p])
        out = []
        for person in tastes:
            tasks = next_tasks(state, person, 2, NOW)
            for task in tasks:
                state = step(state, task)
            out += tasks
        if gone < most and wins:
            gone += 1
            state = step(state, AnnotatorExcluded(NOW, excluded))
        for task in out:
            if state.is_excluded(task.annotator):
                state = step(state, TaskReturned(NOW, task.task, "expired"))
                continue
            won = rng.random() < tastes[task.annotator]
            wins[task.annotator] += won
            state = step(state, LabelGiven(NOW, task.task, task.annotator, Preferred("a" if won else "b")))
    return state


def wrong_share(tastes: Mapping[str, float], most: int, runs: int) -> float:
    rng = np.random.default_rng(30)
    return sum(campaign(rng, tastes, most).measures[0].verdict != "undecided" for _ in range(runs)) / runs


@pytest.mark.parametrize(
    ("tastes", "most", "runs"),
    [(ALIKE, 4, 40), *(pytest.param(*of, 2_000, marks=pytest.mark.full) for of in ((ALIKE, 4), (DIVIDED, 0)))],
)
def test_exclusions_among_people_alike_do_no_harm(tastes: Mapping[str, float], most: int, runs: int) -> None:
    assert wrong_share(tastes, most, runs) <= largest_rate(ALPHA, runs)


def test_nobody_may_be_excluded_for_what_they_prefer() -> None:
    """Two equal systems, one half of the people for each: without three people the other half's taste is found."""
    assert wrong_share(DIVIDED, 0, 40) <= largest_rate(ALPHA, 40)
    assert wrong_share(DIVIDED, 3, 40) > largest_rate(ALPHA, 40)


@pytest.mark.full
def test_nobody_may_be_excluded_for_what_they_prefer_full() -> None:
    assert wrong_share(DIVIDED, 3, 1_000) == pytest.approx(0.71, abs=0.06)  # three of six people go
