"""Pictures of ratings: lines and points that are there, and where there is nothing to draw."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.estimation.test_estimate import world
from tests.small_studies import rating, study_of, vote

from tiebreak.data.writers import write_study
from tiebreak.errors import InputError, UsageError
from tiebreak.estimation.efficiency import system_widths
from tiebreak.places.pictures import draw_estimates
from tiebreak.results.settings import CompareSettings, EstimateSettings


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_study(world(np.random.default_rng(1), items=200, rated=60), tmp_path / "study")
    return tmp_path / "study"


def test_widths_fall_with_the_number_of_ratings_and_with_a_metric(folder: Path) -> None:
    figure = draw_estimates("widths", folder, CompareSettings(metrics=("bleu",)))
    lines = {str(line.get_label()): np.asarray(line.get_ydata()) for line in figure.axes[0].get_lines()}
    assert list(lines) == [
        "ratings alone", "with bleu", "with bleu, if people had no noise", "with the other people as metric",
        "with all people as metric (as in the paper)",
    ]  # fmt: skip
    assert all((np.diff(line) < 0).all() for line in lines.values())
    assert (lines["with bleu"] < lines["ratings alone"]).all()
    alone = draw_estimates("widths", folder, CompareSettings())
    assert len(alone.axes[0].get_lines()) == 3


def test_widths_of_systems_are_those_of_the_kernel() -> None:
    study = world(np.random.default_rng(2), items=100, rated=30)
    found = system_widths(study, "overall", EstimateSettings(metrics=("bleu",)), resamples=200)
    assert [(of.system, of.metric) for of in found] == [("ant", "bleu"), ("bee", "bleu")]
    assert found[0].curves.sizes == (10, 14, 20, 28, 40, 56)
    with pytest.raises(UsageError, match="one metric, not 2"):
        system_widths(study, "overall", EstimateSettings(metrics=("bleu", "ter")))


def test_metrics_are_points_among_the_contours(folder: Path) -> None:
    figure = draw_estimates("efficiency", folder, CompareSettings())
    axes = figure.axes[0]
    (points,) = axes.get_lines()
    (correlation,) = np.asarray(points.get_xdata())
    assert 0.6 < correlation <= 1
    assert [text.get_text() for text in axes.texts if text.get_text() == "bleu"] == ["bleu"]


def test_what_cannot_be_drawn_is_refused(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"takes the options of estimate, and --margin 0.1 has others"):
        draw_estimates("widths", folder, CompareSettings(margin=0.1))
    rows = [rating(f"i{k}", "ant", "ann", k % 5 + 1.0, criterion) for k in range(9) for criterion in ("a", "b")]
    write_study(study_of(ratings=rows), tmp_path / "two")
    with pytest.raises(UsageError, match=r"one criterion: name it with --criterion .a, b."):
        draw_estimates("widths", tmp_path / "two", CompareSettings())
    with pytest.raises(UsageError, match="no output was rated by two people"):
        draw_estimates("efficiency", tmp_path / "two", CompareSettings())
    equal = [rating(f"i{k}", "ant", who, 3.0) for k in range(9) for who in ("ann", "bo")]
    write_study(study_of(ratings=equal), tmp_path / "equal")
    with pytest.raises(UsageError, match="there is no metric to draw: all ratings are equal"):
        draw_estimates("efficiency", tmp_path / "equal", CompareSettings())
    with pytest.raises(UsageError, match="all ratings of a system are equal"):
        draw_estimates("widths", tmp_path / "equal", CompareSettings())
    write_study(study_of([vote("i", "ant", "bee", "ann", "a")]), tmp_path / "votes")
    with pytest.raises(InputError, match="nothing to estimate"):
        draw_estimates("efficiency", tmp_path / "votes", CompareSettings())
