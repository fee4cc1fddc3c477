"""Tokens back to running text: blanks before marks, around quotes and inside contractions go.

For what the tokenizers of Penn Treebank, CoreNLP and Moses write; their brackets and escapes become characters again.
"""

from __future__ import annotations

import html
import re
from typing import Final

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
