"""Draws made-up files of all shapes."""

from __future__ import annotations

from random import Random
from typing import Final

from tests.importers.raw_files.answers import chosen, ranked, signed, ticked
from tests.importers.raw_files.shapes import (
    RawFile,
    checkpoints,
    foreign,
    judged,
    long,
    meaningless,
    ratings,
    sides,
    votes,
    wide,
)

SHAPES: Final = (
    wide, long, checkpoints, votes, judged, sides, ratings, ticked, chosen, signed, ranked, meaningless, foreign,
)  # fmt: skip


def draw(seed: int) -> RawFile:
    """The file of this number."""
    random = Random(seed)
    return random.choice(SHAPES)(random, random.choice((0.0, 0.0, 0.2, 0.6)))
