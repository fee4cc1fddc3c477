"""The vectorised rules against plain loops over the kernels that decide real studies, run by run and item by item."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.planned_evidence import scan_of

from tiebreak.errors import UsageError
from tiebreak.kernels.reproduced import dirichlet_posterior, first_crossing, last_crossing
from tiebreak.records import Verdict
from tiebreak.rules.finished import FinishedSet, FinishedSets
from tiebreak.rules.finished_family import decide_finished
from tiebreak.simulate.engines.stopping import EQUIVALENT, VERDICT_CODES, SimulatedRule, boundary_for, stops

RUNS, ITEMS = 40, 90
Codes = NDArray[np.int8]


def draw(difference: float, ties: float, runs: int = RUNS, items: int = ITEMS, seed: int = 1) -> Codes:
    win = (1 - ties + difference) / 2
    return np.random.default_rng(seed).choice(
        np.array([1, 0, -1], dtype=np.int8), size=(runs, items), p=[win, ties, 1 - ties - win]
    )


SAMPLES = [draw(0.5, 0.0), draw(0.3, 0.4, seed=2), draw(-0.5, 0.2, seed=3), draw(0.0, 0.3, seed=4)]


def anytime_by_scan(run: Codes, rule: SimulatedRule) -> tuple[int, int]:
    """What `compare` finds in the same labels in the same order."""
    found = scan_of(run, alpha=rule.alpha, pairs=rule.family, planned=rule.items, pool=rule.pool, margin=rule.margin)
    reached = found.largest >= rule.log_threshold
    if not reached.any():
        return 0, run.size
    first = int(reached.any(axis=1).argmax())
    return (1, -1, EQUIVALENT)[int(reached[first].argmax())], first + 1


@pytest.mark.parametrize(
    "rule",
    [
        SimulatedRule(alpha=0.1),
        SimulatedRule(alpha=0.05, family=3),
        SimulatedRule(alpha=0.1, margin=0.35),
        SimulatedRule(alpha=0.1, pool=100),
        SimulatedRule(alpha=0.2, margin=0.2, pool=ITEMS),
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
    assert rule.margin is None or EQUIVALENT in seen


def test_equivalence_is_found_across_blocks_of_items() -> None:
    sample = draw(0.0, 0.5, runs=4, items=400, seed=9)
    rule = SimulatedRule(alpha=0.2, margin=0.2)
    found = stops(sample, rule)
    assert (found.verdict == EQUIVALENT).any()
    assert found.items.max() > 130
    for run, verdict, items in zip(sample, found.verdict, found.items, strict=True):
        assert anytime_by_scan(run, rule) == (verdict, items)


@pytest.mark.parametrize("d", [0.2, 0.01])
def test_hoeffding_in_both_readings(d: float) -> None:
    for sample in SAMPLES:
        first, last = (stops(sample, SimulatedRule(name, alpha=d)) for name in ("hoeffding", "hoeffding-retrospective"))
        for row, run in enumerate(sample):
            shares = (run + 1) / 2
            for found, kernel in ((first, first_crossing(shares, d)), (last, last_crossing(shares, d))):
                assert found.verdict[row] == kernel.direction
                assert found.items[row] == (kernel.stopped_at or run.size)


@pytest.mark.parametrize("batch", [4, 10, 40])
def test_posterior_per_batch(batch: int) -> None:
    rule = SimulatedRule("posterior", alpha=0.05, batch=batch)
    for sample in SAMPLES:
        found = stops(sample, rule)
        for row, run in enumerate(sample[:8]):
            expected = (0, run.size)
            looks = [*range(batch, run.size, batch), run.size]  # the last look may be at a part of a batch
            for count in [look for look in looks if look >= 10]:  # fewer labels are too few, as in a campaign
                part = run[:count]
                theta = dirichlet_posterior(int((part > 0).sum()), int((part == 0).sum()), int((part < 0).sum())).theta
                if theta > 0.975 or theta < 0.025:
                    expected = (1 if theta > 0.5 else -1, count)
                    break
            assert (found.verdict[row], found.items[row]) == expected


@pytest.mark.parametrize("pool", [None, 75, 60])
@pytest.mark.parametrize("margin", [None, 0.3])
def test_a_fixed_number_of_items_is_one_look_of_compare(margin: float | None, pool: int | None) -> None:
    """By Bonferroni over a family of two, of which each run is the first pair and nothing is known of the other."""
    rule = SimulatedRule("fixed", alpha=0.05, family=2, items=60, margin=margin, pool=pool)
    seen = set()

    @cache
    def verdict(wins: int, ties: int, losses: int) -> Verdict:
        values = np.repeat([1.0, 0.0, -1.0], [wins, ties, losses])
        one = FinishedSet(values, np.ones(60, dtype=np.int64), pool_size=pool)
        none = FinishedSet(np.empty(0), np.empty(0, dtype=np.int64), pool_size=pool)
        return decide_finished(FinishedSets([one, none]), 0.05, "bonferroni", margin).verdicts[0]

    for sample in SAMPLES:
        found = stops(sample, rule)
        assert (found.items == 60).all()
        for row, run in enumerate(sample):
            expected = verdict(*(int((run[:60] == code).sum()) for code in (1, 0, -1)))
            assert found.verdict[row] == VERDICT_CODES[expected]
            seen.add(expected)
    assert seen >= {"a", "b"}
    assert ("equivalent" in seen) == (margin is not None)
    short = stops(SAMPLES[0][:, :50], rule)
    assert not short.decided.any()
    assert (short.items == 50).all()


def test_swapping_the_systems_swaps_the_verdicts() -> None:
    rules = (
        SimulatedRule(margin=0.3),
        SimulatedRule("hoeffding"),
        SimulatedRule("posterior"),
        SimulatedRule("fixed", items=80),
    )
    for rule in rules:
        for sample in SAMPLES:
            found, swapped = stops(sample, rule), stops(-sample, rule)
            directions = np.where(found.verdict == EQUIVALENT, EQUIVALENT, -found.verdict)
            assert (swapped.verdict == directions).all()
            assert (swapped.items == found.items).all()


def test_a_boundary_serves_shorter_runs_and_refuses_longer_ones() -> None:
    rule = SimulatedRule("hoeffding", alpha=0.1)
    longer = boundary_for(rule, 500)
    for sample in SAMPLES:
        assert (stops(sample, rule, longer).items == stops(sample, rule).items).all()
    with pytest.raises(UsageError, match="a boundary for 50 items cannot decide 90"):
        stops(SAMPLES[0], rule, boundary_for(rule, 50))


def test_no_items_decide_nothing() -> None:
    found = stops(np.empty((3, 0), dtype=np.int8), SimulatedRule())
    assert found.verdict.tolist() == [0, 0, 0]
    assert found.items.tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"name": "anytim"}, "did you mean anytime"),
        ({"alpha": 0.0}, "alpha must lie strictly between 0 and 1, but it is 0"),
        ({"margin": 1.5}, "margin must lie strictly between 0 and 1, but it is 1.5"),
        ({"family": 0}, "family must be at least 1"),
        ({"name": "fixed"}, "needs that number"),
        ({"name": "posterior", "margin": 0.1}, "knows no margin"),
        ({"name": "hoeffding", "pool": 10}, "knows no pool"),
        ({"name": "fixed", "items": 11, "pool": 10}, "11 items cannot be drawn from a pool of 10"),
    ],
)
def test_impossible_rules_are_refused(values: dict[str, object], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        SimulatedRule(**values)  # type: ignore[arg-type]
