"""Columns that are about one system, person or measure each: whose they are, from their names.

`gpt-4o answer` beside `llama answer` are texts of gpt-4o and llama; `gpt-4o score` is a score of gpt-4o;
`annotations.0.fluency` is the fluency that the first of several annotators gave.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tiebreak.data.study_toml import checkpoints_by_name
from tiebreak.importers.spreadsheet.fields import (
    NEUTRAL_TEXTS,
    TEXT_WORDS,
    key_of,
    side_of,
    sided_target,
    without_owner,
)
from tiebreak.importers.spreadsheet.header_notes import bare_name
from tiebreak.importers.spreadsheet.header_words import header_key, word_set
from tiebreak.importers.spreadsheet.model_names import is_called_as_a_model
from tiebreak.importers.spreadsheet.names import HEADERS
from tiebreak.importers.spreadsheet.paths import inner_names

_LISTED: Final = re.compile(r"(?P<person>.+\.\d+)\.(?P<measure>[^.]+)")
_LAST_WORD: Final = re.compile(r"(?P<name>.+?)[ _\-.:/(\[]+(?P<word>[^\W_]+)[)\]]?")
_OF: Final = "of|by|from|von|vom|der|des|de|du|del|della|di|da|do|van"
_FIRST_WORD: Final = re.compile(rf"(?P<word>[^\W_]+)(?: (?:{_OF}))?[ _\-.:/(\[]+(?P<name>.+)")
_IN_BRACKETS: Final = re.compile(r"(?P<word>[^\W_]+) ?[(\[](?P<name>[^()\[\]]+)[)\]]")
_POSSESSIVE: Final = re.compile(r"['’]s?$")


@dataclass(frozen=True, slots=True)
class About:
    """Whose a column is: `owner` a system, `person` somebody who answered, `measure` what was measured."""

    column: str
    owner: str | None
    person: str | None
    measure: str


def owners_of(columns: Sequence[str]) -> tuple[str, ...]:
    """The systems whose texts the columns hold: their names without a word for text that all of them share.

    Their names without the path to them (`responses.gpt`) where nothing is left of these, or only a side (`answer A`).
    """
    columns = inner_names(columns)
    for strip in (_without_last_word, _without_first_word):
        found = [name for column in columns if (name := strip(column)) and not _only_a_side(name)]
        if len(columns) > 1 and len(set(found)) == len(columns):
            return tuple(found)
    return tuple(columns)


def owner_of(column: str) -> str | None:
    """The system whose texts a column holds that stands alone: `gpt-4o answer`, `mistral`; None if no name says it."""
    for name in (_without_last_word(column), _without_first_word(column), column):
        if name and is_called_as_a_model(name):
            return name
    return None


def alike(columns: Sequence[str]) -> list[str]:
    """Of columns that may be texts of systems, those called alike where some are (`x answer` beside `y answer`,
    `A` beside `B`); otherwise all.
    """
    for strip in (_without_last_word, _without_first_word):
        found = [column for column in columns if strip(column) is not None]
        if len(found) > 1:
            return found
    bare = {side_of(column): column for column in columns}
    if ("a", "") in bare and ("b", "") in bare:
        return [bare["a", ""], bare["b", ""]]
    return list(columns)


def says_system(column: str) -> bool:
    """Whether a column's name says by itself that it is about a system: by a word for what systems write, with an owner
    or a side (`gpt answer`, `output_2`), as a system's side (`Model A`), or as the name of a model or checkpoint.
    """
    owned = any(
        (name := strip(column)) and not _only_a_side(name) for strip in (_without_last_word, _without_first_word)
    )
    rest = side_of(column)[1]
    sided = sided_target(column) is not None and rest not in NEUTRAL_TEXTS
    return owned or sided or is_called_as_a_model(column) or bool(checkpoints_by_name([column]))


def _without_last_word(column: str) -> str | None:
    match = _LAST_WORD.fullmatch(column.strip())
    if match is None or key_of(match["word"]) not in TEXT_WORDS:
        return None
    return _POSSESSIVE.sub("", match["name"].rstrip(" _-.:/(["))


def _without_first_word(column: str) -> str | None:
    match = _IN_BRACKETS.fullmatch(column.strip()) or _FIRST_WORD.fullmatch(column.strip())
    if match is None or key_of(match["word"]) not in TEXT_WORDS or header_key(match["name"]) in _NO_OWNERS:
        return None
    return match["name"].strip(" _-.:/")


_NO_OWNERS: Final = HEADERS | word_set("by to on at from length count number")
"""What may follow a word for text and is no system: `reply by`, `answer time`."""


def _only_a_side(name: str) -> bool:
    return side_of(name) in (("a", ""), ("b", "")) or name.isdigit() or name in ("x", "y")


def about(column: str, systems: Sequence[str]) -> About:
    """Whose a column of numbers is; `systems` are those that are known."""
    name = bare_name(column)
    for system in sorted(systems, key=len, reverse=True):
        rest = without_owner(name, system)
        if rest is not None and (not rest or not rest[0].isdigit() or name.strip().endswith(system)):
            return About(column, system, None, rest or "score")
    listed = _LISTED.fullmatch(name)
    if listed is not None:
        return About(column, None, listed["person"], listed["measure"])
    return About(column, None, None, name)
