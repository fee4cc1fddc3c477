"""Settings of comparisons and rankings: what is refused, and what the terms promise."""

from __future__ import annotations

import json

import pytest

from tiebreak.errors import UsageError
from tiebreak.messages.ranks import ordinal, place_words
from tiebreak.records import Notice
from tiebreak.results.comparison_terms import comparison_terms, doubted
from tiebreak.results.ranks import RankedSystem, Strength
from tiebreak.results.settings import AskedSource, CompareSettings, RankSettings, asked_sources
from tiebreak.rules.family import correction_in_words


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rule": "fixe"}, "rule is 'fixe', but must be one of .*: did you mean fixed"),
        ({"target": "item"}, "target is 'item', .*: did you mean items"),
        ({"multiplicity": "bonferoni"}, "did you mean bonferroni"),
        ({"alpha": 0.0}, r"alpha is 0\.0, but must be above 0 and below 1"),
        ({"alpha": float("nan")}, "alpha is nan"),
        ({"alpha": 0.5, "margin": 0.1}, r"alpha is 0\.5, but must be below 0\.5 with a margin"),
        ({"alpha": 0.9, "multiplicity": "fdr"}, r"must be below 0\.5 with a margin or a false discovery rate"),
        ({"margin": 0.0}, r"margin is 0\.0"),
        ({"margin": 1.0}, r"margin is 1, but must be above 0 and below 1"),
        ({"compare": "means", "tie_threshold": 1.0}, "--tie-threshold cannot be given with --compare means"),
        ({"compare": "means", "rule": "anytime"}, "--rule cannot be given with --compare means"),
        ({"margin": 0.1, "rule": "hoeffding"}, "a margin needs --rule fixed or anytime"),
        ({"tie_threshold": -0.5}, r"tie-threshold is -0\.5"),
        ({"seed": -1}, "seed is -1"),
        ({"metric_tie_threshold": -1.0}, r"metric-tie-threshold is -1\.0, but must be from 0 to 1e\+100"),
        ({"rule": "posterior"}, "--rule posterior needs a metric or judge: --metric NAME, --metric all or --judge"),
        ({"rule": "dirichlet", "judges": ("gpt",)}, "--rule dirichlet uses human labels only"),
        ({"rule": "hoeffding", "metrics": ("all",)}, "--rule hoeffding uses human labels only"),
        ({"human": False, "rule": "fixed"}, "--no-human .* needs --metric or --judge"),
        ({"human": False, "rule": "anytime", "metrics": ("bleu",)}, "--no-human .* and --rule fixed"),
        ({"margin": 0.1, "rule": "posterior", "metrics": ("bleu",)}, "a margin needs --rule fixed or anytime"),
    ],
)
def test_impossible_settings_say_what_is_possible(options: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        CompareSettings(**options)  # type: ignore[arg-type]


def test_settings_survive_json() -> None:
    settings = CompareSettings(criteria=("x", "y"), annotators=("expert_*",), systems=("a", "b"), margin=0.1)
    document = json.loads(json.dumps(settings.to_dict()))
    again = CompareSettings(**{k: tuple(v) if isinstance(v, list) else v for k, v in document.items()})
    assert again == settings


def test_one_name_is_no_list_of_letters() -> None:
    assert CompareSettings(annotators="expert_*", metrics="bleu").to_dict()["annotators"] == ["expert_*"]  # type: ignore[arg-type]
    assert CompareSettings(metrics="bleu").metrics == ("bleu",)  # type: ignore[arg-type]


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


# ---- Places of a leaderboard in words, and settings of sources. ----------------------------------------------------


def test_places() -> None:
    assert [ordinal(k) for k in (1, 2, 3, 4, 11, 12, 13, 21, 102, 111)] == [
        "1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "102nd", "111th",
    ]  # fmt: skip
    one = RankedSystem(Strength("a", 1500, 1400, 1600), 2, 4, 9, 3, 3, 3, 2, 1, 1, None)
    assert place_words(one) == "2nd to 4th"


def test_sources_as_they_are_asked_for() -> None:
    assert asked_sources(["preferences", "ratings=0.25", "judge:a=b", "judge:c=2"]) == (
        AskedSource("preferences"), AskedSource("ratings", 0.25), AskedSource("judges", 1.0, "a=b"),
        AskedSource("judges", 2.0, "c"),
    )  # fmt: skip
    assert asked_sources(["judges=3"]) == (AskedSource("judges", 3.0),)
    for wrong in ("ratings=nan", "ratings=", "ratings=-1", "ratings=0", "ratings=1e-9", "ratings=1e9"):
        with pytest.raises(UsageError, match="the weight must be a number from"):
            asked_sources([wrong])
    with pytest.raises(UsageError, match="did you mean ratings"):
        RankSettings(sources=["rating"])
    assert RankSettings(sources="ratings").sources == ("ratings",)
