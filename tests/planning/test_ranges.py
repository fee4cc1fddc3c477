from __future__ import annotations

import numpy as np
import pytest

from tiebreak.planning.campaigns import Range, decided_by, family_costs
from tiebreak.simulate.engines.engine import CampaignRuns


def test_a_range_by_hand() -> None:
    costs = np.arange(1, 11) * 10
    found = Range.of(costs, np.ones(10, dtype=bool))
    assert found == Range(55.0, 20.0, 100.0, 0.0)  # the first values with 10% and 90% of the runs below them
    assert found.scaled(0.5) == Range(27.5, 10.0, 50.0, 0.0)


def test_undecided_campaigns_leave_the_range_open() -> None:
    decided = np.arange(10) < 8
    found = Range.of(np.arange(1, 11) * 10, decided)
    assert found.high is None
    assert found.open == pytest.approx(0.2)
    assert found.scaled(2).high is None
    assert found.to_dict()["high"] is None
    nothing = Range.of(np.full(5, 100), np.zeros(5, dtype=bool))
    assert (nothing.low, nothing.high, nothing.mean) == (100.0, None, 100.0)


def test_a_budget_goes_to_the_pairs_that_are_open() -> None:
    # Pairs that need 10, 20 and 50 labels, asked in turn: the first is decided when 3 * 10 are spent, the second after
    # 10 + 2 * 20 = 50, the third after 10 + 20 + 50 = 80.
    labels, decided = np.array([[50.0, 10.0, 20.0]]), np.ones((1, 3), dtype=bool)
    shares = [float(decided_by(labels, decided, budget)[0]) for budget in (29, 30, 49, 50, 79, 80)]
    assert shares == pytest.approx([0, 1 / 3, 1 / 3, 2 / 3, 2 / 3, 1])


def test_pairs_without_end_take_their_part_of_the_budget() -> None:
    # The second pair is never decided: the first needs 10, by when both have had 10.
    labels, decided = np.array([[10.0, 500.0]]), np.array([[True, False]])
    assert decided_by(labels, decided, 19)[0] == 0.0
    assert decided_by(labels, decided, 20)[0] == 0.5
    assert decided_by(labels, decided, 10**9)[0] == 0.5


def test_families_take_a_run_of_every_pair() -> None:
    def runs(*labels: int) -> CampaignRuns:
        found = np.array(labels)
        return CampaignRuns(np.ones(found.size, dtype=np.int8), found, found)

    rng = np.random.default_rng(1)
    labels, decided = family_costs([runs(1, 2), runs(100)], 2, rng)
    assert set(np.unique(labels[:, 0])) == {1.0, 2.0}
    assert (labels[:, 1] == 100).all()
    assert decided.all()
    assert family_costs([runs(1, 2)], 4, rng)[0].shape[1] == 4
