"""What one look would usually find: the decisions are those of the tests, and 80% of studies find the difference."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom, multinomial

from tiebreak.kernels.paired_outcomes import paired_outcomes, wins_needed
from tiebreak.kernels.unit_means import cluster_means, panel_means
from tiebreak.kernels.usual_difference import (
    rejected,
    usual_difference_of_clusters,
    usual_difference_of_items,
    usual_difference_of_outcomes,
    usual_difference_without_losses,
)

LEVELS = (0.025, 0.05 / 90)
Array = np.ndarray


def panels(rng: np.random.Generator, studies: int, items: int, ties: float, difference: float) -> Array:
    """Means of three labels each (studies, items), as counts (studies, 7) of -1, -2/3, ... 1."""
    shares = [(1 - ties - difference) / 2, ties, (1 - ties + difference) / 2]
    means = rng.choice([-1, 0, 1], p=shares, size=(studies, items, 3)).sum(axis=2)
    return np.stack([(means == value).sum(axis=1) for value in range(-3, 4)], axis=1)


KINDS = np.arange(-3, 4) / 3


def clusters(
    rng: np.random.Generator, count: int, sizes: tuple[int, int], alike: float, difference: float
) -> tuple[Array, Array]:
    """Sums and sizes (count,) of wins less losses; `alike`: the correlation within a cluster."""
    size = rng.integers(sizes[0], sizes[1], count, endpoint=True)
    chance = np.full(count, (1 + difference) / 2)
    if alike:
        weight = (1 - alike) / alike
        chance = rng.beta(weight * (1 + difference) / 2, weight * (1 - difference) / 2, count)
    return 2.0 * rng.binomial(size, chance) - size, size.astype(float)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    ("items", "ties", "difference"), [(8, 0.1, 0.8), (22, 0.2, 0.4), (30, 0.6, 0.25), (60, 0.2, 0.2), (200, 0.2, 0.1)]
)
def test_the_same_decisions_as_the_test_of_means(items: int, ties: float, difference: float, level: float) -> None:
    counts = panels(np.random.default_rng(items), 60, items, ties, difference)
    found = rejected(KINDS, np.ones(7), counts, level)
    tests = [panel_means(np.repeat(KINDS, count), np.full(items, 3)).p_a <= level for count in counts]
    assert found.tolist() == tests


@pytest.mark.parametrize("level", [0.025, 0.005])
@pytest.mark.parametrize(("count", "sizes"), [(8, (10, 10)), (20, (2, 20)), (60, (2, 20))])
def test_the_same_decisions_as_the_test_of_clusters(count: int, sizes: tuple[int, int], level: float) -> None:
    rng = np.random.default_rng(count)
    for _ in range(40):
        sums, size = clusters(rng, count, sizes, 0.3, 2 / np.sqrt(count))
        found = rejected(sums, size, np.ones((1, count), dtype=np.int64), level)
        assert found[0] == (cluster_means(sums, size, 1).p_a <= level)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("untied", [1.0, 0.7, 0.4])
@pytest.mark.parametrize("items", [8, 20, 50])
def test_outcomes_are_found_in_80_percent_exactly(items: int, untied: float, level: float) -> None:
    difference = usual_difference_of_outcomes(wins_needed(items, level), untied)
    wins, losses = (grid.ravel() for grid in np.meshgrid(np.arange(items + 1), np.arange(items + 1)))
    wins, losses = wins[wins + losses <= items], losses[wins + losses <= items]
    counts = np.column_stack([wins, items - wins - losses, losses])
    decided = paired_outcomes(*counts.T.astype(float)).p_a <= level

    def power(size: float) -> float:
        shares = [(untied + size) / 2, 1 - untied, (untied - size) / 2]
        return float(multinomial.pmf(counts, items, shares)[decided].sum())

    if difference is None:
        assert power(untied) < 0.8
    else:
        assert power(difference) == pytest.approx(0.8, abs=0.01)


def test_nothing_is_found_where_nothing_could_be() -> None:
    rng = np.random.default_rng(1)
    assert usual_difference_of_items(np.zeros(30), 0.025, rng) is None
    assert usual_difference_of_items(np.array([1.0, -1.0] * 2), 0.025, rng) is None  # six must agree
    assert usual_difference_of_items(np.array([1.0, -1.0] * 3), 0.025, rng) is not None
    assert usual_difference_of_clusters(np.array([4.0, -4.0] * 2), np.full(4, 4.0), 1.0, 0.025, rng) is None
    assert usual_difference_of_outcomes(wins_needed(5, 0.025), 1.0) is None


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("items", "ties"), [(8, 0.0), (22, 0.0), (22, 0.3), (30, 0.6), (60, 0.3), (200, 0.3)])
def test_means_are_found_usually(items: int, ties: float, level: float) -> None:
    """A study says which difference would usually be found; others, with that difference, find it in 70 to 95%."""
    rng = np.random.default_rng(items + int(100 * ties))
    powers = []
    for counts in panels(rng, 6, items, ties, 0.0):
        difference = usual_difference_of_items(np.repeat(KINDS, counts), level, rng)
        if difference is not None and difference <= 1 - ties:
            others = panels(rng, 1_000, items, ties, difference)
            powers.append(rejected(KINDS, np.ones(7), others, level).mean())
    assert not powers or 0.7 <= np.mean(powers) <= 0.95
    assert bool(powers) == (items > 8 or level == LEVELS[0])


@pytest.mark.parametrize("alike", [0.0, 0.3])
@pytest.mark.parametrize("sizes", [(10, 10), (2, 20)])
@pytest.mark.parametrize("count", [8, 20, 60])
def test_differences_of_clusters_are_found_usually(count: int, sizes: tuple[int, int], alike: float) -> None:
    rng = np.random.default_rng(count)
    powers = []
    for _ in range(8):
        sums, size = clusters(rng, count, sizes, alike, 0.0)
        difference = usual_difference_of_clusters(sums, size, 1.0, 0.025, rng)
        if difference is not None and difference < 1:
            others = [clusters(rng, count, sizes, alike, difference) for _ in range(300)]
            one = np.ones((1, count), dtype=np.int64)
            powers.append(np.mean([rejected(*other, one, 0.025)[0] for other in others]))
    assert 0.7 <= np.mean(powers) <= 0.95


@pytest.mark.parametrize(("items", "level"), [(8, 0.025), (30, 0.025), (60, 0.025), (60, 0.05 / 90)])
def test_what_is_found_without_losses_is_found_in_80_percent(items: int, level: float) -> None:
    found = usual_difference_without_losses(wins_needed(items, level))
    assert found is not None
    wins = np.arange(items + 1)
    decided = paired_outcomes(wins, items - wins, 0).p_a <= level
    assert binom.pmf(wins, items, found)[decided].sum() == pytest.approx(0.8, abs=0.01)
    assert usual_difference_without_losses(wins_needed(5, 0.025)) is None
