"""One mark for what a model did not know, however it spelt that: people should see that a word is missing."""

from __future__ import annotations

import re
from typing import Final

MARK: Final = "[unknown]"

_UNKNOWN: Final = re.compile(
    r"<unk>|\[unk\]|<unknown>|@@unknown@@|@@unk@@|(?<!\w)(?-i:UNK)(?!\w)|\u2047", re.IGNORECASE
)


def mark_unknown(text: str) -> str:
    """The text with the mark in place of every unknown token."""
    return _UNKNOWN.sub(MARK, text)
