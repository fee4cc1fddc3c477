"""Agreement with people: counted by hand, beside people's own, and how often intervals hold the truth."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtri
from tests.auditing.judged_studies import judged, only_source, outputs_of, simulated
from tests.small_studies import pair_votes, rating, study_of, vote

from tiebreak.auditing.audit import audit
from tiebreak.data.study import Study


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
    assert pilot is not None
    of = only_source(simulated(pilot, 9)).agreement.all
    assert ((of.high or 0) - (of.low or 0)) / 2 == pytest.approx(0.04, abs=0.006)
    pool = only_source(simulated(300, 8, labelled=100), half_width=0.04, target="items").agreement.needed
    assert pool is not None
    of = only_source(simulated(300, 8, labelled=pool), target="items").agreement.all
    assert ((of.high or 0) - (of.low or 0)) / 2 == pytest.approx(0.04, abs=0.008)


def test_needed_is_more_than_there_is_where_the_interval_is_wider() -> None:
    """Of 60 items with three comparisons it is right on exactly two each time but the last: their mean varies less than
    that of 180 independent comparisons, which the interval does not count on, and neither may the projection."""
    outcomes = "wwl" * 59 + "www"
    pairs = [("ant", "bee"), ("ant", "cat"), ("bee", "cat")]
    votes, replies = [], []
    for k, outcome in enumerate(outcomes):
        a, b = pairs[k % 3]
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
    rows = [row | {"criterion": "overall"} for row in judged("wl")]
    found = only_source(study_of(ratings=ratings, judge_preferences=rows))
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


def test_intervals_hold_the_truth() -> None:
    """The truth: an item agrees unless it is an error that hits the wrong outcome. Of 600 intervals at 95% at most 46
    miss: with a true miss rate of .05 more would in 3 of 1,000 tests, with .10 in all but 3 of 1,000 ones."""
    # P(agree) = .7 + .3 (.48 * .5 + .32 * .5): people say ant .48, tie .2, bee .32, and half of all guesses ant.
    truth = 0.7 + 0.3 * (0.48 * 0.5 + 0.32 * 0.5)
    missed = 0
    for seed in range(600):
        found = only_source(simulated(40, seed), group=None).agreement.all
        assert found.low is not None
        assert found.high is not None
        missed += not found.low <= truth <= found.high
    assert missed <= 46


def scored(study: Study) -> dict[str, float | None]:
    of = audit(study).results[0].agreement
    return {"all": of.all.value, "kappa": of.kappa.value, "decided": of.decided.value}


def test_a_metric_is_the_sign_of_its_difference() -> None:
    scores = [
        {"item": f"i{k}", "system": system, "metric": "bleu", "value": value}
        for k, (ant, bee) in enumerate([(3, 1), (1, 3), (2.0, 2.5), (2, 2)])
        for system, value in (("ant", ant), ("bee", bee))
    ]
    study = study_of(pair_votes("wwtt"), scores=scores)
    assert only_source(study).confusion == ((1, 0, 0), (0, 1, 0), (1, 1, 0))
    assert only_source(study, metric_tie_threshold=0.5).confusion == ((1, 0, 0), (0, 2, 0), (1, 0, 0))
    assert scored(study)["all"] == pytest.approx(0.5)
    assert np.isfinite(scored(study)["kappa"] or 0)
