"""`estimate`: means and differences by hand, what metrics do, what has no number; odd studies drawn at random."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence

import numpy as np
import polars as pl
import pytest
from tests.small_studies import Row, rating, study_of, vote

import tiebreak
from tiebreak.cli.estimate import show_estimates
from tiebreak.cli.terminal import Terminal
from tiebreak.data.study import Study, StudySettings
from tiebreak.errors import InputError, UsageError
from tiebreak.estimation.efficiency import system_widths
from tiebreak.messages.estimates import paper_sentence
from tiebreak.results.estimates import CriterionEstimates, EstimateResult
from tiebreak.results.settings import EstimateSettings

SCALE = StudySettings(scale={"overall": (1, 5)})


def only(study: Study, **settings: object) -> CriterionEstimates:
    (found,) = tiebreak.estimate(study, **settings).results  # type: ignore[arg-type]
    return found


def world(
    rng: np.random.Generator,
    items: int = 40,
    rated: int = 40,
    people: int = 2,
    noise: float = 0.5,
    systems: Sequence[str] = ("ant", "bee"),
    means: Sequence[float] = (3.4, 3.0),
    **rest: object,
) -> Study:
    """Ratings 1 to 5 of the first `rated` items, and a metric of all."""
    ratings, scores = [], []
    for system, mean in zip(systems, means, strict=True):
        quality = rng.normal(mean, 0.8, items)
        metric = quality + noise * rng.normal(size=items)
        given = np.clip(np.round(quality[:rated, None] + 0.6 * rng.normal(size=(rated, people))), 1, 5)
        scores += [
            {"item": f"i{k}", "system": system, "metric": "bleu", "value": float(value)}
            for k, value in enumerate(metric)
        ]
        ratings += [rating(f"i{k}", system, f"p{person}", float(value)) for (k, person), value in np.ndenumerate(given)]
    outputs = [{"item": f"i{k}", "system": name, "text": f"{name} {k}"} for k in range(items) for name in systems]
    return study_of(ratings=ratings, scores=scores, outputs=outputs, settings=SCALE, **rest)


def test_means_and_differences_by_hand() -> None:
    """ant: items 5, (4 + 2)/2 = 3; bee 2, 3. Cy rated one output only: not in differences."""
    rows = [
        rating("i0", "ant", "ann", 5), rating("i1", "ant", "ann", 4), rating("i1", "ant", "cy", 2),
        rating("i0", "bee", "ann", 2), rating("i1", "bee", "ann", 3),
    ]  # fmt: skip
    found = only(study_of(ratings=rows))
    assert [(one.system, one.mean.estimate, one.items, one.ratings) for one in found.systems] == [
        ("ant", 4.0, 2, 3), ("bee", 2.5, 2, 2),
    ]  # fmt: skip
    (difference,) = found.differences
    assert (difference.mean.estimate, difference.items, difference.ratings) == (2.0, 2, 4)  # (3 + 1)/2
    (anybody,) = only(study_of(ratings=rows), raters="any").differences
    assert (anybody.mean.estimate, anybody.ratings) == (1.5, 5)


def test_an_item_is_the_mean_over_its_samples() -> None:
    rows = [
        rating("i0", "ant", "ann", 5) | {"sample": "1"}, rating("i0", "ant", "bo", 3) | {"sample": "1"},
        rating("i0", "ant", "ann", 1) | {"sample": "2"}, rating("i1", "ant", "ann", 4),
    ]  # fmt: skip
    (one,) = only(study_of(ratings=rows)).systems
    assert (one.mean.estimate, one.items, one.outputs, one.ratings) == (3.25, 2, 3, 4)  # ((4 + 1)/2 + 4)/2


def test_a_metric_shortens_intervals_and_is_forgotten_where_all_is_rated() -> None:
    study = world(np.random.default_rng(1), items=400, rated=80)
    alone, helped = only(study), only(study, metrics=["bleu"])
    for plain, one in zip(alone.systems, helped.systems, strict=True):
        assert plain.help is None
        assert one.mean == plain.mean
        assert one.help.metrics == ("bleu",)
        assert one.help.saved.estimate > 0.2
        width = one.help.mean.high - one.help.mean.low  # type: ignore[operator]
        assert width < 0.9 * (plain.mean.high - plain.mean.low)  # type: ignore[operator]
        assert one.rho == pytest.approx(0.8 / np.hypot(0.8, 0.5), abs=0.12)
    complete = only(world(np.random.default_rng(1)), metrics=["bleu"]).systems[0]
    assert (complete.help.metrics, complete.help.saved.estimate) == ((), None)
    assert complete.help.mean == complete.mean


def test_only_the_metrics_that_were_asked_for_help_but_all_are_judged() -> None:
    study = world(np.random.default_rng(2), items=200, rated=50)
    found = only(study)
    assert [one.metric for one in found.efficiencies] == ["bleu"]
    assert found.efficiencies[0].efficiency.population.estimate > 1.2
    assert dict(found.correlations)["bleu"].within.estimate == pytest.approx(0.7, abs=0.15)
    assert all(one.help is None for one in found.systems)
    with pytest.raises(UsageError, match="metric on overall"):
        only(study, metrics=["blue"])
    with pytest.raises(UsageError, match="name no other beside it"):
        only(study, metrics=["all", "bleu"])


def test_these_items_and_inputs_like_these() -> None:
    study = world(np.random.default_rng(3), items=60, rated=60, people=1)
    inputs, items = only(study), only(study, target="items")
    assert inputs.systems[0].mean.low < inputs.systems[0].mean.estimate  # type: ignore[operator]
    exact = items.systems[0].mean
    assert (exact.low, exact.high) == pytest.approx((exact.estimate, exact.estimate))  # about these ratings: exact
    assert exact.low <= exact.estimate <= exact.high  # type: ignore[operator]


def test_names_rows_and_order_of_systems_change_nothing() -> None:
    study = world(np.random.default_rng(4), items=50, rated=30)
    tables = {name: frame.to_dicts() for name, frame in study.tables.items()}
    other = {"ant": "zoo", "bee": "a"}
    for rows in tables.values():
        rows.reverse()
        for row in rows:
            row["system"] = other[row["system"]]
            row["item"] = f"x{99 - int(row['item'][1:])}"
    renamed = Study.from_tables(**tables, settings=study.settings)  # type: ignore[arg-type]
    before, after = (only(of, metrics=["bleu"]) for of in (study, renamed))
    assert [one.mean for one in before.systems] == [one.mean for one in reversed(after.systems)]
    for one, same in zip(before.systems, reversed(after.systems), strict=True):
        assert same.help.mean.estimate == pytest.approx(one.help.mean.estimate, abs=1e-12)
    first, second = before.differences[0].mean, after.differences[0].mean
    assert (first.estimate, first.low) == pytest.approx((-second.estimate, -second.high))  # type: ignore[operator]


def test_clusters_widen() -> None:
    rng = np.random.default_rng(5)
    ratings = [
        rating(f"i{k}", "ant", "ann", float(level)) for k, level in enumerate(np.repeat(rng.integers(1, 6, 20), 5))
    ]
    items = [{"item": f"i{k}", "cluster": f"d{k // 5}"} for k in range(100)]
    apart, within = only(study_of(ratings=ratings)), only(study_of(ratings=ratings, items=items))
    assert within.systems[0].clusters == 20
    width = [one.systems[0].mean.high - one.systems[0].mean.low for one in (apart, within)]  # type: ignore[operator]
    assert width[1] > 1.8 * width[0]  # five times fewer units: the root of 5


def test_what_is_not_identified_is_none_and_json_has_no_nan() -> None:
    once = only(study_of(ratings=[rating(f"i{k}", "ant", "ann", k % 5 + 1) for k in range(20)]))
    assert once.systems[0].variance.reason == "one-rating"
    equal = only(study_of(ratings=[rating(f"i{k}", "ant", who, 4) for k in range(20) for who in ("ann", "bo")]))
    assert equal.systems[0].mean.estimate == 4
    assert equal.systems[0].mean.low is None  # without a scale nothing says how rare other ratings are
    fours = [rating(f"i{k}", "ant", "ann", 4) for k in range(20)]
    known = only(study_of(ratings=fours, settings=SCALE)).systems[0].mean
    assert known.low < 4 < known.high  # type: ignore[operator]
    few = tiebreak.estimate(world(np.random.default_rng(6), items=5, rated=5), metrics=["bleu"])
    assert few.results[0].systems[0].efficiencies[0].efficiency.reason == "few-outputs"
    for result in (few, tiebreak.estimate(study_of(ratings=[rating("i0", "ant", "ann", 4)]))):
        json.dumps(result.to_dict(), allow_nan=False)


def test_a_study_without_ratings_is_refused() -> None:
    with pytest.raises(InputError, match="only preferences, which compare reads"):
        tiebreak.estimate(study_of([vote("i0", "ant", "bee", "ann", "a")]))
    with pytest.raises(UsageError, match="criterion with ratings"):
        only(study_of(ratings=[rating("i0", "ant", "ann", 4)]), criteria=["style"])


def test_frames_hold_the_best_estimates() -> None:
    result: EstimateResult = tiebreak.estimate(world(np.random.default_rng(7), items=200, rated=60), metrics=["all"])
    first = result.results[0].systems[0]
    assert result.systems.row(0) == (
        "overall", "ant", 60, 120, first.help.mean.estimate, first.help.mean.low, first.help.mean.high,
    )  # fmt: skip
    assert result.differences.columns == ["criterion", "system_a", "system_b", "items", "estimate", "low", "high"]


@pytest.mark.parametrize("metrics", [(), pytest.param(("bleu",), marks=pytest.mark.full)])
def test_intervals_hold_in_many_studies(metrics: tuple[str, ...]) -> None:
    """Means of the pool's qualities are known: 60 of 150 items drawn, ratings 1 to 5 with both ends reached."""
    rng, missed, runs = np.random.default_rng(8), 0, 150
    for _ in range(runs):
        study = world(rng, items=150, rated=60, people=1, systems=("ant",), means=(3.0,))
        mean = only(study, metrics=metrics).systems[0]
        best = mean.mean if mean.help is None else mean.help.mean
        missed += not best.low <= 3.0 <= best.high  # type: ignore[operator]
    assert missed <= 14  # 7.5 expected at 0.05; at 0.1 as few are missed in 46% of such tests


