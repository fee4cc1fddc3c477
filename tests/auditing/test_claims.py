"""A claim about these items: what is left to chance is the part that nobody labelled."""

from __future__ import annotations

import pytest
from tests.auditing.judged_studies import check_of, judged, only_source, simulated
from tests.small_studies import Row, pair_votes, study_of, vote

from tiebreak.comparison.compare import compare
from tiebreak.numbers import rounded
from tiebreak.results.audits import AuditedSource, Estimate


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
    assert of.low is not None
    assert of.high is not None
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


def test_the_corrected_win_rate_is_that_of_compare() -> None:
    study = simulated(400, 3, labelled=120)
    (pair,) = only_source(study, target="items").pairs
    listed = study_of(
        study.preferences.to_dicts(),
        judge_preferences=study.judge_preferences,
        items=[{"item": f"i{k}"} for k in range(400)],
    )
    found = compare(listed, judges=["gpt"], target="items").results[0].pairs[0].difference
    assert pair.outcomes.uses_source
    assert pair.outcomes.corrected.value == pytest.approx((1 + found.estimate) / 2, abs=1e-9)
    assert pair.outcomes.corrected.low == pytest.approx((1 + found.low) / 2, abs=1e-6)
    assert pair.outcomes.corrected.high == pytest.approx((1 + found.high) / 2, abs=1e-6)


def test_clusters_that_were_drawn_whole_are_the_units() -> None:
    """Ten of 20 clusters of 6; items drawn one by one are units however they hang together."""
    study = simulated(120, 8, labelled=60)

    def found(cluster_of: list[int]) -> AuditedSource:
        items: list[Row] = [{"item": f"i{k}", "cluster": f"c{cluster}"} for k, cluster in enumerate(cluster_of)]
        grouped = study_of(study.preferences.to_dicts(), judge_preferences=study.judge_preferences, items=items)
        return only_source(grouped, target="items", group=None)

    whole, apart = found([k // 6 for k in range(120)]), found([k % 20 for k in range(120)])
    assert (whole.agreement.all.units, apart.agreement.all.units) == (10, 60)
    assert whole.pairs[0].outcomes.by_people.units == 10


def test_flips_are_known_without_people() -> None:
    both = judged("wwwwwwlltt" * 2, left="ant") + judged("wwwwwlllwt" * 2, left="bee")
    study = study_of(pair_votes("wl"), judge_preferences=both)
    found = only_source(study, target="items")
    assert found.orders is not None
    assert found.orders.flips == Estimate(0.2, 0.2, 0.2, 20, 20)
    side = check_of(found, "side")
    assert side.effect.low == side.effect.high == side.effect.value
    half = study_of(pair_votes("wl"), judge_preferences=both[:10] + both[20:])
    flips = only_source(half, target="items").orders
    assert flips is not None
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
    texts = [
        {"item": f"i{k}", "system": system, "text": f"t{k}" if k < 100 else f"t{k} {system}"}
        for k in range(200)
        for system in ("ant", "bee")
    ]
    votes = [vote(f"i{k}", "ant", "bee", "ann", "a" if k % 4 else "b") for k in range(100, 200)]
    said = "t" * 100 + "wwwl" * 25
    study = study_of(votes, judge_preferences=judged(said), outputs=texts)
    for target in ("inputs", "items"):
        (pair,) = only_source(study, target=target).pairs
        assert pair.outcomes.by_people.value == pytest.approx(0.75)
        assert pair.outcomes.corrected.value == pytest.approx(0.625, abs=0.01)
