from __future__ import annotations

from typing import get_args

from tiebreak.rules.registry import MULTIPLICITIES, RULES, Multiplicity


def test_every_method_is_filed_under_its_name_and_says_what_it_promises() -> None:
    for name, method in RULES.items():
        assert method.name == name
        assert method.title
        # "Verdicts <guarantee>." is printed with every result.
        assert method.guarantee.startswith(("hold ", "keep ", "do not ", "are "))
        assert not method.guarantee.endswith(".")


def test_the_default_comes_first_and_only_anytime_promises_to_hold_at_every_look() -> None:
    assert next(iter(RULES)) == "fixed"
    assert [name for name, method in RULES.items() if "every look" in method.guarantee] == ["anytime"]
    assert not RULES["fixed"].sequential
    assert not RULES["dirichlet"].sequential


def test_multiplicities_are_listed_once() -> None:
    assert get_args(Multiplicity) == MULTIPLICITIES