def test_a_metric_without_a_value_of_any_rated_output_is_unvalidated() -> None:
    study = world(np.random.default_rng(1), items=60, rated=30)
    elsewhere = study.scores.filter(~pl.col("item").is_in([f"i{k}" for k in range(30)]))
    alone = study_of(ratings=study.ratings.to_dicts(), scores=elsewhere, outputs=study.outputs, settings=SCALE)
    found = only(alone, metrics=["bleu"])
    assert found.unvalidated == ("bleu",)
    assert only(study, metrics=["bleu"]).unvalidated == ()
    with pytest.raises(UsageError, match="bleu is unvalidated: no output that people rated on overall has a score"):
        system_widths(alone, "overall", EstimateSettings(metrics=("bleu",)))


def test_a_metric_of_the_rated_outputs_only_is_the_sample_mean() -> None:
    """Outputs that are neither rated nor scored teach nothing: no narrower interval, and words that say so."""
    study = world(np.random.default_rng(8), items=300, rated=60, noise=0.2)
    scores = [row for row in study.scores.to_dicts() if int(row["item"][1:]) < 60]
    alone = study_of(ratings=study.ratings.to_dicts(), scores=scores, outputs=study.outputs, settings=SCALE)
    found = only(alone, metrics=["bleu"])
    for one in (*found.systems, *found.differences):
        assert (one.help.mean, one.help.metrics) == (one.mean, ())


