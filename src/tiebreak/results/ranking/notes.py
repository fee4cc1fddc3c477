"""What a leaderboard must not be read without, as notes with stable codes."""

from __future__ import annotations

from collections.abc import Sequence

from tiebreak.records import Notice
from tiebreak.results.numbers import counted, in_percent, number, plain, some_names
from tiebreak.results.order import Order
from tiebreak.results.ranking.records import GlickoBoard, OneScaleFit, RankedSystem, SourceBoard
from tiebreak.results.words.claims import cycle_words

_PAIRS_NAMED = 3


def without_ends(systems: Sequence[RankedSystem], *, apart: bool) -> list[Notice]:
    """Systems whose rating has no upper or no lower limit; `apart`: ties and wins are, so that none has both."""
    known = [(one.system, one.strength.low is not None, one.strength.high is not None) for one in systems]
    no_high = [name for name, low, high in known if low and not high]
    no_low = [name for name, low, high in known if high and not low]
    nothing = [name for name, low, high in known if not low and not high]
    shown = "The rating shown is what a weak prior makes of that."
    found = []
    if no_high:
        why = "" if apart else " No system with a known upper limit beat or tied with any of these."
        text = f"No upper limit of the rating is known: {some_names(no_high)}.{why} {shown}"
        found.append(Notice("no-upper-limit", text, {"systems": no_high}))
    if no_low:
        why = "" if apart else " None of these beat or tied with a system that has a known lower limit."
        text = f"No lower limit of the rating is known: {some_names(no_low)}.{why} {shown}"
        found.append(Notice("no-lower-limit", text, {"systems": no_low}))
    if nothing:
        text = f"Neither limit of the rating is known: {some_names(nothing)}. {shown}"
        found.append(Notice("no-limits", text, {"systems": nothing}))
    return found


def ties_apart() -> Notice:
    """That ties and wins are separated."""
    text = (
        "Ties and wins are apart: with some ratings every tie would have been a tie for certain, and every win a win, "
        "so that nothing limits how far apart systems are. An end of a rating is known only where a system won, or "
        "lost, all of its decided comparisons with another."
    )
    return Notice("ties-and-wins-apart", text)


def one_item(systems: Sequence[str], *, every: bool) -> Notice:
    """That all games of these systems, or of `every` one, are on one item, or cluster."""
    whose = "" if every else f" of {some_names(systems)}"
    text = f"All comparisons{whose} are on one item or cluster, which says nothing of others: ratings have no interval."
    return Notice("one-item", text, {"systems": list(systems)})


def separate_groups(groups: Sequence[Sequence[str]], anchored: str | None) -> Notice:
    """Systems that were never compared, not even by way of others."""
    told = "; ".join(f"{number}: {some_names(group)}" for number, group in enumerate(groups, 1))
    anchor = "" if anchored is None else f" Only the group of {anchored} is told from it; each other one has its mean."
    text = (
        f"The systems fall into {len(groups)} groups without any comparison between them. Ratings of different groups "
        f"have nothing to do with each other.{anchor} Groups {told}."
    )
    return Notice("separate-groups", text, {"groups": [list(group) for group in groups]})


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
    return [Notice("not-one-scale", text, {"p_value": fit.p_value, "pairs": len(fit.pairs)})]


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
        found.append(Notice("rating-against-verdict", text, {"pairs": [list(pair) for pair in pairs]}))
    circles = [
        Notice("circle", f"The verdicts go in a circle: {cycle_words(cycle)}", {"systems": list(cycle)})
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
    return [Notice("not-converged", f"{text}.", {"games": board.games})]


def about_sources(sources: Sequence[SourceBoard], *, people: bool) -> list[Notice]:
    """Whose opinion the ratings are, where it is not people's alone."""
    found = []
    if len(sources) > 1:
        whole = sum(source.weight * source.games for source in sources)
        parts = "; ".join(
            f"{source.source}, {in_percent(source.weight * source.games / whole)} of the weight "
            f"({counted(source.games, 'comparison')}, weight {plain(source.weight)})"
            for source in sources
        )
        text = f"These ratings mix several sources, and answer for none of them alone: {parts}."
        found.append(Notice("mixed-sources", text, {"sources": [source.source for source in sources]}))
    if not people:
        text = "No person's label is behind these ratings: they say what judges prefer, not what is better."
        found.append(Notice("judges-alone", text))
    return found


def sources_disagree(first: str, second: str, systems: Sequence[str]) -> Notice:
    """That two sources rate some systems differently, beyond chance."""
    text = f"The sources {first} and {second} rate differently, with intervals that do not meet: {some_names(systems)}."
    return Notice("sources-disagree", text, {"sources": [first, second], "systems": list(systems)})


def without_games(systems: Sequence[str]) -> list[Notice]:
    """Systems that nobody compared."""
    if not systems:
        return []
    text = f"Not on the leaderboard, because they are in no comparison that counts: {some_names(systems)}."
    return [Notice("systems-without-games", text, {"systems": list(systems)})]


def side_unknown(systems: Sequence[str]) -> Notice:
    """That the advantage of the left was asked for and cannot be told; `systems`: of which, () of all."""
    where = f" for {some_names(systems)}" if systems else ""
    text = (
        f"The advantage of the left was not taken out{where}: the labels do not say which output was there, do not "
        "tell it from the systems, as where one of them always was, or set no limit to it, as where the left always "
        "won."
    )
    return Notice("side-unknown", text, {"systems": list(systems)} if systems else {})


def _more(pairs: int) -> str:
    """How many pairs there are beyond those that are named."""
    return f"; and {counted(pairs - _PAIRS_NAMED, 'more pair')}" if pairs > _PAIRS_NAMED else ""


def p_words(p_value: float) -> str:
    """`"p = 0.012"`, `"p < 0.001"`."""
    return "p < 0.001" if p_value < 0.001 else f"p = {p_value:.3f}" if p_value < 0.1 else f"p = {p_value:.2f}"
