"""Random numbers that belong to a label, so that the choice between some labels does not move when others are added."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

Draws = NDArray[np.uint64]


def label_hashes(labels: Iterable[tuple[str, str]]) -> Draws:
    """A number (n,) for each label, from the names of its item and its annotator."""
    digests = [hashlib.blake2b(repr(label).encode(), digest_size=8).digest() for label in labels]
    return np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64)


def pair_draws(hashes: Draws, criterion: str | None, system_a: str, system_b: str, seed: int) -> Draws:
    """Random numbers, one per hash, of a pair's own: another pair, criterion or seed draws independently.

    The finaliser of SplitMix64 (Steele, Lea and Flood 2014), which spreads any difference over all bits.
    """
    digest = hashlib.sha256(repr((seed, "first", criterion, system_a, system_b)).encode()).digest()
    mixed = hashes ^ np.uint64(int.from_bytes(digest[:8], "little"))
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))
