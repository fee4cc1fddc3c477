"""Leaderboards in words: ratings, places, what they are told from, and what holds of them.

What a leaderboard must not be read without, as notes with stable codes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tiebreak.messages.claims import cycle_words
from tiebreak.messages.notices import UNVALIDATED, NoticeKind
from tiebreak.numbers import counted, in_percent, number, percent, plain, points, some_names
from tiebreak.records import Notice
from tiebreak.results.order import Order
from tiebreak.results.ranks import (
    CriterionRanks,
    GlickoBoard,
    OneScaleFit,
    RankedSystem,
    RankResult,
    SourceBoard,
    Strength,
)
from tiebreak.version import __version__

_PAIRS_NAMED = 3
OPEN: Final = NoticeKind(
    "open-ratings",
    "comparisons are missing: a system has none, some systems are not connected, or a rating has no limit",
    "compare it with more systems, on more items",
)
MISFIT: Final = NoticeKind(
    "not-one-scale",
    "one scale does not fit the comparisons: verdicts go in a circle, or contradict the ratings",
    "trust the verdicts; report the pairs that it names",
)
NOT_CONVERGED: Final = NoticeKind(
    "not-converged", "the Glicko-2 tournament ended at `--max-games`", "report no order by it"
)
KINDS: Final = (OPEN, MISFIT, NOT_CONVERGED)


def without_ends(systems: Sequence[RankedSystem]) -> list[Notice]:
    """Systems whose rating has no upper limit, no lower one, or neither."""
    known = [(one.system, one.strength.low is not None, one.strength.high is not None) for one in systems]
    lacking = {
        "upper": [name for name, low, high in known if low and not high],
        "lower": [name for name, low, high in known if high and not low],
        "upper and lower": [name for name, low, high in known if not low and not high],
    }
    parts = [f"no {limit} limit of {some_names(names)}" for limit, names in lacking.items() if names]
    if not parts:
        return []
    text = f"The comparisons set {', '.join(parts)}. Such ratings rest on a weak prior."
    details = {limit.replace(" ", "_"): names for limit, names in lacking.items()}
    return [OPEN.notice(text, **details)]


def one_item(systems: Sequence[str], *, every: bool) -> Notice:
    """That all games of these systems, or of `every` one, are on one item, or cluster."""
    whose = "" if every else f" of {some_names(systems)}"
    text = f"All comparisons{whose} are on one item or cluster, which says nothing of others: ratings have no interval."
    return OPEN.notice(text, systems=list(systems))


def separate_groups(groups: Sequence[Sequence[str]], anchored: str | None) -> Notice:
    """Systems that were never compared, not even by way of others."""
    told = "; ".join(f"{number}: {some_names(group)}" for number, group in enumerate(groups, 1))
    anchor = "" if anchored is None else f" Only the group of {anchored} is told from it; each other one has its mean."
    text = (
        f"The systems fall into {len(groups)} groups without any comparison between them. Ratings of different groups "
        f"have nothing to do with each other.{anchor} Groups {told}."
    )
    return OPEN.notice(text, groups=[list(group) for group in groups])


def misfit(fit: OneScaleFit, alpha: float) -> list[Notice]:
    """That one scale does not fit, with the pairs that stand out."""
    if fit.p_value is None or fit.p_value > alpha:
        return []
    pairs = "; ".join(
        f"{first} against {second} (by {number(abs(pair.excess))} more)"
        for pair in fit.pairs[:_PAIRS_NAMED]
        for first, second in [(pair.system_a, pair.system_b)[:: 1 if pair.excess > 0 else -1]]
    )
    text = (
        f"One scale does not fit ({p_words(fit.p_value)}): a rating per system cannot give all pairs their shares. "
        f"Farthest from what the ratings say: {pairs}{_more(len(fit.pairs))}."
    )
    return [MISFIT.notice(text, p_value=fit.p_value, pairs=len(fit.pairs))]


def against_verdicts(pairs: Sequence[tuple[str, str]], order: Order, *, mixed: bool) -> list[Notice]:
    """Where verdicts on pairs and the one scale disagree, and where verdicts go in a circle; `mixed`: of sources."""
    found = []
    if pairs:
        named = "; ".join(f"{better} over {worse}" for better, worse in pairs[:_PAIRS_NAMED])
        text = (
            "By their verdict one system of these pairs is better, named first, and by the ratings the other one: "
            f"{named}{_more(len(pairs))}. The verdict is about the two alone; the rating takes in how they did against "
            f"others{', by all sources' if mixed else ''}."
        )
        found.append(MISFIT.notice(text, pairs=[list(pair) for pair in pairs]))
    circles = [
        MISFIT.notice(f"The verdicts go in a circle: {cycle_words(cycle)}", systems=list(cycle))
        for cycle in order.cycles
    ]
    return [*found, *circles]


def not_converged(board: GlickoBoard) -> list[Notice]:
    """That the tournament ended before its order had settled."""
    if board.converged:
        return []
    text = f"Glicko-2 has not converged after {counted(board.games, 'game')}"
    if board.last_change is not None:
        better, worse, after = board.last_change
        text += f": {better} and {worse} change places (last after {counted(after, 'game')})"
    return [NOT_CONVERGED.notice(f"{text}.", games=board.games)]


def about_sources(
    sources: Sequence[SourceBoard], disagreements: Sequence[tuple[str, str, Sequence[str]]], *, people: bool
) -> list[Notice]:
    """Whose opinion the ratings are, where it is not people's alone.

    `disagreements`: two sources, and the systems that they rate differently, beyond chance.
    """
    found = []
    if len(sources) > 1:
        whole = sum(source.weight * source.games for source in sources)
        parts = "; ".join(
            f"{source.source}, {in_percent(source.weight * source.games / whole)} of the weight "
            f"({counted(source.games, 'comparison')}, weight {plain(source.weight)})"
            for source in sources
        )
        sentences = [f"These ratings mix several sources, and answer for none of them alone: {parts}."]
        sentences += [
            f"{first} and {second} rate differently, with intervals that do not meet: {some_names(systems)}."
            for first, second, systems in disagreements
        ]
        apart = [{"sources": [first, second], "systems": list(systems)} for first, second, systems in disagreements]
        names = [source.source for source in sources]
        found.append(UNVALIDATED.notice(" ".join(sentences), sources=names, disagreements=apart))
    if not people:
        text = "No person's label is behind these ratings: they say what judges prefer, not what is better."
        found.append(UNVALIDATED.notice(text))
    return found


def without_games(systems: Sequence[str]) -> list[Notice]:
    """Systems that nobody compared."""
    if not systems:
        return []
    text = f"Not on the leaderboard, because they are in no comparison that counts: {some_names(systems)}."
    return [OPEN.notice(text, systems=list(systems))]


def side_unknown(systems: Sequence[str]) -> Notice:
    """That the advantage of the left was asked for and cannot be told; `systems`: of which, () of all."""
    where = f" for {some_names(systems)}" if systems else ""
    text = (
        f"The advantage of the left was not taken out{where}: the labels do not say which output was there, do not "
        "tell it from the systems, as where one of them always was, or set no limit to it, as where the left always "
        "won."
    )
    return OPEN.notice(text, **({"systems": list(systems)} if systems else {}))


def _more(pairs: int) -> str:
    """How many pairs there are beyond those that are named."""
    return f"; and {counted(pairs - _PAIRS_NAMED, 'more pair')}" if pairs > _PAIRS_NAMED else ""


def p_words(p_value: float) -> str:
    """`"p = 0.012"`, `"p < 0.001"`."""
    return "p < 0.001" if p_value < 0.001 else f"p = {p_value:.3f}" if p_value < 0.1 else f"p = {p_value:.2f}"


_SUFFIXES: Final = {1: "st", 2: "nd", 3: "rd"}
_VARIANTS: Final = {
    "paper": "in the form of Zhou & Xu (2020): one game to a period, deviations grow for nobody, a draw moves a tenth",
    "standard": "in Glickman's form, one game to a period",
}
_MATCHED: Final = {
    "random": "pairs drawn at random",
    "most-informative": "the most informative pairs",
    "winner": "the pairs that say most of the winner",
}


_BY_LABELS: Final = {
    "mean": "",
    "majority": "by the majority of its labels",
    "first": "by its earliest label (of equally early ones by all)",
}
"""How several labels of people count, where they do not count alike."""


def place_words(one: RankedSystem) -> str:
    """`"2nd to 4th"`, `"1st"`."""
    low, high = ordinal(one.rank_low), ordinal(one.rank_high)
    return low if one.rank_low == one.rank_high else f"{low} to {high}"


def ordinal(place: int) -> str:
    """1st, 2nd, 3rd, 4th, 11th, 21st."""
    return f"{place}{'th' if place % 100 in (11, 12, 13) else _SUFFIXES.get(place % 10, 'th')}"


def ends_words(one: Strength) -> str:
    """`"[1540, 1672]"`, `"above 1540"`, `"below 1672"`, `"fixed"` of an anchor, or "-" where neither end is known."""
    if one.low is not None and one.low == one.high:
        return "fixed"
    if one.low is not None and one.high is not None:
        return f"[{points(one.low)}, {points(one.high)}]"
    if one.low is not None:
        return f"above {points(one.low)}"
    return "-" if one.high is None else f"below {points(one.high)}"


def counts_words(found: CriterionRanks) -> str:
    """`"16 systems, 12,000 comparisons on 100 items"`."""
    systems, games = len(found.davidson.systems), sum(pair.games for pair in found.pairs)
    clusters = "" if found.clusters is None else f" in {counted(found.clusters, 'cluster')}"
    return f"{counted(systems, 'system')}, {counted(games, 'comparison')} on {counted(found.items, 'item')}{clusters}"


def scale_words(found: CriterionRanks) -> str:
    """What the numbers mean: the scale, and what ratings are told from."""
    told, rating = reference_words(found), points(found.davidson.references[0].rating)
    return f"Elo scale: {told} is {rating}, and 400 points more are odds of ten to one in comparisons that are no ties"


def reference_words(found: CriterionRanks) -> str:
    """What ratings are told from: `"the mean of all 5 systems"`, `"gpt-4"`."""
    references, systems = found.davidson.references, found.davidson.systems
    core, anchor = references[0].systems, references[0].anchor
    if anchor is not None:
        return anchor
    told = {name for reference in references for name in reference.systems}
    anchored = {reference.anchor for reference in references}
    groups = {one.group for one in systems if one.system in anchored}
    others = [one.system for one in systems if one.system not in told and one.group not in groups]
    without = f" (without {some_names(others)})" if others else ""
    if len(references) > 1:
        return f"the mean of each group{without}"
    if len(core) == 1:
        return core[0]
    if others:
        return f"the mean of {len(core)} systems{without}"
    return "the mean of both systems" if len(core) == 2 else f"the mean of all {len(core)} systems"


def settings_words(result: RankResult) -> list[tuple[str, str]]:
    """The statistics behind the figures, as heads and sentences."""
    settings = result.settings
    share = percent(1 - settings.alpha)
    together = settings.multiplicity != "none"
    holds = f"all hold together with about {share}" if together else f"each holds with about {share}"
    drawn = _MATCHED[settings.matching]
    return [
        (
            "Ratings",
            "by Davidson's model (Bradley-Terry with ties); each comparison of an item and a pair counts once, "
            f"{_BY_LABELS[settings.several] or 'however many labels it has'}",
        ),
        (
            "Intervals",
            f"{holds}, for inputs like these and for one look at a number of labels fixed beforehand; the units of "
            "evidence are items, or clusters of them",
        ),
        (
            "Places",
            f"those that a system may have, by all differences between ratings; {holds}, if one scale fits",
        ),
        ("Tiers", f"from the verdicts of compare on single pairs (alpha {plain(settings.alpha)}), without a scale"),
        *(
            []
            if settings.glicko2 is None
            else [("Glicko-2", f"{_VARIANTS[settings.glicko2]}; {drawn}. That it converges is no evidence")]
        ),
        *(("One scale", f"on {found.criterion or 'all comparisons'}: {fit_words(found)}") for found in result.results),
    ]


def fit_words(found: CriterionRanks) -> str:
    """Whether one scale fits."""
    fit = found.davidson.fit
    if fit.p_value is None:
        return "not tested; that takes 10 items, and a circle of pairs with 5 expected wins on either side"
    return f"{counted(fit.tested, 'pair')} tested against it, {p_words(fit.p_value)} for the worst"


def glicko_words(found: CriterionRanks) -> str:
    """How the tournament ended: `"Glicko-2 converged after 6,566 games."`; "" without a tournament."""
    board = found.glicko2
    if board is None:
        return ""
    return f"Glicko-2 {'converged' if board.converged else 'had not converged'} after {counted(board.games, 'game')}."


def side_words(found: CriterionRanks) -> str:
    """What the left is worth; "" where that was not asked for."""
    side = found.davidson.side
    if side is None:
        return ""
    return (
        f"Being shown on the left is worth {points(side.rating)} points [{points(side.low)}, {points(side.high)}], "
        "which the ratings leave out."
    )


def next_words(found: CriterionRanks) -> str:
    """What to compare next."""
    pairs = {rule: f"{a} and {b}" for rule, a, b in found.davidson.next_games}
    order, winner = pairs["most-informative"], pairs["winner"]
    if order == winner:
        return f"To learn most about the order, and about the best system, compare {order} next."
    return f"To learn most about the order, compare {order} next; about the best system, {winner}."


def paper_sentence(found: CriterionRanks, result: RankResult) -> str:
    """One sentence to paste into a paper: what was compared, the model, how intervals hold."""
    settings = result.settings
    about = f" on {found.criterion}" if found.criterion else ""
    what = " and ".join(
        f"{counted(source.games, 'comparison')} by {_SAID.get(source.source, source.source)}"
        + (f" (weight {plain(source.weight)})" if len(found.sources) > 1 else "")
        for source in found.sources
    )
    by_labels = _BY_LABELS[settings.several]
    each = f", each {by_labels}," if by_labels else ""
    without = f", leaving out {some_names(list(settings.exclude))}," if settings.exclude else ""
    systems, told = found.davidson.systems, reference_words(found)
    at = points(found.davidson.references[0].rating)
    holds = "simultaneous" if settings.multiplicity != "none" else "single"
    sided = ", with an advantage of the left side," if found.davidson.side is not None else ""
    groups = ", group by group," if len(found.davidson.references) > 1 else ""
    looked = f" ({result.own_analysis})" if result.own_analysis else ""
    unit = "item" if found.clusters is None else "cluster of items"
    fit = found.davidson.fit
    one_scale = "" if fit.p_value is None else f"; goodness of fit of one scale: {p_words(fit.p_value)}"
    intervals = f"with {holds} {percent(1 - settings.alpha)} intervals clustered by {unit} for one look{looked}"
    if all(ends_words(one.strength) in ("-", "fixed") for one in systems):
        intervals = f"of which these comparisons limit none{looked}"
    return (
        f"From {what}{about}{each}{without} we rated {counted(len(systems), 'system')}{groups} by Davidson's "
        f"model{sided} on the Elo scale ({told} at {at}), {intervals}{one_scale} (tiebreak {__version__})."
    )


_SAID: Final = {
    "people": "people",
    "preferences": "people's preferences",
    "ratings": "people's ratings",
}
