from __future__ import annotations

import json

from tiebreak.records import Notice
from tiebreak.results.comparison_terms import comparison_terms, doubted
from tiebreak.results.settings import CompareSettings
from tiebreak.rules.family import correction_in_words


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
    document = json.loads(json.dumps(terms.to_dict()))
    assert set(CompareSettings().to_dict()) <= set(document)


def test_how_often_one_may_look() -> None:
    assert comparison_terms(CompareSettings(rule="anytime"), 1, "random").looks == "finished"
    assert comparison_terms(CompareSettings(), 1, "none").looks == "one"
    fixed = comparison_terms(CompareSettings(rule="hoeffding"), 1, "random")
    assert (fixed.looks, fixed.level, fixed.correction, fixed.trusted) == ("uncontrolled", "d", None, False)


def test_the_procedure_for_false_discoveries_is_the_one_that_was_used() -> None:
    assert correction_in_words("fdr", None, at_one_look=False) == "Benjamini-Yekutieli"
    assert correction_in_words("fdr", None, at_one_look=True) == "Benjamini-Hochberg"
    assert correction_in_words("fdr-any", None, at_one_look=True) == "Benjamini-Yekutieli"


def test_a_warning_that_items_belong_together_qualifies_the_promise() -> None:
    warned = [Notice("odd-outputs", "", {}), Notice("items-belong-together", "", {"neighbours": 30})]
    for rule in ("fixed", "anytime"):
        terms = comparison_terms(CompareSettings(rule=rule), 3, "none")
        assert doubted(terms, warned[:1]) == terms
        guarantee = doubted(terms, warned).guarantee
        assert guarantee.provided == (*terms.guarantee.provided, "items are independent, which a warning doubts")
        assert (guarantee.says, guarantee.chance) == (terms.guarantee.says, terms.guarantee.chance)
    pool = comparison_terms(CompareSettings(target="items"), 3, "none")
    assert doubted(pool, warned) == pool
    counts = comparison_terms(CompareSettings(rule="hoeffding"), 3, "none")
    assert doubted(counts, warned) == counts


def test_several_shared_inputs_leave_a_doubt_that_intervals_repeat() -> None:
    terms = comparison_terms(CompareSettings(), 1, "none")
    template, questions = (
        Notice("items-belong-together", "", {"inputs": count, "one_unit": False}) for count in (1, 12)
    )
    assert doubted(terms, [template]) == terms
    assert doubted(terms, [questions]) != terms
