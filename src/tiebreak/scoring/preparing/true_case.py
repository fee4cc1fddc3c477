"""Capital letters where running text has them: words as the study's inputs, contexts and references write them.

Of a word in small letters, the form that most often stands inside sentences there; the first word of a sentence, and
`i`, are written with a capital. Texts of the study that have hardly any capitals teach nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, Self

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
