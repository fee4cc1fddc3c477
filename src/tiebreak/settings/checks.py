"""Ranges and choices of settings, checked in one way for every record."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tiebreak.errors import UsageError, did_you_mean
from tiebreak.settings.setting import NamedSetting, Setting, settings_of


@dataclass(frozen=True, slots=True)
class WrongSetting:
    """A `value` that a setting cannot have; `message` completes "NAME is VALUE, but"."""

    setting: NamedSetting
    value: object
    message: str


def check_settings(record: Any) -> None:
    """Check every setting of a record by itself; for its `__post_init__`.

    Raises:
        UsageError: the first value out of its range or choices, with the nearest possible one where there is one.
    """
    for wrong in wrong_settings(record):
        shown = repr(wrong.value) if isinstance(wrong.value, str) else wrong.value
        raise UsageError(f"{wrong.setting.words} is {shown}, but {wrong.message}")


def wrong_settings(record: Any) -> Iterator[WrongSetting]:
    """All values of a record that its settings do not allow, in the order of its fields."""
    for named in settings_of(type(record)):
        value = getattr(record, named.name)
        if value is None and named.optional:
            continue
        message = _wrong(named, value)
        if message:
            yield WrongSetting(named, value, message)


def range_words(what: Setting, *, whole: bool = False) -> str:
    """The range of a number, such as "above 0 and below 1"; "" for any number."""
    low, high = what.above if what.above is not None else what.at_least, what.below
    kind = "a whole number" if whole else "a number"
    if low is None:
        return ""
    if what.at_most is not None:
        return f"{'above' if what.above is not None else 'from'} {low:g} to {what.at_most:g}"
    if high is not None:
        return f"above {low:g} and below {high:g}" if what.above is not None else f"from {low:g} to below {high:g}"
    return f"{kind} above {low:g}" if what.above is not None else f"{kind} of at least {low:g}"


def _wrong(named: NamedSetting, value: Any) -> str:
    """What a value must be, or "" where it is that."""
    what = named.setting
    if named.kind in ("whole", "number"):
        return _wrong_number(named, value)
    if named.kind == "numbers":
        return next((found for part in value if (found := _wrong_number(named, part))), "")
    if what.choices and named.kind == "text" and value not in what.choices:
        return f"must be one of {', '.join(what.choices)}{did_you_mean(str(value), what.choices)}"
    return ""


def _wrong_number(named: NamedSetting, value: Any) -> str:
    what, whole = named.setting, named.kind == "whole"
    kind = numbers.Integral if whole else numbers.Real
    words = range_words(what, whole=whole) or ("a whole number" if whole else "a number")
    such_as = f": {what.such_as}" if what.such_as else ""
    message = f"must be {words}{such_as}"
    if isinstance(value, bool) or not isinstance(value, kind):
        return message
    size = float(value)
    if is_within(what, size):
        return ""
    if what.above is not None and what.at_least is not None and what.above < size < what.at_least:
        return f"must be at least {what.at_least:g}"
    return message


def is_within(what: Setting, size: float) -> bool:
    """Whether a number is finite and in the range of a setting."""
    too_large = (what.below is not None and size >= what.below) or (what.at_most is not None and size > what.at_most)
    too_small = (what.above is not None and size <= what.above) or (what.at_least is not None and size < what.at_least)
    return math.isfinite(size) and not too_large and not too_small
