"""Figures for papers: on given axes or their own, the same bytes every time, no global state."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from tests.report.conftest import Compared, study_of

from tiebreak import plots
from tiebreak.comparison.compare import compare
from tiebreak.data.study import Study
from tiebreak.errors import UsageError
from tiebreak.report.document import render
from tiebreak.report.figures.curves import PowerLine, power_curve
from tiebreak.report.kinds import KINDS, draw
from tiebreak.results.records import CompareResult, MetricUse


def figure_of(kind: str, result: CompareResult) -> Figure:
    pair = result.results[0].pairs[0]
    return draw(kind, result, (pair.system_b, pair.system_a) if kind == "evidence" else None)


@pytest.fixture(scope="module")
def with_metric(four: Compared) -> Compared:
    """The same result with a metric that agrees on 5 of 9 items of every pair."""
    study, result = four
    use = MetricUse(("bleu",), ((2, 1, 0), (0, 1, 1), (1, 1, 2)), 5 / 9, 3)
    found = result.results[0]
    pairs = tuple(replace(pair, metric=use) for pair in found.pairs)
    return study, replace(result, results=(replace(found, pairs=pairs),))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("ending", ["svg", "png", "pdf"])
def test_every_kind_is_written_the_same_twice(kind: str, ending: str, with_metric: Compared, tmp_path: Path) -> None:
    for name in ("one", "two"):
        plots.save(figure_of(kind, with_metric[1]), tmp_path / f"{name}.{ending}")
    content = (tmp_path / f"one.{ending}").read_bytes()
    assert content == (tmp_path / f"two.{ending}").read_bytes()
    assert content.startswith({"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}[ending])
    assert len(list(tmp_path.iterdir())) == 2


def test_given_axes_are_drawn_on(four: Compared) -> None:
    _study, result = four
    figure = Figure()
    left, right = figure.subplots(1, 2)
    assert plots.intervals(result, axes=left) is figure
    assert plots.evidence(result.results[0].pairs[0].curve, axes=right) is figure
    assert len(right.lines) >= 3
    assert len(figure.axes) == 2


def test_intervals_are_those_of_the_result(four: Compared) -> None:
    _, result = four
    (axes,) = plots.intervals(result).axes
    drawn = segments(axes)
    gaps = [pair.winner_first().difference for pair in result.results[0].pairs]
    assert drawn == {(round(gap.low, 9), round(gap.high, 9)) for gap in gaps}


def segments(axes: Axes) -> set[tuple[float, float]]:
    return {
        (round(float(line[0, 0]), 9), round(float(line[1, 0]), 9))
        for collection in axes.collections
        if isinstance(collection, LineCollection)
        for line in collection.get_segments()
    }


def test_systems_show_the_win_rates_and_letters_of_the_result(four: Compared) -> None:
    result = compare(four[0])
    (found,) = result.results
    (axes,) = plots.systems(result).axes
    assert segments(axes) == {(round(rate.low or 0, 9), round(rate.high or 0, 9)) for rate in found.win_rates}
    ranked = sorted(found.win_rates, key=lambda rate: -(rate.estimate or 0))
    assert [label.get_text() for label in axes.get_yticklabels()] == [rate.system for rate in ranked]
    letters = found.order.letters([rate.system for rate in ranked])
    assert [text.get_text() for text in axes.texts] == [*letters.values()]


def test_several_criteria_are_one_family_in_the_picture_too(four: Compared) -> None:
    study, alone = four
    frames = [study.preferences.with_columns(criterion=pl.lit(name)) for name in ("style", "$fact$")]
    result = compare(Study.from_tables(preferences=pl.concat(frames), name="both"))
    figure = draw("intervals", result)
    assert [axes.get_title() for axes in figure.axes] == ["$fact$", "style"]
    for axes, found in zip(figure.axes, result.results, strict=True):
        gaps = [pair.winner_first().difference for pair in found.pairs]
        assert segments(axes) == {(round(gap.low, 9), round(gap.high, 9)) for gap in gaps}
    assert segments(figure.axes[0]) != segments(draw("intervals", alone).axes[0])  # of half as many tests
    assert [axes.get_title() for axes in draw("systems", result).axes] == ["$fact$", "style"]
    with pytest.raises(UsageError, match="name it with --criterion"):
        draw("evidence", result)


def test_preferences_add_up_to_a_hundred(four: Compared) -> None:
    (axes,) = plots.preferences(four[1]).axes
    widths = np.array([[bar.get_width() for bar in bars] for bars in axes.containers])
    assert widths.shape == (3, 4)
    assert widths.sum(axis=0) == pytest.approx(100)


def test_the_way_to_a_verdict_ends_where_it_was_reached(four: Compared) -> None:
    (axes,) = plots.learning(four[1]).axes
    lines = {line.get_label(): np.asarray(line.get_xydata()) for line in axes.lines}
    decided = [pair for pair in four[1].results[0].pairs if pair.stopped_at is not None]
    assert decided
    for pair in decided:
        points = lines[f"{pair.system_a}, {pair.system_b}"]
        before = points[points[:, 0] < pair.stopped_at]
        assert before[:, 1].max() < 1
        assert points[points[:, 0] >= pair.stopped_at][0, 1] >= 1
    with pytest.raises(UsageError, match="no evidence that grows with labels"):
        plots.learning(compare(four[0], rule="fixed"))


def test_annotators_have_their_labels(four: Compared) -> None:
    _study, result = four
    (axes,) = plots.annotators(result).axes
    assert sorted(bar.get_width() for bar in axes.containers[0]) == [300] * 5  # 6 pairs x 250 items / 5 people


def test_the_metric_table_is_summed_over_pairs(with_metric: Compared) -> None:
    (axes,) = plots.metric(with_metric[1]).axes
    assert [text.get_text() for text in axes.texts] == ["12", "6", "0", "0", "6", "6", "6", "6", "12"]


def test_a_dollar_in_a_name_is_no_mathematics(hostile: Compared, tmp_path: Path) -> None:
    for kind in ("matrix", "intervals", "preferences", "evidence", "learning"):
        plots.save(figure_of(kind, hostile[1]), tmp_path / f"{kind}.svg")
    labels = [text.get_text() for text in plots.matrix(hostile[1]).axes[0].get_yticklabels()]
    assert '"quoted" & $x^2$' in labels


def test_pyplot_is_not_used(four: Compared) -> None:
    plots.matrix(four[1])
    assert "matplotlib.pyplot" not in sys.modules


def test_long_names_stay_different_in_every_picture() -> None:
    names = [f"organisation/some-large-language-model-7b-v{k:02d}-instruct-chat-tuned-on-data" for k in range(20)]
    result = compare(study_of(names, 40, [(20 - k) / 2 for k in range(20)]))
    for figure in (plots.matrix(result), plots.preferences(result)):
        labels = [text.get_text() for text in figure.axes[0].get_yticklabels()]
        assert len(set(labels)) == 20
    rows = [text.get_text() for text in plots.intervals(result).axes[0].get_yticklabels()]
    assert len(set(rows)) == 190
    text = render(result)
    headers = re.findall(r'<th scope="row"><span title="(.*?)">(.*?)</span>', text)
    assert len(dict(headers)) == len({short for _, short in headers}) == 20


def test_wrong_uses_say_what_to_do(four: Compared) -> None:
    study, result = four
    cases = {
        ("matrx", None): "did you mean matrix",
        ("metric", None): "no metric or judge was used",
        ("evidence", None): "6 pairs; name the one to draw with --pair",
        ("evidence", ("oak", "elmm")): "no system 'elmm': did you mean elm",
        ("evidence", ("oak", "oak")): "no pair oak, oak was compared",
        ("matrix", ("oak", "elm")): "--pair is for evidence",
    }
    for (kind, pair), message in cases.items():
        with pytest.raises(UsageError, match=message):
            draw(kind, result, pair)
    with pytest.raises(UsageError, match="use --rule anytime"):
        draw("evidence", compare(study), ("oak", "elm"))
    with pytest.raises(UsageError, match="no criterion 'style'"):
        plots.matrix(result, "style")


def test_a_judge_that_judged_nothing_that_people_labelled_is_drawn_as_unvalidated(with_metric: Compared) -> None:
    _study, result = with_metric
    assert plots.metric(result).axes[0].get_title() == ""
    found = result.results[0]
    alone = MetricUse(("bleu",), ((0, 0, 0),) * 3, None, 3)
    pairs = tuple(replace(pair, metric=alone) for pair in found.pairs)
    assert plots.metric(replace(result, results=(replace(found, pairs=pairs),))).axes[0].get_title()


def test_every_difference_has_its_line_and_the_budget_its_own() -> None:
    lines = [PowerLine(0.1, (100, 200, 500), (0.1, 0.3, 0.9)), PowerLine(0.2, (100, 200, 500), (0.5, 0.8, 1.0))]
    axes = power_curve(lines, budget=250).axes[0]
    drawn = {str(line.get_label()): line for line in axes.get_lines()}
    assert list(drawn["difference 0.1"].get_ydata()) == [0.1, 0.3, 0.9]
    assert list(drawn["difference 0.2"].get_xdata()) == [100, 200, 500]
    assert next(iter(drawn["budget 250"].get_xdata())) == 250
    assert axes.get_xscale() == "log"
    assert len(power_curve([], budget=None).axes[0].get_lines()) == 1
