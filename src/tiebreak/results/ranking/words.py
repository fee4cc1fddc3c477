"""Leaderboards in words: ratings, places, what they are told from, and what holds of them."""

from __future__ import annotations

from typing import Final

from tiebreak.results.numbers import counted, percent, plain, points, some_names
from tiebreak.results.ranking.notes import p_words
from tiebreak.results.ranking.records import CriterionRanks, RankedSystem, RankResult, Strength
from tiebreak.version import __version__

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
    holds = f"together with about {share}" if together else f"with about {share}, each by itself"
    drawn = _MATCHED[settings.matching]
    return [
        (
            "Ratings",
            "by Davidson's model (Bradley-Terry with ties); each comparison of an item and a pair counts once, "
            f"{_BY_LABELS[settings.several] or 'however many labels it has'}",
        ),
        (
            "Intervals",
            f"of a leaderboard hold {holds}, for inputs like these and for one look at a number of labels fixed "
            "beforehand; items, or clusters of them, are the units of evidence",
        ),
        (
            "Places",
            f"those that a system may have, by all differences between ratings; they hold {holds}, if one scale fits",
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
        f"From {what}{about}{each} we rated {counted(len(systems), 'system')}{groups} by Davidson's model{sided} on "
        f"the Elo scale ({told} at {at}), {intervals}{one_scale} (tiebreak {__version__})."
    )


_SAID: Final = {
    "people": "people",
    "preferences": "people's preferences",
    "ratings": "people's ratings",
}
