"""Metrics, judges, raters and items of simulated worlds: what they write is what their world says."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest
from benchmarks.worlds.rating_campaigns import rating_protocol

from tiebreak.campaign import CampaignPlan, Protocol, RatedWithEdit, TaskAssigned, make_plan
from tiebreak.campaign.protocol import ProtocolError
from tiebreak.errors import UsageError
from tiebreak.settings.protocol import DecisionSettings, LabelSettings, RatedCriterion, RatingSettings
from tiebreak.simulate.people.metrics import IDEAL_MIXTURE, Raters, RatingWorld, correlated_scores, mixed_outcomes
from tiebreak.simulate.people.workers import cluster_numbers, difficulties, output_qualities
from tiebreak.simulate.settings import RaterSettings

# ---- items -------------------------------------------------------------------------------------------------------


def test_difficulties_are_the_papers() -> None:
    found = difficulties(0.25, 200_000, np.random.default_rng(1))
    # N(.25, variance .1): P(d > 1) = P(Z > .75 / .3162 = 2.372) = .00885, all of which sits at 1.
    assert np.mean(found == 1.0) == pytest.approx(0.00885, abs=0.001)
    assert np.mean(found) == pytest.approx(0.25, abs=0.004)
    assert found[np.abs(found) < 1].std() == pytest.approx(0.31, abs=0.01)
    with pytest.raises(UsageError, match="variance"):
        difficulties(0.0, 10, np.random.default_rng(1), variance=-1)


def test_many_systems_with_clusters() -> None:
    clusters = cluster_numbers(60_000, 3)
    assert list(cluster_numbers(7, 3)) == [0, 0, 0, 1, 1, 1, 2]
    quality = output_qualities([0.0, 0.5], 0.2, clusters, np.random.default_rng(2), intraclass=0.4)
    assert quality.shape == (60_000, 2)
    assert quality.mean(axis=0) == pytest.approx([0.0, 0.5], abs=0.01)
    assert quality.std(axis=0) == pytest.approx([0.2, 0.2], rel=0.02)
    within = quality[:, 0].reshape(-1, 3)
    assert np.corrcoef(within[:, 0], within[:, 1])[0, 1] == pytest.approx(0.4, abs=0.03)
    assert np.corrcoef(quality.T)[0, 1] == pytest.approx(0.0, abs=0.03)
    for wrong in ({"spread": -1.0}, {"spread": 0.1, "intraclass": 2.0}):
        with pytest.raises(UsageError, match="spread must be"):
            output_qualities([0.0], clusters=clusters, rng=np.random.default_rng(2), **wrong)


def test_mixtures_confuse_as_told() -> None:
    human = np.repeat(np.array([1, 0, -1], dtype=np.int8), 40_000)
    judge = mixed_outcomes(human, IDEAL_MIXTURE, np.random.default_rng(3))
    for column, code in enumerate((1, 0, -1)):
        for row, said in enumerate((1, 0, -1)):
            assert np.mean(judge[human == code] == said) == pytest.approx(IDEAL_MIXTURE[row][column], abs=0.01)
    assert (mixed_outcomes(human, np.eye(3), np.random.default_rng(3)) == human).all()
    with pytest.raises(UsageError, match="columns"):
        mixed_outcomes(human, np.array(IDEAL_MIXTURE).T, np.random.default_rng(3))


def test_scores_correlate_as_told() -> None:
    signal = np.random.default_rng(4).choice([-1.0, 0.0, 1.0], size=(3, 50_000), p=[0.2, 0.3, 0.5])
    for correlation in (-0.3, 0.0, 0.7):
        scores = correlated_scores(signal, correlation, np.random.default_rng(5))
        for row in range(3):
            assert np.corrcoef(scores[row], signal[row])[0, 1] == pytest.approx(correlation, abs=0.02)
        assert scores.std() == pytest.approx(1.0, rel=0.02)
    constant = correlated_scores(np.ones(1000), 0.5, np.random.default_rng(6))
    assert constant.std() == pytest.approx(np.sqrt(0.75), rel=0.1)
    with pytest.raises(UsageError, match=r"\[-1, 1\], not 1.5"):
        correlated_scores(signal, 1.5, np.random.default_rng(6))


# ---- raters ------------------------------------------------------------------------------------------------------

ANY = rating_protocol(criteria=(RatedCriterion("clear", -1000, 1000),), whole=False, half_width=400)


def task_on(plan: CampaignPlan, track: int, item: int) -> TaskAssigned:
    systems = plan.tracks[track].systems
    return TaskAssigned("", "", "", systems, plan.items[item], systems)


def answers(settings: RaterSettings, seed: int = 0) -> np.ndarray:
    """Ratings (items, systems, people) without ends or rounding."""
    world = RatingWorld(settings)
    plan = make_plan(ANY, world.study())
    people = Raters(world, plan, np.random.default_rng(seed))
    found = np.empty((settings.number_of_items, len(settings.means), settings.raters))
    for item, k, person in np.ndindex(found.shape):
        found[item, k, person] = people.answer(person, task_on(plan, k, item)).response.values["clear"]
    return found


def test_variances_are_those_of_the_world() -> None:
    found = answers(RaterSettings((3, 4), sigma_f=2.0, sigma_a=0.5, common=0.25, raters=4, number_of_items=3000))
    np.testing.assert_allclose(found.mean(axis=(0, 2)), [3, 4], atol=0.12)
    assert found.var(axis=2, ddof=1).mean() == pytest.approx(0.25, rel=0.05), "people on one output"
    outputs = found.mean(axis=2)
    assert outputs.var(axis=0).mean() == pytest.approx(4 + 0.25 / 4, rel=0.08), "outputs of one system"
    assert np.cov(outputs.T)[0, 1] == pytest.approx(1.0, rel=0.25), "what systems share on an item"


def test_severity_and_drift() -> None:
    quiet = RaterSettings((3.0,), sigma_f=0, sigma_a=0, raters=50, number_of_items=40)
    severe = answers(replace(quiet, severity=1.0))
    assert severe.std(axis=2).mean() == pytest.approx(1.0, rel=0.25)
    assert severe.std(axis=0).max() == pytest.approx(0, abs=1e-12), "a person stays as severe as they are"
    tired = answers(replace(quiet, drift=-0.01))
    np.testing.assert_allclose(tired[:, 0, 0], 3 - 0.01 * np.arange(40))


def test_true_means_are_those_of_what_is_written() -> None:
    """With ratings of 1 to 5 a worth of 4.6 is a mean of less: nobody can write 6."""
    world = RatingWorld(RaterSettings((3.0, 4.6), sigma_f=1.0, sigma_a=1.0))
    protocol = rating_protocol()
    plan = make_plan(protocol, world.study())
    rng = np.random.default_rng(2)
    people = [Raters(world, plan, np.random.default_rng(seed)) for seed in range(40)]
    seen = [
        [one.answer(0, task_on(plan, k, item)).response.values["clear"] for k in (0, 1)]  # type: ignore[attr-defined]
        for one in people
        for item in rng.integers(500, size=60)
    ]
    np.testing.assert_allclose(np.mean(seen, axis=0), world.true_means(protocol)[:, 0], atol=0.1)
    assert world.true_means(protocol)[1, 0] < 4.4


def test_passages_are_not_simulated() -> None:
    protocol = Protocol(
        labels=LabelSettings(kind="correctness"), decision=DecisionSettings(rule="width"),
        ratings=RatingSettings(half_width=0.3),
    )  # fmt: skip
    assert RatingWorld(RaterSettings((0.2, 0.8))).true_means(protocol).shape == (2, 2)


def test_a_protocol_error_comes_back_from_another_process_as_it_was() -> None:
    with pytest.raises(ProtocolError) as caught:
        rating_protocol(half_width=None, edit_below=3)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.key, len(again.others)) == (str(caught.value), caught.value.key, 1)


def test_a_share_of_words_lies_where_the_first_rating_does() -> None:
    protocol = rating_protocol(labels=LabelSettings(kind="rating+edit"), edit_below=3, edit_half_width=0.1)
    (row,) = RatingWorld(RaterSettings((2.0,), sigma_f=0, sigma_a=0, severity=0)).true_means(protocol)
    assert row.tolist() == [2.0, 0.25]


def test_who_rates_low_edits() -> None:
    protocol = rating_protocol(labels=LabelSettings(kind="rating+edit"), edit_below=3)
    world = RatingWorld(RaterSettings((2.0,), sigma_f=0, sigma_a=0))
    plan = make_plan(protocol, world.study())
    rated = Raters(world, plan, np.random.default_rng(0)).answer(0, task_on(plan, 0, 0)).response
    assert rated == RatedWithEdit({"clear": 2.0}, "edited")
    with pytest.raises(UsageError, match="means are missing"):
        RaterSettings(())
