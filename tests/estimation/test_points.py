"""Outputs where people and a metric agree, and where they do not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import tiebreak
from tiebreak.data.study import Study, StudySettings
from tiebreak.errors import UsageError
from tiebreak.estimation.estimate import metric_points
from tiebreak.report.figures.labels import ratings
from tiebreak.results.settings import EstimateSettings


def study(human: list[float], metric: list[float | None], systems: int = 1) -> Study:
    """Item k of system s: the (k * systems + s)-th of the values."""
    rows = [
        (f"i{k // systems:02d}", f"s{k % systems}", value, of)
        for k, (value, of) in enumerate(zip(human, metric, strict=True))
    ]
    return Study.from_tables(
        outputs=[{"item": item, "system": system, "text": f"text of {item} {system}"} for item, system, *_ in rows],
        ratings=[
            {"item": item, "system": system, "annotator": "ann", "criterion": "good", "value": value}
            for item, system, value, _ in rows
        ],
        scores=[
            {"item": item, "system": system, "metric": "m", "value": of}
            for item, system, _, of in rows
            if of is not None
        ] or None,
    )  # fmt: skip


def test_counts_and_examples_by_hand() -> None:
    """Medians 2.5 and 30: one or two outputs in each corner, and the one farthest from both medians first."""
    human, metric = [1, 2, 3, 4, 1.5, 3.5], [10, 40, 20, 50, 45, 5]
    (found,) = metric_points(study(human, metric), "good", EstimateSettings())
    assert (found.human_middle, found.metric_middle) == (2.5, 30)
    assert [of.count for of in found.quadrants] == [1, 2, 2, 1]
    shown = {of.words: [one.item for one in of.examples] for of in found.quadrants}
    assert shown["people high, metric high"] == ["i03"]
    assert shown["people high, metric low"] == ["i05", "i02"], "rank 5 and 1, against 4 and 3"
    assert found.quadrants[0].examples[0].text == "text of i03 s0"
    assert found.to_dict()["outputs"] == 6


def test_no_item_is_shown_twice_in_a_quadrant() -> None:
    values = np.random.default_rng(1).normal(size=40)
    (found,) = metric_points(study(values.tolist(), values.tolist(), systems=4), "good", EstimateSettings())
    assert sum(of.count for of in found.quadrants) == 40
    for of in found.quadrants:
        items = [one.item for one in of.examples]
        assert len(items) == len(set(items)) == min(3, len({*items}))
        assert all((one.human > found.human_middle) == of.human_high for one in of.examples)
    assert [of.count for of in found.quadrants] == [20, 0, 0, 20], "a metric that says what people say"


def test_gaps_and_studies_without_scores() -> None:
    (found,) = metric_points(study([1, 2, 3], [1, None, 3]), "good", EstimateSettings())
    assert found.human.tolist() == [1, 3]
    assert metric_points(study([1, 2], [None, None]), "good", EstimateSettings()) == ()
    with pytest.raises(UsageError, match="no metric on good 'other'; the study has m"):
        metric_points(study([1, 2], [1, 2]), "good", EstimateSettings(metrics=("other",)))


def sampled(higher_is_better: bool = True) -> Study:
    """Two samples of one system on 12 items; the metric is what people say, or its opposite, by sample."""
    outputs = [(f"i{k:02d}", sample) for k in range(12) for sample in ("x", "y")]
    values = dict(zip(outputs, np.random.default_rng(3).permutation(24).tolist(), strict=True))
    of = [{"item": item, "system": "ant", "sample": sample} for item, sample in outputs]
    sign = 1 if higher_is_better else -1
    made = Study.from_tables(
        outputs=[one | {"text": f"{one['item']} {one['sample']}"} for one in of],
        ratings=[
            one | {"annotator": who, "criterion": "good", "value": values[one["item"], one["sample"]]}
            for one in of
            for who in ("ann", "bo")
        ],
        scores=[one | {"metric": "m", "value": sign * values[one["item"], one["sample"]]} for one in of],
    )
    return replace(made, settings=StudySettings(higher_is_better={"m": higher_is_better}))


def test_a_sample_is_shown_with_its_own_text_and_score() -> None:
    study = sampled()
    (found,) = metric_points(study, "good", EstimateSettings())
    assert found.human.tolist() == found.value.tolist()
    for quadrant in found.quadrants:
        for one in quadrant.examples:
            assert (one.human, one.text) == (one.metric, f"{one.item} {one.sample}")
            assert one.output == f"ant, sample {one.sample}, on {one.item}"
    (within,) = tiebreak.estimate(study).results[0].correlations
    assert within[1].within.estimate == pytest.approx(1), "the mean over samples goes with it less"


def test_a_metric_of_which_less_is_better_is_shown_as_it_is() -> None:
    (found,) = metric_points(sampled(higher_is_better=False), "good", EstimateSettings())
    assert found.value.tolist() == (-found.human).tolist()
    assert [of.count for of in found.quadrants] == [0, 12, 12, 0]
    assert found.correlations().tolist() == pytest.approx([1])
    assert found.label == "m (lower is better)"
    assert found.to_dict()["lower_is_better"] is True


def test_no_point_is_drawn_across_a_median() -> None:
    rng = np.random.default_rng(5)
    human = rng.integers(1, 6, 200).astype(float)
    (found,) = metric_points(study(human.tolist(), rng.normal(size=200).tolist()), "good", EstimateSettings())
    drawn = np.asarray(ratings(found).axes[0].collections[0].get_offsets())
    assert ((drawn[:, 1] > found.human_middle) == (found.human > found.human_middle)).all()
    assert np.abs(drawn[:, 1] - found.human).max() > 0


def test_names_of_many_systems_cover_nothing() -> None:
    values = np.random.default_rng(1).normal(size=30 * 5)
    (found,) = metric_points(study(values.tolist(), values.tolist(), systems=30), "good", EstimateSettings())
    figure = ratings(replace(found, systems=tuple(f"a system with a name {number}" for number in range(30))))
    figure.draw_without_rendering()
    axes = figure.axes[1]
    boxes = [text.get_window_extent() for text in axes.texts]
    assert 5 < len(boxes) < 30
    assert not any(box.count_overlaps(boxes[:own]) for own, box in enumerate(boxes))
    assert axes.get_title() == f"means of systems ({30 - len(boxes)} names left out: no room)"
    few = ratings(metric_points(study([1, 2, 3, 4], [1, 2, 4, 3], systems=2), "good", EstimateSettings())[0])
    assert [text.get_text() for text in few.axes[1].texts] == ["s0", "s1"]
    assert few.axes[1].get_title() == "means of systems"
