"""The order by pairwise verdicts: those of `compare` on the same labels, all criteria in one family.

What stands beside a rating: places, tiers, and the games, opponents and people that it rests on.

Several sources side by side: the ratings by each alone, and where they cannot be the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiebreak.checks import data_warnings
from tiebreak.comparison.judgement import evidence_settings, judge_pairs
from tiebreak.data.study import Study
from tiebreak.evidence.automatic import AutomaticPairs, RandomOrders, automatic_outcomes, automatic_values
from tiebreak.evidence.games import GameRows
from tiebreak.evidence.human_labels import ValuesByPair
from tiebreak.evidence.items import ItemIndex
from tiebreak.evidence.study_evidence import StudyEvidence, study_evidence
from tiebreak.kernels.davidson import paths, rank_ranges
from tiebreak.ranking.board import Board, board_of
from tiebreak.ranking.sources import RankSource, from_people, judges_asked
from tiebreak.records import Notice
from tiebreak.results.order import Order
from tiebreak.results.ranks import PairGames, RankedSystem, SourceBoard, Strength
from tiebreak.results.settings import CompareSettings, RankSettings, asked_sources
from tiebreak.results.standing import order_of_pairs


def orders_of(
    study: Study, criteria: Sequence[str | None], index: ItemIndex, settings: RankSettings
) -> tuple[list[Order], tuple[Notice, ...]]:
    """The order that the verdicts on each criterion amount to, and what looks wrong in the labels behind them.

    They rest on people's labels where these are among the sources, else on what the judges say together.
    """
    rules = CompareSettings(
        alpha=settings.alpha,
        multiplicity=settings.multiplicity,
        several=settings.several,
        raters=settings.raters,
        tie_threshold=settings.tie_threshold,
    )
    if from_people(settings):
        labelled = _labels_asked(study, settings)
        known = index if labelled is study else None
        evidence = study_evidence(labelled, criteria, evidence_settings(rules), index=known)
        warnings = data_warnings(labelled, evidence, settings.several)
    else:

        def judged(criterion: str | None, index: ItemIndex) -> ValuesByPair:
            judges = judges_asked(study, criterion, settings)
            return automatic_outcomes(study, automatic_values(study, criterion, index, (), judges), index, 0.0)

        evidence, warnings = study_evidence(study, criteria, evidence_settings(rules), judged, index), ()
    return _orders(evidence, rules), warnings


def _orders(evidence: StudyEvidence, rules: CompareSettings) -> list[Order]:
    nothing = AutomaticPairs(evidence.index, evidence.pairs, {}, RandomOrders(0))
    judged = judge_pairs(evidence, nothing, rules, None) if evidence.summaries else []
    found = []
    for criterion in evidence.criteria:
        pairs, judged = judged[: len(criterion.pairs)], judged[len(criterion.pairs) :]
        found.append(order_of_pairs(pairs))
    return found


def _labels_asked(study: Study, settings: RankSettings) -> Study:
    """The study without the kind of labels that is no source."""
    kinds = {of.kind for of in asked_sources(settings.sources)}
    if not kinds or {"preferences", "ratings"} <= kinds:
        return study
    return replace(study, ratings=None) if "preferences" in kinds else replace(study, preferences=None)


Floats = NDArray[np.float64]


def ranked_systems(
    board: Board, rows: GameRows, sources: Sequence[RankSource], order: Order
) -> tuple[RankedSystem, ...]:
    """The leaderboard, group by group, the best first in each; `rows`: all games, by the board's numbers."""
    place = {name: k for k, name in enumerate(board.names)}
    group = {name: of.number for of in board.groups for name in of.names}
    tier = {name: number for number, names in enumerate(order.tiers, 1) for name in names}
    games, opponents = _met(rows, len(place))
    best, worst = _places(board, order)
    people = _people(sources)
    wins, ties, losses = (_weights(rows, outcome, len(place)) for outcome in (1, 0, -1))
    found = []
    for strength in board.strengths():
        k = place[strength.system]
        found.append(
            RankedSystem(
                strength=strength,
                rank_low=int(best[k]),
                rank_high=int(worst[k]),
                games=int(games[k]),
                wins=float(wins[k]),
                ties=float(ties[k]),
                losses=float(losses[k]),
                opponents=int(opponents[k]),
                annotators=people.get(strength.system, 0),
                group=group[strength.system],
                tier=tier.get(strength.system),
            )
        )
    return tuple(found)


