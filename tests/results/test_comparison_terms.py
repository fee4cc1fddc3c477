from __future__ import annotations

import json

import pytest

from tiebreak.records import Notice
from tiebreak.results.comparison_terms import comparison_terms, correction_in_words, doubted, fdr_procedure, guarantee
from tiebreak.results.settings import CompareSettings
from tiebreak.results.words import interval_words
from tiebreak.rules.registry import RULES, Multiplicity


def test_terms_are_the_settings_and_what_they_promise() -> None:
    terms = comparison_terms(CompareSettings(rule="anytime", margin=0.1, metrics=("bleu",)), 3, "random", ("fluency",))
    assert (terms.rule, terms.alpha, terms.margin, terms.family, terms.criteria) == (
        "anytime",
        0.05,
        0.1,
        3,
        ("fluency",),
    )
    assert (terms.looks, terms.correction, terms.automatic) == ("finished", "Bonferroni", ("bleu",))
    assert terms.guarantee.startswith("hold for these labels as a finished set")
    document = json.loads(json.dumps(terms.to_dict()))
    assert set(CompareSettings().to_dict()) <= set(document)


def test_one_look_promises_what_its_tests_keep() -> None:
    settings = CompareSettings(alpha=0.01)
    words = "hold for one look at a number of labels fixed beforehand: the chance of any wrong verdict is"
    assert guarantee(settings, ("outcomes", "pool")) == f"{words} at most 0.01"
    for tests in (("means",), ("outcomes", "clusters")):
        assert guarantee(settings, tests) == f"{words} about 0.01"  # type: ignore[arg-type]
    for more in ({"margin": 0.1}, {"multiplicity": "fdr"}):
        assert guarantee(CompareSettings(**more)).endswith("is about 0.05")  # type: ignore[arg-type]
    terms = comparison_terms(settings, 3, "none", tests=("outcomes", "means"))
    assert (terms.looks, terms.trusted) == ("one", True)
    assert terms.title == "exact score test; t, sign-flip and score test, all three"


@pytest.mark.parametrize(
    ("multiplicity", "bounded"),
    [
        ("holm", "the chance of any wrong verdict is at most 0.05"),
        ("bonferroni", "the chance of any wrong verdict is at most 0.05"),
        ("fdr", "the expected share of wrong verdicts among those given is "),
        ("fdr-any", "the expected share of wrong verdicts among those given is at most 0.05"),
        ("none", "the chance of a wrong verdict on a single pair is at most 0.05"),
    ],
)
def test_the_promise_is_that_of_the_correction_for_many_pairs(multiplicity: Multiplicity, bounded: str) -> None:
    for rule in ("fixed", "anytime"):
        words = guarantee(CompareSettings(rule=rule, multiplicity=multiplicity))  # type: ignore[arg-type]
        assert bounded in words
        assert words.count("chance") + words.count("share") == 1


def test_how_often_one_may_look() -> None:
    assert comparison_terms(CompareSettings(rule="anytime"), 1, "random").looks == "finished"
    assert comparison_terms(CompareSettings(), 1, "none").looks == "one"
    fixed = comparison_terms(CompareSettings(rule="hoeffding"), 1, "random")
    assert (fixed.looks, fixed.level, fixed.correction, fixed.trusted) == ("uncontrolled", "d", None, False)


def test_a_finished_set_promises_no_further_looks() -> None:
    for more in ({}, {"metrics": ("bleu",)}, {"target": "items"}, {"items_per_pair": 40}):
        words = guarantee(CompareSettings(rule="anytime", alpha=0.01, **more))  # type: ignore[arg-type]
        assert words.startswith("hold for these labels as a finished set")
        assert "every look" not in words
        assert words.endswith("To look again and again while labels come, use a campaign")
    for rule in ("hoeffding", "dirichlet"):
        assert guarantee(CompareSettings(rule=rule)) == RULES[rule].guarantee  # type: ignore[arg-type]


def test_the_procedure_for_false_discoveries_is_the_one_that_was_used() -> None:
    assert fdr_procedure("anytime", going_on=False) == "e-BH"
    assert fdr_procedure("fixed", going_on=False) == "Benjamini-Hochberg"
    assert correction_in_words("fdr-any", None) == "Benjamini-Yekutieli"


def test_a_warning_that_items_belong_together_qualifies_the_promise() -> None:
    warned = [Notice("few-annotators", "", {}), Notice("neighbouring-items-correlate", "", {})]
    for rule, rest in (("fixed", "the chance of any wrong verdict is at most 0.05"), ("anytime", "the chance of")):
        terms = comparison_terms(CompareSettings(rule=rule), 3, "none")
        told = doubted(terms, warned).guarantee
        assert f", provided that items are independent, which a warning doubts: {rest}" in told
        assert doubted(terms, warned[:1]) == terms
    pool = comparison_terms(CompareSettings(target="items"), 3, "none")
    assert doubted(pool, warned) == pool
    counts = comparison_terms(CompareSettings(rule="hoeffding"), 3, "none")
    assert doubted(counts, warned) == counts


def test_several_shared_inputs_leave_a_doubt_that_intervals_repeat() -> None:
    terms = comparison_terms(CompareSettings(), 1, "none")
    template, questions = (Notice("shared-inputs", "", {"inputs": count}) for count in (1, 12))
    assert doubted(terms, [template]) == terms
    told = doubted(terms, [questions])
    assert ", provided that items are independent, which a warning doubts: " in told.guarantee
    assert interval_words([], terms) == "hold with no interval."
    assert interval_words([], told) == "hold with no interval, provided that items are independent."
