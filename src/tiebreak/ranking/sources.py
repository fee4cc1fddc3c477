"""The games of a criterion by their sources: people's preferences and ratings, and judges, each with its weight."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import polars as pl

from tiebreak.data.study import Study
from tiebreak.evidence.automatic import check_said, known_judges
from tiebreak.evidence.games import GameRows, judge_games, labellers, preference_games, rating_games
from tiebreak.evidence.items import ItemIndex
from tiebreak.results.settings import AskedSource, RankSettings, asked_sources

_NOBODY = pl.DataFrame(schema={"system": pl.String, "annotator": pl.String})


@dataclass(frozen=True, slots=True)
class RankSource:
    """Games of one `name` ("people", "preferences", "ratings", or a judge's) with the `weight` of each comparison.

    `people`: rows (system, annotator) of those behind them; none of a judge.
    """

    name: str
    weight: float
    games: GameRows
    people: pl.DataFrame = field(default_factory=lambda: _NOBODY)


def from_people(settings: RankSettings) -> bool:
    """Whether any source is people's labels."""
    asked = asked_sources(settings.sources)
    return not asked or any(of.kind != "judges" for of in asked)


def judges_named(settings: RankSettings) -> tuple[str, ...]:
    """The judges among the sources, ("all",) where every one is."""
    asked = [of.judge for of in asked_sources(settings.sources) if of.kind == "judges"]
    return ("all",) if None in asked else tuple(name for name in asked if name is not None)


def check_judges(study: Study, settings: RankSettings) -> None:
    """Raise UsageError for the first judge asked for whom the study does not have."""
    rows = study.judge_preferences
    known = [] if rows is None else rows["judge"].unique().sort().to_list()
    asked = [of.judge for of in asked_sources(settings.sources) if of.judge is not None]
    check_said(study, "judge", asked, known)


def judges_asked(study: Study, criterion: str | None, settings: RankSettings) -> tuple[str, ...]:
    """The judges among the sources that answered on a criterion, or on none in particular."""
    asked = [of.judge for of in asked_sources(settings.sources) if of.kind == "judges"]
    return tuple(name for name in known_judges(study, criterion) if None in asked or name in asked)


def sources_of(study: Study, criterion: str | None, index: ItemIndex, settings: RankSettings) -> list[RankSource]:
    """All sources that have games on a criterion, in the order in which they were asked for.

    Raises:
        UsageError: more games than fit into memory.
    """
    asked = asked_sources(settings.sources)
    found = [_people(study, criterion, index, settings)] if not asked else []
    for of in asked:
        found += _source(study, criterion, index, settings, of)
    return [source for source in found if len(source.games)]


def _people(study: Study, criterion: str | None, index: ItemIndex, settings: RankSettings) -> RankSource:
    """People's labels as `compare` takes them: preferences, and the ratings of pairs that have none."""
    rated = _rated(study, criterion, index, settings, beside_preferences=True)
    preferred = preference_games(study, criterion, index, settings.several)
    people = [_who(study, criterion, settings, "preferences")] if len(preferred) else []
    people += [_who(study, criterion, settings, "ratings")] if len(rated) else []
    who = pl.concat(people).unique() if people else _NOBODY
    return RankSource("people", 1.0, GameRows.together([preferred, rated]), who)


def _source(
    study: Study, criterion: str | None, index: ItemIndex, settings: RankSettings, asked: AskedSource
) -> Sequence[RankSource]:
    if asked.kind == "preferences":
        games = preference_games(study, criterion, index, settings.several)
        return [RankSource("preferences", asked.weight, games, _who(study, criterion, settings, "preferences"))]
    if asked.kind == "ratings":
        games = _rated(study, criterion, index, settings, beside_preferences=False)
        return [RankSource("ratings", asked.weight, games, _who(study, criterion, settings, "ratings"))]
    return [
        RankSource(
            f"judge {name}", asked.weight, judge_games(study, criterion, index, name, sided=settings.left_advantage)
        )
        for name in judges_asked(study, criterion, settings)
        if asked.judge in (None, name)
    ]


def _rated(
    study: Study, criterion: str | None, index: ItemIndex, settings: RankSettings, *, beside_preferences: bool
) -> GameRows:
    how = (settings.several, settings.tie_threshold, settings.raters)
    return rating_games(study, criterion, index, *how, beside_preferences=beside_preferences)


def _who(study: Study, criterion: str | None, settings: RankSettings, of: str) -> pl.DataFrame:
    kind = "preferences" if of == "preferences" else "ratings"
    return labellers(study, criterion, settings.several, settings.raters, of=kind)  # type: ignore[arg-type]
