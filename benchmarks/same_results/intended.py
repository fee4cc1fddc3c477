"""The numbers that are meant to be different: a pair with little evidence has no estimate any more, and a projection is
neither more than what is left, nor made after the end, nor less than one whole cluster. Late labels wait for nothing.
"""

from __future__ import annotations

import math
from typing import Any, Final

FEWEST_UNITS: Final = 10
PROJECTIONS: Final = ("further_items", "further_labels", "further_cost")
WAITING: Final = "waiting_items"


def without_small_estimates(before: Any, now: Any) -> tuple[Any, int]:
    """`before` without the estimates that `now` leaves out, and how many these are.

    Left out are numbers that are None now, of pairs that had fewer than ten units of evidence and have as many still.
    """
    if isinstance(before, dict) and isinstance(now, dict):
        parts = {key: without_small_estimates(value, now.get(key)) for key, value in before.items()}
        record, found = {key: part for key, (part, _) in parts.items()}, sum(count for _, count in parts.values())
        for of, of_now in _holders_of_estimate(record, now):
            if _has_little(before, now) and _is_number(of["estimate"]) and of_now.get("estimate", "") is None:
                of["estimate"] = None
                found += 1
        return record, found
    if isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        pairs = [without_small_estimates(old, new) for old, new in zip(before, now, strict=True)]
        return [entry for entry, _ in pairs], sum(count for _, count in pairs)
    return before, 0


def with_new_projections(before: Any, now: Any) -> tuple[Any, int]:
    """`before` with the projections of `now` and its fewer waiting items, and how many of these numbers are others.

    What `now` lacks stays.
    """
    if isinstance(before, dict) and isinstance(now, dict):
        parts = {key: with_new_projections(value, now.get(key)) for key, value in before.items()}
        record, found = {key: part for key, (part, _) in parts.items()}, sum(count for _, count in parts.values())
        for key in PROJECTIONS:
            if key in record and key in now and record[key] != now[key]:
                record[key] = now[key]
                found += 1
        if _is_number(record.get(WAITING)) and _is_number(now.get(WAITING)) and now[WAITING] < record[WAITING]:
            record[WAITING] = now[WAITING]
            found += 1
        return record, found
    if isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        pairs = [with_new_projections(old, new) for old, new in zip(before, now, strict=True)]
        return [entry for entry, _ in pairs], sum(count for _, count in pairs)
    return before, 0


def _holders_of_estimate(before: dict[str, Any], now: dict[str, Any]) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """A pair of a campaign has its estimate itself, a pair of a comparison has it in `difference`."""
    parts = [(before, now), (before.get("difference"), now.get("difference"))]
    return [(old, new) for old, new in parts if isinstance(old, dict) and isinstance(new, dict) and "estimate" in old]


def _has_little(before: dict[str, Any], now: dict[str, Any]) -> bool:
    units = before.get("units")
    return isinstance(units, int) and units < FEWEST_UNITS and now.get("units") == units


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and not math.isnan(value)
