"""Evidence curves must be the evidence of the result: same maxima, same stop, same thresholds."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest

from tiebreak.comparison.compare import compare
from tiebreak.comparison.curves import EvidenceCurve, evidence_curves
from tiebreak.data.study import Study
from tiebreak.errors import UsageError
from tiebreak.results.records import CompareResult


def study_of(items: int = 300, clusters: int = 0, scored: int = 0) -> Study:
    """Three systems of different quality; metric scores on the labelled items and on `scored` more."""
    rng = np.random.default_rng(5)
    quality = {"x": 0.6, "y": 0.0, "z": 0.0}
    preferences = [
        {
            "item": f"i{k}",
            "system_a": a,
            "system_b": b,
            "annotator": "p",
            "outcome": str(np.where(rng.random() < 0.5 + (quality[a] - quality[b]) / 2, "a", "b")),
        }
        for a, b in combinations("xyz", 2)
        for k in range(items)
    ]
    names = [f"i{k}" for k in range(items + scored)]
    rows = [{"item": name, "cluster": f"c{k % clusters}" if clusters else None} for k, name in enumerate(names)]
    scores = [
        {"item": name, "system": s, "metric": "m", "value": quality[s] + rng.normal()} for name in names for s in "xyz"
    ]
    outputs = [{"item": name, "system": s, "text": f"{name} {s}"} for name in names for s in "xyz"]
    return Study.from_tables(
        items=rows,
        preferences=preferences,
        name="s",
        scores=scores if scored else None,
        outputs=outputs if scored else None,
    )


def check_against(result: CompareResult, curves: tuple[EvidenceCurve, ...]) -> None:
    pairs = [pair for found in result.results for pair in found.pairs]
    assert len(curves) == len(pairs)
    for pair, curve in zip(pairs, curves, strict=True):
        assert (curve.system_a, curve.system_b) == (pair.system_a, pair.system_b)
        assert curve.stopped_at == pair.stopped_at
        assert curve.items[0] == curve.labels[0] == 0
        assert curve.items[-1] == pair.items
        assert curve.labels[-1] == pair.labels
        for path, most in ((curve.log_e_a, pair.e_a), (curve.log_e_b, pair.e_b)):
            assert most is not None
            assert min(path[1:].max(), math.log(1e300)) == pytest.approx(math.log(most), abs=1e-9)
        if pair.stopped_at is not None and pair.winner is not None:
            side = curve.log_e_a if pair.verdict == "a" else curve.log_e_b
            at = int(np.searchsorted(curve.items, pair.stopped_at))
            assert curve.items[at] == pair.stopped_at
            assert side[at] >= curve.log_threshold
            assert (side[:at] < curve.log_threshold).all()


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"margin": 0.2},
        {"target": "items"},
        {"multiplicity": "fdr"},
        {"multiplicity": "none"},
        {"baseline": "y"},
        {"systems": ["x", "y"]},
        {"seed": 3},
    ],
)
def test_curves_are_those_of_the_result(options: dict[str, object]) -> None:
    study = study_of()
    result = compare(study, **options)  # type: ignore[arg-type]
    check_against(result, evidence_curves(study, result, points=1000))


def test_clusters_are_counted_in_items() -> None:
    study = study_of(clusters=60)
    result = compare(study)
    assert result.results[0].pairs[0].clusters == 60
    check_against(result, evidence_curves(study, result))


@pytest.mark.parametrize("target", ["inputs", "items"])
def test_metrics_help_the_curve_as_they_help_the_verdict(target: str) -> None:
    study = study_of(items=150, scored=1500)
    result = compare(study, metrics=["m"], target=target)  # type: ignore[arg-type]
    uses = [pair.metric for pair in result.results[0].pairs]
    assert all(use is not None and use.used for use in uses)
    check_against(result, evidence_curves(study, result))


def test_a_margin_adds_evidence_for_equivalence() -> None:
    study = study_of()
    result = compare(study, margin=0.2)
    for curve, pair in zip(evidence_curves(study, result, points=1000), result.results[0].pairs, strict=True):
        assert curve.log_e_equivalent is not None
        assert curve.log_threshold_equivalent == pytest.approx(math.log(3 / 0.05))
        assert (np.diff(curve.log_e_equivalent[1:]) >= 0).all()
        assert pair.e_equivalent is not None
        assert curve.log_e_equivalent[-1] == pytest.approx(math.log(pair.e_equivalent))
    assert evidence_curves(study, compare(study))[0].log_e_equivalent is None


def test_thinned_curves_keep_both_ends_and_the_stop() -> None:
    study = study_of()
    result = compare(study)
    full, thin = evidence_curves(study, result, points=1000), evidence_curves(study, result, points=20)
    for every, few in zip(full, thin, strict=True):
        assert every.items.size == 301
        assert few.items.size <= 20
        assert few.items[-1] == 300
        assert few.stopped_at is None or few.stopped_at in few.items
        assert np.isin(few.items, every.items).all()
        assert few.log_e_a.tolist() == every.log_e_a[few.items].tolist()


def test_other_methods_have_no_curve() -> None:
    study = study_of()
    assert evidence_curves(study, compare(study, rule="fixed")) == ()


def test_bad_input() -> None:
    study = study_of()
    result = compare(study)
    with pytest.raises(ValueError, match="at least 3 points"):
        evidence_curves(study, result, points=2)
    with pytest.raises(UsageError, match="does not hold the labels"):
        evidence_curves(study_of(items=20), result)
