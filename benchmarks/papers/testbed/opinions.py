"""What a judge says of a group of trainings, and where a rule ends one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

PATIENCE = 5
PATIENT = "patience"


@dataclass(frozen=True, slots=True)
class End:
    """A training of which a rule has `seen` so many checkpoints, and keeps one (from 0)."""

    seen: int
    kept: int


@dataclass(frozen=True, slots=True)
class Opinion:
    """What was trained to judge says of a group: a value for each candidate, higher for better, and where its rules end
    the training that is followed. `cpu`: seconds for each of both.
    """

    values: tuple[float, ...]
    ends: Mapping[str, End]
    cpu: tuple[float, float]


def by_patience(values: Sequence[float], patience: int = PATIENCE) -> End:
    """The usual rule: stop after so many checkpoints without a new highest value, keep the highest."""
    best = 0
    for at, value in enumerate(values):
        if value > values[best]:
            best = at
        elif at - best >= patience:
            return End(at + 1, best)
    return End(len(values), best)
