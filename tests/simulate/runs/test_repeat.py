from __future__ import annotations

import numpy as np
import pytest

from tiebreak.campaign import Protocol
from tiebreak.data.study import Study
from tiebreak.settings.protocol import Budget, DecisionSettings, LabelSettings
from tiebreak.simulate.people.agents import World
from tiebreak.simulate.people.habits import Habits
from tiebreak.simulate.people.workers import Worker
from tiebreak.simulate.replay.study import OldLabels, Replay
from tiebreak.simulate.runs.repeat import AgentExperiment, ReplayExperiment, repeat
from tiebreak.simulate.runs.table import RunEstimate, RunTable, mean, share, summarise

WORKERS = (Worker(1.0, 0.2, 0.1, 0.0, 10.0), Worker(0.9, 0.1, 0.0, 0.05, 20.0), Worker(0.8, 0.0, 0.0, 0.0, 5.0))


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
    experiment = AgentExperiment(
        Protocol(labels=LabelSettings("max-three", price=0.1)), World((0.4, 0.0), items=20), WORKERS
    )
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
    rows = [
        {"item": f"i{k:02d}", "system_a": "x", "system_b": "y", "annotator": "w", "outcome": "a" if k % 10 else "b"}
        for k in range(50)
    ]
    study = Study.from_tables(preferences=rows)
    found = repeat(ReplayExperiment(Replay(Protocol(), study, OldLabels.of(study))), 5, 1)
    assert found.truth.tolist() == [0.8]
    assert (found.verdict == 1).all()
    assert not found.wrong.any()
    assert len(set(found.labels.tolist())) > 1  # another order of items in every run


def test_equal_systems_are_seldom_called_different() -> None:
    # alpha = .2 in both directions together; 40 campaigns of 60 items, Wilson's lower end must not exceed it.
    experiment = AgentExperiment(
        Protocol(decision=DecisionSettings(alpha=0.2)), World((0.0, 0.0), items=60, spread=0.3), WORKERS
    )
    found = summarise(repeat(experiment, 40, 3))
    assert found.any_wrong is not None
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
    assert summary.any_wrong is not None
    assert summary.any_wrong.value == 1.0
    assert summary.pairs[2].wrong is None
    assert summary.pairs[0].a.value == pytest.approx(2 / 3)
    assert summary.pairs[0].decided_labels is not None
    assert summary.pairs[0].decided_labels.value == 3.0  # labels 0, 3, 6
    assert summary.pairs[1].decided_labels is not None
    assert summary.pairs[1].decided_labels.value == 4.0  # 1 and 7; the middle run is undecided
    assert {name: end.value for name, end in summary.ended.items()} == {
        "decided": pytest.approx(2 / 3),
        "items": pytest.approx(1 / 3),
    }
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
