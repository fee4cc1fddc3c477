"""`compare` as a whole: what must not change its answer, what it must refuse, and the shape of its document."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.planned_evidence import first_decision, least_wins
from tests.small_studies import (
    Row,
    anytime,
    anytime_pair,
    only_pair,
    pair_of,
    pair_votes,
    rating,
    simulated_ratings,
    simulated_votes,
    study_of,
    texts,
    vote,
)

import tiebreak
from tiebreak.comparison.compare import compare
from tiebreak.data.readers import read_study
from tiebreak.data.study import StudySettings
from tiebreak.errors import InputError
from tiebreak.records import MULTIPLICITIES
from tiebreak.results.records import FEW_UNITS, CompareResult
from tiebreak.rules.registry import RULES, pair_rules

STRENGTHS = {"ant": 0.25, "bee": 0.0, "cat": -0.25}
HUMAN_METHODS = [name for name in pair_rules() if not RULES[name].needs_metric]
MIRROR = {"a": "b", "b": "a", "equivalent": "equivalent", "undecided": "undecided", None: None}


def turned(row: Row) -> Row:
    """The same label, written with the systems the other way round."""
    outcome = {"a": "b", "b": "a", "tie": "tie"}[str(row["outcome"])]
    return {**row, "system_a": row["system_b"], "system_b": row["system_a"], "outcome": outcome}


def without_name(result: CompareResult) -> dict[str, object]:
    document = result.to_dict()
    document["study"] = {key: value for key, value in result.study.items() if key != "name"}
    return document


def test_twelve_wins_in_a_row_decide_and_eight_do_not() -> None:
    # Mixture of Beta(20, 20) and Beta(2, 2) at n wins: 8 wins give 15.5, 9 wins 25.1, 10 wins 41.6; 40 are needed.
    result = anytime(study_of(pair_votes("w" * 12)))
    pair = result.results[0].pairs[0]
    assert (pair.verdict, pair.winner) == ("a", "ant")
    assert pair.stopped_at == pair.labels_at_stop == first_decision(np.ones(12))
    assert result.order.edges == (("ant", "bee"),)
    assert (pair.items_to_decision, pair.labels_to_decision) == (0, 0)
    short = anytime_pair(study_of(pair_votes("w" * (least_wins() - 1))))
    assert (short.verdict, short.winner, short.stopped_at) == ("undecided", None, None)
    assert 1 < (short.e_a or 0.0) < 40
    assert (short.items_to_decision, short.flags) == (None, (FEW_UNITS,))


@pytest.mark.parametrize("method", HUMAN_METHODS)
@pytest.mark.parametrize("labels", ["mean", "majority", "first"])
def test_the_order_of_rows_and_the_orientation_of_each_row_do_not_matter(method: str, labels: str) -> None:
    rows = simulated_votes(STRENGTHS, items=40, annotators=3)
    rng = np.random.default_rng(1)
    shuffled = [turned(rows[k]) if rng.random() < 0.5 else rows[k] for k in rng.permutation(len(rows))]
    one = compare(study_of(rows), rule=method, several=labels)  # type: ignore[arg-type]
    other = compare(study_of(shuffled), rule=method, several=labels)  # type: ignore[arg-type]
    assert other.results == one.results
    assert other.pairs.equals(one.pairs)


@pytest.mark.parametrize("to", ["csv", "jsonl", "parquet"])
def test_the_format_of_the_files_does_not_matter(to: str, tmp_path: Path) -> None:
    study = study_of(
        simulated_votes(STRENGTHS, items=30),
        simulated_ratings(STRENGTHS, items=30),
        items=[{"item": f"i{k:03d}", "input": f"text {k // 2}"} for k in range(30)],
    )
    save(study, tmp_path / "study", to)
    assert without_name(compare(read_study(tmp_path / "study"))) == without_name(compare(study))


def save(study: tiebreak.Study, folder: Path, to: str) -> None:
    folder.mkdir()
    for name, frame in study.tables.items():
        kept = frame.select(column for column in frame.columns if frame[column].null_count() < frame.height)
        path = folder / f"{name}.{to}"
        if to == "csv":
            kept.write_csv(path)
        elif to == "jsonl":
            kept.write_ndjson(path)
        else:
            kept.write_parquet(path)


@pytest.mark.parametrize("method", HUMAN_METHODS)
def test_naming_the_other_system_as_baseline_mirrors_the_pair(method: str) -> None:
    study = study_of(simulated_votes({"ant": 0.3, "bee": 0.0}, items=80))
    one, other = only_pair(study, rule=method, baseline="bee"), only_pair(study, rule=method, baseline="ant")
    assert (other.system_a, other.system_b) == (one.system_b, one.system_a)
    assert other.verdict == MIRROR[one.verdict]
    assert (other.wins, other.ties, other.losses) == (one.losses, one.ties, one.wins)
    assert other.winner == one.winner
    assert (other.e_a, other.e_b) == (one.e_b, one.e_a)
    assert other.stopped_at == one.stopped_at
    assert other.difference.estimate == pytest.approx(-one.difference.estimate)
    assert (other.difference.low, other.difference.high) == pytest.approx(
        (-one.difference.high, -one.difference.low), abs=2e-4
    )


def test_new_names_keep_everything_that_does_not_hang_on_the_order_of_items() -> None:
    # The random order is sealed by the names, so that e-values move a little; counts, estimates and fixed-sample
    # verdicts do not move at all, and clear verdicts stay.
    strengths = {"ant": 0.39, "bee": 0.0, "cat": -0.39}
    rows = simulated_votes(strengths, items=150)
    new = {"ant": "zoe", "bee": "Yak [b]", "cat": "x,1"}
    renamed = [{**row, "system_a": new[str(row["system_a"])], "system_b": new[str(row["system_b"])]} for row in rows]
    for method in HUMAN_METHODS:
        one, other = compare(study_of(rows), rule=method), compare(study_of(renamed), rule=method)
        tiers = [sorted(new[name] for name in tier) for tier in one.order.tiers]
        assert tiers == [sorted(tier) for tier in other.order.tiers]
        for pair in one.results[0].pairs:
            swapped = new[pair.system_a] > new[pair.system_b]
            a, b = (pair.system_b, pair.system_a) if swapped else (pair.system_a, pair.system_b)
            twin = pair_of(other, new[a], new[b])
            counts = (twin.losses, twin.ties, twin.wins) if swapped else (twin.wins, twin.ties, twin.losses)
            assert counts == (pair.wins, pair.ties, pair.losses)
            sign = -1 if swapped else 1
            assert sign * twin.difference.estimate == pytest.approx(pair.difference.estimate)
            assert twin.p_value == pair.p_value


def test_another_system_criterion_or_metric_does_not_change_a_pairs_evidence() -> None:
    rows = simulated_votes({"ant": 0.2, "bee": 0.0}, items=60)
    more = [*rows, *simulated_votes({"ant": 0.0, "cat": 0.3}, items=90, seed=4)]
    more += simulated_votes({"ant": 0.0, "bee": 0.4}, items=60, seed=5, criterion="style")
    scores = [{"item": f"i{k:03d}", "system": "ant", "metric": "bleu", "value": 0.5} for k in range(60)]
    alone = anytime_pair(study_of(rows), multiplicity="none")
    among = pair_of(anytime(study_of(more, scores=scores), multiplicity="none"), "ant", "bee")
    assert among == replace(alone, difference=among.difference)
    assert (among.difference.low, among.difference.high) == (alone.difference.low, alone.difference.high)


def test_identical_outputs_are_ties_without_asking() -> None:
    # 20 different items, all labelled w; 20 identical ones that nobody was asked about.
    outputs = texts({"ant": [f"x{k}" for k in range(40)], "bee": [f"y{k}" if k < 20 else f"x{k}" for k in range(40)]})
    pair = anytime_pair(study_of(pair_votes("w" * 20), outputs=outputs))
    assert (pair.items, pair.labels, pair.identical) == (40, 20, 20)
    assert (pair.wins, pair.ties, pair.losses) == (20, 20, 0)
    assert pair.difference.estimate == pytest.approx(0.5)
    without = anytime_pair(study_of(pair_votes("w" * 20)))
    assert pair.e_a == pytest.approx(without.e_a)  # ties bet nothing
    # The first 20 wins take about twice as many items, but the same labels.
    # Ties at other places move the times at which a level may be spent.
    assert without.labels_at_stop == pytest.approx(pair.labels_at_stop, abs=2)


@pytest.mark.parametrize("budget", [None, 10])
def test_outputs_that_hardly_ever_differ(budget: int | None) -> None:
    # 6 of 120 items have different outputs, so that no difference of these items reaches the margin of .2.
    rows = texts({"ant": ["x"] * 120, "bee": ["y"] * 6 + ["x"] * 114})
    study = study_of(pair_votes("ww"), outputs=rows)
    pair = anytime_pair(study, target="items", margin=0.2, items_per_pair=budget)
    assert pair.verdict == "undecided"
    assert pair.difference.high == pytest.approx(0.05)
    assert -0.05 <= pair.difference.low < pair.difference.high


def test_outputs_that_never_differ() -> None:
    study = study_of(pair_votes("wwl"), outputs=texts({"ant": ["x"] * 30, "bee": ["x"] * 30}))
    pair = only_pair(study, target="items")
    assert (pair.verdict, pair.items, pair.identical) == ("undecided", 30, 30)
    assert (pair.difference.estimate, pair.difference.low, pair.difference.high) == (None, 0.0, 0.0)


def test_clusters_are_the_unit_of_evidence() -> None:
    items = [{"item": f"i{k}", "cluster": f"doc {k // 10}"} for k in range(40)]
    pair = only_pair(study_of(pair_votes("w" * 40), items=items))
    assert (pair.items, pair.units, pair.clusters) == (40, 4, 4)
    assert pair.verdict == "undecided"  # four documents, however many sentences
    assert only_pair(study_of(pair_votes("w" * 40), items=items), target="items").verdict == "a"
    assert only_pair(study_of(pair_votes("w" * 40))).verdict == "a"


def test_a_fully_labelled_pool_needs_no_inference() -> None:
    items = [{"item": f"i{k}"} for k in range(9)]
    pair = anytime_pair(study_of(pair_votes("wlwlwlwlw"), items=items), target="items")
    assert pair.verdict == "a"
    assert (pair.difference.low, pair.difference.high) == pytest.approx((1 / 9, 1 / 9))
    assert pair.e_a == 1e300  # an impossible null: E is infinite, and JSON has no infinity
    tied = anytime_pair(study_of(pair_votes("wlwlwltt"), items=items[:8]), target="items")
    assert (tied.verdict, tied.difference.low, tied.difference.high) == ("undecided", 0.0, 0.0)


def test_better_but_by_less_than_the_margin() -> None:
    items = [{"item": f"i{k}"} for k in range(200)]
    outcomes = "w" * 20 + "l" * 6 + "t" * 174
    result = compare(study_of(pair_votes(outcomes), items=items), target="items", margin=0.2)
    pair = result.results[0].pairs[0]
    assert (pair.verdict, pair.also) == ("a", "equivalent")
    assert result.order.edges == (("ant", "bee"),)
    assert result.order.equivalences == (("ant", "bee"),)
    assert only_pair(study_of(pair_votes(outcomes), items=items), target="items").also is None


def test_the_interval_agrees_with_the_verdict() -> None:
    study = study_of(simulated_votes({f"s{k}": 0.1 * k for k in range(5)}, items=120))
    for multiplicity in MULTIPLICITIES:
        for pair in compare(study, multiplicity=multiplicity).results[0].pairs:
            low, high = pair.difference.low, pair.difference.high
            assert -1 <= low <= pair.difference.estimate <= high <= 1
            if pair.verdict == "a":
                assert low >= -1e-4
            if pair.verdict == "b":
                assert high <= 1e-4


def test_ratings_decide_as_the_preferences_they_imply() -> None:
    ratings = simulated_ratings({"ant": 0.9, "bee": 0.0, "cat": -0.9}, items=50)
    result = compare(study_of(ratings=ratings))
    assert result.order.tiers == (("ant",), ("bee",), ("cat",))
    assert result.results[0].labels == 50 * 3 * 2  # a rating serves two pairs, but was paid once
    pair = pair_of(result, "ant", "cat", "overall")
    means: dict[tuple[str, str], list[float]] = {}
    for row in ratings:
        means.setdefault((str(row["item"]), str(row["system"])), []).append(float(str(row["value"])))
    signs = [np.sign(sum(means[f"i{k:03d}", "ant"]) - sum(means[f"i{k:03d}", "cat"])) for k in range(50)]
    assert (pair.wins, pair.ties, pair.losses) == (signs.count(1), signs.count(0), signs.count(-1))


def test_people_are_counted_where_their_labels_are_evidence() -> None:
    ratings = [rating(f"i{k}", name, "ann", v) for k in range(12) for name, v in (("ant", 4), ("bee", 3))]
    ratings += [rating(f"i{k}", "ant", "cy", 5) for k in range(12)]  # nothing to compare with
    (found,) = compare(study_of(ratings=ratings)).results
    assert (found.annotators, found.labels) == (("ann",), 24)
    early, late = "2024-05-01T08:00:00Z", "2024-05-01T09:00:00Z"
    votes = [vote(f"i{k}", "ant", "bee", p, "a", t) for k in range(12) for p, t in (("fast", early), ("slow", late))]
    votes += [vote("i0", "bee", "cat", "other", "a", early)]
    (found,) = compare(study_of(votes), several="first", baseline="ant").results
    assert (found.annotators, found.labels, len(found.people)) == (("fast",), 12, 1)
    (found,) = compare(study_of(votes)).results
    assert (found.annotators, found.labels) == (("fast", "other", "slow"), 25)


def test_a_cycle_is_named() -> None:
    cycle = (("w", "ant", "bee"), ("w", "bee", "cat"), ("l", "ant", "cat"))
    rows = [vote for code, a, b in cycle for vote in pair_votes(code * 20, a, b)]
    order = compare(study_of(rows)).order
    assert order.cycles == (("ant", "bee", "cat"),)
    assert order.tiers == (("ant", "bee", "cat"),)


@pytest.mark.parametrize(
    ("study", "message"),
    [
        (study_of(outputs=texts({"ant": ["x"], "bee": ["y"]})), "holds no human labels"),
        (study_of(ratings=[rating("x", "ant", "p", 1), rating("y", "ant", "p", 2)]), "no item on which two"),
        (study_of(ratings=[rating("x", "ant", "p", 1), rating("y", "bee", "p", 2)]), "no item on which two"),
    ],
    ids=["no labels", "one system", "nothing in common"],
)
def test_nothing_to_compare(study: tiebreak.Study, message: str) -> None:
    with pytest.raises(InputError, match=message):
        compare(study)


DESIGN = {
    "document": "tiebreak study terms results warnings campaign watch own_analysis",
    "terms": "rule alpha margin tie_threshold target several annotators criteria metrics judges items_per_pair "
    "baseline multiplicity family seed",
    "pair": "system_a system_b verdict also items labels items_to_decision labels_to_decision stopped_at wins ties "
    "losses difference p e_a e_b e_equivalent theta k_hat flags metric",
}
MORE_IN_PAIRS = {"units", "identical", "clusters", "cost_to_decision", "labels_at_stop", "p_value"}


@pytest.mark.parametrize("method", HUMAN_METHODS)
def test_the_document_has_the_documented_shape_and_finite_numbers(method: str) -> None:
    study = study_of(simulated_votes(STRENGTHS, items=20, annotators=2), simulated_ratings(STRENGTHS, items=20))
    document = compare(study, rule=method).to_dict()
    text = json.dumps(document, allow_nan=False)
    assert json.loads(text) == document
    assert set(document) == set(DESIGN["document"].split())
    assert set(document["terms"]) >= set(DESIGN["terms"].split())
    assert document["terms"]["family"] == 6
    assert [result["criterion"] for result in document["results"]] == [None, "overall"]
    for result in document["results"]:
        assert set(result) >= {"criterion", "pairs", "order", "agreement"}
        assert set(result["order"]) >= {"tiers", "edges", "equivalences"}
        assert len(result["pairs"]) == 3
        for pair in result["pairs"]:
            assert set(pair) >= set(DESIGN["pair"].split()) | MORE_IN_PAIRS
            assert set(pair["difference"]) == {"estimate", "low", "high", "validity"}
            assert set(pair["p"]) == {"a", "tie", "b"}
            assert sum(pair["p"].values()) == pytest.approx(1)
            has = {name for name in ("e_a", "p_value", "theta") if pair[name] is not None}
            expected = {"anytime": {"e_a"}, "fixed": {"p_value"}, "dirichlet": {"theta"}, "hoeffding": set()}
            assert has == expected[method]


def test_pairs_is_a_frame_with_one_row_per_criterion_and_pair() -> None:
    study = study_of(simulated_votes(STRENGTHS, items=20), simulated_ratings(STRENGTHS, items=20))
    result = compare(study)
    frame = result.pairs
    assert frame["criterion"].to_list() == [None] * 3 + ["overall"] * 3
    assert {"difference", "low", "high", "validity", "p_a", "p_tie", "p_b", "e_a"} <= set(frame.columns)
    flat = [pair for found in result.results for pair in found.pairs]
    assert frame["difference"].to_list() == [pair.difference.estimate for pair in flat]
    assert frame["verdict"].to_list() == [pair.verdict for pair in flat]
    with pytest.raises(ValueError, match="there are 2 criteria"):
        _ = result.order


def test_the_same_from_the_package_itself() -> None:
    study = study_of(pair_votes("w" * 12))
    assert tiebreak.compare(study).results == compare(study).results
    assert "compare" in dir(tiebreak)
    with pytest.raises(AttributeError, match="has no attribute 'compar'"):
        _ = tiebreak.compar


def test_study_toml_chooses_the_criteria_that_are_compared() -> None:
    rows = pair_votes("wwwww", criterion="fluency") + pair_votes("lllll", criterion="style")
    both = compare(study_of(rows))
    assert [found.criterion for found in both.results] == ["fluency", "style"]
    listed = study_of(rows, settings=StudySettings(criteria=("style",)))
    only = compare(listed)
    assert [found.criterion for found in only.results] == ["style"]
    assert only.terms.family == 1
    asked = compare(listed, criteria=["fluency"])
    assert [found.criterion for found in asked.results] == ["fluency"]
