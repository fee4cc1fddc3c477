"""Three correlations, by their definitions: of ratings, and of preferences counted from both sides."""

from __future__ import annotations

import numpy as np
import pytest
from tests.small_studies import rating, scored, study_of, vote

from tiebreak.scoring.score import label_correlations


def pearson(first: list[float], second: list[float]) -> float:
    return float(np.corrcoef(first, second)[0, 1])


def test_of_ratings() -> None:
    rng = np.random.default_rng(0)
    human = {name: rng.normal(size=12) + shift for name, shift in (("ant", 0.0), ("bee", 1.0), ("cat", 3.0))}
    metric = {name: 0.5 * values + rng.normal(size=12) for name, values in human.items()}
    study = study_of(
        ratings=[rating(f"i{k}", name, "p", float(values[k])) for name, values in human.items() for k in range(12)],
        scores=scored({name: values.tolist() for name, values in metric.items()}, "m"),
    )
    (found,) = label_correlations(study, ["m"])
    of = found.correlations
    every = [np.concatenate([table[name] for name in human]) for table in (human, metric)]
    within = [np.concatenate([table[name] - table[name].mean() for name in human]) for table in (human, metric)]
    means = [[float(table[name].mean()) for name in human] for table in (human, metric)]
    assert of.instances.estimate == pytest.approx(pearson(*every))  # type: ignore[arg-type]
    assert of.within.estimate == pytest.approx(pearson(*within))  # type: ignore[arg-type]
    assert of.systems.estimate == pytest.approx(pearson(*means))


def test_of_preferences() -> None:
    outcomes = {("ant", "bee"): "aab", ("bee", "cat"): "abt", ("ant", "cat"): "aaa"}
    words = {"a": ("a", 1.0), "b": ("b", -1.0), "t": ("tie", 0.0)}
    votes = [
        vote(f"i{k}", *pair, "p", words[code][0]) for pair, codes in outcomes.items() for k, code in enumerate(codes)
    ]
    scores = {"ant": [3.0, 2.0, 0.5], "bee": [1.0, 2.5, 1.0], "cat": [0.0, 1.0, 2.0]}
    rows = []
    for (a, b), codes in outcomes.items():
        for k, code in enumerate(codes):
            value, difference = words[code][1], scores[a][k] - scores[b][k]
            rows += [(a, value, difference), (b, -value, -difference)]
    (found,) = label_correlations(study_of(preferences=votes, scores=scored(scores, "m")), ["m"])
    human, metric = ([row[place] for row in rows] for place in (1, 2))
    assert found.correlations.instances.estimate == pytest.approx(pearson(human, metric))
    means = [[float(np.mean([row[place] for row in rows if row[0] == name])) for name in scores] for place in (1, 2)]
    assert found.correlations.systems.estimate == pytest.approx(pearson(*means))
    away = [[row[place] - means[place - 1][sorted(scores).index(row[0])] for row in rows] for place in (1, 2)]
    assert found.correlations.within.estimate == pytest.approx(pearson(*away))
    renamed = {"ant": "zoe", "bee": "bee", "cat": "cat"}  # which of two systems is named first makes no difference
    again = study_of(
        preferences=[
            {**row, "system_a": renamed[str(row["system_a"])], "system_b": renamed[str(row["system_b"])]}
            for row in votes
        ],
        scores=scored({renamed[name]: values for name, values in scores.items()}, "m"),
    )
    (other,) = label_correlations(again, ["m"])
    assert other.correlations.instances.estimate == pytest.approx(found.correlations.instances.estimate)
    assert other.correlations.within.estimate == pytest.approx(found.correlations.within.estimate)


def test_lower_is_better_is_counted_the_other_way_round() -> None:
    from dataclasses import replace

    ratings = [rating(f"i{k}", name, "p", k + shift) for name, shift in (("ant", 0), ("bee", 1)) for k in range(6)]
    scores = {"ant": [-float(k) for k in range(6)], "bee": [-float(k + 1) for k in range(6)]}
    study = study_of(ratings=ratings, scores=scored(scores, "ppl"))
    (found,) = label_correlations(study, ["ppl"])
    assert found.correlations.instances.estimate == pytest.approx(-1)
    turned = replace(study, settings=replace(study.settings, higher_is_better={"ppl": False}))
    (found,) = label_correlations(turned, ["ppl"])
    assert found.correlations.instances.estimate == pytest.approx(1)


def test_without_labels_there_are_none() -> None:
    study = study_of(outputs=[{"item": "i0", "system": "ant", "text": "x"}], scores=scored({"ant": [1.0]}, "m"))
    assert label_correlations(study, ["m"]) == ()
