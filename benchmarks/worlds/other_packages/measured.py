"""Error, coverage, width and power in simulated worlds, of whoever was asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from benchmarks.worlds.other_packages.asked import Answers, Floats, Labels, Package, Said, by_tiebreak
from benchmarks.worlds.other_packages.worlds import World


@dataclass(frozen=True)
class Rate:
    """A share over `runs` studies, with its Monte Carlo standard error."""

    share: float
    runs: int
    error: float

    @classmethod
    def of(cls, studies: Sequence[float]) -> Rate:
        """From the share in each study: pairs of a study are not independent. No studies: 0 of 0."""
        if not studies:
            return cls(0.0, 0, 0.0)
        return cls(float(np.mean(studies)), len(studies), float(np.std(studies)) / len(studies) ** 0.5)

    @property
    def cells(self) -> tuple[float | None, float | None]:
        """The share and its error, empty where there was no study."""
        return (self.share, self.error) if self.runs else (None, None)


@dataclass(frozen=True)
class Measured:
    """What one package did in one world.

    `wrong_by_p`, `wrong_by_interval`: studies without a difference in which any pair is decided. `missed`: studies
    with intervals of which any does not hold the true difference, of all studies. `width`: mean width, where there is
    a difference (else where there is none). `power_by_p`, `power_by_interval`: pairs with a difference that are decided
    for the better system. `contradictions`: pairs about which p-value and interval disagree. `refused`: studies.
    """

    name: str
    methods: tuple[str, ...]
    wrong_by_p: Rate
    wrong_by_interval: Rate
    missed: Rate
    width: float
    power_by_p: Rate
    power_by_interval: Rate
    contradictions: Rate
    refused: int


def measure(world: World, packages: Sequence[Package], seed: int, scale: float) -> list[Measured]:
    """tiebreak first, then the packages, on the same studies."""
    equal = _drawn(world, 0.0, world.runs[0], seed, scale)
    better = [] if world.difference is None else _drawn(world, world.difference, world.runs[1], seed + 1, scale)
    ours = _measured(world, "tiebreak", by_tiebreak(equal), by_tiebreak(better))
    return [ours, *(_measured(world, each.name, each.ask(equal), each.ask(better)) for each in packages)]


def _drawn(world: World, difference: float, runs: int, seed: int, scale: float) -> list[Labels]:
    """One generator per study, so that worlds with the same key hold the same outcomes."""
    runs = max(1, round(runs * scale))
    return [world.draw(np.random.default_rng([seed, world.key, k]), difference) for k in range(runs)]


def _measured(world: World, name: str, equal: Answers, better: Answers) -> Measured:
    same = [study for study in equal.studies if study is not None]
    other = [study for study in better.studies if study is not None]
    nothing, truth = world.truth(0.0), world.truth(world.difference or 0.0)
    missed = [_any_missed(study, nothing) for study in same] + [_any_missed(study, truth) for study in other]
    return Measured(
        name,
        tuple(dict.fromkeys((*equal.methods, *better.methods))),
        Rate.of([any(pair.by_p for pair in study) for study in same]),
        Rate.of([any(pair.by_interval for pair in study) for study in same]),
        Rate.of(missed),
        float(np.mean([pair.high - pair.low for study in other or same for pair in study])),
        Rate.of([_found([pair.by_p for pair in study], truth) for study in other]),
        Rate.of([_found([pair.by_interval for pair in study], truth) for study in other]),
        Rate.of([float(np.mean([pair.by_p != pair.by_interval for pair in study])) for study in (*same, *other)]),
        sum(study is None for study in (*equal.studies, *better.studies)),
    )


def _found(decided: Sequence[int], truth: Floats) -> float:
    """The share, of the pairs with a difference, that is decided for the better system."""
    there = truth != 0
    return float((np.array(decided)[there] == np.sign(truth[there])).mean())


def _any_missed(study: Sequence[Said], truth: Floats) -> bool:
    return any(not pair.low <= true <= pair.high for pair, true in zip(study, truth, strict=True))
