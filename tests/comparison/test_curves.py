"""Evidence curves must be the evidence of the result: same maxima, same stop, same thresholds."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from tests.small_studies import Row, anytime, vote

from tiebreak.comparison.compare import compare
from tiebreak.data.study import Study
from tiebreak.results.order import EvidenceCurve
from tiebreak.results.records import CompareResult


def study_of(items: int = 190, clusters: int = 0, scored: int = 0, informed: float = 0.0) -> Study:
    """Three systems of different quality; metric scores on the labelled items and on `scored` more.

    `informed`: by how much a preferred system's score is raised; at 0 the metric knows the systems, and no item.
    """
    rng = np.random.default_rng(5)
    quality = {"x": 0.6, "y": 0.0, "z": 0.0}
    names = [f"i{k}" for k in range(items + scored)]
    wins = {(name, system): 0 for name in names for system in "xyz"}
    preferences: list[Row] = []
    for a, b in combinations("xyz", 2):
        for k, name in enumerate(names):
            outcome = "a" if rng.random() < 0.5 + (quality[a] - quality[b]) / 2 else "b"
            wins[name, a if outcome == "a" else b] += 1
            preferences += [vote(name, a, b, "p", outcome)] if k < items else []
    rows = [{"item": name, "cluster": f"c{k % clusters}" if clusters else None} for k, name in enumerate(names)]
    scores = [
        {"item": name, "system": s, "metric": "m", "value": quality[s] + informed * wins[name, s] + rng.normal()}
        for name in names
        for s in "xyz"
    ]
    outputs = [{"item": name, "system": s, "text": f"{name} {s}"} for name in names for s in "xyz"]
    more = {"scores": scores, "outputs": outputs} if scored else {}
    return Study.from_tables(items=rows, preferences=preferences, name="s", **more)  # type: ignore[arg-type]


def curves_of(result: CompareResult) -> list[EvidenceCurve]:
    return [pair.curve for found in result.results for pair in found.pairs]  # type: ignore[misc]


def check(result: CompareResult) -> None:
    pairs = [pair for found in result.results for pair in found.pairs]
    for pair, curve in zip(pairs, curves_of(result), strict=True):
        assert (curve.system_a, curve.system_b) == (pair.system_a, pair.system_b)
        assert curve.stopped_at == pair.stopped_at
        assert curve.items[0] == curve.labels[0] == 0
        assert curve.items[-1] == pair.items
        assert curve.labels[-1] == pair.labels
        for path, most in ((curve.log_e_a, pair.e_a), (curve.log_e_b, pair.e_b)):
            assert min(path[1:].max(), math.log(1e300)) == pytest.approx(math.log(most), abs=1e-9)
        if pair.stopped_at is not None and pair.winner is not None:
            side = curve.log_e_a if pair.verdict == "a" else curve.log_e_b
            at = int(np.searchsorted(curve.items, pair.stopped_at))
            assert curve.items[at] == pair.stopped_at
            assert side[at] >= curve.log_threshold
            assert (side[:at] < curve.log_threshold).all()


OPTIONS = ({"margin": 0.2}, {"target": "items"}, {"multiplicity": "fdr"}, {"multiplicity": "none"}, {"baseline": "y"})


@pytest.mark.parametrize("options", [{}, *OPTIONS, {"systems": ["x", "y"]}, {"seed": 3}])
def test_curves_are_those_of_the_result(options: dict[str, object]) -> None:
    check(anytime(study_of(), **options))


def test_clusters_are_counted_in_items() -> None:
    result = anytime(study_of(clusters=60))
    assert result.results[0].pairs[0].clusters == 60
    check(result)


@pytest.mark.parametrize("target", ["inputs", "items"])
def test_a_metric_that_knows_no_item_leaves_the_curve_as_it_is(target: str) -> None:
    study = study_of(items=150, scored=1500)
    result = anytime(study, metrics=["m"], target=target)
    assert not any(pair.metric.used for pair in result.results[0].pairs)  # type: ignore[union-attr]
    check(result)
    for with_metric, without in zip(curves_of(result), curves_of(anytime(study, target=target)), strict=True):
        assert with_metric.stopped_at == without.stopped_at
        np.testing.assert_array_equal(with_metric.log_e_a, without.log_e_a)
        np.testing.assert_array_equal(with_metric.log_e_b, without.log_e_b)


def test_a_margin_adds_evidence_for_equivalence() -> None:
    study = study_of()
    result = anytime(study, margin=0.2)
    for curve, pair in zip(curves_of(result), result.results[0].pairs, strict=True):
        assert curve.log_threshold_equivalent == pytest.approx(math.log(3 / 0.05))
        assert (np.diff(curve.log_e_equivalent[1:]) >= 0).all()
        assert curve.log_e_equivalent[-1] == pytest.approx(math.log(pair.e_equivalent))
    assert curves_of(anytime(study))[0].log_e_equivalent is None


def test_long_curves_keep_both_ends_and_the_stop() -> None:
    study = study_of(items=300)
    for pair, curve in zip(anytime(study).results[0].pairs, curves_of(anytime(study)), strict=True):
        assert curve.items.size <= 200
        assert curve.items[-1] == pair.items == 300
        assert pair.stopped_at is None or pair.stopped_at in curve.items


def test_other_methods_have_no_curve() -> None:
    assert compare(study_of(items=20)).results[0].pairs[0].curve is None
