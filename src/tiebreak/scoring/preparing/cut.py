"""Long texts end with a sentence: the one whose end is nearest to so many words (*Learning to Compare*, Zhou & Xu)."""

from __future__ import annotations

import re
from typing import Final

_END: Final = re.compile(r"(?:[.!?…]+['\"”’)\]]*(?=\s|$)|[。！？]+[”’）」]*)")


def cut(text: str, words: int) -> str:
    """The text, if it has no more than so many words; else up to the end of a sentence, of two as near the earlier.

    A text that has no end of a sentence stays as it is.
    """
    if len(text.split()) <= words:
        return text
    ends = [found.end() for found in _END.finditer(text)]
    return text[: min(ends, key=lambda end: abs(len(text[:end].split()) - words))] if ends else text
