"""Ranges and choices of settings, checked in one way for every record.

The options that give a record of settings, as words of a command.

Several names in one option, with commas between: how they are read, and how they are written.
"""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from tiebreak.errors import Flaw, KeyedError, UsageError, did_you_mean
from tiebreak.records import LabelRule, Raters
from tiebreak.rules.registry import RULES, pair_rules
from tiebreak.settings.setting import NamedSetting, Setting, settings_of

if TYPE_CHECKING:
    from tiebreak.rules.rule import RuleSettings


@dataclass(frozen=True, slots=True)
class WrongSetting:
    """A `value` that a setting cannot have; `message` completes "NAME is VALUE, but"."""

    setting: NamedSetting
    value: object
    message: str


def check_settings(record: Any) -> None:
    """Check every setting of a record by itself; for its `__post_init__`.

    Raises:
        KeyedError: values out of their range or choices; the text names the first, and what is possible.
    """
    found = list(wrong_settings(record))
    if found:
        first = found[0]
        shown = repr(first.value) if isinstance(first.value, str) else first.value
        flaws = [Flaw((wrong.setting.name,), wrong.value, wrong.message) for wrong in found]
        raise KeyedError(f"{first.setting.words} is {shown}, but {first.message}", flaws)


def check_raters(raters: Raters, several: LabelRule) -> None:
    """Raises `UsageError` where ratings of different people would be compared by a rule that needs a person's own."""
    if raters == "any" and several != "mean":
        raise UsageError(f"raters any needs --several mean; {several} takes the two ratings of one person")


def check_rule(name: str, of: RuleSettings) -> None:
    """Raises `UsageError` for a margin or an alpha that the rule cannot have."""
    if of.margin is not None and not RULES[name].takes_margin:
        takers = " or ".join(rule for rule in pair_rules() if RULES[rule].takes_margin)
        raise UsageError(f"a margin needs --rule {takers}; {name} cannot call two systems equivalent")
    if wrong := RULES[name].alpha_problem(of):
        raise UsageError(f"alpha is {of.alpha:g}, but {wrong}")


def refuse_given(record: Any, names: Collection[str], why: str, given: Collection[str] = ()) -> None:
    """Refuse settings that are not as they are by default, or that somebody gave; `why` completes "OPTIONS ...".

    Raises:
        UsageError: one of `names` is.
    """
    found = [
        one.option
        for one in settings_of(type(record))
        if one.name in names and (one.name in given or getattr(record, one.name) != one.default)
    ]
    if found:
        raise UsageError(f"{', '.join(found)} {why}")


def wrong_settings(record: Any) -> Iterator[WrongSetting]:
    """All values of a record that its settings do not allow, in the order of its fields."""
    for named in settings_of(type(record)):
        value = getattr(record, named.name)
        if value is None and named.optional:
            continue
        message = wrong_value(named, value)
        if message:
            yield WrongSetting(named, value, message)


def range_words(what: Setting, *, whole: bool = False) -> str:
    """The range of a number, such as "above 0 and below 1"; "" for any number."""
    low, high = what.above if what.above is not None else what.at_least, what.below
    kind = "a whole number" if whole else "a number"
    if low is None:
        return ""
    first = end_words(low)
    if what.at_most is not None:
        range_ = f"above {first} and at most" if what.above is not None else f"from {first} to"
        return f"{'a whole number ' if whole else ''}{range_} {end_words(what.at_most)}"
    if high is not None:
        last = end_words(high)
        return f"above {first} and below {last}" if what.above is not None else f"from {first} to below {last}"
    return f"{kind} above {first}" if what.above is not None else f"{kind} of at least {first}"


def end_words(end: float) -> str:
    """An end of a range: whole numbers with all their digits, since 9.2e+18 is none that an option takes."""
    return f"{int(end):,}" if 1 <= abs(end) < 1e19 and float(end).is_integer() else f"{end:g}"


def wrong_value(named: NamedSetting, value: Any) -> str:
    """What a value of a setting must be, or "" where it is that."""
    what = named.setting
    if named.kind in ("whole", "number"):
        return wrong_number(what, value, whole=named.kind == "whole")
    if value is None:
        return "must be given, or left out"
    if named.kind == "numbers":
        return next((found for part in value if (found := wrong_number(what, part, whole=False))), "")
    if what.choices and named.kind == "text" and value not in what.choices:
        return f"must be one of {', '.join(what.choices)}{did_you_mean(str(value), what.choices)}"
    return ""


def wrong_number(what: Setting, value: Any, *, whole: bool) -> str:
    """What a number must be to be in the range of a setting, or "" where it is that."""
    kind = numbers.Integral if whole else numbers.Real
    words = range_words(what, whole=whole) or ("a whole number" if whole else "a number")
    such_as = f"{', such as' if what.such_as[:1].isdigit() else ':'} {what.such_as}" if what.such_as else ""
    message = f"must be {words}{such_as}"
    is_one = isinstance(value, kind) and not isinstance(value, bool)
    if not is_one:
        return message
    if is_within(what, value):
        return ""
    if what.above is not None and what.at_least is not None and what.above < value < what.at_least:
        return f"must be at least {what.at_least:g}"
    return message


def is_within(what: Setting, size: float) -> bool:
    """Whether a number is finite and in the range of a setting; a whole number may have any number of digits."""
    too_large = (what.below is not None and size >= what.below) or (what.at_most is not None and size > what.at_most)
    too_small = (what.above is not None and size <= what.above) or (what.at_least is not None and size < what.at_least)
    return not too_large and not too_small and -math.inf < size < math.inf


_PART: Final = re.compile(r'\s*(?:"(?P<quoted>(?:[^"]|"")*)"|(?P<plain>(?:\\,|[^,])*))\s*(?:,|$)')


def read_names(listed: str) -> list[str]:
    """`'A, "B, b"'` as `["A", "B, b"]`, as in CSV: quotes around a name keep its commas, and are doubled within.

    A comma may be written `\\,`, too. Empty parts are left out.
    """
    found, place = [], 0
    while place < len(listed) and (part := _PART.match(listed, place)) is not None:
        quoted = part["quoted"]
        found.append(part["plain"].replace("\\,", ",").strip() if quoted is None else quoted.replace('""', '"'))
        place = part.end()
    return [name for name in found if name]


def written_names(names: Sequence[str]) -> str:
    """The names as `read_names` reads them."""
    return ",".join(f'"{name.replace(chr(34), 2 * chr(34))}"' if _needs_quotes(name) else name for name in names)


def _needs_quotes(name: str) -> bool:
    return "," in name or name.startswith('"') or name.endswith("\\") or name != name.strip()


def command_words(record: Any) -> list[str]:
    """Options and their values for all settings that differ from their defaults."""
    words: list[str] = []
    for named in settings_of(type(record)):
        value = getattr(record, named.name)
        if value == named.default or named.setting.file_only:
            continue
        if named.kind == "flag":
            words.append(named.option)
        elif named.kind in ("names", "numbers"):
            parts = [str(part) for part in value]
            if named.setting.listed or named.kind == "numbers":
                parts = [written_names(parts)]
            words += [word for part in parts for word in (named.option, part)]
        else:
            words += [named.option, str(value)]
    return words
