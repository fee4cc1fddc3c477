"""Ratings by different people, compared where that is asked for."""

from __future__ import annotations

import pytest
from tests.auditing.judged_studies import judged, only_source
from tests.small_studies import rating, study_of, vote

from tiebreak.auditing.audit import audit
from tiebreak.errors import UsageError
from tiebreak.evidence.ratings import CriterionRatings


def on_overall(codes: str) -> list[dict[str, object]]:
    return [row | {"criterion": "overall"} for row in judged(codes)]


def test_by_hand() -> None:
    """i0: p rated both, 5 and 3; q rated bee only, 6: (5) - (4.5) = .5, ant. i1: p rated ant 2, q bee 4: bee."""
    ratings = [
        rating("i0", "ant", "p", 5), rating("i0", "bee", "p", 3), rating("i0", "bee", "q", 6),
        rating("i1", "ant", "p", 2), rating("i1", "bee", "q", 4),
    ]  # fmt: skip
    study = study_of(ratings=ratings, judge_preferences=on_overall("ll"))
    same, everybody = only_source(study), only_source(study, raters="any")
    assert same.confusion == ((0, 0, 0), (0, 0, 0), (1, 0, 0))
    assert everybody.confusion == ((0, 0, 0), (0, 0, 0), (1, 0, 1))
    texts = [notice.text for notice in audit(study).warnings if notice.code == "different-raters"]
    assert len(texts) == 1
    assert "--raters any compares everybody's" in texts[0]
    texts = [notice.text for notice in audit(study, raters="any").warnings if notice.code == "different-raters"]
    assert "only if chance decided" in texts[0]


def test_a_person_beside_whoever_else_rated() -> None:
    """p: 5 - 3 = 2. The others: ant by q 1, r 3, bee by q 4, s 6, t 2: 2 - 4 = -2. q: 1 - 4 = -3 beside
    ant by p, r 4, bee by p, s, t 11/3: 1/3."""
    ratings = [
        rating("i0", system, person, value)
        for person, system, value in (
            ("p", "ant", 5), ("p", "bee", 3), ("q", "ant", 1), ("q", "bee", 4), ("r", "ant", 3), ("s", "bee", 6),
            ("t", "bee", 2),
        )
    ]  # fmt: skip
    study = study_of(ratings=ratings)
    found = CriterionRatings.of(study, "overall")
    assert found is not None
    items, own, rest = found.beside_the_others(0, 1, "any")
    assert items.tolist() == [0, 0]
    assert own == pytest.approx([2, -3])
    assert rest == pytest.approx([-2, 1 / 3])
    items, own, rest = found.beside_the_others(0, 1, "same")
    assert (own.tolist(), rest.tolist()) == ([2, -3], [-3, 2])


def test_they_are_compared_as_means_only() -> None:
    study = study_of([vote("i0", "ant", "bee", "p", "a")], judge_preferences=judged("w"))
    with pytest.raises(UsageError, match="raters any needs --several mean"):
        audit(study, raters="any", several="majority")
