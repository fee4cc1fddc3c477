"""Whose comparisons make a leaderboard: games of a criterion by source, tournaments of labels, and ratings of samples.

The games of people and judges have a weight each. In a Glicko-2 tournament on labels that exist it is drawn who plays,
and the outcome is one of the pair's labels. Of single samples each is a player of its own, rated by points against
common references or by a tournament (Zhou & Xu 2020); whoever compares two of them is a function from their numbers to
outcomes, and both are outputs for the same context or, as in the paper, of the same task.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from tiebreak.data.study import Study
from tiebreak.errors import UsageError
from tiebreak.evidence.automatic import check_said, known_judges
from tiebreak.evidence.games import GameRows, Labelled, judge_games, labellers, preference_games, rating_games
from tiebreak.evidence.items import ItemIndex
from tiebreak.kernels.davidson import reference_points
from tiebreak.kernels.glicko2 import PaperPlayers, Skill, StandardPlayers, matched_games, tournament
from tiebreak.results.ranks import GlickoBoard, GlickoStanding
from tiebreak.results.settings import AskedSource, GlickoVariant, RankSettings, asked_sources

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
    kinds: tuple[Labelled, ...] = ("preferences", "ratings")
    parts = [_labelled(study, criterion, index, settings, kind, 1.0, beside=True) for kind in kinds]
    people = [source.people for source in parts if len(source.games)]
    who = pl.concat(people).unique() if people else _NOBODY
    return RankSource("people", 1.0, GameRows.together(source.games for source in parts), who)


def _source(
    study: Study, criterion: str | None, index: ItemIndex, settings: RankSettings, asked: AskedSource
) -> Sequence[RankSource]:
    if asked.kind != "judges":
        kind: Labelled = "preferences" if asked.kind == "preferences" else "ratings"
        return [_labelled(study, criterion, index, settings, kind, asked.weight, beside=False)]
    return [
        RankSource(
            f"judge {name}", asked.weight, judge_games(study, criterion, index, name, sided=settings.left_advantage)
        )
        for name in judges_asked(study, criterion, settings)
        if asked.judge in (None, name)
    ]


def _labelled(
    study: Study,
    criterion: str | None,
    index: ItemIndex,
    settings: RankSettings,
    kind: Labelled,
    weight: float,
    *,
    beside: bool,
) -> RankSource:
    """People's labels of one kind; `beside`: of ratings only those of pairs that have no preferences."""
    if kind == "preferences":
        games = preference_games(study, criterion, index, settings.several)
    else:
        how = (settings.several, settings.tie_threshold, settings.raters)
        games = rating_games(study, criterion, index, *how, beside_preferences=beside)
    return RankSource(kind, weight, games, labellers(study, criterion, settings.several, settings.raters, of=kind))


Integers = NDArray[np.intp]


def glicko_board(systems: Sequence[str], rows: GameRows, settings: RankSettings, variant: GlickoVariant) -> GlickoBoard:
    """The tournament of systems by the numbers of the rows, each of which has games.

    Labels are drawn again and again: a tournament knows no more than the labels do, however many games it plays.
    """
    rng = np.random.default_rng(settings.seed)
    pairs, drawn = _labels_of(rows, len(systems), rng)
    players = PaperPlayers(len(systems)) if variant == "paper" else StandardPlayers(len(systems))
    games = matched_games(settings.matching, len(systems), pairs, drawn, rng)
    ended = tournament(players, games, settings.max_games)
    change = ended.last_change
    skills = players.skills()
    return GlickoBoard(
        converged=ended.converged,
        games=ended.games,
        variant=variant,
        matching=settings.matching,
        last_change=None if change is None else (systems[change[0]], systems[change[1]], change[2]),
        systems=tuple(
            GlickoStanding(systems[k], skills[k].rating, skills[k].deviation, skills[k].volatility, ended.played[k])
            for k in ended.order
        ),
    )


def _labels_of(
    rows: GameRows, systems: int, rng: np.random.Generator
) -> tuple[Integers, Callable[[Integers], NDArray[np.int8]]]:
    """The pairs (P, 2) that have labels, and what draws an outcome for each of some rows of them, by the weights of
    their labels.
    """
    code, pair = np.unique(rows.first * systems + rows.second, return_inverse=True)
    order, end = np.argsort(pair, kind="stable"), np.cumsum(np.bincount(pair))
    outcome, summed = rows.outcome[order], np.cumsum(rows.weight[order])
    whole = np.concatenate([[0.0], summed[end - 1]])

    def drawn(pairs: Integers) -> NDArray[np.int8]:
        low, high = whole[pairs], whole[pairs + 1]
        at = np.searchsorted(summed, low + (high - low) * rng.random(pairs.size), side="right")
        return np.asarray(outcome[np.minimum(at, end[pairs] - 1)])

    return np.stack(np.divmod(code, systems), axis=1).astype(np.intp), drawn


Compare = Callable[[Integers, Integers], ArrayLike]
"""From numbers of samples (n,) and of what each is compared with (n,) to outcomes (n,): 1, 0 or -1 for the first."""


def sample_points(compare: Compare, samples: int, references: int) -> NDArray[np.int64]:
    """Points (samples,) against so many references, which `compare` knows by number: 3 a win, 1 a draw, 0 a loss.

    The paper takes 50 references.

    Raises:
        UsageError: no sample or no reference, or other outcomes than one for each comparison.
    """
    if samples < 1 or references < 1:
        raise UsageError(f"points take a sample and a reference at least, not {samples} and {references}")
    first, second = np.divmod(np.arange(samples * references), references)
    return reference_points(_outcomes(compare, first, second).reshape(samples, references))


def sample_skills(compare: Compare, samples: int, games: int, *, rng: np.random.Generator) -> tuple[Skill, ...]:
    """Glicko-2 skills, in the paper's form, after so many games of samples drawn at random.

    The paper takes 10,000 games.

    Raises:
        UsageError: fewer than two samples or one game, or other outcomes than one for each game.
    """
    if samples < 2 or games < 1:
        raise UsageError(f"a tournament takes 2 samples and 1 game at least, not {samples} and {games}")
    first = rng.integers(samples, size=games)
    second = (first + rng.integers(1, samples, size=games)) % samples
    players = PaperPlayers(samples)
    outcomes = _outcomes(compare, first, second)
    for one, other, outcome in zip(first.tolist(), second.tolist(), outcomes.tolist(), strict=True):
        players.play(one, other, outcome)
    return players.skills()


def _outcomes(compare: Compare, first: Integers, second: Integers) -> NDArray[np.int64]:
    found = np.asarray(compare(first, second))
    if found.shape != first.shape or not np.isin(found, (-1, 0, 1)).all():
        raise UsageError(f"{first.size:,} comparisons need as many outcomes of 1, 0 or -1, not {found.shape} values")
    return found.astype(np.int64)
