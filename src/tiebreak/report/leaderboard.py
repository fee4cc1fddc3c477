"""Leaderboards as one self-contained HTML file: ratings with their intervals drawn, win rates, what they rest on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
from tiebreak.report.document import check_report_path, page
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
    parts = {
        "result": result,
        "boards": [_board(f"c{k}", found) for k, found in enumerate(result.results, 1)],
        "statistics": settings_words(result),
        "sentences": [paper_sentence(found, result) for found in result.results],
    }
    return page("leaderboard.html.j2", parts)


View = Mapping[str, object]
"""What a template places, by name."""


def _board(key: str, found: CriterionRanks) -> View:
    """One criterion. `grouped`: systems are of several groups; `has_tournament`: rows have a Glicko-2 rating. `ticks`:
    (place on the axis in percent, rating). `matrix`: a row of cells per system, () where it would be too large.
    """
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
    return {
        "key": key,
        "found": found,
        "counts": counts_words(found),
        "scale": scale_words(found),
        "rows": [_row(one, skills.get(one.system, ""), low, high) for one in ranked],
        "grouped": len(found.davidson.references) > 1,
        "has_tournament": found.glicko2 is not None,
        "ticks": [(100 * (at - low) / (high - low), points(at)) for at in _ticks(low, high)],
        "short": [*short_names(names).values()],
        "matrix": _matrix(names, found.pairs) if len(names) ** 2 <= _MOST_CELLS else (),
        "sources": [
            (source.source, [(one.system, points(one.rating), ends_words(one)) for one in source.systems])
            for source in found.sources
            if source.systems is not None
        ],
        "remarks": " ".join(part for part in told if part),
    }


def _row(one: RankedSystem, glicko2: str, low: float, high: float) -> View:
    """A system on the page. `left`, `dot`, `right`: percent of the axis; an end that is open, or beyond the axis, is at
    its edge.
    """

    def at(rating: float | None, otherwise: float) -> float:
        return otherwise if rating is None else min(max(100 * (rating - low) / (high - low), 0.0), 100.0)

    strength = one.strength
    return {
        "one": one,
        "place": place_words(one),
        "rating": points(strength.rating),
        "interval": ends_words(strength),
        "glicko2": glicko2,
        "wins": in_percent((one.wins + one.ties / 2) / (one.wins + one.ties + one.losses)),
        "left": at(strength.low, 0.0),
        "dot": at(strength.rating, 50.0),
        "right": at(strength.high, 100.0),
        "open_low": strength.low is None or strength.low < low,
        "open_high": strength.high is None or strength.high > high,
    }


def _ticks(low: float, high: float) -> list[float]:
    """Round ratings on the axis, five at most, and none so near its ends that it would stand out."""
    step = next(step for step in (25, 50, 100, 200, 500, 1000, 2000, 5000, high - low) if (high - low) / step <= 5)
    first = -(-low // step) * step
    every = [first + k * step for k in range(int((high - first) // step) + 1)]
    edge = _EDGE * (high - low)
    return [at for at in every if low + edge <= at <= high - edge]


def _matrix(names: Sequence[str], pairs: Sequence[PairGames]) -> list[list[View]]:
    """The win rate of each row against each column: `words` for whoever points at it, `kind` of its colour, of which so
    much percent of a `share` is laid on the paper: on up to half of it text is read in either scheme.
    """
    cells: dict[tuple[str, str], View] = {}
    for pair in pairs:
        for row, column, rate in (
            (pair.system_a, pair.system_b, pair.win_rate),
            (pair.system_b, pair.system_a, 1 - pair.win_rate),
        ):
            kind = "first" if rate > 0.5 else "second"
            words = f"{row} against {column}: {in_percent(rate)} of {pair.games:,}"
            share = round(abs(100 * rate - 50))
            cells[row, column] = {"shown": round(100 * rate), "words": words, "kind": kind, "share": share}
    nothing, itself = ({"kind": kind, "words": ""} for kind in ("none", "self"))
    return [[itself if row == column else cells.get((row, column), nothing) for column in names] for row in names]
