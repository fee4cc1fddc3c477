"""What cannot be the name of a system, a person or an item: the last check before anything is written."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from tiebreak.importers.spreadsheet.header_words import (
    ADMINISTRATIVE_NAMES,
    CRITERION_NAMES,
    DETAIL_NAMES,
    PASSAGE_IDS,
    SYNONYMS,
    header_key,
    word_set,
)
from tiebreak.importers.spreadsheet.profile import NOTHING, parse_number, parse_time

LONGEST_NAME: Final = 80
MOST_WORDS: Final = 9
LONGEST_SHOWN: Final = 40
EXAMPLES: Final = 3

_STATUS: Final = word_set(
    "submitted approved rejected pending completed complete incomplete finished expired accepted returned "
    "draft discarded active inactive yes no true false ja nein oui non si sim ok tie"
)
_CLOCK: Final = re.compile(
    r"(?:\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4})?[ T,]*(?:\d{1,2}:\d{2}(?::\d{2})?(?:\.\d+)?)?\s*(?:am|pm|utc|gmt|z)?",
    re.IGNORECASE,
)
_MAY_NAME_SYSTEMS: Final = frozenset(
    {*SYNONYMS["reference"], *SYNONYMS["system"], *SYNONYMS["text"], "expert", "person"}
)
HEADERS: Final = (
    frozenset().union(*SYNONYMS.values(), PASSAGE_IDS, DETAIL_NAMES, ADMINISTRATIVE_NAMES, CRITERION_NAMES)
    - _MAY_NAME_SYSTEMS
)
"""Words that are names of columns and of no system."""


def why_no_system(name: str, *, from_header: bool = False) -> str | None:
    """Why this cannot be a system's name, as the end of a sentence; None if it can.

    `from_header`: it is the name of a column of texts, where a word such as `vote` says that the column is something
    else.
    """
    if from_header and header_key(name) in HEADERS:
        return "is the name of another kind of column"
    return _why_no_name(name, numbers=True)


def why_no_person(name: str) -> str | None:
    """Why this cannot name somebody who labelled; a whole number can (worker 17)."""
    return _why_no_name(name, numbers=not name.strip().isdigit())


def why_no_checkpoint(name: str) -> str | None:
    """Why this cannot be a checkpoint's name; a whole number can, as the step of a training."""
    return _why_no_name(name, numbers=not name.strip().isdigit())


def why_no_item(name: str) -> str | None:
    """Why this cannot be an item's id; a whole number can, and so can a short text."""
    if is_time(name):
        return "is a time"
    number = parse_number(name)
    return "is a measured number" if number is not None and not number.is_integer() else None


def is_time(text: str) -> bool:
    """Whether this is a date, a time of day or both, in whatever order; a bare number is none."""
    plain = text.strip()
    if len(plain) >= 5 and _CLOCK.fullmatch(plain) and not plain.replace(".", "").isdigit():
        return True
    return parse_number(plain) is None and parse_time(plain) is not None


def _why_no_name(name: str, *, numbers: bool) -> str | None:
    plain = name.strip()
    if plain.casefold() in NOTHING:
        return "says that nothing is there"
    if plain.casefold() in _STATUS:
        return "is a status or an answer"
    if is_time(plain):
        return "is a time"
    if numbers and parse_number(plain.rstrip("%"), decimal_comma=True) is not None:
        return "is a number"
    if len(plain) > LONGEST_NAME or len(plain.split()) > MOST_WORDS:
        return "is a text, not a name"
    return None


def shown_name(text: str) -> str:
    """A name as sentences show it: in one line, and not too long."""
    plain = " ".join(text.split())
    return plain if len(plain) <= LONGEST_SHOWN else plain[: LONGEST_SHOWN - 1] + "…"


def some_with_reasons(reasons: Mapping[str, str]) -> str:
    """The first of several names, each with what is wrong with it."""
    shown = [f"{shown_name(name)} (it {why})" for name, why in list(reasons.items())[:EXAMPLES]]
    more = len(reasons) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")
