"""Metrics and judges as values per item and pair: which sign, which rows, which items."""

from __future__ import annotations

import numpy as np
import pytest
from tests.small_studies import Row, answer, pair_votes, scored, study_of, texts

from tiebreak.data.study import Study, StudySettings
from tiebreak.errors import UsageError
from tiebreak.evidence.automatic import (
    AutomaticValues,
    PairAutomatic,
    RandomOrders,
    automatic_outcomes,
    automatic_pairs,
    automatic_values,
    chosen_values,
    known_judges,
    known_metrics,
    pair_automatic,
)
from tiebreak.evidence.items import ItemIndex
from tiebreak.evidence.study_evidence import EvidenceSettings, study_evidence


def values_of(
    study: Study, metrics: tuple[str, ...] = (), judges: tuple[str, ...] = (), criterion: str | None = None
) -> AutomaticValues:
    return automatic_values(study, criterion, ItemIndex.of(study), metrics, judges)


def of_pair(study: Study, a: str = "ant", b: str = "bee", **chosen: object) -> list[float | None]:
    """Values of the only metric or judge on the items in the order of their names; None where absent."""
    (column,) = values_of(study, **chosen).of_pair(a, b).T  # type: ignore[arg-type]
    return [None if np.isnan(value) else float(value) for value in column]


def test_the_value_of_a_metric_is_the_difference_of_its_scores() -> None:
    study = study_of(pair_votes("wwww"), scores=scored({"ant": [3, 1, 2, None], "bee": [1, 2.5, 2, 4]}))
    assert of_pair(study, metrics=("bleu",)) == [2.0, -1.5, 0.0, None]
    assert of_pair(study, "bee", "ant", metrics=("bleu",)) == [-2.0, 1.5, 0.0, None]


def test_a_metric_of_which_less_is_better_is_turned() -> None:
    settings = StudySettings(higher_is_better={"ter": False, "bleu": True})
    rows = [*scored({"ant": [3, 1], "bee": [1, 2]}, "ter"), *scored({"ant": [3, 1], "bee": [1, 2]})]
    study = study_of(pair_votes("ww"), scores=rows, settings=settings)
    assert of_pair(study, metrics=("ter",)) == [-2.0, 1.0]
    assert of_pair(study, metrics=("bleu",)) == [2.0, -1.0]


def test_several_sources_are_metrics_first_and_then_judges() -> None:
    rows = [*scored({"ant": [3], "bee": [1]}, "z"), *scored({"ant": [0], "bee": [5]}, "a")]
    study = study_of(pair_votes("w"), scores=rows, judge_preferences=[answer("i0", "ant", "bee", "a", judge="b")])
    found = values_of(study, ("z", "a"), ("b",))
    assert found.names == ("z", "a", "b")
    assert found.of_pair("ant", "bee").tolist() == [[2.0, -5.0, 1.0]]
    assert found.of_pair("bee", "ant").tolist() == [[-2.0, 5.0, -1.0]]


def test_scores_on_a_criterion_go_before_general_ones() -> None:
    rows = [*scored({"ant": [3, None], "bee": [0, 0]}, criterion="style"), *scored({"ant": [1, 1], "bee": [0, 0]})]
    study = study_of(pair_votes("ww"), scores=rows)
    found = {
        criterion: of_pair(study, metrics=("bleu",), criterion=criterion) for criterion in ("style", "sense", None)
    }
    # On style its own rows alone: two scales must not mix.
    assert found == {"style": [3.0, None], "sense": [1.0, 1.0], None: [1.0, 1.0]}


def test_answers_of_a_judge_on_a_criterion_go_before_general_ones() -> None:
    rows = [answer("i0", "ant", "bee", "a", criterion="style"), answer("i0", "ant", "bee", "b")]
    study = study_of(pair_votes("w"), judge_preferences=rows)
    assert of_pair(study, judges=("gpt",), criterion="style") == [1.0]
    assert of_pair(study, judges=("gpt",), criterion="sense") == [-1.0]
    assert of_pair(study, judges=("gpt",)) == [-1.0]