def _places(board: Board, order: Order) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The best and the worst place (K,) of each system, by the names of the board.

    Ratings know more than verdicts, as they take in how two systems did against others. But no system gets a place
    alone that `compare` would not give: of such a one is known what a verdict, or a path of verdicts, says too.
    """
    place = {name: k for k, name in enumerate(board.names)}
    verdicts = np.zeros((len(place), len(place)), dtype=np.bool_)
    for winner, loser in order.edges:
        if winner in place and loser in place:
            verdicts[place[winner], place[loser]] = True
    better, proven = board.better(), paths(verdicts)
    alone = np.equal(*rank_ranges(better))
    known = better & (proven | ~(alone[:, None] | alone[None, :]))
    return rank_ranges(known)


def pair_games(systems: Sequence[str], rows: GameRows) -> tuple[PairGames, ...]:
    """The games of every two systems that met, for a matrix of win rates."""
    size, comparisons = len(systems), rows.comparisons
    code = np.flatnonzero(np.bincount(rows.first * size + rows.second, minlength=size**2))
    number = np.zeros(size**2, dtype=np.intp)
    number[code] = np.arange(code.size)
    pair, first, second = number[rows.first * size + rows.second], *np.divmod(code, size)
    games = np.bincount(number[comparisons[:, 0] * size + comparisons[:, 1]], minlength=code.size)
    wins, ties, losses = (
        np.bincount(pair, rows.weight * (rows.outcome == outcome), code.size) for outcome in (1, 0, -1)
    )
    return tuple(
        PairGames(systems[i], systems[j], int(games[k]), float(wins[k]), float(ties[k]), float(losses[k]))
        for k, (i, j) in enumerate(zip(first.tolist(), second.tolist(), strict=True))
    )


def _weights(rows: GameRows, outcome: int, count: int) -> Floats:
    """(K,): weight of each system's wins (1), ties (0) or losses (-1)."""
    as_first = np.bincount(rows.first, rows.weight * (rows.outcome == outcome), count)
    return np.asarray(as_first + np.bincount(rows.second, rows.weight * (rows.outcome == -outcome), count))


def _met(rows: GameRows, count: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """(K,) each: comparisons of a system, and how many others it met."""
    comparisons = rows.comparisons
    games = np.bincount(comparisons[:, :2].ravel(), minlength=count)
    pairs = np.flatnonzero(np.bincount(comparisons[:, 0] * count + comparisons[:, 1], minlength=count**2))
    return games, np.bincount(np.concatenate(np.divmod(pairs, count)), minlength=count)


def _people(sources: Sequence[RankSource]) -> dict[str, int]:
    """How many people labelled outputs of each system."""
    every = pl.concat([source.people for source in sources]).unique()
    return dict(every.group_by("system").len().rows())


def source_boards(
    study: Study, sources: Sequence[RankSource], index: ItemIndex, settings: RankSettings
) -> tuple[tuple[SourceBoard, ...], list[tuple[str, str, list[str]]]]:
    """Each source with its ratings, where there are several, and which two of them disagree on which systems.

    Two sources disagree on a system where its intervals by either do not meet. Each source has half of alpha there, so
    that all of this is wrong with chance alpha at most, however the sources depend on each other; and only ratings that
    are told from the same systems are set beside each other.
    """
    games = [len(source.games.comparisons) for source in sources]
    if len(sources) == 1:
        return (SourceBoard(sources[0].name, sources[0].weight, games[0], None),), []
    boards = [_board(study, source, index, settings) for source in sources]
    halves = [_board(study, source, index, replace(settings, alpha=settings.alpha / 2)) for source in sources]
    found = tuple(
        SourceBoard(source.name, source.weight, count, tuple(board.strengths()))
        for source, count, board in zip(sources, games, boards, strict=True)
    )
    disagreements: list[tuple[str, str, list[str]]] = []
    for (one, first), (other, second) in combinations(zip(sources, halves, strict=True), 2):
        if first.references() == second.references() and (apart := _apart(first.strengths(), second.strengths())):
            disagreements.append((one.name, other.name, apart))
    return found, disagreements


def _board(study: Study, source: RankSource, index: ItemIndex, settings: RankSettings) -> Board:
    kept = np.unique(np.concatenate([source.games.first, source.games.second]))
    systems = [study.systems[k] for k in kept.tolist()]
    return board_of(systems, source.games.renumbered(kept), index.clusters, settings)


def _apart(first: Sequence[Strength], second: Sequence[Strength]) -> list[str]:
    """Systems whose two intervals do not meet."""
    others = {one.system: one for one in second}
    return [one.system for one in first if one.system in others and not _meet(one, others[one.system])]


def _meet(one: Strength, other: Strength) -> bool:
    above = one.low is not None and other.high is not None and one.low > other.high
    below = one.high is not None and other.low is not None and one.high < other.low
    return not above and not below
