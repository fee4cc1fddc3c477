from __future__ import annotations

import numpy as np
import pytest

from tiebreak.errors import UsageError
from tiebreak.planning.population import Population, calibrated
from tiebreak.simulate.engines.policies import SimulatedLabelling, item_values
from tiebreak.simulate.people.crowd import Crowd, draw_labels, draw_people
from tiebreak.simulate.people.workers import Worker


def draw(population: Population, items: int, people: int, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    latent = np.clip(rng.normal(population.mean, population.spread, items), -1, 1)
    capabilities = np.linspace(0.8, 1.0, 50)
    crowd = Crowd.of([Worker(float(c), population.tie_threshold, 0.0, 0.0, 1.0) for c in capabilities])
    return draw_labels(crowd, draw_people(len(crowd), 1, items, people, rng), latent, rng)[0]


@pytest.mark.parametrize(
    ("difference", "ties", "agreement"),
    [(0.1, 0.3, 0.3), (0.1, 0.0, 0.69), (0.0, 0.3, 0.2), (0.3, 0.5, 0.3), (0.5, 0.3, 0.1), (0.02, 0.6, 0.05)],
)
def test_drawn_labels_are_as_asked_for(difference: float, ties: float, agreement: float) -> None:
    population = calibrated(difference, ties, agreement)
    count = 150_000
    labels = draw(population, count, 2)
    assert labels.mean() == pytest.approx(difference, abs=4 / np.sqrt(count))
    assert np.mean(labels == 0) == pytest.approx(ties, abs=0.002 + 4 * 0.5 / np.sqrt(2 * count))
    assert np.corrcoef(labels.T)[0, 1] == pytest.approx(agreement, abs=0.002 + 4 / np.sqrt(count))
    rates = population.rates()
    assert (rates.difference, rates.ties) == pytest.approx(population.overall(), abs=1e-12)


def test_a_population_by_hand() -> None:
    # Every item at d = .5, nobody says tie: P(a) = (1 + .9 * .5)/2 = .725; all items alike, so nothing is agreed on.
    rates = Population(0.5, 0.0, 0.0).rates()
    assert rates.difference == pytest.approx(0.45)
    assert rates.ties == 0.0
    assert rates.agreement == pytest.approx(0.0, abs=1e-12)
    # Items at d = 1 and d = -1 alike: means .9 and -.9, variance of a label 1; two answers correlate by .81.
    extremes = Population(0.0, 1e6, 0.0)
    assert extremes.rates().agreement == pytest.approx(0.81)
    assert extremes.largest_correlation() == pytest.approx(0.9)


@pytest.mark.parametrize("policy", ["one", "max-three", "majority-3", "majority-5"])
def test_rates_of_item_values_are_those_of_drawn_ones(policy: str) -> None:
    chosen = SimulatedLabelling.parse(policy)
    population = calibrated(0.2, 0.3, 0.3)
    count = 150_000
    values = item_values(draw(population, count, chosen.people)[None], chosen).values
    for_a, for_b = population.value_rates(chosen)
    assert np.mean(values == 1) == pytest.approx(for_a, abs=0.0055)
    assert np.mean(values == -1) == pytest.approx(for_b, abs=0.0055)


def test_labels_an_item_takes() -> None:
    population = calibrated(0.2, 0.3, 0.3)
    three = SimulatedLabelling.parse("max-three")
    values = item_values(draw(population, 150_000, 3)[None], three)
    assert population.people_per_item(three) == pytest.approx(values.cost.mean(), abs=0.005)
    assert population.people_per_item(SimulatedLabelling.parse("majority-5")) == 5.0
    assert population.capability_factors().mean() == pytest.approx(1.0)


def test_usual_agreement_or_the_nearest() -> None:
    assert calibrated(0.1, 0.3).rates().agreement == pytest.approx(0.3, abs=0.002)
    # Nine ties in ten leave little to agree on.
    nearest = calibrated(0.0, 0.9).rates()
    assert 0.02 < nearest.agreement < 0.15
    assert nearest.ties == pytest.approx(0.9, abs=0.002)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((0.05, 0.9, 0.5), "correlate by 0.00 to 0.0"),
        ((0.9, 0.3, None), "at most 0.62"),
        ((-0.1, 0.3, None), "from 0 to below 1"),
        ((0.1, 0.3, 1.2), "agreement lies from 0 to below 1, not 1.2"),
    ],
)
def test_what_cannot_be_is_refused(arguments: tuple[float, float, float | None], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        calibrated(*arguments)
