"""Annotators of made studies: who guesses, who copies, who always chooses one side, and how far all agree."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import krippendorff
import numpy as np
import pytest
from scipy.stats import binom
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

import tiebreak
from tests.cli.campaign_commands import ok, refused
from tests.small_studies import rating, vote
from tiebreak.data.study import Study
from tiebreak.data.writers import write_study
from tiebreak.errors import UsageError
from tiebreak.results.annotators import AnnotatorRow


def row(item: int, person: str, outcome: str, **more: Any) -> dict[str, Any]:
    return vote(f"i{item:03d}", "ant", "bee", person, outcome) | more


def panel(seed: int = 1, items: int = 200) -> Study:
    """Four people who are right on four of five items, one who guesses, one who copies another, and one who always
    chooses the text on the left. Half of the rows name the systems the other way round.
    """
    rng = np.random.default_rng(seed)
    rows = []
    for item in range(items):
        truth = "ab"[rng.integers(2)]
        said = {f"good{k}": truth if rng.random() < 0.8 else "ab"[rng.integers(2)] for k in range(4)}
        left = ("ant", "bee")[rng.integers(2)]
        said |= {"guess": "ab"[rng.integers(2)], "copy": said["good0"], "left": "a" if left == "ant" else "b"}
        for person, outcome in said.items():
            at = f"2026-05-01T10:{item // 60:02d}:{item % 60:02d}Z"
            of = row(item, person, outcome, left=left, seconds=20.0, decided_at=at)
            if rng.random() < 0.5:
                of |= {"system_a": "bee", "system_b": "ant", "outcome": {"a": "b", "b": "a"}[outcome]}
            rows.append(of)
    return Study.from_tables(preferences=rows, name="made")


def by_name(study: Study) -> dict[str, AnnotatorRow]:
    return {of.annotator: of for of in tiebreak.annotators(study).people}


def test_who_to_look_at_comes_first_and_why() -> None:
    found = tiebreak.annotators(panel())
    people = {of.annotator: of for of in found.people}
    assert [of.annotator for of in found.people if of.reasons] == [of.annotator for of in found.people][:4]
    assert {name for name, of in people.items() if of.reasons} == {"guess", "left", "copy", "good0"}
    assert "answers as good0 on 200 of 200 questions" in people["copy"].reasons
    assert people["guess"].competence == pytest.approx(0.1, abs=0.15)
    for k in (1, 2, 3):
        mine, copied = people[f"good{k}"].competence or 0, people["copy"].competence or 0
        assert 0.5 < mine < copied, "who is copied seems right"
    assert people["left"].first_text == 1
    assert people["good1"].first_text == pytest.approx(0.5, abs=0.12)
    assert people["good1"].seconds == 20
    assert people["good1"].later == pytest.approx(0, abs=0.2)
    assert {of.labels for of in people.values()} == {200}
    assert repr(found) == "AnnotatorsResult(7 annotators, 4 to look at)"
    assert found.table.height == 7


def test_agreement_of_all_is_that_of_other_packages() -> None:
    study = panel(items=60)
    (found,) = tiebreak.annotators(study).panels
    grid = np.full((60, 7), np.nan)
    people = sorted(study.annotators)
    for of in study.tables["preferences"].iter_rows(named=True):
        value = {"a": 1, "b": -1}[of["outcome"]] * (1 if of["system_a"] == "ant" else -1)
        grid[int(of["item"][1:]), people.index(of["annotator"])] = value
    assert found.fleiss is not None
    assert found.alpha is not None
    assert found.fleiss.estimate == pytest.approx(fleiss_kappa(aggregate_raters(grid)[0]))
    expected = krippendorff.alpha(grid.T, level_of_measurement="ordinal")
    assert found.alpha.estimate == pytest.approx(expected)
    assert found.cohen is None


def test_two_people_have_cohens_kappa() -> None:
    rows = [row(k, person, "ab"[(k + shift) % 5 == 0]) for k in range(50) for shift, person in enumerate(("ann", "bo"))]
    (found,) = tiebreak.annotators(Study.from_tables(preferences=rows)).panels
    assert found.cohen is not None
    assert found.cohen.estimate == pytest.approx((0.6 - 0.68) / (1 - 0.68))


def test_ratings_are_compared_with_the_mean_of_the_others() -> None:
    rng, rows = np.random.default_rng(3), []
    for item in range(300):
        worth = rng.normal(3, 1)
        for person, noise in (("ann", 0.3), ("bo", 0.3), ("cy", 0.3), ("dice", 50)):
            value = int(np.clip(round(worth + noise * rng.normal()), 1, 5))
            rows.append(rating(f"i{item}", "ant", person, value, "clear"))
    people = by_name(Study.from_tables(ratings=rows))
    assert people["ann"].correlation is not None
    assert people["ann"].correlation > 0.5
    assert people["dice"].reasons
    assert abs(people["dice"].correlation or 0) < 0.3
    assert people["dice"].agrees is None


@pytest.mark.parametrize("clustered", [pytest.param(of, marks=pytest.mark.full) for of in (False, True)])
def test_intervals_of_agreement_miss_as_often_as_they_say(clustered: bool) -> None:
    """360 intervals at 95%, of items or of clusters of four that share an answer; at twice .05 some 36 miss."""
    missed = total = 0
    for seed in range(120):
        rng = np.random.default_rng([seed, clustered])
        rows, items = [], []
        for item in range(80):
            if not clustered or item % 4 == 0:
                right = {person: rng.random() < share for person, share in (("ann", 0.7), ("bo", 0.85), ("cy", 0.6))}
            rows += [row(item, person, "a") for person in ("x", "y", "z")]
            rows += [row(item, person, "a" if right[person] else "b") for person in right]
            items.append({"item": f"i{item:03d}", "cluster": f"c{item // 4 if clustered else item}"})
        people = by_name(Study.from_tables(preferences=rows, items=items))
        for person, share in (("ann", 0.7), ("bo", 0.85), ("cy", 0.6)):
            of = people[person].agrees
            assert of is not None
            total += 1
            missed += not (of.low or 0) <= share <= (of.high or 1)
    assert missed <= binom.ppf(0.999, total, 0.05)


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_study(panel(), Path("made"))
    output = ok("tiebreak annotators made --out people.csv")
    assert "made: 1,400 labels by 7 annotators. Look at the labels of" in output
    assert "copy answers as good0 on 200 of 200 questions." in output
    assert Path("people.csv").read_text(encoding="utf-8").splitlines()[0].startswith("annotator,kind,labels")
    ok("tiebreak annotators made --out people.tex")
    assert "good1 & 200" in Path("people.tex").read_text(encoding="utf-8")
    document = json.loads(ok("tiebreak annotators made --json"))
    assert {of["annotator"] for of in document["annotators"]} >= {"guess", "copy"}
    assert "no labels on 'fluncy'" in refused("tiebreak annotators made --criterion fluncy", 2)


def test_a_study_without_labels_is_refused() -> None:
    with pytest.raises(UsageError, match="has no human labels"):
        tiebreak.annotators(Study.from_tables(outputs=[{"item": "i", "system": "ant", "text": "x"}]))


def test_who_shares_no_question_has_no_agreement() -> None:
    people = by_name(Study.from_tables(preferences=[row(k, f"p{k % 3}", "a") for k in range(30)]))
    assert all(of.agrees is None and of.competence is None for of in people.values())
