from __future__ import annotations

from dataclasses import replace

import pytest
from tests.small_studies import only_pair, pair_votes, rating, simulated_ratings, simulated_votes, study_of, vote

from tiebreak.comparison.compare import compare
from tiebreak.evidence.study_evidence import EvidenceSettings, study_evidence
from tiebreak.results.records import PairResult
from tiebreak.results.standing import standing
from tiebreak.results.words import agreement_rows, claim_words, further_words, note_words, verdict_words
from tiebreak.version import __version__


@pytest.fixture
def undecided() -> PairResult:
    return only_pair(study_of(pair_votes("wwwl")))


def test_verdicts_in_words(undecided: PairResult) -> None:
    won = only_pair(study_of(pair_votes("w" * 12)))
    assert verdict_words(won, None) == "ant is better"
    assert verdict_words(replace(won, verdict="b"), None) == "bee is better"
    assert verdict_words(replace(won, also="equivalent"), 0.2) == "ant is better, but by less than the margin"
    assert verdict_words(replace(won, verdict="equivalent"), 0.2) == "equivalent within 0.2"
    shown = replace(won, verdict="equivalent", equivalence_interval=(-0.051, 0.094))
    assert verdict_words(shown, 0.2) == "equivalent within 0.2, by [-0.05, 0.09]"
    small = replace(shown, verdict="a", also="equivalent")
    assert verdict_words(small, 0.2) == "ant is better, but by less than the margin, by [-0.05, 0.09]"
    assert verdict_words(undecided, None).startswith("undecided: about ")


def test_what_is_still_needed(undecided: PairResult) -> None:
    pair = replace(undecided, items_to_decision=146, labels_to_decision=292, cost_to_decision=29.2)
    assert further_words(pair) == "about 150 more items, 290 labels, $29.00"
    assert further_words(pair, "€") == "about 150 more items, 290 labels, €29.00"
    one = replace(undecided, items_to_decision=1, labels_to_decision=3, cost_to_decision=None)
    assert further_words(one) == "about 1 more item, 3 labels"
    assert further_words(replace(undecided, items_to_decision=None)) == "no end in sight"
    dear = replace(pair, cost_to_decision=1234.56, labels_to_decision=1_234)
    assert further_words(dear).endswith("$1,200")


def sentence(study: object, **options: object) -> str:
    return compare(study, **options).results[0].sentence  # type: ignore[arg-type]


def test_the_sentence_names_method_alpha_estimand_and_n() -> None:
    text = sentence(study_of(pair_votes("w" * 12)), alpha=0.01)
    assert text.startswith(
        "From 12 pairwise human preferences by 1 annotator (12 items per pair; one label of each item) we "
        "estimated P(A preferred) - P(B preferred) of each pair of systems A and B on inputs like these and decided by "
        "an exact score test "
    )
    assert f"at alpha = 0.01 (one pair, both directions) (tiebreak {__version__})" in text
    assert text.endswith(
        "Verdicts hold for one look at a number of labels fixed beforehand: the chance of any wrong verdict is at most "
        "0.01."
    )
    every = sentence(study_of(pair_votes("w" * 12)), rule="anytime")
    assert "decided by an anytime-valid betting test (e-process) at alpha = 0.05" in every
    assert every.endswith(
        "Verdicts hold for these labels as a finished set: the chance of any wrong verdict is at most 0.05."
    )


def test_the_sentence_says_on_how_many_criteria_the_pairs_are() -> None:
    votes = [row for name in ("clear", "true") for row in pair_votes("w" * 12, criterion=name)]
    assert "(Holm over 2 pairs on 2 criteria together)" in sentence(study_of(votes))


def test_the_finding_of_one_pair() -> None:
    text = sentence(study_of(pair_votes("l" * 12)))
    assert ": bee is better than ant (ant minus bee: difference -1.00, interval [-1.00, -0." in text
    assert "ant and bee remain undecided (2 items are too few for an estimate)" in sentence(study_of(pair_votes("wl")))
    assert "ant and bee remain undecided (difference 0.00" in sentence(study_of(pair_votes("wl" * 5)))
    assert "ant and bee are equivalent within 0.4 (difference 0.00" in sentence(
        study_of(pair_votes("t" * 60)), margin=0.4
    )


def test_equivalence_is_told_with_the_interval_that_shows_it() -> None:
    study = study_of(pair_votes("w" * 245 + "t" * 20 + "l" * 235))
    pair = only_pair(study, margin=0.1)
    assert pair.equivalence_interval is not None
    low, high = pair.equivalence_interval
    assert pair.difference.high > 0.1 > high
    words = f"[{low:.2f}, {high:.2f}]"
    assert f"and for equivalence {words})" in sentence(study, margin=0.1)
    assert note_words(standing(pair), 0.1) == f"equivalent within 0.1, by {words}"
    turned = replace(pair, difference=replace(pair.difference, estimate=-0.02), equivalence_interval=(-high, -low))
    assert note_words(standing(turned), 0.1) == f"equivalent within 0.1, by {words}"


def test_items_that_are_all_alike_give_no_interval_of_agreement() -> None:
    rows = [vote(f"i{k}", "ant", "bee", p, o) for k in range(6) for p, o in (("p0", "a"), ("p1", "b"))]
    (found,) = compare(study_of(rows)).results[0].agreement
    assert [value.split(";")[0] for _, value in agreement_rows(found)] == [
        "-0.83 (no interval: all items are alike)",
        "0% (no interval: all items are alike)",
    ]
    for told in (found.to_dict()["krippendorff_alpha"], found.to_dict()["agreeing"]):
        assert isinstance(told, dict)
        assert (told["low"], told["high"]) == (None, None)


