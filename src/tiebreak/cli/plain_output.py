"""Lines that are not wrapped: documents for programs, and remarks beside them. Nothing in them steers a terminal."""

from __future__ import annotations

import json
import re
import sys
from typing import Final

from tiebreak.results.numbers import printable

_STEERING: Final = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")  # JSON escapes those below 32


def write_json(document: object) -> None:
    """One JSON document in one line on standard output; control characters and marks that turn the direction of
    writing are escaped in it, which says the same.
    """
    text = json.dumps(document, ensure_ascii=False, allow_nan=False)
    sys.stdout.write(_STEERING.sub(lambda char: f"\\u{ord(char[0]):04x}", text) + "\n")


def write_remark(text: str) -> None:
    """One line on standard error."""
    sys.stderr.write(printable(text) + "\n")
