"""Win rates and other figures, of inputs and of these items: by hand, beside other packages; how often they hold."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtri
from statsmodels.stats.proportion import confint_proportions_2indep
from tests.auditing.judged_studies import check_of, judged, only_source, outputs_of, simulated
from tests.small_studies import Row, pair_votes, study_of, vote

from tiebreak.auditing.estimates import Contrast, Units, mean_estimate, score_estimate, share_estimate
from tiebreak.comparison.compare import compare
from tiebreak.data.study import Study
from tiebreak.numbers import rounded
from tiebreak.results.audits import AuditedSource, Estimate

# ---- win rates -----------------------------------------------------------------------------------------------------


def with_items(study: Study, items: list[Row]) -> Study:
    return study_of(study.preferences.to_dicts(), judge_preferences=study.judge_preferences, items=items)


def test_by_hand() -> None:
    study = study_of(pair_votes("wwwwttllll"), judge_preferences=judged("wwwwwwwlltww"))
    (pair,) = only_source(study).pairs
    assert (pair.system_a, pair.system_b) == ("ant", "bee")
    assert (pair.outcomes.items, pair.outcomes.labels, pair.outcomes.judged) == (10, 10, 12)
    assert pair.outcomes.by_people.value == pytest.approx((4 + 1) / 10)
    assert pair.outcomes.by_source.value == pytest.approx((7 + 0.5) / 10)
    assert pair.outcomes.difference.value == pytest.approx(0.25)


@pytest.mark.parametrize(("target", "items", "labelled"), [("inputs", 600, 100), ("items", 400, 120)])
def test_the_corrected_win_rate_is_that_of_compare(target: str, items: int, labelled: int) -> None:
    study = simulated(items, 3, labelled=labelled)
    (pair,) = only_source(study, target=target).pairs
    listed = with_items(study, [{"item": f"i{k}"} for k in range(items)])
    found = compare(listed, judges=["gpt"], target=target).results[0].pairs[0].difference
    assert pair.outcomes.uses_source
    assert pair.outcomes.corrected.value == pytest.approx((1 + found.estimate) / 2, abs=1e-9)
    assert pair.outcomes.corrected.low == pytest.approx((1 + found.low) / 2, abs=1e-6)
    assert pair.outcomes.corrected.high == pytest.approx((1 + found.high) / 2, abs=1e-6)
    assert pair.outcomes.corrected.low > pair.outcomes.by_people.low


def test_with_few_labels_nothing_is_corrected() -> None:
    """Below 20 labels that are no ties, as in `compare`; clusters of items are tested by clusters."""
    (few,) = only_source(simulated(600, 3, labelled=18)).pairs
    assert not few.outcomes.uses_source
    assert few.outcomes.corrected.value == few.outcomes.by_people.value
    items = [{"item": f"i{k}", "cluster": f"c{k // 3}"} for k in range(600)]
    study = simulated(600, 3, labelled=120)
    grouped = with_items(study, items)
    (pair,) = only_source(grouped).pairs
    found = compare(grouped, judges=["gpt"]).results[0].pairs[0].difference
    assert pair.outcomes.corrected.units == 40
    assert pair.outcomes.corrected.low == pytest.approx((1 + found.low) / 2, abs=0.002)


def test_labels_needed_follow_from_the_variances() -> None:
    study = simulated(2000, 5, labelled=500)
    (pair,) = only_source(study, half_width=0.02).pairs
    people = np.array([{"a": 1, "tie": 0, "b": -1}[of] for of in study.preferences["outcome"]])
    judge = np.array([{"a": 1, "tie": 0, "b": -1}[of] for of in study.judge_preferences["outcome"]])[:500]
    z = float(ndtri(0.975))
    without = people.var(ddof=1) * (z / 0.04) ** 2
    assert pair.outcomes.needed.without == pytest.approx(without, abs=1)
    left = people.var(ddof=1) * (1 - np.corrcoef(people, judge)[0, 1] ** 2)
    with_it = (0.9 * left + 0.1 * people.var(ddof=1)) * (z / 0.04) ** 2
    assert pair.outcomes.needed.with_source == pytest.approx(with_it, rel=0.02)
    (wider,) = only_source(study, half_width=0.04).pairs
    assert wider.outcomes.needed.without == pytest.approx(without / 4, abs=1)


def test_so_many_labels_reach_the_half_width() -> None:
    (pilot,) = only_source(simulated(3000, 8, labelled=300), half_width=0.06).pairs
    labels = pilot.outcomes.needed.with_source
    (pair,) = only_source(simulated(10 * labels, 9, labelled=labels)).pairs
    assert (pair.outcomes.corrected.high - pair.outcomes.corrected.low) / 2 == pytest.approx(0.06, abs=0.008)


def test_a_useless_judge_saves_no_label() -> None:
    (pair,) = only_source(study_of(pair_votes("wwlt" * 10), judge_preferences=judged("w" * 60))).pairs
    assert not pair.outcomes.uses_source
    assert pair.outcomes.needed.with_source == pair.outcomes.needed.without
    assert pair.outcomes.corrected == pair.outcomes.by_people
    (pair,) = only_source(study_of(pair_votes("w" * 40), judge_preferences=judged("wl" * 30))).pairs
    assert (pair.outcomes.needed.with_source, pair.outcomes.needed.without) == (None, None)  # people never differ


@pytest.mark.full
def test_intervals_hold_the_truth() -> None:
    """60 of 240 items are labelled; the judge favours ant. Of 500 intervals at 95% of the corrected win rate, and of
    the difference, at most 39 miss: with .05 more would in 3 of 1,000 tests, with .10 in all but 3 of 1,000 ones."""
    truth, errors = 0.48 + 0.1, 0.3 * (0.5 + 0.2 - 0.58)  # the judge guesses ant with .7 where it errs
    missed = np.zeros(3, dtype=int)
    for seed in range(500):
        (pair,) = only_source(simulated(240, seed, bias=0.2, labelled=60)).pairs
        ends = [(pair.outcomes.corrected, truth), (pair.outcomes.difference, errors), (pair.outcomes.by_people, truth)]
        missed += [not (of.low or 0) <= value <= (of.high or 0) for of, value in ends]
    assert missed.max() <= 39, missed


def identical_in_part(rng: np.random.Generator, items: int) -> Study:
    """On three tenths of the items both systems wrote the same, on the others people prefer ant nearly always."""
    same, wins, right = rng.random(items) < 0.3, rng.random(items) < 0.95, rng.random(items) < 0.8
    texts = {name: [f"{k}" if of else f"{k} {name}" for k, of in enumerate(same)] for name in ("ant", "bee")}
    people = "".join(" " if of else "w" if win else "l" for of, win in zip(same, wins, strict=True))
    said = "".join("t" if of else "w" if win else "l" for of, win in zip(same, wins == right, strict=True))
    return study_of(pair_votes(people), judge_preferences=judged(said), outputs=outputs_of(texts))


@pytest.mark.full
def test_a_share_of_identical_outputs_is_no_more_known_than_the_rest() -> None:
    """For inputs like these. As if it were known, the corrected win rate missed in 12% of such studies."""
    rng, missed = np.random.default_rng(3), 0
    for _ in range(200):
        (pair,) = only_source(identical_in_part(rng, 60)).pairs
        corrected = pair.outcomes.corrected
        missed += not corrected.low <= 0.3 / 2 + 0.7 * 0.95 <= corrected.high
    assert missed <= 17  # of 200; P(more) is 0.01 at 5%, and .9 at 12%
    same = identical_in_part(np.random.default_rng(4), 60)
    (here,), (there,) = only_source(same, target="items").pairs, only_source(same).pairs
    known, like = here.outcomes.corrected, there.outcomes.corrected
    assert known.value == like.value
    assert known.low == known.high == pytest.approx(known.value), "all labelled: nothing is left to chance"


# ---- claims --------------------------------------------------------------------------------------------------------


def figures(found: AuditedSource) -> dict[str, Estimate]:
    of, (pair,) = found.agreement, found.pairs
    rates = pair.outcomes
    return {
        "all": of.all,
        "decided": of.decided,
        "kappa": of.kappa,
        "people": rates.by_people,
        "source": rates.by_source,
        "difference": rates.difference,
        "corrected": rates.corrected,
    }


def width(of: Estimate) -> float:
    return of.high - of.low


def test_where_all_are_labelled_every_figure_is_known() -> None:
    study = simulated(60, 4)
    inputs, items = only_source(study), only_source(study, target="items")
    for name, of in figures(items).items():
        assert of.low == of.high == of.value == figures(inputs)[name].value, name
        assert width(figures(inputs)[name]) > 0.1
    assert (items.pairs[0].outcomes.needed.with_source or 0) <= 60


def test_the_fewer_are_left_the_narrower() -> None:
    widths: dict[str, list[float]] = {}
    for judged_items in (80, 160, 640):
        for name, of in figures(only_source(simulated(judged_items, 6, labelled=72), target="items")).items():
            widths.setdefault(name, []).append(width(of))
    inputs = {name: width(of) for name, of in figures(only_source(simulated(640, 6, labelled=72))).items()}
    for name, (few, half, many) in widths.items():
        assert few < half < many, name
        if name != "corrected":  # of which a larger pool is known better
            assert many == pytest.approx(inputs[name] * (1 - 72 / 640) ** 0.5, rel=0.06), name


def test_clusters_that_were_drawn_whole_are_the_units() -> None:
    """Ten of 20 clusters of 6; items drawn one by one are units however they hang together."""
    study = simulated(120, 8, labelled=60)

    def found(cluster_of: list[int]) -> AuditedSource:
        items: list[Row] = [{"item": f"i{k}", "cluster": f"c{cluster}"} for k, cluster in enumerate(cluster_of)]
        return only_source(with_items(study, items), target="items", group=None)

    whole, apart = found([k // 6 for k in range(120)]), found([k % 20 for k in range(120)])
    assert (whole.agreement.all.units, apart.agreement.all.units) == (10, 60)
    assert whole.pairs[0].outcomes.by_people.units == 10


def test_flips_are_known_without_people() -> None:
    both = judged("wwwwwwlltt" * 2, left="ant") + judged("wwwwwlllwt" * 2, left="bee")
    study = study_of(pair_votes("wl"), judge_preferences=both)
    found = only_source(study, target="items")
    assert found.orders.flips == Estimate(0.2, 0.2, 0.2, 20, 20)
    side = check_of(found, "side")
    assert side.effect.low == side.effect.high == side.effect.value
    half = study_of(pair_votes("wl"), judge_preferences=both[:10] + both[20:])
    flips = only_source(half, target="items").orders
    assert width(flips.flips) < width(only_source(half).orders.flips)  # type: ignore[union-attr]


def test_several_labels_of_an_item_may_be_others_the_next_time() -> None:
    """The claim of win rates, as in compare, is about the people, and not about what they happened to say."""
    votes = [vote(f"i{k}", "ant", "bee", person, "ab"[(k + number) % 2 if k < 30 else 0])
             for k in range(60) for number, person in enumerate("pqr")]  # fmt: skip
    found = only_source(study_of(votes, judge_preferences=judged("w" * 60)), target="items")
    assert found.agreement.all.low == found.agreement.all.high
    assert width(found.pairs[0].outcomes.by_people) > 0.02


def test_labels_needed_are_no_more_than_the_pool_holds() -> None:
    study = simulated(300, 5, labelled=100)
    (loose,) = only_source(study, target="items", half_width=0.05).pairs
    (tight,) = only_source(study, target="items", half_width=0.0005).pairs
    assert 0 < (loose.outcomes.needed.with_source or 0) < (loose.outcomes.needed.without or 0) < 300
    assert rounded(tight.outcomes.needed.without or 0) == "300"
    (inputs,) = only_source(study, half_width=0.0005).pairs
    assert (inputs.outcomes.needed.without or 0) > 300_000


def test_identical_outputs_are_ties_that_need_no_label() -> None:
    """Of 200 judged items 100 have the same text twice, and nobody was asked about them: they halve the lead."""
    texts = {name: [f"t{k}" if k < 100 else f"t{k} {name}" for k in range(200)] for name in ("ant", "bee")}
    votes = [vote(f"i{k}", "ant", "bee", "ann", "a" if k % 4 else "b") for k in range(100, 200)]
    said = "t" * 100 + "wwwl" * 25
    study = study_of(votes, judge_preferences=judged(said), outputs=outputs_of(texts))
    for target in ("inputs", "items"):
        (pair,) = only_source(study, target=target).pairs
        assert pair.outcomes.by_people.value == pytest.approx(0.75)
        assert pair.outcomes.corrected.value == pytest.approx(0.625, abs=0.01)


# ---- estimates -----------------------------------------------------------------------------------------------------


def test_a_contrast_is_newcombes() -> None:
    hits = np.repeat([1.0, 0, 1, 0], [300, 100, 330, 270])
    inside = np.arange(1000) < 400
    found = Contrast.of(hits, inside, Units(np.arange(1000))).estimate(0.05)
    assert found.value == pytest.approx(300 / 400 - 330 / 600)
    oracle = confint_proportions_2indep(300, 400, 330, 600, method="newcomb")
    assert (found.low, found.high) == pytest.approx(oracle, abs=0.001)


def test_its_mirror_is_itself() -> None:
    hits, inside = np.resize([1.0, 1, 0, 1, 0, 1, 1], 70), np.resize([True, False, False], 70)
    one = Contrast.of(hits, inside, Units(np.arange(70) // 2)).estimate(0.1)
    other = Contrast.of(hits, ~inside, Units(np.arange(70) // 2)).estimate(0.1)
    assert one.value == pytest.approx(-(other.value or 0))
    assert one.low == pytest.approx(-(other.high or 0))


def test_what_nothing_is_known_of_is_none() -> None:
    nothing, none = np.empty(0), Units(np.empty(0, dtype=np.intp))
    assert share_estimate(nothing, none, 0.05) == mean_estimate(nothing, none, 0.05) == Estimate()
    assert score_estimate(nothing, none, 0.05) == Estimate()
    one = share_estimate(np.ones(3), Units(np.zeros(3, dtype=np.intp)), 0.05)
    assert one == Estimate(1.0, None, None, 3, 1)
    assert mean_estimate(np.ones(3), Units(np.arange(3)), 0.05) == Estimate(1.0, None, None, 3, 3)  # 2^-3 > .025


def test_of_a_pool_that_is_all_there_nothing_is_left_to_chance() -> None:
    values, units = np.array([1.0, 0, 1, 1]), Units(np.array([0, 0, 1, 2]), 1.0)
    for found in (share_estimate, mean_estimate, score_estimate):
        assert found(values, units, 0.05) == Estimate(0.75, 0.75, 0.75, 4, 3)
    contrast = Contrast.of(values, np.array([True, True, False, False]), units).estimate(0.05)
    assert (contrast.low, contrast.high) == (-0.5, -0.5)


def test_a_larger_share_of_the_pool_tells_more() -> None:
    values = np.resize([1.0, 0, 1, 1, 0], 60)
    for found in (share_estimate, mean_estimate, score_estimate):
        widths = [
            (of.high or 0) - (of.low or 0)
            for of in (found(values, Units(np.arange(60), seen), 0.05) for seen in (0.0, 0.5, 0.9))
        ]
        assert widths[0] > widths[1] > widths[2] > 0
        if found is not share_estimate:  # whose ends lie a unit of the pool further out
            assert widths[1] == pytest.approx(widths[0] * 0.5**0.5, rel=0.03)
