"""Leaderboards as one self-contained HTML file: ratings with their intervals drawn, win rates, what they rest on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tiebreak.files import write_bytes
from tiebreak.messages.ranks import (
    counts_words,
    ends_words,
    glicko_words,
    next_words,
    paper_sentence,
    place_words,
    scale_words,
    settings_words,
    side_words,
)
from tiebreak.numbers import in_percent, points
from tiebreak.report.document import check_report_path, page_environment, page_parts
from tiebreak.report.style import short_names
from tiebreak.results.ranks import CriterionRanks, PairGames, RankedSystem, RankResult

_ROOM: Final = 60.0
"""Points on either side of the outermost rating on the axis."""
_EDGE: Final = 0.03
"""Share of the axis at either end that has no ticks."""
_MOST_CELLS: Final = 10_000
"""Of a matrix on the page: a hundred systems."""


def write_leaderboard(result: RankResult, path: str | Path) -> Path:
    """Write the leaderboards to `path` (.html or .htm), all or nothing; returns the path.

    Raises:
        UsageError: another ending, a folder that does not exist, or a folder of that name.
    """
    target = Path(path)
    check_report_path(target)
    write_bytes(target, render(result).encode())
    return target


def render(result: RankResult) -> str:
    """The page as text; see `write_leaderboard`."""
    environment = page_environment()
    return environment.get_template("leaderboard.html.j2").render(
        result=result,
        boards=[_board(f"c{k}", found) for k, found in enumerate(result.results, 1)],
        statistics=settings_words(result),
        sentences=[paper_sentence(found, result) for found in result.results],
        **page_parts(environment),
    )


@dataclass(frozen=True, slots=True)
class RowView:
    """A system on the page. `left`, `dot`, `right`: percent of the axis; an end that is open, or beyond the axis, is at
    its edge.
    """

    name: str
    place: str
    rating: str
    interval: str
    tier: str
    glicko2: str
    group: int
    games: int
    wins: str
    opponents: int
    annotators: int
    left: float
    dot: float
    right: float
    open_low: bool
    open_high: bool


@dataclass(frozen=True, slots=True)
class CellView:
    """The win rate of a row against a column: `words` for whoever points at it, `kind` of its colour, of which so much
    percent of a `share` is laid on the paper: on up to half of it text is read in either scheme.
    """

    shown: str
    words: str
    kind: str
    share: int = 0


@dataclass(frozen=True, slots=True)
class BoardView:
    """One criterion. `grouped`: systems are of several groups; `has_tournament`: rows have a Glicko-2 rating. `ticks`:
    (place on the axis in percent, rating). `matrix`: a row of cells per system, () where it would be too large.
    """

    key: str
    title: str | None
    counts: str
    scale: str
    notes: Sequence[tuple[str, str]]
    rows: tuple[RowView, ...]
    grouped: bool
    has_tournament: bool
    ticks: tuple[tuple[float, str], ...]
    short: Sequence[str]
    matrix: tuple[tuple[CellView, ...], ...]
    sources: Sequence[tuple[str, Sequence[tuple[str, str, str]]]]
    remarks: str


def _board(key: str, found: CriterionRanks) -> BoardView:
    ranked = found.davidson.systems
    ratings = [one.strength.rating for one in ranked]
    low, high = min(ratings) - _ROOM, max(ratings) + _ROOM
    ends = [end for one in ranked for end in (one.strength.low, one.strength.high) if end is not None]
    span = high - low
    low, high = max(min([low, *ends]), low - span), min(max([high, *ends]), high + span)
    played = () if found.glicko2 is None else found.glicko2.systems
    skills = {one.system: f"{points(one.rating)} ± {points(one.deviation)}" for one in played}
    names = [one.system for one in ranked]
    told = (glicko_words(found), side_words(found), next_words(found))
    return BoardView(
        key=key,
        title=found.criterion,
        counts=counts_words(found),
        scale=scale_words(found),
        notes=[(note.code, note.text) for note in found.notes],
        rows=tuple(_row(one, skills.get(one.system, ""), low, high) for one in ranked),
        grouped=len(found.davidson.references) > 1,
        has_tournament=found.glicko2 is not None,
        ticks=tuple((100 * (at - low) / (high - low), points(at)) for at in _ticks(low, high)),
        short=[*short_names(names).values()],
        matrix=_matrix(names, found.pairs) if len(names) ** 2 <= _MOST_CELLS else (),
        sources=[
            (source.source, [(one.system, points(one.rating), ends_words(one)) for one in source.systems])
            for source in found.sources
            if source.systems is not None
        ],
        remarks=" ".join(part for part in told if part),
    )


def _row(one: RankedSystem, glicko2: str, low: float, high: float) -> RowView:
    def at(rating: float | None, otherwise: float) -> float:
        return otherwise if rating is None else min(max(100 * (rating - low) / (high - low), 0.0), 100.0)

    strength = one.strength
    return RowView(
        name=one.system,
        place=place_words(one),
        rating=points(strength.rating),
        interval=ends_words(strength),
        tier="-" if one.tier is None else str(one.tier),
        glicko2=glicko2,
        group=one.group,
        games=one.games,
        wins=in_percent((one.wins + one.ties / 2) / (one.wins + one.ties + one.losses)),
        opponents=one.opponents,
        annotators=one.annotators,
        left=at(strength.low, 0.0),
        dot=at(strength.rating, 50.0),
        right=at(strength.high, 100.0),
        open_low=strength.low is None or strength.low < low,
        open_high=strength.high is None or strength.high > high,
    )


def _ticks(low: float, high: float) -> list[float]:
    """Round ratings on the axis, five at most, and none so near its ends that it would stand out."""
    step = next(step for step in (25, 50, 100, 200, 500, 1000, 2000, 5000, high - low) if (high - low) / step <= 5)
    first = -(-low // step) * step
    every = [first + k * step for k in range(int((high - first) // step) + 1)]
    edge = _EDGE * (high - low)
    return [at for at in every if low + edge <= at <= high - edge]


def _matrix(names: Sequence[str], pairs: Sequence[PairGames]) -> tuple[tuple[CellView, ...], ...]:
    cells: dict[tuple[str, str], CellView] = {}
    for pair in pairs:
        for row, column, rate in (
            (pair.system_a, pair.system_b, pair.win_rate),
            (pair.system_b, pair.system_a, 1 - pair.win_rate),
        ):
            kind = "first" if rate > 0.5 else "second"
            words = f"{row} against {column}: {in_percent(rate)} of {pair.games:,}"
            cells[row, column] = CellView(str(round(100 * rate)), words, kind, round(abs(100 * rate - 50)))
    nothing, itself = CellView("", "not compared", "none"), CellView("", "", "self")
    return tuple(
        tuple(itself if row == column else cells.get((row, column), nothing) for column in names) for row in names
    )
