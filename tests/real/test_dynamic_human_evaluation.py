"""Tables 6 and 7 of dynamic-human-evaluation on its own labels, against independent recomputations of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from benchmarks.papers.dynamic_human.runs import LAST_CROSSING, verdicts_by
from numpy.typing import NDArray

from tiebreak.data.readers import read_study
from tiebreak.simulate.engines.engine import CampaignRuns
from tiebreak.simulate.engines.policies import SimulatedLabelling, item_values
from tiebreak.simulate.replay import Votes, votes_of

LEVELS = (0.01, 0.001, 0.0001)
RIVALS = {"naturalness-v1": "V1", "naturalness-v2": "V2"}
ITERATIONS = 400


@pytest.fixture(scope="module")
def votes(real_studies: Path) -> dict[str, Votes]:
    return {name: votes_of(read_study(real_studies / name), "CGA", rival) for name, rival in RIVALS.items()}


def runs_by(labels: NDArray[np.int8], policy: SimulatedLabelling, rule: str, level: float) -> CampaignRuns:
    valued = item_values(labels, policy)
    verdict, items = verdicts_by(valued.values, (rule, level))
    return CampaignRuns(verdict, items, valued.labels_up_to(items))


@pytest.mark.parametrize(
    ("study", "policy", "rule", "averages"),
    [
        ("naturalness-v1", "majority-7", LAST_CROSSING, (70, 98, 133)),
        ("naturalness-v1", "majority-5", LAST_CROSSING, (50, 70, 95)),
        ("naturalness-v1", "max-three", LAST_CROSSING, (20, 29, 41)),  # two labels for an agreement
        ("naturalness-v1", "one", LAST_CROSSING, (11, 19, 28)),
        ("naturalness-v2", "majority-7", LAST_CROSSING, (497, 813, 1196)),
        ("naturalness-v2", "majority-5", LAST_CROSSING, (406, 694, 1020)),
        ("naturalness-v2", "one", LAST_CROSSING, (256, 329, 389)),
        ("naturalness-v2", "one", "hoeffding", (122, 233, 301)),
    ],
)
def test_table_6(votes: dict[str, Votes], study: str, policy: str, rule: str, averages: tuple[int, ...]) -> None:
    chosen = SimulatedLabelling.parse(policy)
    labels = votes[study].draw(ITERATIONS, chosen.people, np.random.default_rng([1, chosen.people]))
    for level, expected in zip(LEVELS, averages, strict=True):
        runs = runs_by(labels, chosen, rule, level)
        needed = runs.labels[runs.decided]
        error = needed.std(ddof=1) / np.sqrt(needed.size)
        assert needed.mean() == pytest.approx(expected, abs=4.5 * error + 1)
        assert (runs.verdict[runs.decided] == 1).mean() > 0.98


def test_table_7(votes: dict[str, Votes]) -> None:
    labels = votes["naturalness-v2"].draw(ITERATIONS, 1, np.random.default_rng(2))
    for level, expected in zip(LEVELS, (0.97, 0.82, 0.59), strict=True):
        runs = runs_by(labels, SimulatedLabelling("one"), LAST_CROSSING, level)
        error = np.sqrt(expected * (1 - expected) / ITERATIONS)
        assert runs.decided.mean() == pytest.approx(expected, abs=4 * error + 0.005)


def test_votes_are_complete_and_in_the_order_of_numbers(votes: dict[str, Votes]) -> None:
    for name, first in (("naturalness-v1", 0), ("naturalness-v2", 1500)):
        found = votes[name]
        assert (found.counts == 10).all()
        assert found.items == tuple(str(first + number) for number in range(500))
        assert set(np.unique(found.outcomes)) == {-1, 1}
