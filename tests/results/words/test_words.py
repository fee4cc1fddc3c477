"""What results say in words: the main message, metrics and judges, claims, and sentences that were once false."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from tests.metric_pairs import balanced_outcomes, votes_and_scores, with_correlation
from tests.small_studies import pair_votes, rating, study_of, texts, vote

from tiebreak.comparison.compare import compare
from tiebreak.data.settings import SystemSettings
from tiebreak.data.study import Study
from tiebreak.evidence.study_evidence import EvidenceSettings, study_evidence
from tiebreak.kernels.partial_order import partial_order
from tiebreak.messages.claims import agreement_rows, claim_words, rule_words, sizes_words
from tiebreak.messages.headline import Message, message_of, systems_by_rank
from tiebreak.records import OrderOfItems, Verdict
from tiebreak.report.appendix import claim_rows, data_rows
from tiebreak.results.comparison_terms import comparison_terms
from tiebreak.results.order import Order
from tiebreak.results.records import CompareResult, CriterionResult, Difference, JudgeOrders, PairResult, PaperSentence
from tiebreak.results.settings import CompareSettings

# ---- The main message: each case from a few made-up verdicts. ------------------------------------------------------


EVERY_LOOK = CompareSettings(rule="anytime")


def pair(a: str, b: str, verdict: Verdict, more: int | None = None, also: Verdict | None = None) -> PairResult:
    decided = verdict != "undecided"
    sign = {"a": 0.5, "b": -0.5}.get(verdict, 0.0)
    return PairResult(
        system_a=a,
        system_b=b,
        verdict=verdict,
        also=also,
        items=100,
        labels=200,
        units=100,
        identical=0,
        clusters=None,
        items_to_decision=0 if decided else more,
        labels_to_decision=0 if decided else None if more is None else 2 * more,
        cost_to_decision=None,
        stopped_at=40 if decided else None,
        labels_at_stop=80 if decided else None,
        wins=60,
        ties=10,
        losses=30,
        difference=Difference(sign, sign - 0.2, sign + 0.2, "95%"),
    )


def criterion(*pairs: PairResult) -> CriterionResult:
    names = sorted({name for p in pairs for name in (p.system_a, p.system_b)})
    number = {name: k for k, name in enumerate(names)}
    better = []
    for p in pairs:
        if p.winner is not None:
            loser = p.system_b if p.winner == p.system_a else p.system_a
            better.append((number[p.winner], number[loser]))
    found = partial_order(len(names), better, [])
    order = Order(
        tiers=tuple(tuple(names[k] for k in tier) for tier in found.tiers),
        edges=tuple((names[i], names[j]) for i, j in found.edges),
        equivalences=(),
        cycles=tuple(tuple(names[k] for k in cycle) for cycle in found.cycles),
    )
    return CriterionResult(None, tuple(pairs), order, ("ann",), 200 * len(pairs), (), (), PaperSentence(""))


def say(*pairs: PairResult, settings: CompareSettings | None = None, order: OrderOfItems = "random") -> Message:
    return message_of(criterion(*pairs), comparison_terms(settings or EVERY_LOOK, len(pairs), order), "$")


def test_a_system_that_beats_all_others_is_best() -> None:
    message = say(pair("x", "y", "a"), pair("x", "z", "a"), pair("y", "z", "undecided", more=30))
    assert (message.headline, message.detail) == ("x is best", "It is better than both other systems.")
    assert message.decided == "One look: 2 of 3 pairs are decided, 1 is undecided."
    assert (message.better, message.equivalent, message.undecided) == (2, 0, 1)


def test_a_system_that_only_nobody_beats_is_ahead() -> None:
    message = say(pair("x", "y", "a"), pair("x", "z", "undecided"), pair("y", "z", "a"))
    assert message.headline == "x is ahead"
    assert message.detail == "No system beats it, and it is better than 1 of the 2 others."


def test_several_unbeaten() -> None:
    message = say(pair("x", "y", "undecided"), pair("x", "z", "a"), pair("y", "z", "undecided"))
    assert message.headline == "No single best system"
    assert message.detail == "2 of 3 are not beaten by any other: x (beats 1), y (beats 0)."


def test_pairs_that_nobody_compared_are_open() -> None:
    message = say(pair("w", "x", "a"), pair("y", "z", "a"))
    assert message.headline == "No single best system"
    assert message.decided.endswith("2 of 2 pairs are decided. 4 more pairs of these systems were never compared.")
    assert message.next_step.startswith("Stop labelling: every compared pair is decided.")
    against = say(pair("w", "x", "a"), pair("y", "x", "a"), settings=CompareSettings(baseline="x"))
    assert "never" not in against.decided + against.next_step, "a baseline leaves them out"


def test_a_circle_has_no_best_system() -> None:
    circle = say(pair("x", "y", "a"), pair("y", "z", "a"), pair("x", "z", "b"))
    assert circle.headline == "No best system"


def test_against_a_baseline_the_message_is_about_it() -> None:
    settings = CompareSettings(baseline="base")
    pairs = [pair("x", "base", "a"), pair("y", "base", "b"), pair("z", "base", "undecided")]
    assert say(*pairs, settings=settings).detail == "base is better than 1 of the 3 others."
    two = [pair("x", "base", "a"), pair("y", "base", "a"), pair("z", "base", "undecided")]
    assert say(*two, settings=settings).headline == "2 of 3 systems are better than base"
    every = say(*(pair(name, "base", "a") for name in "xyz"), settings=settings)
    assert (every.headline, every.detail) == ("Every other system is better than base", "")


@pytest.mark.parametrize("turned", [False, True])
def test_systems_are_ranked_by_tier_then_wins(turned: bool) -> None:
    """w beats everybody; x beats z alone, y nobody: x before y although they share a tier."""
    verdicts = {("w", "x"): "a", ("w", "y"): "a", ("w", "z"): "a", ("x", "z"): "a"}
    pairs = []
    for a, b in combinations("wxyz", 2):
        verdict: Verdict = "a" if (a, b) in verdicts else "undecided"
        flipped: Verdict = "b" if verdict == "a" else "undecided"
        pairs.append(pair(b, a, flipped) if turned else pair(a, b, verdict))
    assert systems_by_rank(criterion(*pairs)) == ["w", "x", "y", "z"]


# ---- Which metrics mattered: their shares in a comparison, and the orders of a judge. ------------------------------


def with_metrics(seed: int = 5) -> CompareResult:
    """400 items, 120 labelled: `good` goes with the outcomes at .8, three others do not."""
    rng = np.random.default_rng(seed)
    outcomes = balanced_outcomes(rng, 400, 0.2)
    scores = []
    for name, correlation in (("good", 0.8), ("noise-1", 0.0), ("noise-2", 0.0), ("noise-3", 0.0)):
        metric = with_correlation(rng, outcomes, correlation, float(outcomes.std()))
        votes, rows = votes_and_scores(outcomes, metric, 120, name=name)
        scores += rows
    study = Study.from_tables(preferences=votes, scores=scores, items=[{"item": f"i{k}"} for k in range(400)])
    return compare(study, rule="anytime", metrics=["all"])


def test_all_says_which_mattered() -> None:
    result = with_metrics()
    found = result.results[0].pairs[0].metric
    assert found.shares is not None
    shares = dict(zip(found.names, found.shares, strict=True))
    assert shares["good"] > 0.8
    assert sum(shares.values()) == pytest.approx(1.0)
    assert found.saved.share > 0.3
    document = json.loads(json.dumps(result.to_dict()))
    assert document["results"][0]["pairs"][0]["metric"]["shares"] == pytest.approx(shares)


def test_how_often_a_judge_changed_its_mind_with_the_order() -> None:
    # On i0 it says a both times, on i1 whatever is named first, on i2 it was asked once.
    votes = pair_votes("wl  ww" * 3)
    asked = [("i0", "ant", "bee", "a"), ("i0", "bee", "ant", "b"), ("i1", "ant", "bee", "a"), ("i1", "bee", "ant", "a")]
    rows = [
        {"item": item, "system_a": a, "system_b": b, "judge": "gpt", "outcome": outcome, "left": a}
        for item, a, b, outcome in [*asked, ("i2", "ant", "bee", "b")]
    ]
    study = Study.from_tables(preferences=votes, judge_preferences=rows)
    found = compare(study, judges=["gpt"])
    assert found.results[0].judges == (JudgeOrders("gpt", 2, 1),)
    assert found.to_dict()["results"][0]["judges"] == [  # type: ignore[index]
        {"name": "gpt", "both_orders": 2, "disagreements": 1}
    ]
    assert compare(study).results[0].judges == ()


def test_one_metric_has_no_shares() -> None:
    rng = np.random.default_rng(6)
    outcomes = balanced_outcomes(rng, 300)
    votes, scores = votes_and_scores(outcomes, outcomes + rng.standard_normal(300), 80)
    study = Study.from_tables(preferences=votes, scores=scores, items=[{"item": f"i{k}"} for k in range(300)])
    found = compare(study, metrics=["all"]).results[0].pairs[0].metric
    assert found.shares is None


# ---- Sentences about ordinary finished studies that were once false or contradicted their neighbours. --------------


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
