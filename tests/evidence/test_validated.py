"""Whether people labelled anything that a source judged: by tables alone as by an audit."""

from __future__ import annotations

import pytest
from tests.small_studies import Row, answer, pair_votes, rating, scored, study_of, vote

from tiebreak.auditing.audit import audit
from tiebreak.checks.study_check import check
from tiebreak.comparison.compare import compare
from tiebreak.data.study import Study

RATED = [rating("i0", "ant", "p", 3), rating("i0", "bee", "p", 4), rating("i0", "ant", "q", 2)]
APART = [rating("i0", "ant", "p", 3), rating("i0", "bee", "q", 4)]
JUDGED = [answer("i0", "bee", "ant", "a")]


def of_sample(sample: str) -> list[Row]:
    return [vote("i0", "ant", "bee", "p", "a") | {"sample_a": sample}]


def judged_sample(sample: str) -> list[Row]:
    return [answer("i0", "bee", "ant", "a") | {"sample_b": sample}]


def scores(items: int, criterion: str | None = None) -> list[Row]:
    return scored({"ant": [1] * items, "bee": [2] * items}, criterion=criterion)


@pytest.mark.parametrize(
    ("study", "validated"),
    [
        (study_of(pair_votes("w"), judge_preferences=JUDGED), True),
        (study_of(pair_votes(" w"), judge_preferences=JUDGED), False),
        (study_of([vote("i0", "ant", "cat", "p", "a")], judge_preferences=JUDGED), False),
        (study_of(pair_votes("w"), judge_preferences=[answer("i0", "bee", "ant", None)]), False),
        (study_of(pair_votes("w", criterion="style"), judge_preferences=JUDGED), True),
        (study_of(pair_votes("w"), judge_preferences=[answer("i0", "ant", "bee", "a", criterion="style")]), False),
        (study_of(ratings=RATED, judge_preferences=JUDGED), True),
        (study_of(ratings=APART, judge_preferences=JUDGED), False),
        (study_of(pair_votes("w"), scores=scores(1)), True),
        (study_of(pair_votes(" w"), scores=scores(1)), False),
        (study_of(pair_votes("w"), scores=scores(1)[:1]), False),
        (study_of(pair_votes("w", criterion="style"), scores=scores(1, "fluency")), False),
        (study_of(ratings=RATED, scores=scores(1)), True),
        (study_of(ratings=RATED, scores=scores(1)[:1]), False),
        (study_of(ratings=APART, scores=scores(1)), False),
        (study_of(of_sample("1"), judge_preferences=judged_sample("1")), True),
        (study_of(of_sample("1") + of_sample("2"), judge_preferences=judged_sample("3")), False),
        (study_of(of_sample("1"), judge_preferences=JUDGED), True),
    ],
)
def test_check_and_audit_say_the_same(study: Study, validated: bool) -> None:
    held = check(study).holds
    (source,) = (*held.judges, *held.metrics)
    assert source.validated is validated
    (found,) = audit(study).results
    assert found.validated is validated


def test_what_decides_alone_is_unvalidated_where_people_labelled_none_of_it() -> None:
    study = study_of(pair_votes("ww"), judge_preferences=[answer("i2", "ant", "bee", "a")], scores=scores(1))
    alone = compare(study, human=False, judges=["gpt"], metrics=["all"]).warnings
    assert [of.details["names"] for of in alone if of.code == "unvalidated"] == [["gpt"]]
    assert "unvalidated" not in [of.code for of in compare(study, human=False, metrics=["bleu"]).warnings]
    assert "unvalidated" not in [of.code for of in compare(study, judges=["gpt"]).warnings]  # the words on it say so
