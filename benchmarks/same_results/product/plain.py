"""From the product's objects to numbers, words and lists."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from benchmarks.same_results.records import Record

from tiebreak.errors import TiebreakError

REFUSED = TiebreakError
"""What a question that cannot be answered raises."""

RULES = {
    "betting": "anytime",
    "sign": "fixed",
    "hoeffding": "hoeffding",
    "dirichlet": "dirichlet",
    "metric-error": "posterior",
    "one-look": "fixed",
}
"""This check's names of the rules, to the product's."""

ITEM_ORDERS = {"random": "shuffled", "listed": "listed"}
"""This check's names of the orders in which a campaign asks about items, to the product's."""

REFUSALS: dict[str, str] = {}
"""The product's names of errors where they are no longer what they were, to what they were."""


def own_rule(name: str) -> str:
    """This check's name of a rule of campaigns; the product calls the sign test of a comparison like that of one look.

    Raises:
        ValueError: the product has a rule that this check does not know.
    """
    names = [own for own, theirs in RULES.items() if theirs == name and own != "sign"]
    if len(names) != 1:
        raise ValueError(f"the rule {name!r} is {names or 'not known'} in this check")
    return names[0]


def refused(error: Exception) -> Record:
    """The record of a question that the product does not answer: the kind of error only."""
    name = type(error).__name__
    return {"refused": REFUSALS.get(name, name)}


def taken(source: Any, /, **fields: str) -> Record:
    """Some fields of an object: own name = the product's name."""
    return {own: plain(getattr(source, theirs)) for own, theirs in fields.items()}


def plain(value: Any) -> Any:
    """Arrays and tuples as lists, NumPy's numbers as Python's."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(entry) for entry in (sorted(value) if isinstance(value, set | frozenset) else value)]
    return value


def pair_name(pair: Any) -> str:
    """How a record names a pair of systems; verdicts "a" and "b" are relative to this order."""
    return f"{pair.system_a} ~ {pair.system_b}"


def named(records: Iterable[tuple[str, Record]]) -> Record:
    """Records by name; a name twice is an error of this check."""
    found: Record = {}
    for name, record in records:
        if name in found:
            raise ValueError(f"two records are called {name!r}")
        found[name] = record
    return found