def test_a_difference_below_the_margin_is_told_as_such() -> None:
    rows = pair_votes("w" * 130 + "t" * 85 + "l" * 85)
    text = sentence(study_of(rows), multiplicity="fdr", margin=0.3)
    assert "ant is better than bee, but by less than the margin of 0.3 (ant minus bee: difference 0.15" in text
    both = study_of([*rows, *pair_votes("wl", "ant", "cat")])
    assert "1 of 2 pairs has a better system (1 of them by less than the margin)" in sentence(
        both, multiplicity="none", margin=0.3
    )


def test_the_sentence_says_which_annotators_and_what_is_a_tie() -> None:
    study = study_of(ratings=simulated_ratings({"ant": 1.0, "bee": 0.0}, 20, criterion="fluency"))
    text = sentence(study, annotators=["p0"], tie_threshold=1.0)
    assert "by 1 annotator named p0 (20 items per pair; one comparison of each item; ratings up to 1" in text
    assert "apart" not in sentence(study_of(pair_votes("w" * 12)), tie_threshold=1.0)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "(Holm over 3 pairs)"),
        ({"margin": 0.1}, "(Bonferroni over 3 pairs, margin 0.1)"),
        ({"rule": "anytime", "multiplicity": "fdr"}, "(e-BH, false discovery rate over 3 pairs)"),
        ({"multiplicity": "none"}, "(no adjustment over 3 pairs)"),
        ({"multiplicity": "fdr"}, "an exact score test at alpha = 0.05 (Benjamini-Hochberg over 3"),
        ({"rule": "hoeffding"}, "at d = 0.05 for each pair"),
        ({"rule": "dirichlet"}, "at gamma = 0.05 for each pair"),
        ({"several": "majority"}, "the majority label of each item"),
        ({"several": "first"}, "the earliest label of each item, of equally early ones the mean"),
        ({"target": "items"}, "on these items, all of them labelled, from these labels alone, and"),
    ],
)
def test_the_sentence_follows_the_settings(options: dict[str, object], words: str) -> None:
    votes = simulated_votes({"ant": 0.1, "bee": 0.0, "cat": 0.0}, 12)
    if "several" in options:  # a rule for several labels of an item says nothing where each has one
        assert words not in sentence(study_of(votes), **options)
        votes += [{**vote, "annotator": "another"} for vote in votes]
    assert words in sentence(study_of(votes), **options)


def test_the_findings_of_many_pairs_are_counted() -> None:
    rows = [*pair_votes("w" * 40, "ant", "bee"), *pair_votes("wl", "ant", "cat"), *pair_votes("l" * 30, "bee", "cat")]
    study = study_of(rows)
    text = sentence(study)
    assert "2 of 3 pairs have a better system and 1 remains undecided." in text
    assert "(2 to 40 items per pair;" in text
    assert "2 of 3 pairs have a better system, 0 are equivalent within 0.2 and 1 remains undecided." in sentence(
        study, margin=0.2
    )


def test_ratings_criteria_and_clusters_are_said() -> None:
    text = sentence(study_of(ratings=simulated_ratings({"ant": 1.0, "bee": 0.0}, 20, criterion="fluency")))
    assert text.startswith("From 80 human ratings, compared item by item within annotators, on fluency by 2 annotators")
    items = [{"item": f"i{k}", "cluster": f"doc {k // 2}"} for k in range(12)]
    text = sentence(study_of(pair_votes("w" * 12), items=items))
    assert "(12 items in 6 clusters per pair; one label of each item, one unit of evidence per cluster) we" in text


def test_a_criterion_on_which_nothing_can_be_compared() -> None:
    result = compare(study_of(pair_votes("w"), [rating("x", "ant", "p", 1)]))
    assert result.results[1].sentence == "No two systems were judged on the same item on overall."


def test_the_sentence_names_the_procedure_for_false_discoveries() -> None:
    votes = [vote for pair in (("ant", "bee"), ("ant", "cat")) for vote in pair_votes("w" * 12, *pair)]
    assert "(e-BH, false discovery rate over 2 pairs)" in sentence(study_of(votes), rule="anytime", multiplicity="fdr")
    assert "(Benjamini-Yekutieli over 2 pairs)" in sentence(study_of(votes), multiplicity="fdr-any")


def test_with_clusters_every_look_and_one_look_are_about_items() -> None:
    """Six clusters of one item that a wins, and one of six that b wins: items are even, clusters are not."""
    votes = pair_votes("w" * 6 + "l" * 6)
    items = [{"item": row["item"], "cluster": f"d{min(k, 6)}"} for k, row in enumerate(votes)]
    study = study_of(votes, items=items)
    found = [compare(study, rule=rule) for rule in ("anytime", "fixed")]
    assert [claim_words(one.terms) for one in found] == ["inputs like these"] * 2
    sequence = study_evidence(study, (None,), EvidenceSettings()).pairs[0].sequence
    assert sequence.mean == pytest.approx(0.0)
    assert sequence.weights is not None
    assert sorted(sequence.weights) == pytest.approx([1 / 6] * 6 + [1.0])
