"""The vectorised rules against plain loops over the kernels that decide real studies, run by run and item by item."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from benchmarks.worlds.simulation import simulated_rule
from numpy.typing import NDArray
from tests.planned_evidence import scan_of

from tiebreak.errors import UsageError
from tiebreak.kernels.reproduced import hoeffding_crossings
from tiebreak.records import Verdict
from tiebreak.rules.finished import FinishedSet, FinishedSets
from tiebreak.rules.finished_family import decide_finished
from tiebreak.rules.rule import EQUIVALENT, VERDICTS
from tiebreak.simulate.engines.stops import SimulatedRule, stops

RUNS, ITEMS = 40, 90
Codes = NDArray[np.int8]


def draw(difference: float, ties: float, runs: int = RUNS, items: int = ITEMS, seed: int = 1) -> Codes:
    win = (1 - ties + difference) / 2
    return np.random.default_rng(seed).choice(
        np.array([1, 0, -1], dtype=np.int8), size=(runs, items), p=[win, ties, 1 - ties - win]
    )


SAMPLES = [draw(0.5, 0.0), draw(0.3, 0.4, seed=2), draw(-0.5, 0.2, seed=3), draw(0.0, 0.3, seed=4)]


CODES = {verdict: code for code, verdict in VERDICTS.items()}


def anytime_by_scan(run: Codes, rule: SimulatedRule) -> tuple[int, int]:
    """What `compare` finds in the same labels in the same order."""
    decision = rule.decision
    found = scan_of(run, alpha=decision.alpha, pairs=1, planned=rule.items, pool=rule.pool, margin=decision.margin)
    reached = found.largest >= math.log(2 / decision.alpha)
    if not reached.any():
        return 0, run.size
    first = int(reached.any(axis=1).argmax())
    return (1, -1, EQUIVALENT)[int(reached[first].argmax())], first + 1


@pytest.mark.parametrize(
    "rule",
    [
        simulated_rule("anytime", ITEMS, 0.1),
        simulated_rule("anytime", ITEMS, 0.05 / 3),
        simulated_rule("anytime", ITEMS, 0.1, margin=0.35),
        simulated_rule("anytime", ITEMS, 0.1, pool=100),
        simulated_rule("anytime", ITEMS, 0.2, margin=0.2, pool=ITEMS),
    ],
)
def test_anytime_is_the_process_of_compare_at_every_item(rule: SimulatedRule) -> None:
    seen = set()
    for sample in SAMPLES:
        found = stops(sample[:5], rule)
        expected = [anytime_by_scan(run, rule) for run in sample[:5]]
        assert list(zip(found.verdict.tolist(), found.items.tolist(), strict=True)) == expected
        seen |= {verdict for verdict, _ in expected}
    assert {1, -1} <= seen
    assert rule.decision.margin is None or EQUIVALENT in seen


def test_equivalence_is_found_across_blocks_of_items() -> None:
    sample = draw(0.0, 0.5, runs=4, items=400, seed=9)
    rule = simulated_rule("anytime", 400, 0.2, margin=0.2)
    found = stops(sample, rule)
    assert (found.verdict == EQUIVALENT).any()
    assert found.items.max() > 130
    for run, verdict, items in zip(sample, found.verdict, found.items, strict=True):
        assert anytime_by_scan(run, rule) == (verdict, items)


@pytest.mark.parametrize("d", [0.2, 0.01])
def test_hoeffding_is_the_first_crossing(d: float) -> None:
    for sample in SAMPLES:
        found = stops(sample, simulated_rule("hoeffding", ITEMS, d))
        direction, items = hoeffding_crossings((sample + 1) / 2, d)
        assert (found.verdict == direction).all()
        assert (found.items == items).all()


@pytest.mark.parametrize("pool", [None, 75, 60])
@pytest.mark.parametrize("margin", [None, 0.3])
def test_a_fixed_number_of_items_is_one_look_of_compare(margin: float | None, pool: int | None) -> None:
    rule = simulated_rule("fixed", 60, 0.025, margin=margin, pool=pool)
    seen = set()

    @cache
    def verdict(wins: int, ties: int, losses: int) -> Verdict:
        values = np.repeat([1.0, 0.0, -1.0], [wins, ties, losses])
        one = FinishedSet(values, np.ones(60, dtype=np.int64), pool_size=pool)
        return decide_finished(FinishedSets([one]), 0.025, "none", margin).verdicts[0]

    for sample in SAMPLES:
        found = stops(sample, rule)
        assert (found.items == 60).all()
        for row, run in enumerate(sample):
            expected = verdict(*(int((run[:60] == code).sum()) for code in (1, 0, -1)))
            assert found.verdict[row] == CODES[expected]
            seen.add(expected)
    assert seen >= {"a", "b"}
    assert ("equivalent" in seen) == (margin is not None)
    short = stops(SAMPLES[0][:, :50], rule)
    assert not short.decided.any()
    assert (short.items == 50).all()


def test_no_items_decide_nothing() -> None:
    found = stops(np.empty((3, 0), dtype=np.int8), simulated_rule("anytime", 10))
    assert found.verdict.tolist() == [0, 0, 0]
    assert found.items.tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"name": "anytime", "items": 0}, "items must be at least 1, but it is 0"),
        ({"name": "anytime", "items": 5, "pairs": 0}, "pairs must be at least 1"),
        ({"name": "dirichlet", "items": 5, "margin": 0.1}, "the rule dirichlet cannot find equivalence"),
        ({"name": "fixed", "items": 11, "pool": 10}, "11 items cannot be drawn from a pool of 10"),
    ],
)
def test_impossible_rules_are_refused(values: dict[str, object], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        simulated_rule(**values)  # type: ignore[arg-type]
