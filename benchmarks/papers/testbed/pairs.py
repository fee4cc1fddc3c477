"""Texts and what is to be written for them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TextPair:
    """Write `target` for `source`. `unit`: what must stay on one side when pairs are set aside."""

    name: str
    source: str
    target: str
    unit: str


@dataclass(frozen=True, slots=True)
class Split:
    """Pairs that models learn from, on which their loss is measured, and for which they write; no unit is in two."""

    train: tuple[TextPair, ...]
    dev: tuple[TextPair, ...]
    written: tuple[TextPair, ...]


def split(pairs: Sequence[TextPair], seed: int, *, dev: int, written: int) -> Split:
    """So many pairs for the loss and for writing, each of a unit of its own; the other units are for learning.

    Raises:
        ValueError: there are fewer units.
    """
    units: dict[str, list[TextPair]] = {}
    for pair in sorted(pairs, key=lambda pair: pair.name):
        units.setdefault(pair.unit, []).append(pair)
    order = sorted(units, key=lambda unit: hashlib.sha256(f"{seed}\0{unit}".encode()).digest())
    if len(order) <= dev + written:
        raise ValueError(f"{len(order)} units are too few to set {dev + written} aside")
    first = [units[unit][0] for unit in order[: dev + written]]
    train = [pair for unit in order[dev + written :] for pair in units[unit]]
    return Split(tuple(train), tuple(first[:dev]), tuple(first[dev:]))


def without_repeats(pairs: Sequence[TextPair]) -> list[TextPair]:
    """The first of all pairs with one source or one target, in whatever case and with whatever blanks."""
    sources: set[str] = set()
    targets: set[str] = set()
    kept = []
    for pair in pairs:
        source, target = _plain(pair.source), _plain(pair.target)
        if source in sources or target in targets or not source or not target:
            continue
        sources.add(source)
        targets.add(target)
        kept.append(pair)
    return kept


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()