def test_people_who_are_left_out_are_named() -> None:
    rows = [rating(f"i{k}", "ant", person, 1 + k % 5) for k in range(20) for person in ("ann", "bob", "cy")]
    found = tiebreak.estimate(Study.from_tables(ratings=rows), exclude=["cy"])
    (notice,) = (of for of in found.warnings if of.code == "people-left-out")
    assert (notice.details["annotators"], notice.details["labels"], notice.details["labels_left"]) == (["cy"], 60, 40)
    assert ", leaving out cy, we estimated" in paper_sentence(found.results[0], found)
    assert not any(of.code == "people-left-out" for of in tiebreak.estimate(Study.from_tables(ratings=rows)).warnings)


# ---- random studies ------------------------------------------------------------------------------------------------


KINDS = ("whole", "constant", "huge", "tiny", "negative", "binary")


def random_value(kind: str, rng: np.random.Generator) -> float:
    return {
        "whole": float(rng.integers(1, 6)), "constant": 3.0, "huge": float(rng.uniform(-1, 1) * 1e30),
        "tiny": float(rng.normal() * 1e-90), "negative": -float(rng.integers(0, 3)), "binary": float(rng.integers(2)),
    }[kind]  # fmt: skip


def random_study(kind: str, rng: np.random.Generator) -> Study | None:
    """One to three systems, 1 to 30 items, some with samples, clusters, scores or nothing; None without a rating."""
    size = int(rng.choice([1, 2, 3, 7, 8, 12, 30]))
    tables: dict[str, list[Row]] = {"outputs": [], "ratings": [], "scores": [], "items": []}
    for system in range(rng.integers(1, 4)):
        for item in range(size):
            for sample in () if rng.random() < 0.2 else (None,) if rng.random() < 0.7 else ("1", "2"):
                about: Row = {"item": f"i{item}", "system": f"s{system}", "sample": sample}
                tables["outputs"].append({**about, "text": f"text {item} {system} {sample}"})
                for metric, score in (
                    ("m", 1.0 if kind == "constant" else rng.normal()),
                    ("n", rng.choice([0.0, 1e90])),
                ):
                    if rng.random() < 0.8:
                        tables["scores"].append({**about, "metric": metric, "value": float(score)})
                tables["ratings"] += [
                    {**about, "annotator": f"p{person}", "criterion": "c", "value": random_value(kind, rng)}
                    for person in range(rng.integers(0, 4))
                ]
    tables["items"] = [{"item": f"i{k}", "cluster": f"d{k // 3}" if rng.random() < 0.5 else None} for k in range(size)]
    if not tables["ratings"]:
        return None
    for name in ("outputs", "items", "scores"):
        if rng.random() < 0.3 or not tables[name]:
            del tables[name]
    scale = {"c": (1.0, 5.0)} if kind in ("whole", "constant") and rng.random() < 0.5 else {}
    return Study.from_tables(**tables, settings=StudySettings(scale=scale))  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", KINDS)
def test_any_study_is_estimated(kind: str) -> None:
    rng = np.random.default_rng(KINDS.index(kind))
    for _ in range(15):
        study = random_study(kind, rng)
        if study is None:
            continue
        metrics = ("all",) if study.scores is not None and rng.random() < 0.6 else ()
        target, raters = rng.choice(["inputs", "items"]), rng.choice(["same", "any"])
        try:
            result = tiebreak.estimate(study, metrics=metrics, target=str(target), raters=str(raters))
        except UsageError as error:
            pytest.fail(str(error))
        json.dumps(result.to_dict(), allow_nan=False)
        for width in (42, 80):
            show_estimates(result, Terminal(file=io.StringIO(), width=width), everything=True)
        for found in result.results:
            for one in (*found.systems, *found.differences):
                for mean in (one.mean, *(() if one.help is None else (one.help.mean,))):
                    assert mean.estimate is not None
                    assert mean.low is None or mean.low <= mean.estimate
                    assert mean.high is None or mean.estimate <= mean.high
