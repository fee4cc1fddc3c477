"""Parts of a server's JSON, or an error that says which part is not what it should be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from tiebreak.parsing import ParsingError, json_reader
from tiebreak.scoring.judges.providers.failures import Failed

T = TypeVar("T")


def read_object(content: bytes) -> Mapping[str, Any]:
    """The JSON object that a server sent.

    Raises:
        Failed: it sent something else, or half of one.
    """
    try:
        found = json_reader()(content.decode("utf-8"))
    except (ParsingError, UnicodeDecodeError) as error:
        raise Failed("broken", f"the reply is no JSON: {error}", maybe_paid=True) from None
    if not isinstance(found, dict):
        raise Failed("broken", "the reply is no JSON object", maybe_paid=True)
    return found


def part(of: Mapping[str, Any], name: str, kind: type[T]) -> T:
    """The value of a key, which has this type.

    Raises:
        Failed: it is missing or has another one.
    """
    value = of.get(name)
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise Failed("broken", f"the reply has no {name}", maybe_paid=True)
    return value


def count(of: Mapping[str, Any], *names: str) -> int | None:
    """The sum of counts of tokens, None where the first is missing or is no count."""
    found = [of.get(name) for name in names]
    counts = [value for value in found if isinstance(value, int) and not isinstance(value, bool) and value >= 0]
    return sum(counts) if counts and counts[0] is found[0] else None
