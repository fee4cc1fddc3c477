"""Sentences about ordinary finished studies that were once false or contradicted their neighbours."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.small_studies import Row, pair_votes, rating, study_of, texts, vote

from tiebreak.comparison.compare import compare
from tiebreak.data.study import Study
from tiebreak.data.system_settings import SystemSettings
from tiebreak.errors import InputError
from tiebreak.report.appendix import claim_rows, data_rows, setting_rows
from tiebreak.results.records import CompareResult
from tiebreak.results.words import clusters_words, message_of, rule_words, sizes_words


def message(result: CompareResult, criterion: int = 0) -> tuple[str, str, str]:
    found = message_of(result.results[criterion], result.terms, "$")
    return found.headline, found.detail, found.decided


def strangers() -> Study:
    """Three systems rated by three people, and a fourth by somebody who rated nothing else."""
    rng = np.random.default_rng(3)
    rows = [
        rating(f"i{k}", system, person, float(np.clip(round(level + rng.normal()), 1, 5)), criterion)
        for k in range(40)
        for system, level in (("ant", 4.2), ("bee", 2.8), ("cat", 2.9), ("dog", 3.0))
        for person in (("zoe",) if system == "dog" else ("ann", "bo", "cy"))
        for criterion in ("style", "facts")
    ]
    return study_of(ratings=rows)


def test_a_system_without_a_comparison_is_not_beaten() -> None:
    result = compare(strangers())
    headline, detail, _ = message(result)
    assert headline == "ant is best of the 3 compared"
    assert detail == "It is better than both others. dog was compared with no other system."
    assert sizes_words(result).startswith(
        "3 of 4 systems, 40 items, 2 criteria, 6 pairs tested together (6 more have no "
    )
    assert dict(data_rows(result))["Systems"] == "3 of 4"
    assert [found.to_dict()["not_compared"] for found in result.results] == [["dog"], ["dog"]]
    pair = compare(study_of(pair_votes("w" * 20), outputs=texts({"ant": ["a"], "bee": ["b"], "cat": ["c"]})))
    assert message(pair)[1].endswith("and 0 were ties. cat was compared with no other system.")
    written = study_of(pair_votes("w" * 20), outputs=texts({"ant": ["a"], "bee": ["b"], "cat": ["c"]}))
    reference = replace(written, settings=replace(written.settings, systems={"cat": SystemSettings(reference=True)}))
    for study in (study_of(pair_votes("w" * 20)), reference):
        assert message(compare(study))[1].endswith("and 0 were ties."), "nobody waits for a reference to be compared"


def test_pairs_without_a_common_rater_are_named_once() -> None:
    (notice,) = [notice for notice in compare(strangers()).warnings if notice.code == "different-raters"]
    assert (
        "3 pairs have no other comparison and no result on any of these criteria: ant and dog, bee and dog, cat and "
        "dog." in notice.text
    )
    both = strangers().ratings
    assert both is not None
    more = [rating(f"i{k}", "dog", "ann", 3.0, "facts") for k in range(40)]
    mixed = study_of(ratings=[*both.to_dicts(), *more])
    (notice,) = [notice for notice in compare(mixed).warnings if notice.code == "different-raters"]
    assert "3 pairs have no other comparison and no result: ant and dog (style), bee and dog (style)" in notice.text


def test_where_all_items_are_counted_nothing_is_said_of_chance() -> None:
    rows = [*pair_votes("wwlt" * 5), *pair_votes("wllt" * 5, "ant", "cat")]
    result = compare(study_of(rows), target="items")
    assert result.terms.counted
    assert rule_words(result.terms, result.results[0].pairs) == "count of all items"
    sentence = result.results[0].sentence
    assert "decided by a count of all items (tiebreak" in sentence
    assert sentence.endswith(
        "Verdicts are certain, about these labels: every item of the pool is labelled and counted."
    )
    assert dict(claim_rows(result))["Family of tests"] == "none: 2 pairs, all of whose items are counted"
    for words in (sentence, result.terms.guarantee, *(text for _, text in claim_rows(result))):
        assert "alpha" not in words
        assert "chance" not in words
    part = compare(study_of(rows, items=[{"item": f"i{k}"} for k in range(30)]), target="items")
    assert not part.terms.counted
    assert "the chance of any wrong verdict is at most 0.05" in part.results[0].sentence


def test_too_few_clusters_have_no_estimate_in_a_paper() -> None:
    items: list[Row] = [{"item": f"i{k}", "cluster": f"c{k // 20}"} for k in range(100)]
    sentence = compare(study_of(pair_votes("wwwwl" * 20), items=items)).results[0].sentence
    assert ": ant and bee remain undecided (5 clusters are too few for an estimate). Verdicts" in sentence


def panels() -> Study:
    """67 items for bee by the sign of their mean, 27 for ant: .40, but -.33 as the mean of means."""
    rows = []
    for k in range(100):
        for person in range(3):
            for_bee = k < 67 and (person < 2 or k % 2 == 0)
            for_ant = k >= 73 and person < 3
            rows.append(vote(f"i{k}", "ant", "bee", f"p{person}", "b" if for_bee else "a" if for_ant else "tie"))
    return study_of(rows)


def test_counts_of_items_are_told_from_means_of_labels() -> None:
    said = "An item counts here by the sign of the mean of its labels, in the difference below by that mean."
    result = compare(panels())
    (pair,) = result.results[0].pairs
    assert (pair.wins, pair.ties, pair.losses) == (27, 6, 67)
    assert pair.difference.estimate == pytest.approx(0.27 - (34 + 33 * 2 / 3) / 100, abs=1e-9)
    assert message(result)[1].endswith(said)
    assert said not in message(compare(study_of(pair_votes("w" * 20 + "l" * 5))))[1]
    assert said not in message(compare(panels(), several="majority"))[1]


def test_the_rule_for_several_labels_is_named_where_there_are_several_and_alike_everywhere() -> None:
    outputs = texts({"ant": ["x"] * 5 + ["y"] * 15, "bee": ["x"] * 5 + ["z"] * 15})
    single = compare(study_of(pair_votes("wwlt" * 5), outputs=outputs))  # identical outputs were labelled all the same
    several = compare(panels())
    for result, words in ((single, "one label of each item"), (several, "the mean of the labels of each item")):
        assert words in result.results[0].sentence
        assert dict(setting_rows(result))["labels_in_words"] == words


def test_a_choice_of_systems_that_nobody_compared_needs_no_new_table() -> None:
    rows = [*pair_votes("w" * 9, "ant", "bee"), *pair_votes("w" * 9, "ant", "cat")]
    with pytest.raises(InputError, match="has human labels, but none that compares any two of bee, cat") as raised:
        compare(study_of(rows), systems=("bee", "cat"))
    assert "add preferences" not in str(raised.value)


def test_one_of_three_has_and_all_alike_are_not_named() -> None:
    items: list[Row] = [{"item": f"i{k}", "cluster": f"c{k // 12}"} for k in range(120)]
    rows = [
        *pair_votes("w" * 120, "ant", "bee"),
        *pair_votes("wwwwwwllllll" * 10, "ant", "cat"),
        *pair_votes("llllllwwwwww" * 10, "bee", "cat"),
    ]
    result = compare(study_of(rows, items=items))
    assert ": 1 of 3 pairs has a better system and 2 remain undecided" in result.results[0].sentence
    assert "120 items say as much as 10 clusters of equal size." in message(result)[2]
    fewer = compare(study_of(rows[:-24], items=items))
    assert "items (ant and cat) say as much as" in message(fewer)[2]


def test_two_systems_are_no_pairs_of_systems() -> None:
    outputs = texts({"ant": ["x"] * 5 + ["y"] * 15, "bee": ["x"] * 5 + ["z"] * 15})
    (notice,) = [
        notice
        for notice in compare(study_of(pair_votes("wwlt" * 5), outputs=outputs)).warnings
        if notice.code == "identical-outputs"
    ]
    assert notice.text.startswith("ant and bee wrote the same text for more than 5% of their items (5 items, 25%).")


def test_a_paper_says_that_only_the_first_of_several_labels_counts() -> None:
    """One label an item is left by the rule, but others were given and passed over."""
    late = [{**row, "annotator": "bo", "decided_at": "2026-01-02T09:00:00Z"} for row in pair_votes("l" * 12)]
    early = [{**row, "decided_at": "2026-01-01T09:00:00Z"} for row in pair_votes("w" * 12)]
    assert "the earliest label of each item" in compare(study_of([*early, *late]), several="first").results[0].sentence
    for study, rule in ((study_of(early), "first"), (study_of(early), "mean")):
        assert "; one label of each item)" in compare(study, several=rule).results[0].sentence
    rated = study_of(ratings=[rating(f"i{k}", name, "ann", k) for k in range(12) for name in ("ant", "bee")])
    assert "; one comparison of each item)" in compare(rated, several="first").results[0].sentence


def test_a_paper_counts_the_ties_that_nobody_was_asked_about() -> None:
    same = ["same"] * 8
    outputs = texts({"ant": [*same, *(f"a{k}" for k in range(12))], "bee": [*same, *(f"b{k}" for k in range(12))]})
    sentence = compare(study_of(pair_votes(" " * 8 + "wwwwwwwwwlll"), outputs=outputs)).results[0].sentence
    assert sentence.startswith("From 12 pairwise human preferences by 1 annotator (20 items per pair; one label of ")
    assert "; 8 comparisons of identical outputs count as ties, labelled or not) we" in sentence
    assert "identical" not in compare(study_of(pair_votes("wwwwwwwwwlll"))).results[0].sentence


def test_clusters_are_counted_wherever_they_are_the_units() -> None:
    items: list[Row] = [{"item": f"i{k}", "cluster": f"c{min(k // 2, 20)}"} for k in range(60)]
    rows = [*pair_votes("w" * 50 + "l" * 10), *pair_votes("w" * 40 + "l" * 4, "ant", "cat")]
    result = compare(study_of(rows, items=items))
    pairs = result.results[0].pairs
    assert clusters_words(pairs[:1]) == "21 clusters (of unequal size: worth 7.5 of equal size)"
    assert clusters_words(pairs) == "21 clusters (of unequal size: worth 7.5 to 20.2 of equal size)"
    assert f"(44 to 60 items in {clusters_words(pairs)} per pair; " in result.results[0].sentence
    assert clusters_words(compare(study_of(rows)).results[0].pairs) == ""


def test_a_new_set_takes_more_items_than_did_not_decide() -> None:
    """48 wins and 33 losses of 120, drawn from 300: 121 would do, and "about 120" are what there is."""
    pool = [{"item": f"i{k}"} for k in range(300)]
    result = compare(study_of(pair_votes("w" * 48 + "t" * 39 + "l" * 33), items=pool), target="items")
    (pair,) = result.results[0].pairs
    assert (pair.verdict, pair.items_to_decision) == ("undecided", 1)
    assert (
        "A new set would take about 121 items, 121 labels;"
        in message_of(result.results[0], result.terms, "$").next_step
    )


def test_the_interval_of_a_pair_that_is_just_decided_does_not_show_0() -> None:
    """One win fewer decides nothing: the end is 3e-7 away from 0."""
    result = compare(study_of(pair_votes("w" * 237 + "t" * 1566 + "l" * 196)))
    assert result.results[0].pairs[0].verdict == "a"
    assert "interval [0.000001, 0.04]" in result.results[0].sentence