def both_orders(item: str, first: str | None, second: str | None) -> list[Row]:
    """ant on the left in `first`, bee on the left in `second`, and the second row written the other way round."""
    turned = {"a": "b", "b": "a", "tie": "tie", None: None}[second]
    return [answer(item, "ant", "bee", first, left="ant"), answer(item, "bee", "ant", turned, left="bee")]


def test_a_judge_that_contradicts_itself_says_tie_and_is_counted() -> None:
    rows = [
        *both_orders("i0", "a", "a"),
        *both_orders("i1", "b", "b"),
        *both_orders("i2", "a", "b"),  # always the left one
        *both_orders("i3", "tie", "a"),  # nearly
        *both_orders("i4", "tie", "tie"),
        *both_orders("i5", "b", None),  # one reply did not parse: the other counts
        *both_orders("i6", None, None),
        answer("i7", "bee", "ant", "a"),  # asked in one order only
    ]
    study = study_of(pair_votes("w" * 9), judge_preferences=rows)
    assert of_pair(study, judges=("gpt",)) == [1.0, -1.0, 0.0, 0.0, 0.0, -1.0, None, -1.0, None]
    assert of_pair(study, "bee", "ant", judges=("gpt",)) == [-1.0, 1.0, 0.0, 0.0, 0.0, 1.0, None, 1.0, None]
    # Both orders were answered on i0 ... i4; i2 and i3 disagree.
    assert values_of(study, judges=("gpt",)).disagreements == ((5, 2),)


def likely(item: str, a: float, b: float, outcome: str, **more: object) -> Row:
    """An answer with probabilities about ant, as system_a, and bee."""
    return {**answer(item, "ant", "bee", outcome, **more), "p_a": a, "p_tie": 1 - a - b, "p_b": b}  # type: ignore[arg-type]


def test_what_a_judge_finds_likely_is_its_value_and_what_it_says_its_outcome() -> None:
    turned = {**answer("i0", "bee", "ant", "a", left="bee"), "p_a": 0.75, "p_tie": 0.0, "p_b": 0.25}
    rows = [
        likely("i0", 0.5, 0.25, "a", left="ant"),
        turned,  # one order for ant, the other, more surely, for bee
        likely("i1", 0.625, 0.125, "a"),
        answer("i2", "ant", "bee", "b"),  # without probabilities: the outcome is the value
        likely("i3", 0.25, 0.375, "tie"),
    ]
    study = study_of(pair_votes("w" * 5), judge_preferences=rows)
    assert of_pair(study, judges=("gpt",)) == [-0.125, 0.5, -1.0, -0.125, None]
    assert of_pair(study, "bee", "ant", judges=("gpt",)) == [0.125, -0.5, 1.0, 0.125, None]
    found = values_of(study, judges=("gpt",))
    assert found.has_probabilities
    (outcomes,) = found.outcomes_of_pair("ant", "bee").T
    assert outcomes.tolist()[:4] == [0.0, 1.0, -1.0, 0.0]
    index = ItemIndex.of(study)
    alone = automatic_outcomes(study, found, index, tie_threshold=0.0)["ant", "bee"]()
    assert alone.values.tolist() == [0.0, 1.0, -1.0, 0.0]
    evidence = study_evidence(study, (None,), EvidenceSettings())
    pair = pair_automatic(evidence.pairs[0], evidence.index, found, RandomOrders(0))
    items = evidence.pairs[0].items
    assert pair.outcomes(0.0)[0][np.argsort(items)][:4].tolist() == [0.0, 1.0, -1.0, 0.0]


def test_which_way_round_a_reply_is_written_does_not_matter() -> None:
    said = np.random.default_rng(0).choice(["a", "tie", "b"], 40).tolist()
    rows = [answer(f"i{k // 2}", "ant", "bee", outcome, ("ant", "bee")[k % 2]) for k, outcome in enumerate(said)]
    other_side = {"a": "b", "b": "a", "tie": "tie"}
    turned = [row | {"system_a": "bee", "system_b": "ant", "outcome": other_side[str(row["outcome"])]} for row in rows]
    votes = pair_votes("w" * 20)
    one, other = study_of(votes, judge_preferences=rows), study_of(votes, judge_preferences=turned[::-1])
    assert of_pair(one, judges=("gpt",)) == of_pair(other, judges=("gpt",))
    assert values_of(one, judges=("gpt",)).disagreements == values_of(other, judges=("gpt",)).disagreements


