"""`rank`: a study in, a leaderboard of its systems per criterion out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tiebreak.checks.annotators import people_left_out
from tiebreak.comparison.compare import default_criteria
from tiebreak.data.study import Study
from tiebreak.errors import InputError, Problem, UsageError, check_known
from tiebreak.evidence.derived import check_criteria, why_not_derived, with_derived
from tiebreak.evidence.games import GameRows
from tiebreak.evidence.items import ItemIndex
from tiebreak.importers.reading import StudySource, study_of
from tiebreak.messages import ranks as messages
from tiebreak.numbers import some_names
from tiebreak.ranking.board import Board, board_of, next_games
from tiebreak.ranking.orders import orders_of, pair_games, ranked_systems, source_boards
from tiebreak.ranking.sources import RankSource, check_judges, from_people, glicko_board, judges_named, sources_of
from tiebreak.records import Notice
from tiebreak.results.order import Order
from tiebreak.results.ranks import CriterionRanks, DavidsonBoard, RankedSystem, RankResult
from tiebreak.results.settings import RankSettings
from tiebreak.settings.setting import takes_fields_of

__all__ = ["RankResult", "rank", "rank_with"]


def rank_with(study: Study, settings: RankSettings) -> RankResult:
    """`rank` with its settings as one record."""
    chosen = study.select(systems=settings.systems, annotators=settings.annotators, exclude=settings.exclude)
    chosen = with_derived(chosen, settings.criteria, beside=False)
    if settings.anchor is not None:
        check_known("system", [settings.anchor], chosen.systems)
    check_judges(chosen, settings)
    index = ItemIndex.of(chosen)
    criteria = _criteria(chosen, settings)
    found = [(criterion, sources_of(chosen, criterion, index, settings)) for criterion in criteria]
    found = [(criterion, sources) for criterion, sources in found if sources]
    if not found:
        raise InputError([_nothing_to_rank(study, chosen, settings)])
    orders, warnings = orders_of(chosen, [criterion for criterion, _ in found], index, settings)
    return RankResult(
        study=study.name,
        results=tuple(
            _criterion(chosen, criterion, sources, index, order, settings)
            for (criterion, sources), order in zip(found, orders, strict=True)
        ),
        warnings=(
            *(people_left_out(study.select(systems=settings.systems), chosen, criteria) if settings.exclude else ()),
            *chosen.notices_for((), judges_named(settings)),
            *warnings,
        ),
        settings=settings,
    )


@takes_fields_of(RankSettings)
def rank(study: StudySource, settings: RankSettings) -> RankResult:
    """Rate the systems of a study by their comparisons, with intervals, ranges of places and tiers.

    The settings are the fields of `RankSettings`, by name; they have the names of the options of `tiebreak rank`.
    All intervals and places of a leaderboard hold together, for one look at a number of labels fixed beforehand.

    Raises:
        UsageError: an impossible setting, or a system, criterion, judge or annotator that the study does not have;
            judges that learned from labels of the study, and nobody else.
        InputError: the study has no comparison of two systems.
    """
    return rank_with(study_of(study), settings)


def _criteria(study: Study, settings: RankSettings) -> tuple[str | None, ...]:
    """Those asked for, else those with labels of the sources, in the order of study.toml."""
    people = from_people(settings)
    known = study.criteria if people else _judged_criteria(study)
    if settings.criteria is not None:
        check_criteria(study, settings.criteria, [name for name in known if name is not None])
        return tuple(dict.fromkeys(settings.criteria))
    return default_criteria(study) if people else known


def _judged_criteria(study: Study) -> tuple[str | None, ...]:
    if study.judge_preferences is None:
        return ()
    named: list[str] = study.judge_preferences["criterion"].drop_nulls().unique().sort().to_list()
    listed = [name for name in study.settings.criteria or () if name in named]
    return (*listed, *(name for name in named if name not in listed)) or (None,)


def _nothing_to_rank(study: Study, chosen: Study, settings: RankSettings) -> Problem:
    asked = some_names(settings.sources) if settings.sources else "people's preferences and ratings"
    reason = why_not_derived(chosen) or (
        f"no item on which two systems were compared, by {asked}; tiebreak check lists what the study has"
        + ("" if settings.sources or chosen.judge_preferences is None else ", and --source judges ranks by its judges")
    )
    return Problem(str(study.path or study.name), f"there is nothing to rank: {reason}")


def _criterion(
    study: Study,
    criterion: str | None,
    sources: Sequence[RankSource],
    index: ItemIndex,
    order: Order,
    settings: RankSettings,
) -> CriterionRanks:
    every = GameRows.together(source.games.weighted(source.weight) for source in sources)
    kept = np.flatnonzero(np.bincount(np.concatenate([every.first, every.second])))
    systems = [study.systems[k] for k in kept.tolist()]
    if settings.anchor is not None and settings.anchor not in systems:
        about = "" if criterion is None else f" on {criterion}"
        raise UsageError(f"the anchor {settings.anchor!r} was compared with no system{about}: name another one")
    rows = every.renumbered(kept)
    # Weights are relative: that of the lightest source counts as 1, so that the prior outweighs nobody's games.
    scaled = rows.weighted(1 / min(source.weight for source in sources))
    board = board_of(systems, scaled, index.clusters, settings)
    ranked = ranked_systems(board, rows, sources, order)
    davidson = DavidsonBoard(
        nu=float(np.exp(board.groups[0].found.fit.log_nu)),
        references=board.references(),
        systems=ranked,
        fit=board.fit(),
        side=board.side(),
        next_games=next_games(systems, scaled, settings.seed),
    )
    glicko2 = None if settings.glicko2 is None else glicko_board(systems, rows, settings, settings.glicko2)
    boards, disagreements = source_boards(study, sources, index, settings)
    against = _against(order, ranked)
    left_out = tuple(name for name in study.systems if name not in systems)
    items = np.flatnonzero(np.bincount(rows.item))  # `np.unique` takes ten times as long
    clusters = int(np.count_nonzero(np.bincount(index.clusters[items])))
    return CriterionRanks(
        criterion=criterion,
        items=items.size,
        clusters=clusters if clusters < items.size else None,
        sources=boards,
        davidson=davidson,
        glicko2=glicko2,
        order=order,
        pairs=pair_games(systems, rows),
        against_verdicts=against,
        without_games=left_out,
        notes=(
            *messages.about_sources(boards, disagreements, people=from_people(settings)),
            *_of_board(board, ranked, settings),
            *messages.misfit(davidson.fit, settings.alpha),
            *messages.against_verdicts(against, order, mixed=len(sources) > 1),
            *([] if glicko2 is None else messages.not_converged(glicko2)),
            *messages.without_games(left_out),
        ),
    )


def _of_board(board: Board, ranked: Sequence[RankedSystem], settings: RankSettings) -> list[Notice]:
    """What the games leave open of the ratings."""
    found = []
    if len(board.groups) > 1:
        found.append(messages.separate_groups([group.names for group in board.groups], settings.anchor))
    single = [name for group in board.groups if group.found.games.clusters < 2 for name in group.names]
    found += [messages.one_item(single, every=len(single) == len(ranked))] if single else []
    others = [one for one in ranked if one.system not in single]
    found += messages.without_ends(others)
    if settings.left_advantage and (left_in := board.left_in()):
        found.append(messages.side_unknown(left_in if len(left_in) < len(ranked) else ()))
    return found


def _against(order: Order, ranked: Sequence[RankedSystem]) -> tuple[tuple[str, str], ...]:
    """Pairs (better, worse) by verdict whose ratings stand the other way round."""
    rating = {one.system: one.strength.rating for one in ranked}
    return tuple((a, b) for a, b in order.edges if a in rating and b in rating and rating[a] < rating[b])
