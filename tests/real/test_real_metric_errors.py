"""A small part of docs/metric_error_correction.md, by the script that writes it."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from tests.conftest import REPOSITORY

from tiebreak.data.readers import read_study


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(REPOSITORY / "benchmarks")
    return __import__("metric_error_runs")


def test_metrics_alone_err_as_published(runs: ModuleType, real_studies: Path) -> None:
    # Recomputed independently of this program: ROUGE-L on relevance .52/.09/.27/.12 on 100 items, and on the same
    # counts x 110 .49/.22/.03/.26 (the paper, with 11,000 items: .52/.24/.01/.23); GPT-4o .71/.00/.12/.17.
    study = read_study(real_studies / "summeval").select(annotators=["expert_*"])
    relevance = runs.domain("relevance", study, "relevance", study.systems)
    assert (len(relevance.pairs), relevance.items) == (120, 100)
    for metric, scale, expected in (
        ("rougeL_first_ref", 1, (0.52, 0.09, 0.27, 0.12)),
        ("rougeL_first_ref", 110, (0.49, 0.22, 0.03, 0.26)),
        ("gpt-4o", 1, (0.71, 0.00, 0.12, 0.17)),
    ):
        found = runs.naive(relevance, runs.metric_counts(relevance, metric), scale)
        shares = (found.correct, found.inversion, found.omission, found.insertion)
        assert tuple(round(share, 2) for share in shares) == pytest.approx(expected, abs=0.011)
    assert runs.metric_counts(relevance, "gpt35-0301-rts") is None  # 12 of the 16 systems
    ideal = runs.naive_ideal(relevance)
    assert ideal.inversion == ideal.omission == 0
    assert ideal.kld < 0.03  # the paper: .02


def test_the_papers_protocol_saves_half_of_the_labels(runs: ModuleType, real_studies: Path) -> None:
    # Six of the systems. The paper, all sixteen: .93 to .95 correct, no inversions, .41 to .43 of the labels.
    study = read_study(real_studies / "summeval").select(annotators=["expert_*"])
    small = runs.domain("relevance", study, "relevance", ["M0", "M2", "M5", "M10", "M17", "M22"])
    for metric in (None, "rougeL_first_ref"):
        job = runs.Job("relevance", "posterior", metric, 0)
        found = runs.run_job(job, small)
        assert found.inversion == 0
        assert found.correct > 0.8
        assert 0.35 < found.labels < 0.6
        assert found.kld < 0.1
        assert found == runs.run_job(job, small)


def test_finished_runs_are_not_done_again(runs: ModuleType, tmp_path: Path) -> None:
    file = tmp_path / "deep" / "runs.jsonl"
    job = runs.Job("relevance", "posterior", None, 2)
    outcome = runs.Outcome(*np.arange(8) / 10)
    runs.Finished(file, "1").keep(job, outcome)
    again = runs.Finished(file, "1")
    assert job in again
    assert asdict(again[job]) == asdict(outcome)
    assert job not in runs.Finished(file, "2")
    assert runs.Job("relevance", "posterior", None, 3) not in again