JUDGES = (("gpt", None), ("stylist", "style"))


@pytest.fixture
def rich() -> Study:
    """Metrics: bleu (general), style-net (on style). Judges: gpt (general), stylist (on style)."""
    return study_of(
        pair_votes("wl"),
        scores=scored({"ant": [1], "bee": [0]}) + scored({"ant": [5], "bee": [0]}, "style-net", "style"),
        judge_preferences=[answer(f"i{k}", "ant", "bee", "a", None, *of) for k, of in enumerate(JUDGES)],
    )


def test_all_takes_what_serves_the_criterion(rich: Study) -> None:
    assert (known_metrics(rich, None), known_judges(rich, None)) == (("bleu",), ("gpt",))
    assert known_metrics(rich, "style") == ("bleu", "style-net")
    assert known_judges(rich, "style") == ("gpt", "stylist")
    index = ItemIndex.of(rich)
    everything = (("all",), ("all",))
    assert chosen_values(rich, None, index, *everything).names == ("bleu", "gpt")
    assert chosen_values(rich, "style", index, *everything).names == ("bleu", "style-net", "gpt", "stylist")
    assert chosen_values(rich, "style", index, (), ("all",)).names == ("gpt", "stylist")


@pytest.mark.parametrize(
    ("asked", "criterion", "message"),
    [
        ((("blue",), ()), None, r"no metric 'blue': did you mean bleu\?"),
        ((("style-net",), ()), None, r"metric 'style-net' is known on style alone, and the labels name no criterion"),
        ((("xyz",), ()), "style", r"no metric on style 'xyz'; the study has bleu, style-net"),
        (((), ("gpt4",)), None, r"no judge 'gpt4': did you mean gpt\?"),
        ((("bleu", "all"), ()), None, r"no metric 'all'"),
    ],
)
def test_an_unknown_name_gets_the_nearest(
    rich: Study, asked: tuple[tuple[str, ...], tuple[str, ...]], criterion: str | None, message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        chosen_values(rich, criterion, ItemIndex.of(rich), *asked)


def test_all_of_nothing_is_refused() -> None:
    study = study_of(pair_votes("wl"))
    for asked, kind in (((("all",), ()), "metric"), (((), ("all",)), "judge")):
        with pytest.raises(UsageError, match=f"the study has no {kind} that 'all' could mean"):
            chosen_values(study, None, ItemIndex.of(study), *asked)


def test_outcomes_are_the_side_that_more_sources_favour() -> None:
    # Votes by hand at threshold .5: (+, -) tie; (+, absent) a; (absent, absent) nothing; (.5 within, -) b; (+, 0) a.
    values = np.array([[2.0, -3.0], [2.0, np.nan], [np.nan, np.nan], [0.5, -0.6], [0.7, 0.0]])
    labelled, unlabelled = PairAutomatic(("m", "g"), values, -values).outcomes(0.5)
    assert np.array_equal(labelled, [0.0, 1.0, np.nan, -1.0, 1.0], equal_nan=True)
    assert np.array_equal(unlabelled, -labelled, equal_nan=True)
    three = PairAutomatic(("m", "g", "h"), np.array([[1.0, 1.0, -9.0]]), np.empty((0, 3)))
    assert three.outcomes(0.0)[0].tolist() == [1.0]  # two against one, whatever the sizes


def test_labelled_values_follow_the_evidence_and_the_rest_is_the_pool_without_them() -> None:
    # Twelve items with both outputs, five labelled; i12 has one output only and is no part of the pool.
    outputs = texts({"ant": [f"x{k}" for k in range(13)], "bee": [f"y{k}" for k in range(12)]})
    scores = scored({"ant": list(range(13)), "bee": [0] * 12})
    study = study_of(pair_votes("wlwlw"), outputs=outputs, scores=scores)
    evidence = study_evidence(study, (None,), EvidenceSettings())
    (pair,) = evidence.criteria[0].pairs
    automatic = automatic_values(study, None, evidence.index, ("bleu",), ())
    found = pair_automatic(pair, evidence.index, automatic, RandomOrders(0))
    numbers = [float(evidence.index.items[k][1:]) for k in pair.items]
    assert found.labelled[:, 0].tolist() == numbers
    assert sorted(found.unlabelled[:, 0].tolist()) == [5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0]
    first = found.first_unlabelled(7)[:, 0].tolist()
    assert sorted(first) == sorted(found.unlabelled[:, 0].tolist())
    assert found.first_unlabelled(3)[:, 0].tolist() == first[:3]
    assert pair_automatic(pair, evidence.index, automatic, RandomOrders(0)).first_unlabelled(7)[:, 0].tolist() == first
    orders = {
        tuple(pair_automatic(pair, evidence.index, automatic, RandomOrders(seed)).first_unlabelled(7)[:, 0])
        for seed in range(9)
    }
    assert len(orders) == 9


def test_random_orders_are_those_of_their_seed_and_size_however_many_were_asked_for() -> None:
    orders = RandomOrders(3)
    for count in [5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 5]:  # more sizes than are kept
        assert orders.of_size(count).tolist() == np.random.default_rng([3, 5]).permutation(count).tolist()


def test_pairs_are_looked_up_one_by_one_as_they_would_be_alone() -> None:
    scores = scored({"ant": [3.0, 1.0, 2.0, 7.0], "bee": [1.0, 2.0, 5.0, 0.0], "cat": [0.0, 4.0, None, 6.0]})
    votes = [*pair_votes("wl"), *pair_votes("lw", "ant", "cat"), *pair_votes("w", "bee", "cat")]
    study = study_of(votes, scores=scores)
    evidence = study_evidence(study, (None,), EvidenceSettings())
    automatic = automatic_values(study, None, evidence.index, ("bleu",), ())
    pairs = evidence.criteria[0].pairs
    together = automatic_pairs(evidence, [automatic], 0)
    assert (len(together), len(together[1:]), len(list(together))) == (3, 2, 3)
    for pair, found in zip(pairs[1:], together[1:], strict=True):
        # By hand: score of a minus score of b on the pair's own items, and on the others.
        difference = np.array([_score(scores, pair.system_a, k) - _score(scores, pair.system_b, k) for k in range(4)])
        assert np.array_equal(found.labelled[:, 0], difference[pair.items], equal_nan=True)
        others = np.setdiff1d(np.flatnonzero(~np.isnan(difference)), pair.items)  # an output without score is unknown
        assert np.array_equal(found.unlabelled[:, 0], difference[others], equal_nan=True)
        assert found.unlabelled_judged == others.size
    with pytest.raises(IndexError):
        together[3]


def _score(scores: list[Row], system: str, item: int) -> float:
    values = [row["value"] for row in scores if (row["system"], row["item"]) == (system, f"i{item}")]
    return float(values[0]) if values else float("nan")  # type: ignore[arg-type]


def test_metrics_alone_judge_every_pair_of_systems() -> None:
    scores = scored({"ant": [3, 1, 2], "bee": [1, 2, None], "cat": [None, None, 2]})
    study = study_of(pair_votes("w"), scores=scores)
    index = ItemIndex.of(study)
    makers = automatic_outcomes(study, chosen_values(study, None, index, ("bleu",), ()), index, tie_threshold=1.0)
    found = {systems: make() for systems, make in makers.items()}
    # bee and cat have no item in common.
    assert list(found) == [("ant", "bee"), ("ant", "cat"), ("bee", "cat")]
    assert [pair.item_names for pair in found.values()] == [("i0", "i1"), ("i2",), ()]
    assert [pair.values.tolist() for pair in found.values()] == [[1.0, 0.0], [0.0], []]
    assert all(pair.labels.sum() == 0 for pair in found.values())


def test_unlabelled_items_that_are_left_out_take_their_outcomes_along() -> None:
    values, said = np.array([[0.5], [-0.25], [0.75]]), np.array([[1.0], [-1.0], [0.0]])
    pair = PairAutomatic(("gpt",), values[:1], values, with_outcomes=(said[:1], said))
    left = pair.beside(np.array([False, True, True]))
    assert left.unlabelled.tolist() == [[-0.25], [0.75]]
    assert left.outcomes(0.0)[1].tolist() == [-1.0, 0.0]
