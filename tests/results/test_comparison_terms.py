from __future__ import annotations

import json

import pytest

from tiebreak.results.comparison_terms import comparison_terms, correction_in_words, fdr_procedure, guarantee
from tiebreak.results.settings import CompareSettings
from tiebreak.rules.registry import RULES, Multiplicity


def test_terms_are_the_settings_and_what_they_promise() -> None:
    terms = comparison_terms(
        CompareSettings(rule="anytime", margin=0.1, metrics=("bleu",)), 3, "recorded", ("fluency",)
    )
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


def test_how_often_one_may_look() -> None:
    anytime = CompareSettings(rule="anytime")
    assert comparison_terms(anytime, 1, "recorded").looks == "every"
    assert comparison_terms(anytime, 1, "mixed").looks == "finished"
    assert comparison_terms(CompareSettings(), 1, "none").looks == "one"
    fixed = comparison_terms(CompareSettings(rule="hoeffding"), 1, "recorded")
    assert (fixed.looks, fixed.level, fixed.correction, fixed.trusted) == ("uncontrolled", "d", None, False)


def test_only_the_recorded_order_promises_further_looks() -> None:
    settings = CompareSettings(rule="anytime", alpha=0.01)
    assert "at every look" in guarantee(settings, "recorded")
    for order in ("exchangeable", "mixed"):
        words = guarantee(settings, order)
        assert "as a finished set" in words
        assert "every look" not in words
        assert words.endswith("each with its time (decided_at)")
    # For a claim about inputs like these a metric is compared on items that later labels take away.
    for helped in ({"metrics": ("bleu",)}, {"judges": ("gpt",)}):
        words = guarantee(CompareSettings(rule="anytime", **helped), "recorded")  # type: ignore[arg-type]
        assert "as a finished set" in words
        assert words.endswith("use no metric, or use it for a claim about these items (--target items)")
        assert "at every look" in guarantee(CompareSettings(rule="anytime", target="items", **helped), "recorded")  # type: ignore[arg-type]
        assert "decided_at" in guarantee(CompareSettings(rule="anytime", target="items", **helped), "exchangeable")  # type: ignore[arg-type]
    # The other methods are not for looking twice, in whatever order.
    for order in ("recorded", "exchangeable"):
        for rule in ("hoeffding", "dirichlet"):
            assert guarantee(CompareSettings(rule=rule), order) == RULES[rule].guarantee


def test_one_look_promises_what_its_tests_keep() -> None:
    settings = CompareSettings(alpha=0.01)
    words = "hold for one look at a number of labels fixed beforehand: the chance of any wrong verdict is"
    assert guarantee(settings, "none", ("outcomes", "pool")) == f"{words} at most 0.01"
    for tests in (("means",), ("outcomes", "clusters")):
        assert guarantee(settings, "none", tests) == f"{words} about 0.01"  # type: ignore[arg-type]
    for more in ({"margin": 0.1}, {"multiplicity": "fdr"}):
        assert guarantee(CompareSettings(**more), "none").endswith("is about 0.05")  # type: ignore[arg-type]
    terms = comparison_terms(settings, 3, "none", tests=("outcomes", "means"))
    assert (terms.looks, terms.trusted) == ("one", True)
    assert terms.title == "exact score test; t test and sign-flip test, both"


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
    for rule, order in (("fixed", "none"), ("anytime", "recorded"), ("anytime", "exchangeable")):
        words = guarantee(CompareSettings(rule=rule, multiplicity=multiplicity), order)  # type: ignore[arg-type]
        assert bounded in words
        assert words.count("chance") + words.count("share") == 1


def test_the_procedure_for_false_discoveries_is_the_one_that_was_used() -> None:
    settings = CompareSettings(rule="anytime", multiplicity="fdr")
    assert [fdr_procedure(settings, order) for order in ("exchangeable", "recorded", "mixed")] == [
        "e-BH", "Benjamini-Yekutieli", "Benjamini-Yekutieli",
    ]  # fmt: skip
    assert fdr_procedure(CompareSettings(rule="fixed", multiplicity="fdr"), "none") == "Benjamini-Hochberg"
    assert correction_in_words("fdr-any", None) == "Benjamini-Yekutieli"
