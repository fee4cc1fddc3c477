"""Sentences about ordinary finished studies that were once false or contradicted their neighbours."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from tests.small_studies import pair_votes, rating, study_of, texts

from tiebreak.comparison.compare import compare
from tiebreak.data.study import Study
from tiebreak.data.systems import SystemSettings
from tiebreak.messages.claims import rule_words, sizes_words
from tiebreak.messages.headline import message_of
from tiebreak.report.appendix import claim_rows, data_rows
from tiebreak.results.records import CompareResult


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
    headline, _, _ = message(result)
    assert headline == "ant is best of the 3 compared"
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


def test_where_all_items_are_counted_nothing_is_said_of_chance() -> None:
    rows = [*pair_votes("wwlt" * 5), *pair_votes("wllt" * 5, "ant", "cat")]
    result = compare(study_of(rows), target="items")
    assert result.terms.counted
    assert rule_words(result.terms, result.results[0].pairs) == "count of all items"
    sentence = result.results[0].sentence
    assert dict(claim_rows(result))["Family of tests"] == "none: 2 pairs, all of whose items are counted"
    for words in (sentence, str(result.terms.guarantee), *(text for _, text in claim_rows(result))):
        assert "alpha" not in words
        assert "chance" not in words
    part = compare(study_of(rows, items=[{"item": f"i{k}"} for k in range(30)]), target="items")
    assert not part.terms.counted
    assert "the chance of any wrong verdict is at most 0.05" in part.results[0].sentence


def test_a_new_set_takes_more_items_than_did_not_decide() -> None:
    """48 wins and 33 losses of 120, drawn from 300, in shares that decide with 165 of them in 80% of studies."""
    pool = [{"item": f"i{k}"} for k in range(300)]
    result = compare(study_of(pair_votes("w" * 48 + "t" * 39 + "l" * 33), items=pool), target="items")
    (pair,) = result.results[0].pairs
    assert (pair.verdict, pair.items_to_decision) == ("undecided", 165)
    assert (
        "An 80% chance of a verdict takes a new set of about 160 items, 160 labels."
        in message_of(result.results[0], result.terms, "$").next_step
    )


def test_the_interval_of_a_pair_that_is_just_decided_does_not_show_0() -> None:
    """One win fewer decides nothing: the end is 3e-7 away from 0."""
    result = compare(study_of(pair_votes("w" * 237 + "t" * 1566 + "l" * 196)))
    assert result.results[0].pairs[0].verdict == "a"
    assert "interval [0.000001, 0.04]" in result.results[0].sentence
