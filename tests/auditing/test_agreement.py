"""Agreement with people and between judges, both orders, ratings by different people: by hand; how often it holds."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtri
from tests.auditing.judged_studies import judged, only_source, outputs_of, simulated
from tests.small_studies import pair_votes, rating, scored, study_of, vote

from tiebreak.auditing.audit import audit
from tiebreak.errors import UsageError
from tiebreak.evidence.ratings import CriterionRatings

PAIRS = (("ant", "bee"), ("ant", "cat"), ("bee", "cat"))


def on_overall(codes: str) -> list[dict[str, object]]:
    return [row | {"criterion": "overall"} for row in judged(codes)]


# ---- agreement ---------------------------------------------------------------------------------------------------


def test_by_hand() -> None:
    #                           i0 to i11
    study = study_of(pair_votes("wwwwwttlllww"), judge_preferences=judged("wwwltttlww-"))
    found = only_source(study)
    # i0-i9 are compared: 5 w of which it says w, w, w, l, t; 2 t of which t, t; 3 l of which l, w, w.
    assert found.confusion == ((3, 0, 2), (1, 2, 0), (1, 0, 1))
    assert (found.comparisons, found.items) == (10, 10)
    assert (found.replies, found.unscored, found.unjudged) == (11, 1, 2)  # i10 unscored, i11 never asked
    of = found.agreement
    assert of.all.value == pytest.approx(0.6)
    assert of.decided.value == pytest.approx(4 / 8)
    assert of.both_decided.value == pytest.approx(4 / 7)
    assert [share.value for share in of.recall] == pytest.approx([3 / 5, 1, 1 / 3])
    # p_e = (5 * 5 + 3 * 2 + 2 * 3) / 100 = .37, kappa = (.6 - .37) / .63.
    assert of.kappa.value == pytest.approx(0.23 / 0.63)
    assert of.person.value is None  # nobody labelled an item twice


def test_comparisons_needed_follow_from_the_variance() -> None:
    found = only_source(simulated(400, 3), half_width=0.03).agreement
    share = found.all.value or 0
    z = float(ndtri(0.975))
    assert found.needed == pytest.approx(share * (1 - share) * (z / 0.03) ** 2, rel=0.01)
    assert (only_source(simulated(400, 3), half_width=0.06).agreement.needed or 0) == pytest.approx(
        (found.needed or 0) / 4, rel=0.02
    )
    few = only_source(study_of(pair_votes("wlwlwlwll"), judge_preferences=judged("wlwlwlwlw"))).agreement
    assert few.needed is None
    assert only_source(study_of(pair_votes("wl" * 9), judge_preferences=judged("wl" * 9))).agreement.needed is None


def test_so_many_comparisons_reach_the_half_width() -> None:
    pilot = only_source(simulated(200, 8), half_width=0.04).agreement.needed
    of = only_source(simulated(pilot, 9)).agreement.all
    assert ((of.high or 0) - (of.low or 0)) / 2 == pytest.approx(0.04, abs=0.006)
    pool = only_source(simulated(300, 8, labelled=100), half_width=0.04, target="items").agreement.needed
    of = only_source(simulated(300, 8, labelled=pool), target="items").agreement.all
    assert ((of.high or 0) - (of.low or 0)) / 2 == pytest.approx(0.04, abs=0.008)


def test_needed_is_more_than_there_is_where_the_interval_is_wider() -> None:
    """Of 60 items with three comparisons it is right on exactly two each time but the last: their mean varies less than
    that of 180 independent comparisons, which the interval does not count on, and neither may the projection."""
    outcomes = "wwl" * 59 + "www"
    votes, replies = [], []
    for k, outcome in enumerate(outcomes):
        a, b = PAIRS[k % 3]
        votes.append(vote(f"i{k // 3}", a, b, "p", "a"))
        replies.append(votes[-1] | {"judge": "gpt", "outcome": "a" if outcome == "w" else "b"})
    for reply in replies:
        del reply["annotator"]
    found = only_source(study_of(votes, judge_preferences=replies), half_width=0.05).agreement
    assert ((found.all.high or 0) - (found.all.low or 0)) / 2 == pytest.approx(0.069, abs=0.001)
    assert (found.needed or 0) == pytest.approx(180 * (0.069 / 0.05) ** 2, rel=0.05)


def test_a_person_beside_the_others() -> None:
    votes = [vote("i0", "ant", "bee", person, outcome) for person, outcome in (("p", "a"), ("q", "a"), ("r", "b"))]
    votes += [vote("i1", "ant", "bee", person, outcome) for person, outcome in (("p", "b"), ("q", "b"))]
    votes += [vote("i2", "ant", "bee", "p", "a")]
    found = only_source(study_of(votes, judge_preferences=judged("wwl")))
    # i0: p against (a, b), a tie: no; q likewise; r against (a, a): no. i1: both agree. i2 has no others.
    assert found.agreement.person.value == pytest.approx(2 / 5)
    # The judge says a on i0, against the others' tie, tie and a: 1 of 3; and a on i1, against b and b.
    assert found.agreement.with_others.value == pytest.approx(1 / 5)
    assert found.agreement.person.comparisons == 5


def test_people_who_rate() -> None:
    ratings = [
        rating(item, system, person, value)
        for item, person, ant, bee in (("i0", "p", 5, 1), ("i0", "q", 4, 3), ("i1", "p", 2, 2), ("i1", "q", 1, 5))
        for system, value in (("ant", ant), ("bee", bee))
    ]
    found = only_source(study_of(ratings=ratings, judge_preferences=on_overall("wl")))
    assert found.confusion == ((1, 0, 0), (0, 0, 0), (0, 0, 1))
    # i0: p and q both prefer ant. i1: p says tie and q bee.
    assert found.agreement.person.value == pytest.approx(2 / 4)
    assert found.agreement.with_others.value == pytest.approx(3 / 4)


def test_items_of_one_cluster_are_one_unit() -> None:
    people, judge = "wlwtlwll" * 6, "wlwwlwwl" * 6
    clusters = [{"item": f"i{k}", "cluster": f"c{k // 8}"} for k in range(48)]
    alone = only_source(study_of(pair_votes(people), judge_preferences=judged(judge)))
    grouped = only_source(study_of(pair_votes(people), judge_preferences=judged(judge), items=clusters))
    assert alone.agreement.all.value == grouped.agreement.all.value == pytest.approx(0.75)
    assert (alone.agreement.all.units, grouped.agreement.all.units) == (48, 6)
    # Six clusters that are all alike say more than chance would let them, but never less than six of anything.
    assert alone.agreement.all.low is not None


def test_only_what_people_were_asked_about_counts() -> None:
    """Two systems that write the same text tie without being asked, which is no label that a judge could be held to."""
    texts = {
        "ant": [f"a {k}" for k in range(20)],
        "bee": [f"b {k}" for k in range(10)] + [f"a {k}" for k in range(10, 20)],
    }
    labelled = pair_votes("wlwlwlwlwl" + "w")  # the last one is on an item whose outputs are the same: a tie
    found = only_source(study_of(labelled, judge_preferences=judged("w" * 20), outputs=outputs_of(texts)))
    assert found.comparisons == 11
    assert found.confusion[0] == (5, 1, 5)


@pytest.mark.full
def test_intervals_hold_the_truth() -> None:
    """The truth: an item agrees unless it is an error that hits the wrong outcome. Of 600 intervals at 95% at most 46
    miss: with a true miss rate of .05 more would in 3 of 1,000 tests, with .10 in all but 3 of 1,000 ones."""
    # P(agree) = .7 + .3 (.48 * .5 + .32 * .5): people say ant .48, tie .2, bee .32, and half of all guesses ant.
    truth = 0.7 + 0.3 * (0.48 * 0.5 + 0.32 * 0.5)
    missed = 0
    for seed in range(600):
        found = only_source(simulated(40, seed), group=None).agreement.all
        missed += not found.low <= truth <= found.high
    assert missed <= 46


def test_a_metric_is_the_sign_of_its_difference() -> None:
    study = study_of(pair_votes("wwtt"), scores=scored({"ant": [3, 1, 2, 2], "bee": [1, 3, 2.5, 2]}))
    assert only_source(study).confusion == ((1, 0, 0), (0, 1, 0), (1, 1, 0))
    assert only_source(study, metric_tie_threshold=0.5).confusion == ((1, 0, 0), (0, 2, 0), (1, 0, 0))
    assert only_source(study).agreement.all.value == pytest.approx(0.5)


# ---- orders ------------------------------------------------------------------------------------------------------


def test_flips_by_hand() -> None:
    #                  i0 to i9; i8 and i9 answered in one order only
    both = judged("wwwtllww-w", left="ant") + judged("wwltltlw", left="bee")
    study = study_of(pair_votes("wwllw"), judge_preferences=both)
    found = only_source(study).orders
    # i2 w to l, i5 l to t, i6 w to l change; both w and l, in that order or the other, are i2 and i6.
    assert found.flips.value == pytest.approx(3 / 8)
    assert found.flips.comparisons == 8
    assert found.reversals == 2
    # i0 to i4 have labels w w l l w. One order: w w w t l is right twice, w w l t l thrice: 5 of 10.
    assert found.one_order.value == pytest.approx(5 / 10)
    # Together: w w tie t l is right on i0 and i1.
    assert found.together.value == pytest.approx(2 / 5)
    assert found.gain.value == pytest.approx(2 / 5 - 5 / 10)


def test_the_order_of_names_in_a_row_is_no_order_shown() -> None:
    both = judged("ww", left="ant") + judged("ll", left="bee", pair=("bee", "ant"))
    found = only_source(study_of(pair_votes("ww"), judge_preferences=both)).orders
    assert found.flips.value == 0


def test_without_both_orders_there_are_none() -> None:
    assert only_source(study_of(pair_votes("ww"), judge_preferences=judged("ww", left="ant"))).orders is None
    assert only_source(study_of(pair_votes("ww"), judge_preferences=judged("ww"))).orders is None


def test_no_labels_are_needed() -> None:
    both = judged("wl" * 10, left="ant") + judged("ll" * 10, left="bee")
    found = only_source(study_of(pair_votes("w", "cat", "dog"), judge_preferences=both))
    assert not found.validated
    assert found.orders.flips.value == pytest.approx(0.5)
    assert found.orders.gain.value is None
    (side,) = found.dependence
    # Left: ant wins 10 of 20, bee (l) 20 of 20.
    assert side.by_source == pytest.approx(30 / 40)


# ---- raters ------------------------------------------------------------------------------------------------------


def test_raters_by_hand() -> None:
    """i0: p rated both, 5 and 3; q rated bee only, 6: (5) - (4.5) = .5, ant. i1: p rated ant 2, q bee 4: bee."""
    ratings = [
        rating("i0", "ant", "p", 5), rating("i0", "bee", "p", 3), rating("i0", "bee", "q", 6),
        rating("i1", "ant", "p", 2), rating("i1", "bee", "q", 4),
    ]  # fmt: skip
    study = study_of(ratings=ratings, judge_preferences=on_overall("ll"))
    same, everybody = only_source(study), only_source(study, raters="any")
    assert same.confusion == ((0, 0, 0), (0, 0, 0), (1, 0, 0))
    assert everybody.confusion == ((0, 0, 0), (0, 0, 0), (1, 0, 1))
    for found in (audit(study), audit(study, raters="any")):
        assert [notice.code for notice in found.warnings].count("labels-left-out") == 1


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


# ---- two judges ----------------------------------------------------------------------------------------------------


def test_two_judges_by_hand() -> None:
    people, one, other = "wwwwllll", "wwllllww", "wlllllwl"
    study = study_of(pair_votes(people), judge_preferences=judged(one, "x") + judged(other, "y"))
    (two,) = audit(study).together
    assert two.names == ("x", "y")
    # x is wrong on i2, i3, i6, i7; y on i1, i2, i3, i6.
    assert two.both_wrong == pytest.approx(3 / 8)
    assert two.by_chance == pytest.approx(1 / 4)
    # Errors in wins of ant: x 0 0 -1 -1 0 0 1 1; y 0 -1 -1 -1 0 0 1 0. Sums 0 and -2, squares 4 and 4, product 3.
    assert two.correlation.value == pytest.approx(3 / (4 * (4 - 4 / 8)) ** 0.5)
    assert two.correlation.comparisons == 8


def test_only_what_all_three_made_counts() -> None:
    study = study_of(pair_votes("wwll"), judge_preferences=judged("ww", "x") + judged("  ll", "y"))
    assert audit(study).together == ()
    votes = [vote("i0", "ant", "bee", "p", "a"), vote("i0", "bee", "cat", "p", "a"), vote("i1", "ant", "cat", "p", "b")]
    one = judged("ww", "x", pair=("ant", "cat")) + judged("w", "x")
    rows = one + judged("w", "y") + judged("l", "y", pair=("bee", "cat"))
    (two,) = audit(study_of(votes, judge_preferences=rows)).together
    assert two.correlation.comparisons == 1
    assert two.correlation.value is None


def test_pairs_of_one_item_are_told_apart() -> None:
    codes = {"p": ("wwlltwlt", "lwltwwtl", "tllwwltw"), "x": ("wlltwwlt", "lwwtlwtl", "tlwwwltl"),
             "y": ("llltwwtt", "wwwtllwl", "wlwtwltl")}  # fmt: skip
    votes = [row for code, pair in zip(codes["p"], PAIRS, strict=True) for row in pair_votes(code, *pair)]
    both = [(name, code, pair) for name in "xy" for code, pair in zip(codes[name], PAIRS, strict=True)]
    rows = [row for name, code, pair in both for row in judged(code, name, pair=pair)]
    (two,) = audit(study_of(votes, judge_preferences=rows[::-1])).together
    values = {name: np.array(["ltw".index(code) for code in "".join(codes[name])]) for name in codes}
    errors = values["x"] - values["p"], values["y"] - values["p"]
    assert two.correlation.comparisons == 24
    assert two.correlation.value == pytest.approx(np.corrcoef(*errors)[0, 1])


def test_judges_without_errors_correlate_with_nothing() -> None:
    study = study_of(pair_votes("wwllwwll"), judge_preferences=judged("wwllwwll", "x") + judged("wlwlwlwl", "y"))
    (two,) = audit(study).together
    assert two.correlation.value is None
    assert two.both_wrong == 0
