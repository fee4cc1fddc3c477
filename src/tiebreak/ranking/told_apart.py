"""Several sources side by side: the ratings by each alone, and where they cannot be the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from tiebreak.data.study import Study
from tiebreak.evidence.items import ItemIndex
from tiebreak.ranking.board import Board, board_of
from tiebreak.ranking.sources import Source
from tiebreak.records import Notice
from tiebreak.results.ranking.records import SourceBoard, Strength
from tiebreak.results.ranking.settings import RankSettings
from tiebreak.results.ranking.words import sources_disagree


def source_boards(
    study: Study, sources: Sequence[Source], index: ItemIndex, settings: RankSettings
) -> tuple[tuple[SourceBoard, ...], tuple[Notice, ...]]:
    """Each source with its ratings, where there are several, and what says that two of them disagree.

    Two sources disagree on a system where its intervals by either do not meet. Each source has half of alpha there, so
    that all of this is wrong with chance alpha at most, however the sources depend on each other; and only ratings that
    are told from the same systems are set beside each other.
    """
    games = [len(source.games.comparisons) for source in sources]
    if len(sources) == 1:
        return (SourceBoard(sources[0].name, sources[0].weight, games[0], None),), ()
    boards = [_board(study, source, index, settings) for source in sources]
    halves = [_board(study, source, index, replace(settings, alpha=settings.alpha / 2)) for source in sources]
    found = tuple(
        SourceBoard(source.name, source.weight, count, tuple(board.strengths()))
        for source, count, board in zip(sources, games, boards, strict=True)
    )
    disagreements = []
    for (one, first), (other, second) in combinations(zip(sources, halves, strict=True), 2):
        if first.references() == second.references() and (apart := _apart(first.strengths(), second.strengths())):
            disagreements.append(sources_disagree(one.name, other.name, apart))
    return found, tuple(disagreements)


def _board(study: Study, source: Source, index: ItemIndex, settings: RankSettings) -> Board:
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
