"""What `rank` found: frozen records that know how to become a frame and a JSON-ready dictionary."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import polars as pl

from tiebreak.records import Matching, Notice, document
from tiebreak.results.order import Order
from tiebreak.results.settings import GlickoVariant, RankSettings
from tiebreak.results.shown import ShownResult
from tiebreak.version import __version__

_COLUMNS: Final[dict[str, type[pl.DataType]]] = {
    "criterion": pl.String, "system": pl.String, "rating": pl.Float64, "low": pl.Float64, "high": pl.Float64,
    "rank_low": pl.Int64, "rank_high": pl.Int64, "tier": pl.Int64, "group": pl.Int64, "games": pl.Int64,
    "opponents": pl.Int64, "annotators": pl.Int64, "glicko2": pl.Float64, "deviation": pl.Float64,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Strength:
    """One system's rating on the Elo scale, with its interval; None: no end."""

    system: str
    rating: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class RankedSystem:
    """A system on the leaderboard, and what its rating rests on.

    `rank_low`, `rank_high`: its best and its worst possible place. `games`: comparisons of an item with one of its
    `opponents`; `wins`, `ties`, `losses` of them, in weight. `annotators`: people behind them. `group`: systems of
    different groups were never compared, not even by way of others. `tier`: in the order that `compare` finds, None
    where it found none.
    """

    strength: Strength
    rank_low: int
    rank_high: int
    games: int
    wins: float
    ties: float
    losses: float
    opponents: int
    annotators: int
    group: int
    tier: int | None

    @property
    def system(self) -> str:
        """Its name."""
        return self.strength.system

    def to_dict(self) -> dict[str, Any]:
        """Flat, JSON-ready."""
        return document(self.strength) | document(self, "strength")


@dataclass(frozen=True, slots=True)
class Reference:
    """What ratings are told from: `rating` is that of the `anchor`, else the mean of `systems`."""

    rating: float
    anchor: str | None
    systems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Misfit:
    """A pair that does not follow the one scale: `excess` is system_a's share of wins less that of system_b, beyond
    what their ratings say; `p_value` adjusted for all pairs tested.
    """

    system_a: str
    system_b: str
    excess: float
    p_value: float


@dataclass(frozen=True, slots=True)
class OneScaleFit:
    """Whether one scale fits: `p_value` over the pairs `tested`, None where none could be; those that stand out."""

    p_value: float | None
    tested: int
    pairs: tuple[Misfit, ...]


@dataclass(frozen=True, slots=True)
class SideAdvantage:
    """Elo points that being shown on the left is worth."""

    rating: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class DavidsonBoard:
    """Ratings by Davidson's model, best first. `nu` of the largest group: two equal systems tie with probability
    nu/(2 + nu). `references`: of each group. `next_games`: by rule, the pair to compare next.
    """

    nu: float
    references: tuple[Reference, ...]
    systems: tuple[RankedSystem, ...]
    fit: OneScaleFit
    side: SideAdvantage | None
    next_games: tuple[tuple[str, str, str], ...]

    def to_dict(self) -> dict[str, Any]:
        """`davidson` of the JSON document."""
        return document(self, next_games={rule: [a, b] for rule, a, b in self.next_games})


@dataclass(frozen=True, slots=True)
class GlickoStanding:
    """A system after the tournament; `games` that it played there."""

    system: str
    rating: float
    deviation: float
    volatility: float
    games: int


@dataclass(frozen=True, slots=True)
class GlickoBoard:
    """A Glicko-2 tournament, best first. `last_change`: who changed places last, the better one first, and after how
    many games; None where nobody did."""

    converged: bool
    games: int
    variant: GlickoVariant
    matching: Matching
    last_change: tuple[str, str, int] | None
    systems: tuple[GlickoStanding, ...]

    def to_dict(self) -> dict[str, Any]:
        """`glicko2` of the JSON document."""
        change = self.last_change
        return document(self, last_change=None if change is None else {"systems": change[:2], "after_games": change[2]})


@dataclass(frozen=True, slots=True)
class SourceBoard:
    """One of the sources, told apart: its `weight`, its games, and the ratings by it alone, None of the only source."""

    source: str
    weight: float
    games: int
    systems: tuple[Strength, ...] | None


@dataclass(frozen=True, slots=True)
class PairGames:
    """The games of two systems, in weight, `wins` of system_a."""

    system_a: str
    system_b: str
    games: int
    wins: float
    ties: float
    losses: float

    @property
    def win_rate(self) -> float:
        """Of system_a; a tie counts half."""
        return (self.wins + self.ties / 2) / (self.wins + self.ties + self.losses)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return document(self, win_rate=self.win_rate)


@dataclass(frozen=True, slots=True)
class CriterionRanks:
    """The leaderboard of one criterion.

    `items`: that were compared, in so many `clusters`, None where each stands alone. `order`: what the verdicts of
    `compare` amount to. `against_verdicts`: pairs (better, worse) by verdict whose
    ratings stand the other way round. `without_games`: systems that no source compared.
    """

    criterion: str | None
    items: int
    clusters: int | None
    sources: tuple[SourceBoard, ...]
    davidson: DavidsonBoard
    glicko2: GlickoBoard | None
    order: Order
    pairs: tuple[PairGames, ...]
    against_verdicts: tuple[tuple[str, str], ...]
    without_games: tuple[str, ...]
    notes: tuple[Notice, ...]


@dataclass(frozen=True, repr=False)
class RankResult(ShownResult):
    """Leaderboards of all criteria; `study`: its name; `own_analysis`: why the size was not fixed, or None."""

    study: str
    results: tuple[CriterionRanks, ...]
    warnings: tuple[Notice, ...]
    settings: RankSettings
    own_analysis: str | None = None

    @cached_property
    def systems(self) -> pl.DataFrame:
        """One row per criterion and system, best first: ratings by both systems, ranks, and what they rest on."""
        rows = []
        for found in self.results:
            glicko = {} if found.glicko2 is None else {one.system: one for one in found.glicko2.systems}
            for one in found.davidson.systems:
                skill, own = glicko.get(one.system), one.strength
                rated = (None, None) if skill is None else (skill.rating, skill.deviation)
                rows.append(
                    (found.criterion, one.system, own.rating, own.low, own.high, one.rank_low, one.rank_high, one.tier,
                     one.group, one.games, one.opponents, one.annotators, *rated)
                )  # fmt: skip
        return pl.DataFrame(rows, schema=_COLUMNS, orient="row")

    @property
    def table(self) -> pl.DataFrame:
        """That of the systems."""
        return self.systems

    @property
    def facts(self) -> tuple[str, ...]:
        """The rating of each system on each criterion, best first."""
        several = len(self.results) > 1
        return tuple(
            f"{one.system} {one.strength.rating:.0f}" + (f" on {found.criterion}" if several else "")
            for found in self.results
            for one in found.davidson.systems
        )

    def to_dict(self) -> dict[str, Any]:
        """The document that `rank --json` prints; null is an end that nothing sets."""
        return document(self, tiebreak=__version__)
