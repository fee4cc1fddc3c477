"""`tiebreak plan --half-width`: from assumptions and from a pilot, what it counts together, and where it refuses."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from tests.cli.campaign_commands import ok, refused
from tests.estimation.test_estimate import world
from tests.small_studies import rating, study_of

from tiebreak.data.study import StudySettings
from tiebreak.data.writers import write_study
from tiebreak.kernels.rating_mean import MeanRatings, rating_mean

ASSUMED = "tiebreak plan --half-width 0.2 --sigma-f 1 --sigma-a 0.8 --price 0.1 --number-of-systems 2"


@pytest.fixture
def pilot(work: Path) -> Path:
    """Two people rate 30 outputs of two systems on two criteria, one of which has no scale."""
    rng = np.random.default_rng(3)
    rows = [
        rating(f"i{k}", system, who, float(rng.integers(1, 6)) / 2 + base + k % 2, criterion=criterion)
        for criterion in ("style", "tone")
        for k in range(30)
        for system, base in (("ant", 1.5), ("bee", 2.0))
        for who in ("ann", "bo")
    ]
    settings = StudySettings(scale={"style": (1, 6)}, price_per_label=0.5, currency="EUR")
    write_study(study_of(ratings=rows, settings=settings), work / "pilot")
    return work


def test_the_outputs_of_one_look_have_such_intervals() -> None:
    """The planned number of outputs, rated and analysed at the confidence that is named, 200 times."""
    (plan,) = json.loads(ok(f"{ASSUMED} --rate fluency=1:5 --json"))["plans"]
    count, confidence = plan["people"][0]["one_look"], plan["confidence"]
    assert confidence == pytest.approx(0.975)
    rng = np.random.default_rng(1)
    widths = []
    for _ in range(200):
        values = rng.normal(3, 1, count) + rng.normal(0, 0.8, count)
        found = rating_mean(MeanRatings(values, np.ones(count, dtype=int), np.zeros(count)), (1 - confidence) / 2)
        assert found.low is not None
        assert found.high is not None
        widths.append((found.high - found.low) / 2)
    assert np.median(widths) == pytest.approx(0.2, abs=0.01)


def test_criteria_that_are_asked_together_share_alpha() -> None:
    one = json.loads(ok(f"{ASSUMED} --rate fluency=1:5 --json"))["plans"]
    two = json.loads(ok(f"{ASSUMED} --rate fluency=1:5 --rate style=1:5 --json"))["plans"]
    assert [plan["measures"] for plan in (*one, *two)] == [2, 4, 4]
    assert two[0]["people"][0]["every_look"] > one[0]["people"][0]["every_look"]
    assert two[0]["confidence"] == pytest.approx(1 - 0.05 / 4)


@pytest.mark.usefixtures("pilot")
def test_a_pilot_plans_what_rate_names() -> None:
    output = ok("tiebreak plan pilot --half-width 0.5 --rate style")
    assert "style (1 to 6)" in output
    assert "tone" not in output
    assert "EUR " in output
    assert "all 2 at once" in output
    assert "tone (1 to 6)" in ok("tiebreak plan pilot --half-width 0.5 --rate tone=1:6")


def test_scales_that_are_missing_are_all_named(pilot: Path) -> None:
    refused("tiebreak plan pilot --half-width 0.5", 2)
    (pilot / "pilot" / "study.toml").unlink()
    assert "--rate style=LOW:HIGH --rate tone=LOW:HIGH" in refused("tiebreak plan pilot --half-width 0.5", 2)


def test_a_pilot_without_noise_says_why(work: Path) -> None:
    write_study(world(np.random.default_rng(1), people=1), work / "once")
    refused("tiebreak plan once --half-width 0.5", 2)


@pytest.mark.parametrize("fives", [0.95, 0.8])
def test_one_look_of_ratings_that_are_nearly_all_alike(fives: float) -> None:
    """What a rating could have been is most of such an interval: a t interval alone would promise a third of it."""
    chance = np.array([0, 0, 0, 1 - fives, fives])
    sigma = math.sqrt(fives * (1 - fives))
    words = f"tiebreak plan --rate f=1:5 --half-width 0.15 --sigma-f {sigma:.6f} --sigma-a 0 --json"
    (plan,) = json.loads(ok(words))["plans"]
    count, level = plan["people"][0]["one_look"], (1 - plan["confidence"]) / 2
    rng, widths = np.random.default_rng(7), []
    for _ in range(60):
        values = rng.choice(np.arange(1.0, 6.0), count, p=chance)
        found = rating_mean(MeanRatings(values, np.ones(count, np.intp), np.zeros(count), (1.0, 5.0)), level)
        assert found.low is not None
        assert found.high is not None
        widths.append((found.high - found.low) / 2)
    assert 0.12 < np.median(widths) < 0.18


def test_what_a_scale_does_not_allow_is_refused() -> None:
    refused("tiebreak plan --rate f=1:5 --half-width 0.2 --sigma-f 2 --sigma-a 1", 2)
