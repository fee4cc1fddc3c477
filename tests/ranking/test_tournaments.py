from __future__ import annotations

import numpy as np
import pytest

from tiebreak.errors import UsageError
from tiebreak.ranking.tournaments import sample_points, sample_skills

QUALITY = np.array([3.0, 1.0, 2.0])


def test_points_against_references() -> None:
    references = np.array([0.0, 2.0])

    def compare(first: np.ndarray, second: np.ndarray) -> np.ndarray:
        return np.sign(QUALITY[first] - references[second])

    assert sample_points(compare, 3, 2).tolist() == [6, 3, 4]  # 3 + 3, 3 + 0, 3 + 1


def test_every_sample_is_a_player() -> None:
    def compare(first: np.ndarray, second: np.ndarray) -> np.ndarray:
        assert (first != second).all()
        return np.sign(QUALITY[first] - QUALITY[second])

    skills = sample_skills(compare, 3, 300, rng=np.random.default_rng(1))
    assert np.argsort([-one.rating for one in skills]).tolist() == [0, 2, 1]


def test_bad_input_is_refused() -> None:
    with pytest.raises(UsageError, match="a sample and a reference at least"):
        sample_points(lambda first, _: first, 0, 2)
    with pytest.raises(UsageError, match="2 samples and 1 game at least"):
        sample_skills(lambda first, _: first, 1, 9, rng=np.random.default_rng(1))
    with pytest.raises(UsageError, match="as many outcomes of 1, 0 or -1"):
        sample_points(lambda first, _: first[:1], 3, 3)
    with pytest.raises(UsageError, match="as many outcomes of 1, 0 or -1"):
        sample_points(lambda first, _: np.full(first.size, 0.5), 3, 3)
