"""Campaigns of ratings: what their confidence sequences promise at every look, and where a width ends them.

*Every look* counts the runs in which a sequence of 400 ratings leaves out the mean at any look, which is the most that
any way to stop can make wrong. *Whole campaigns* are played by the core, with people who work at the same time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import astuple, dataclass
from typing import Final, Literal

from benchmarks.cells import Cell, Counts, Measure, Rng
from benchmarks.worlds.rating_campaigns import (
    EVEN,
    FIVES_80,
    FIVES_95,
    bernstein_misses,
    rating_draws,
    rating_pools,
    rating_protocol,
    sequence_misses,
    t_stop_misses,
)
from benchmarks.worlds.scores.intervals import ALPHA, missed

from tiebreak.simulate.people.metrics import RatingWorld
from tiebreak.simulate.runs.rating_runs import repeat_ratings
from tiebreak.simulate.settings import RaterSettings

SEQUENCES: Final = 10_000
CAMPAIGNS: Final = 1_000
RATINGS: Final = 400
HALF_WIDTH: Final = 0.15
"""Of the control, on a scale from -1 to 1: 0.3 points of 1 to 5."""

SHARES: Final = {"all five ratings as often": EVEN, "80% fives": FIVES_80, "95% fives": FIVES_95}


@dataclass(frozen=True, slots=True)
class World:
    """Two systems of these means, whose campaign is about `until`; so many `people`, who differ by `severity`."""

    name: str
    means: tuple[float, float]
    until: Literal["means", "differences"]
    people: int = 5
    severity: float = 0.0


WORLDS: Final = (
    World("means 3.0 and 4.7, until both are known", (3.0, 4.7), "means"),
    World("the same, 100 people of unequal severity", (3.0, 4.7), "means", 100, 0.7),
    World("means 3.0 and 4.7, until their difference is known", (3.0, 4.7), "differences"),
)


def every_look(shares: tuple[float, ...], pool: bool) -> Measure:
    """Runs in which the sequence is wrong at any look; empirical Bernstein, and the control."""

    def measure(rng: Rng, runs: int) -> Counts:
        values, mean = (rating_pools if pool else rating_draws)(rng, shares, runs, RATINGS)
        size = RATINGS if pool else None
        found = {
            "width": sequence_misses(values, mean, ALPHA, size),
            "bernstein": bernstein_misses(values, mean, ALPHA),
            "control": t_stop_misses(values, mean, ALPHA, HALF_WIDTH),
        }
        return {missed(name): share * runs for name, share in found.items()}

    return measure


def whole(world: World) -> Measure:
    """Campaigns with any interval that is wrong where they end, and those that did not end by their width."""

    def measure(rng: Rng, runs: int) -> Counts:
        people = RaterSettings(world.means, number_of_items=300, raters=world.people, severity=world.severity)
        protocol = rating_protocol(half_width=0.6, until=world.until)
        found = repeat_ratings(protocol, RatingWorld(people), runs, seed=int(rng.integers(2**31)))
        return {
            missed("width"): float(sum(not all(run.covers) for run in found)),
            f"not ended {ALPHA:g}": float(sum("undecided" in run.found for run in found)),
        }

    return measure


def cells() -> Iterator[Cell]:
    """All cells of this module."""
    limited = (missed("width"), missed("bernstein"))
    for pool in (False, True):
        for name, shares in SHARES.items():
            about = f"a pool of {RATINGS}, " if pool else ""
            settings = (shares, pool, RATINGS, HALF_WIDTH)
            yield Cell(
                "every look", about + name, "exact", every_look(shares, pool), SEQUENCES, settings, limited=limited,
            )  # fmt: skip
    for world in WORLDS:
        yield Cell("whole campaigns", world.name, "exact", whole(world), CAMPAIGNS, astuple(world), limited=limited[:1])
