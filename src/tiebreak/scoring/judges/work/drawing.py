"""What is left to chance, drawn from a seed and names: the same for the same names, whatever else a study holds."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable


def drawn(seed: int, *names: str) -> bytes:
    """Random bytes that belong to these names."""
    return hashlib.sha256("\0".join((str(seed), *names)).encode("utf-8", "surrogatepass")).digest()


def in_random_order(items: Iterable[str], seed: int) -> list[str]:
    """The items in a random order in which more of them leave the places of the others as they are."""
    return sorted(items, key=lambda item: drawn(seed, item))


def first_goes_left(seed: int, *names: str) -> bool:
    """Whether the first of two outputs is shown first: half of the time."""
    return drawn(seed, *names)[0] % 2 == 0
