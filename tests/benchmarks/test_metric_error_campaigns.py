"""The campaigns of metric-error-correction's page are those of the step engine, in any order of items."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
from benchmarks.metric_error import document_order
from benchmarks.metric_error.campaigns import (
    Finished,
    Job,
    Prepared,
    ideal_campaign,
    play,
    repeated,
    replay_of,
    run_job,
)
from benchmarks.metric_error.data import Domain, Outcome, domain
from benchmarks.metric_error.designs import all_jobs
from numpy.testing import assert_allclose, assert_array_equal

from tiebreak.data.study import Study
from tiebreak.simulate.engines.step_engine import run_campaign
from tiebreak.simulate.people.answers import Habits

ITEMS, LABELLED = 64, 47  # the last batch of every pair is smaller
QUALITY = {"w": 0.6, "x": 0.0, "y": 0.2, "z": 1.4}


@pytest.fixture(scope="module")
def small() -> Domain:
    """Four systems with ratings from 1 to 5, and a metric that knows half of what people think."""
    rng = np.random.default_rng(5)
    items = [f"{k}" for k in range(1, ITEMS + 1)]
    ratings, scores = [], []
    for system, quality in QUALITY.items():
        felt = quality + rng.normal(size=ITEMS)
        for k, item in enumerate(items):
            scores.append({"item": item, "system": system, "metric": "m", "value": felt[k] + rng.normal()})
            if k < LABELLED:
                value = float(np.clip(np.rint(3 + felt[k]), 1, 5))
                ratings.append({"item": item, "system": system, "annotator": "e", "criterion": "c", "value": value})
    study = Study.from_tables(ratings=ratings, scores=scores, items=[{"item": item} for item in items], name="small")
    return domain("small", study, "c", tuple(QUALITY))


@pytest.mark.parametrize(
    "job",
    [
        Job("small", "posterior"),
        Job("small", "posterior", "m"),
        Job("small", "posterior", order="listed"),
        Job("small", "posterior", batch=15),
        Job("small", "anytime"),
        Job("small", "anytime", multiplicity="holm"),
        Job("small", "anytime", target="items"),
        Job("small", "anytime", "m", target="items", multiplicity="holm"),
    ],
    ids=lambda job: job.key,
)
def test_a_campaign_is_that_of_the_step_engine(small: Domain, job: Job) -> None:
    verdicts = set()
    for repetition in range(3):
        rng = np.random.default_rng(repetition)
        plan, source = replay_of(job, small).plan(rng)
        finished = run_campaign(plan, source, rng, Habits(hand=job.batch))
        played = play(Prepared.of(plan, small))
        pairs = finished.state.tracks
        assert played.verdicts.tolist() == [{"a": 1, "b": -1}.get(of.verdict, 0) for of in finished.state.measures]
        assert played.counts.tolist() == [[pair.wins, pair.ties, pair.losses] for pair in pairs]
        assert played.labels == finished.state.labels
        verdicts |= set(played.verdicts.tolist())
    assert len(verdicts) > 1
    assert run_job(job, small) == run_job(job, small)


def test_documents_are_taken_in_their_order(small: Domain) -> None:
    assert small.labelled == tuple(f"{k}" for k in range(1, LABELLED + 1))  # not 1, 10, 11, ...
    plan, _ = replay_of(Job("small", "posterior", order="listed"), small).plan(np.random.default_rng(0))
    assert [plan.items[k] for k in plan.tracks[0].order[:LABELLED]] == list(small.labelled)


@pytest.mark.parametrize("batch", [10, 15, 47, 60])
def test_many_orders_at_once_are_the_campaign(small: Domain, batch: int) -> None:
    found = run_job(Job("small", "posterior", order="listed", batch=batch), small)
    types, labels = document_order.protocol(small, range(LABELLED), batch)
    assert_allclose(types, [found.correct, found.inversion, found.omission, found.insertion], atol=1e-12)
    assert labels == pytest.approx(found.labels, abs=1e-12)


def test_neighbours_of_one_document_make_the_protocol_stop_early() -> None:
    # Two equal systems; the ten segments of a document share their outcome, so that a batch of ten is one observation.
    # Between two documents one segment is missing.
    rng = np.random.default_rng(2)
    documents = 30
    numbers = [11 * document + k for document in range(documents) for k in range(10)]
    single, together, as_listed = [], [], []
    for _ in range(12):
        outcomes = np.repeat(rng.choice([-1, 0, 1], size=documents), 10)
        rows = [
            {"item": f"{number}", "system": name, "annotator": "e", "criterion": "c", "value": float(value)}
            for number, sign in zip(numbers, outcomes, strict=True)
            for name, value in (("x", sign), ("y", 0))
        ]
        study = Study.from_tables(ratings=rows, items=[{"item": f"{number}"} for number in numbers])
        of = domain("documents", study, "c", ("x", "y"))
        test = document_order.order_test(of, 10, 30, rng)
        assert test.stretches == documents
        single.append(test.segments.labels.mean())
        together.append(test.neighbours.labels.mean())
        as_listed.append(test.labels)
    assert np.mean(together) < 0.2 < 0.3 < np.mean(single)
    assert np.mean(as_listed) < 0.2


def test_the_ideal_metric_is_right_as_often_as_it_should_be(small: Domain) -> None:
    given = ideal_campaign(small, np.random.default_rng(1))
    assert [signs.size for signs in given.signs] == [LABELLED] * len(small.pairs)
    for plan, counts in zip(given.plans, small.counts, strict=True):
        share = counts / counts.sum()
        expected = np.array([[0.8, 0.25, 0.1], [0.1, 0.5, 0.1], [0.1, 0.25, 0.8]]) @ share
        assert_allclose(plan.totals / plan.totals.sum(), expected, atol=0.03)
        assert plan.totals.sum() == 11_000


def test_every_campaign_of_the_page_has_a_seed_of_its_own() -> None:
    jobs = all_jobs(3)
    assert len({job.seed for job in jobs}) == len({job.key for job in jobs}) == len(jobs)
    listed = [job for job in jobs if job.order == "listed"]
    assert {job.repetition for job in listed} == {0}
    assert [job.repetition for job in repeated([Job("d", "posterior")], 3)] == [0, 1, 2]


def test_finished_runs_are_not_done_again(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "runs.jsonl"
    job = Job("relevance", "posterior", None, 2)
    outcome = Outcome(*np.arange(8) / 10, verdicts=">=<")
    Finished(file, "1").keep(job, outcome)
    again = Finished(file, "1")
    assert job in again
    assert asdict(again[job]) == asdict(outcome)
    assert job not in Finished(file, "2")
    assert Job("relevance", "posterior", None, 3) not in again


def test_signs_of_people_and_counts_agree(small: Domain) -> None:
    signs = small.human_signs
    assert_array_equal(np.stack([(signs == sign).sum(axis=0) for sign in (1, 0, -1)], axis=-1), small.counts)
