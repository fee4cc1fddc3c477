"""Which steps there are, and what several do together, always in one order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, Self

import polars as pl

from tiebreak.errors import UsageError, did_you_mean
from tiebreak.scoring.preparing.cut import cut
from tiebreak.scoring.preparing.detokenise import detokenise
from tiebreak.scoring.preparing.true_case import TrueCaser
from tiebreak.scoring.preparing.unknown import mark_unknown

STEPS: Final = ("mark-unknown", "detokenise", "true-case", "cut")
"""In the order in which they are taken, whatever the order in which they are asked for."""

_MOST_WORDS: Final = 1_000_000
_VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class Preparation:
    """`steps`: by name; `words`: what texts are cut at; `case`: how words are written."""

    steps: tuple[str, ...]
    words: int = 0
    case: TrueCaser | None = None

    @classmethod
    def of(cls, asked: Sequence[str], texts: Callable[[], Iterable[str]]) -> Self:
        """Of steps as they are written, such as `cut=250`; `texts`: what capitals are learnt from, read where they are
        needed.

        Raises:
            UsageError: no such step, or a number that cannot be.
        """
        found = dict(map(_step, asked))
        case = TrueCaser.learnt(texts()) if "true-case" in found else None
        return cls(tuple(step for step in STEPS if step in found), found.get("cut", 0), case)

    @property
    def label(self) -> str:
        """What is done, in a word, for signatures."""
        told = {"true-case": f"true-case@{self.case.digest}" if self.case else "", "cut": f"cut={self.words}"}
        return "+".join((*(told.get(step, step) for step in self.steps), f"v{_VERSION}"))

    def outputs(self, texts: pl.Series) -> pl.Series:
        """Outputs after all steps."""
        return self._taken(texts, self.steps)

    def references(self, texts: pl.Series) -> pl.Series:
        """References after those steps that are about how texts are written: nothing is cut off."""
        return self._taken(texts, [step for step in self.steps if step != "cut"])

    def _taken(self, texts: pl.Series, steps: Iterable[str]) -> pl.Series:
        does: dict[str, Callable[[str], str]] = {
            "mark-unknown": mark_unknown,
            "detokenise": detokenise,
            "cut": partial(cut, words=self.words),
        }
        if self.case is not None:
            does["true-case"] = self.case
        made = texts.to_list()
        for step in steps:
            made = [None if text is None else does[step](text) for text in made]
        return pl.Series(texts.name, made, dtype=pl.String)


def _step(asked: str) -> tuple[str, int]:
    name, equals, number = asked.partition("=")
    if name not in STEPS:
        raise UsageError(f"no step {name!r}{did_you_mean(name, STEPS) or '; steps are ' + ', '.join(STEPS)}")
    if name != "cut":
        if equals:
            raise UsageError(f"prepare is {asked!r}, but {name} takes no number")
        return name, 0
    if not number.isascii() or not number.isdecimal() or not 1 <= int(number) <= _MOST_WORDS:
        raise UsageError(f"prepare is {asked!r}, but cut takes a number of words from 1 to {_MOST_WORDS:,}: cut=250")
    return name, int(number)
