"""What people write into the column answer: the words of the sheet, those of other tools and languages, their own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from tiebreak.campaign.kinds.preference import FIRST, SECOND, answer_of
from tiebreak.campaign.kinds.preference import NO_DIFFERENCE as TIE
from tiebreak.errors import UsageError
from tiebreak.importers.outcomes import meanings_in, number_in, numbers_are_clear, question_about, side_in

SKIP: Final = ""
"""What stands for no answer."""

_MEANINGS: Final = {"first": FIRST, "second": SECOND, "tie": TIE, "skip": SKIP}
_POSITIONS: Final = {"a": FIRST, "b": SECOND, "tie": TIE}
_OPTION_WORDS: Final = {"a": "first", "b": "second", "tie": "tie"}
_SAID: Final = {FIRST: "a", SECOND: "b", TIE: "tie", SKIP: "skip"}


def parse_answers(options: Iterable[str]) -> Mapping[str, str]:
    """`A wins=first`, or several with commas between them, as answers by the word that stands for them.

    Raises:
        UsageError: it does not say what a word means, or two things of one word.
    """
    found: dict[str, str] = {}
    for option in options:
        try:
            said = [(words, _MEANINGS[meaning]) for words, meaning in meanings_in(option, _MEANINGS)]
        except ValueError as error:
            raise _says_nothing(str(error)) from None
        if not said or not all(words for words, _ in said):
            raise _says_nothing(option.strip())
        for words, answer in said:
            if found.setdefault(_plain(words), answer) != answer:
                raise UsageError(f"--answer says two things of {words!r}; keep one of them")
    return MappingProxyType(found)


def _says_nothing(part: str) -> UsageError:
    return UsageError(f"--answer {part!r}: write WORD=first, WORD=second, WORD=tie or WORD=skip")


@dataclass(frozen=True, slots=True)
class AnswerWords:
    """How the answers of one sheet are read. `given`: what `--answer` says; `question`: what to ask about bare numbers,
    "" where they mean one thing only.
    """

    given: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    question: str = ""

    def answer(self, cell: str) -> str | None:
        """`FIRST`, `TIE` or `SECOND`, `SKIP` for what is to be left out; None for words that say none of these."""
        plain = _plain(cell)
        if plain in self.given:
            return self.given[plain]
        if self.question and number_in(cell) is not None:
            return None
        known = answer_of(cell)
        if known is not None:
            return known
        position = side_in(cell)
        return None if position is None else _POSITIONS[position]


def words_of(cells: Sequence[str], given: Mapping[str, str], *, ties: bool) -> AnswerWords:
    """How to read these answers, which stand in one sheet. `ties`: it offers three answers, so that a 2 may be the one
    in the middle, unless words or `given` say what a tie is called.
    """
    words = AnswerWords(given)
    numbers = {number for cell in cells if _plain(cell) not in given and (number := number_in(cell)) is not None}
    said = {number: _SAID[answer] for word, answer in given.items() if (number := number_in(word)) is not None}
    tie_known = not ties or any(number_in(cell) is None and words.answer(cell) == TIE for cell in cells)
    tie_known |= "tie" in said.values()
    if not numbers or (tie_known and numbers_are_clear(numbers, said)):
        return words
    return AnswerWords(given, question_about(numbers, "--answer", _OPTION_WORDS))


def _plain(words: str) -> str:
    """As compared: without case and blanks that are too many; 2.0 and +2 are 2."""
    return (number_in(words) or "").removeprefix("+") or " ".join(words.split()).strip(".!").casefold()
