"""What people write into the column answer: the words of the sheet, those of other tools and languages, their own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from tiebreak.errors import UsageError
from tiebreak.importers.spreadsheet.winners import as_position
from tiebreak.live.answers import FIRST, SECOND, TIE, answer_of

SKIP: Final = ""
"""What stands for no answer."""

_MEANINGS: Final = {"first": FIRST, "second": SECOND, "tie": TIE, "skip": SKIP}
_OPTION: Final = re.compile(rf"\s*(\S.*?)\s*=\s*({'|'.join(_MEANINGS)})\s*(?:,|$)", re.IGNORECASE)
_POSITIONS: Final = {"a": FIRST, "b": SECOND, "tie": TIE}


def parse_answers(options: Iterable[str]) -> Mapping[str, str]:
    """`A wins=first`, or several with commas between them, as answers by the word that stands for them.

    Raises:
        UsageError: it does not say what a word means, or two things of one word.
    """
    found: dict[str, str] = {}
    for option in options:
        rest = option
        while rest or option is rest:
            said = _OPTION.match(rest)
            if said is None:
                raise UsageError(f"--answer {rest.strip()!r}: write WORD=first, WORD=second, WORD=tie or WORD=skip")
            answer = _MEANINGS[said[2].casefold()]
            if found.setdefault(_plain(said[1]), answer) != answer:
                raise UsageError(f"--answer says two things of {said[1]!r}; keep one of them")
            rest = rest[said.end() :]
    return MappingProxyType(found)


@dataclass(frozen=True, slots=True)
class AnswerWords:
    """How the answers of one sheet are read. `given`: what `--answer` says; `numbers`: whether 0, 1 and 2 mean a tie,
    the first and the second text, which they may not where the sheet has no 2 and so may count from 0, or from -1.
    """

    given: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    numbers: bool = True

    def answer(self, cell: str) -> str | None:
        """`FIRST`, `TIE` or `SECOND`, `SKIP` for what is to be left out; None for words that say none of these."""
        plain = _plain(cell)
        if plain in self.given:
            return self.given[plain]
        if _number(plain) is not None and not self.numbers:
            return None
        known = answer_of(cell)
        if known is not None:
            return known
        position = as_position(cell)
        return None if position is None else _POSITIONS[position]


def words_of(cells: Sequence[str], given: Mapping[str, str]) -> AnswerWords:
    """How to read these answers, which stand in one sheet."""
    written = [plain for cell in cells if _number(plain := _plain(cell)) is not None and plain not in given]
    numbers = set(map(_number, written))
    signed = any(plain.startswith(("+", "-")) for plain in written)
    return AnswerWords(given, not signed and (0 not in numbers or 2 in numbers))


def _plain(words: str) -> str:
    return " ".join(words.split()).strip(".!").casefold()


def _number(plain: str) -> int | None:
    found = re.fullmatch(r"([+-]?\d{1,3})(?:\.0+)?", plain, re.ASCII)
    return None if found is None else int(found[1])
