from __future__ import annotations

from typing import get_args

from tiebreak.records import MULTIPLICITIES, Multiplicity
from tiebreak.rules.registry import LINES, RULES, pair_rules, rating_rules


def test_every_rule_is_filed_under_its_name() -> None:
    for name, rule in RULES.items():
        assert rule.name == name
        assert rule.title
        assert rule.rates is (LINES[name].kind == "ratings")
        assert rule.controls_error is (LINES[name].kind == "verdicts")


def test_the_default_comes_first() -> None:
    assert next(iter(RULES)) == "fixed"


def test_rules_for_pairs_and_for_ratings() -> None:
    assert sorted(pair_rules() + rating_rules()) == sorted(RULES)
    assert rating_rules() == ("width", "bernstein")


def test_multiplicities_are_listed_once() -> None:
    assert get_args(Multiplicity) == MULTIPLICITIES
