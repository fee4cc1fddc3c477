"""Task ids that say nothing about the task: its number in the order of handing out, with a keyed check.

The check (20 bits, keyed by the protocol's fingerprint) tells a task of this campaign from one of another campaign,
and from a mistyped one, without a table of all tasks ever handed out. The `t` in front keeps spreadsheet programs from
reading an id such as 0012-2031 as a date, and writing it back as one.
"""

from __future__ import annotations

import hashlib
from typing import Final

_DIGITS: Final = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's base 32: no i, l, o, u
_TWO_DIGITS: Final = tuple(first + second for first in _DIGITS for second in _DIGITS)
_NUMBER_DIGITS, _CHECK_DIGITS = 4, 4


def task_id(number: int, fingerprint: str) -> str:
    """The id of the `number`-th task (from 0), such as `t000g-7k2m`."""
    written = _base32(number, _NUMBER_DIGITS)
    return f"t{written}-{_check(written, fingerprint)}"


def task_number(identifier: str, fingerprint: str) -> int | None:
    """The number of a task of the campaign with this fingerprint; None for any other text."""
    numbered, _, check = identifier.strip().lower().partition("-")
    written = numbered.removeprefix("t")
    if written == numbered or not written or any(digit not in _DIGITS for digit in written):
        return None
    if check != _check(written, fingerprint) or (len(written) > _NUMBER_DIGITS and written[0] == "0"):
        return None
    number = 0
    for digit in written:
        number = number * 32 + _DIGITS.index(digit)
    return number


def _check(written: str, fingerprint: str) -> str:
    digest = hashlib.blake2b(written.encode(), key=fingerprint.encode()[:64], digest_size=3).digest()
    return _base32(int.from_bytes(digest, "big") >> 4, _CHECK_DIGITS)


def _base32(number: int, digits: int) -> str:
    """At least so many digits, which are an even number."""
    written = ""
    while number or len(written) < digits:
        number, rest = divmod(number, len(_TWO_DIGITS))
        written = _TWO_DIGITS[rest] + written
    return written.removeprefix("0") if len(written) > digits else written
