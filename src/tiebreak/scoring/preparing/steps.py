"""Which steps there are, and what several do together, always in one order.

Long texts end with a sentence: the one whose end is nearest to so many words (*Learning to Compare*, Zhou & Xu).

Tokens back to running text: blanks before marks, around quotes and inside contractions go.

For what the tokenizers of Penn Treebank, CoreNLP and Moses write; their brackets and escapes become characters again.

Capital letters where running text has them: words as the study's inputs, contexts and references write them.

Of a word in small letters, the form that most often stands inside sentences there; the first word of a sentence, and
`i`, are written with a capital. Texts of the study that have hardly any capitals teach nothing.

One mark for what a model did not know, however it spelt that: people should see that a word is missing.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from typing import Final, Self

import polars as pl

from tiebreak.errors import UsageError, did_you_mean

_END: Final = re.compile(r"(?:[.!?…]+['\"”’)\]]*(?=\s|$)|[。！？]+[”’）」]*)")


def cut(text: str, words: int) -> str:
    """The text, if it has no more than so many words; else up to the end of a sentence, of two as near the earlier.

    A text that has no end of a sentence stays as it is.
    """
    if len(text.split()) <= words:
        return text
    ends = [found.end() for found in _END.finditer(text)]
    return text[: min(ends, key=lambda end: abs(len(text[:end].split()) - words))] if ends else text


_SPELLED: Final = {
    **{"-lrb-": "(", "-rrb-": ")", "-lsb-": "[", "-rsb-": "]", "-lcb-": "{", "-rcb-": "}"},
    **{"``": '"', "''": '"', "&bar;": "|"},
}
_SPELLED_TOKEN: Final = re.compile(r"(?<!\S)(?:-[lr][rsc]b-|``|''|&bar;)(?!\S)", re.IGNORECASE)
_JOINED: Final = re.compile(r" ?@([-–—/])@ ?")
_CONTRACTION: Final = re.compile(r" (n['’]t|['’](?:s|re|ve|ll|d|m))(?!\w)", re.IGNORECASE)
_BEFORE_MARK: Final = re.compile(r" +(?=(?:[,;:!?%)\]}”]|\.{1,3})(?:\s|$|[,;:!?.)\]}\"'”’]))")
_AFTER_OPENING: Final = re.compile(r"(?<![^\s(\[{])([(\[{$£€¥“])\s+")
_QUOTE: Final = re.compile(r"""(?<!\S)(["'`])(?!\S)""")
_BLANKS: Final = re.compile(r"[ \t]+")


def detokenise(text: str) -> str:
    """The text without the blanks that a tokenizer put in; what has none stays as it is."""
    text = html.unescape(text) if "&" in text else text
    text = _SPELLED_TOKEN.sub(lambda found: _SPELLED[found[0].lower()], text)
    text = _JOINED.sub(r"\1", text)
    text = _CONTRACTION.sub(r"\1", text)
    text = _quotes_joined(text)
    text = _AFTER_OPENING.sub(r"\1", text)
    return _BLANKS.sub(" ", _BEFORE_MARK.sub("", text)).strip()


def _quotes_joined(text: str) -> str:
    """Quotation marks between blanks: the first goes with what follows, the second with what is before it."""
    is_open = False
    parts, last = [], 0
    for found in _QUOTE.finditer(text):
        before = text[last : found.start()]
        if is_open:
            parts += [before.rstrip(" "), found[1]]
            last = found.end()
        else:
            parts += [before, found[1]]
            last = found.end() + (text[found.end() : found.end() + 1] == " ")
        is_open = not is_open
    return "".join(parts) + text[last:]


_WORD: Final = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_START: Final = re.compile(r"(?:^|[.!?…]['\"”’)\]]*\s+)['\"“‘(\[]*(?P<word>[^\W\d_]+)")
_FEWEST_CAPITALS: Final = 0.005  # of the letters of a text that teaches


@dataclass(frozen=True, slots=True)
class TrueCaser:
    """`forms`: of words in small letters that are usually written otherwise, how."""

    forms: Mapping[str, str]

    @classmethod
    def learnt(cls, texts: Iterable[str]) -> Self:
        """From running text."""
        counts: Counter[str] = Counter()
        for text in texts:
            letters = sum(map(str.isalpha, text))
            if letters and sum(map(str.isupper, text)) >= _FEWEST_CAPITALS * letters:
                starts = {found.start("word") for found in _START.finditer(text)}
                counts.update(found[0] for found in _WORD.finditer(text) if found.start() not in starts)
        best: dict[str, str] = {}
        for form, times in sorted(counts.items()):
            known = best.get(form.lower())
            if known is None or times > counts[known]:
                best[form.lower()] = form
        return cls({word: form for word, form in best.items() if form != word})

    @property
    def digest(self) -> str:
        """The forms in a word."""
        return sha256("\n".join(f"{word} {form}" for word, form in sorted(self.forms.items())).encode()).hexdigest()[:8]

    def __call__(self, text: str) -> str:
        """The text with capitals; those that it has stay."""
        text = _WORD.sub(lambda found: self._form(found[0]), text)
        return _START.sub(lambda found: found[0][: -len(found["word"])] + _capital(found["word"]), text)

    def _form(self, word: str) -> str:
        if word != word.lower():
            return word
        return "I" if word == "i" else self.forms.get(word, word)


def _capital(word: str) -> str:
    return word[0].upper() + word[1:] if word == word.lower() else word


MARK: Final = "[unknown]"

_UNKNOWN: Final = re.compile(
    r"<unk>|\[unk\]|<unknown>|@@unknown@@|@@unk@@|(?<!\w)(?-i:UNK)(?!\w)|\u2047", re.IGNORECASE
)


def mark_unknown(text: str) -> str:
    """The text with the mark in place of every unknown token."""
    return _UNKNOWN.sub(MARK, text)


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
