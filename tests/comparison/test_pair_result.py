"""Agreement of annotators: by hand, beside the krippendorff package, and what must not matter."""

from __future__ import annotations

import krippendorff
import numpy as np
import pytest
from tests.small_studies import pair_votes, rating, simulated_ratings, simulated_votes, study_of, vote

from tiebreak.comparison.pair_result import study_agreement
from tiebreak.messages.claims import agreement_rows


def test_full_agreement_and_a_hand_derived_share() -> None:
    rows = [vote(f"i{k}", "ant", "bee", p, o) for k, o in enumerate("aabb") for p in ("p0", "p1")]
    (found,) = study_agreement(study_of(rows), None, 0)
    assert found.kind == "preferences"
    assert found.alpha is not None
    assert found.agreeing is not None
    assert (found.alpha.estimate, found.agreeing.estimate) == (1.0, 1.0)
    # Two of the four items turned apart: half of the label pairs agree.
    rows[1]["outcome"], rows[5]["outcome"] = "b", "a"
    (found,) = study_agreement(study_of(rows), None, 0)
    assert found.agreeing is not None
    assert found.agreeing.estimate == 0.5


def test_the_way_round_in_which_a_row_names_the_systems_does_not_matter() -> None:
    rows = simulated_votes({"ant": 0.3, "bee": 0.0}, items=30, annotators=3)
    turned = [
        vote(str(r["item"]), "bee", "ant", str(r["annotator"]), {"a": "b", "b": "a", "tie": "tie"}[str(r["outcome"])])
        for r in rows[::-1]
    ]
    assert study_agreement(study_of(rows), None, 0) == study_agreement(study_of(turned), None, 0)


def test_one_label_an_item_says_nothing_about_agreement() -> None:
    (found,) = study_agreement(study_of(pair_votes("wlwt")), None, 0)
    assert (found.alpha, found.agreeing) == (None, None)
    assert found.to_dict() == {
        "kind": "preferences",
        "level": "ordinal",
        "all_same": False,
        "krippendorff_alpha": None,
        "agreeing": None,
    }


def test_preferences_and_ratings_on_one_criterion_are_two_entries() -> None:
    votes = simulated_votes({"ant": 0.3, "bee": 0.0}, items=20, annotators=2, criterion="overall")
    ratings = simulated_ratings({"ant": 0.3, "bee": 0.0}, items=20)
    study = study_of(votes, ratings)
    assert [found.kind for found in study_agreement(study, "overall", 0)] == ["preferences", "ratings"]
    assert study_agreement(study, None, 0) == ()
    assert study_agreement(study, "overall", 0) == study_agreement(study, "overall", 0)


def test_many_values_are_numbers_whose_distances_count() -> None:
    rng = np.random.default_rng(2)
    table = rng.normal(size=(1, 40)) + 0.5 * rng.normal(size=(3, 40))
    rows = [rating(f"i{k}", "ant", f"p{p}", float(table[p, k])) for p in range(3) for k in range(40)]
    (found,) = study_agreement(study_of(ratings=rows), "overall", 0)
    assert found.level == "interval"
    assert found.alpha is not None
    assert found.alpha.estimate == pytest.approx(krippendorff.alpha(table, level_of_measurement="interval"))


def test_answers_that_are_all_the_same_are_not_too_few() -> None:
    rows = [vote(f"i{k}", "ant", "bee", p, "a") for k in range(30) for p in ("p0", "p1")]
    (found,) = study_agreement(study_of([*rows, vote("i99", "ant", "bee", "p0", "b")]), None, 0)
    assert (found.alpha, found.all_same) == (None, True)
    assert agreement_rows(found) == [
        ("Agreement on preferences", "all answers to questions with several annotators are the same")
    ]
