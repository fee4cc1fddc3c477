from __future__ import annotations

import math
import random

import numpy as np
import pytest
from benchmarks.worlds.simulation import simulated_rule

from tiebreak.errors import UsageError
from tiebreak.simulate.engines.engine import PairSetting, run_matrix, simulate_pair
from tiebreak.simulate.engines.parallel import in_chunks
from tiebreak.simulate.engines.policies import SimulatedLabelling
from tiebreak.simulate.people.crowd import Crowd, capable_workers
from tiebreak.simulate.people.workers import difficulties

POLICIES = tuple(SimulatedLabelling.parse(name) for name in ("fixed", "one", "majority-3", "majority-5", "max-three"))


def campaign_by_loop(answers: list[list[int]], policy: str, people: int, d: float) -> tuple[int, int, int]:
    """One campaign in plain Python under the first-crossing rule: verdict, items, labels. Written on its own."""
    total, labels = 0.0, 0
    for number, of_item in enumerate(answers, start=1):
        if policy in ("fixed", "one"):
            value, paid = of_item[0], 1
        elif policy == "majority":
            panel = of_item[:people]
            votes = sorted((panel.count(outcome), outcome) for outcome in (-1, 0, 1))
            value, paid = (0 if votes[2][0] == votes[1][0] else votes[2][1]), people
        elif of_item[0] == of_item[1]:
            value, paid = of_item[0], 2
        else:
            value, paid = (of_item[2] if of_item[2] in of_item[:2] else 0), 3
        total += (value + 1) / 2
        labels += paid
        bound = math.sqrt(-math.log(d) / (2 * number))
        if total / number - bound > 0.5:
            return 1, number, labels
        if total / number + bound < 0.5:
            return -1, number, labels
    return 0, len(answers), labels


@pytest.mark.parametrize("policy", POLICIES, ids=str)
@pytest.mark.parametrize("difference", [0.3, -0.4, 0.0])
def test_the_engine_is_a_loop_over_items(policy: SimulatedLabelling, difference: float) -> None:
    rng = random.Random(5)
    wins = (1 - 0.2 + difference) / 2
    answers = [
        [[rng.choices((1, 0, -1), (wins, 0.2, 0.8 - wins))[0] for _ in range(5)] for _ in range(60)] for _ in range(25)
    ]
    found = run_matrix(np.array(answers, dtype=np.int8), policy, simulated_rule("hoeffding", 60, 0.1))
    expected = [campaign_by_loop(run, policy.name, policy.people, 0.1) for run in answers]
    columns = (found.verdict.tolist(), found.items.tolist(), found.labels.tolist())
    assert list(zip(*columns, strict=True)) == expected
    assert len(set(expected)) > (5 if difference else 1)


def setting(items: int = 400, mean: float = 0.5) -> PairSetting:
    rng = np.random.default_rng(1)
    return PairSetting(Crowd.of(capable_workers(20, 0.8, 1.0, rng)), difficulties(mean, items, rng))


def test_the_same_seed_gives_the_same_runs_with_any_number_of_workers() -> None:
    plans = [(policy, [simulated_rule(name, 5_000, 0.01) for name in ("anytime", "hoeffding")]) for policy in POLICIES]
    alone, three = (simulate_pair(setting(5_000, 0.15), plans, 40, seed=4, workers=workers) for workers in (1, 3))
    other = simulate_pair(setting(5_000, 0.15), plans, 40, seed=5)
    for key, found in alone.items():
        assert (found.verdict == three[key].verdict).all()
        assert (found.labels == three[key].labels).all()
        assert (found.labels != other[key].labels).any()
    assert len(alone) == 10


def test_chunks_add_up_and_do_not_depend_on_workers() -> None:
    def task(size: int, rng: np.random.Generator) -> tuple[int, float]:
        return size, float(rng.random())

    alone = in_chunks(task, 10, 3, chunk=4)
    assert [size for size, _ in alone] == [4, 4, 2]
    assert len({number for _, number in alone}) == 3
    assert in_chunks(task, 10, 3, chunk=4, workers=2) == alone
    with pytest.raises(UsageError, match="workers must be at least 1, but it is 0"):
        in_chunks(task, 10, 3, chunk=4, workers=0)


def test_majorities_need_the_people_in_the_crowd() -> None:
    few = PairSetting(Crowd.of(capable_workers(4, 0.8, 1.0, np.random.default_rng(1))), np.zeros(10))
    plan = [(SimulatedLabelling("majority", 5), [simulated_rule("anytime", 10)])]
    with pytest.raises(UsageError, match="5 different people cannot be asked from a crowd of 4"):
        simulate_pair(few, plan, 2, seed=1)
    repeated = PairSetting(few.crowd, few.difference, frozenset({"majority"}))
    assert len(simulate_pair(repeated, plan, 2, seed=1)[plan[0][0], plan[0][1][0]].labels) == 2
    with pytest.raises(UsageError, match="at least one item"):
        simulate_pair(PairSetting(few.crowd, np.zeros(0)), plan, 2, seed=1)
