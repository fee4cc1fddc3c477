from __future__ import annotations

from typing import get_args

from tiebreak.rules.registry import MULTIPLICITIES, RULES, Multiplicity


def test_every_method_is_filed_under_its_name() -> None:
    for name, method in RULES.items():
        assert method.name == name
        assert method.title


def test_the_default_comes_first() -> None:
    assert next(iter(RULES)) == "fixed"
    assert not RULES["fixed"].sequential
    assert not RULES["dirichlet"].sequential


def test_multiplicities_are_listed_once() -> None:
    assert get_args(Multiplicity) == MULTIPLICITIES
