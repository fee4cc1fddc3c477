"""The main message of a comparison: who is best, what is decided, what to do next. Read in five seconds."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from tiebreak.messages.notices import contradictory, pairs_in_words
from tiebreak.messages.verdicts import anew_words, further_words
from tiebreak.numbers import counted, listed_names, natural_key, number, plain, some_names
from tiebreak.results.comparison_terms import Terms
from tiebreak.results.progress import CampaignProgress, OwnAnalysis, WatchProgress
from tiebreak.results.records import (
    BEYOND_BUDGET,
    BEYOND_ITEMS,
    FEW_UNITS,
    LEAST_UNITS,
    NEW_ITEMS,
    CriterionResult,
    PairResult,
)
from tiebreak.rules.registry import RULES
from tiebreak.rules.rule import TOO_FEW, TOO_FEW_PEOPLE

_NAMES_LISTED = 4
_NEW_ITEMS = "Have new items labelled, as the others can add no evidence"
_FAR = 10  # times the items at hand: nobody is told to label that many more


@dataclass(frozen=True, slots=True)
class Message:
    """`headline`: who is best, without a full stop; `detail`: by what verdicts; `decided`: how many pairs;
    `next_step`: what to do. `better`, `equivalent`, `undecided` count pairs."""

    headline: str
    detail: str
    decided: str
    next_step: str
    better: int
    equivalent: int
    undecided: int


def message_of(
    found: CriterionResult,
    terms: Terms,
    currency: str,
    campaign: CampaignProgress | None = None,
    own_analysis: OwnAnalysis | None = None,
    watch: WatchProgress | None = None,
) -> Message:
    """The message for one criterion.

    `campaign`, `watch`: where it stands, if these are its verdicts; `own_analysis`: if its labels were analysed afresh.
    """
    better = sum(pair.winner is not None for pair in found.pairs)
    equivalent = sum(pair.verdict == "equivalent" for pair in found.pairs)
    undecided = len(found.pairs) - better - equivalent
    headline, detail = _headline(found, terms)
    if found.pairs and found.not_compared:
        detail = f"{detail} {_not_compared(found.not_compared)}".lstrip()
    return Message(
        headline=headline,
        detail=detail,
        decided=_decided(len(found.pairs), equivalent, undecided, terms)
        + _too_few(found.pairs, terms)
        + _never_compared(found, terms),
        next_step=_next_of_own_analysis(own_analysis)
        if own_analysis is not None
        else _next_of_watch(found, undecided, currency)
        if watch is not None
        else _next_step(found, terms, undecided, currency)
        if campaign is None
        else _next_of_campaign(found, campaign, undecided, currency),
        better=better,
        equivalent=equivalent,
        undecided=undecided,
    )


def systems_by_rank(found: CriterionResult) -> list[str]:
    """All systems, best first: by tier, then by pairs won minus pairs lost, then by name."""
    won, lost = _won_and_lost(found)
    tier = {name: k for k, names in enumerate(found.order.tiers) for name in names}
    return sorted(tier, key=lambda name: (tier[name], lost[name] - won[name], -_lead(found, name), natural_key(name)))


def _lead(found: CriterionResult, name: str) -> float:
    """Sum of the differences in favour of a system: orders systems that the verdicts do not order."""
    signed = [
        (pair.difference.estimate or 0.0) * (1 if pair.system_a == name else -1)
        for pair in found.pairs
        if name in (pair.system_a, pair.system_b)
    ]
    return round(sum(signed), 9)


def _won_and_lost(found: CriterionResult) -> tuple[Counter[str], Counter[str]]:
    return Counter(winner for winner, _ in found.order.edges), Counter(loser for _, loser in found.order.edges)


def _headline(found: CriterionResult, terms: Terms) -> tuple[str, str]:
    if not found.pairs:
        return "Nothing to compare", "No item was judged for two systems."
    if len(found.pairs) == 1:
        return _one_pair(found.pairs[0], terms)
    if terms.baseline is not None:
        return _against_baseline(found.pairs, terms.baseline)
    systems = systems_by_rank(found)
    won, lost = _won_and_lost(found)
    unbeaten = [name for name in systems if lost[name] == 0]
    others = len(systems) - 1
    if not found.order.edges:
        return "No system is shown to be better than another", ""
    if not unbeaten:
        return "No best system", "Every system loses to another one: the verdicts run in a circle."
    if len(unbeaten) == 1:
        best = unbeaten[0]
        if won[best] == others:
            if found.not_compared:
                return f"{best} is best of the {len(systems)} compared", f"It is better than {_all(others)} others."
            return f"{best} is best", f"It is better than {_all(others)} other systems."
        met = sum(best in (pair.system_a, pair.system_b) for pair in found.pairs)
        whom = f"the {others} others" if met == others else f"the {met} compared with it"
        return f"{best} is ahead", f"No system beats it, and it is better than {won[best]} of {whom}."
    leaders = [f"{listed_names([name])} (beats {won[name]})" for name in unbeaten[:_NAMES_LISTED]]
    more = len(unbeaten) - len(leaders)
    listed = ", ".join(leaders) + (f" and {more} more" if more else "")
    return "No single best system", f"{len(unbeaten)} of {len(systems)} are not beaten by any other: {listed}."


def _never_compared(found: CriterionResult, terms: Terms) -> str:
    """Pairs of the compared systems that no label is about, though the question is about all of them: they are open."""
    systems = {name for pair in found.pairs for name in (pair.system_a, pair.system_b)}
    never = math.comb(len(systems), 2) - len(found.pairs)
    if terms.baseline is not None or terms.only_pairs or not never:
        return ""
    was = "pair of these systems was" if never == 1 else "pairs of these systems were"
    return f" {never:,} more {was} never compared."


def _not_compared(names: Sequence[str]) -> str:
    """Systems that no verdict is about, so that nobody takes them for beaten."""
    one = len(names) == 1
    return f"{some_names(names, _NAMES_LISTED)} {'was' if one else 'were'} compared with no other system."


def _all(count: int) -> str:
    return "both" if count == 2 else f"all {count:,}"


def _one_pair(pair: PairResult, terms: Terms) -> tuple[str, str]:
    a, b = pair.system_a, pair.system_b
    if not pair.items:
        return f"{a} or {b}: undecided", "No label is evidence yet."
    counts = _counts_words(pair) if terms.compare == "wins" else _means_words(pair)
    if terms.human and pair.metric is not None and pair.metric.used:
        counts += f" The difference below takes {some_names(pair.metric.entered)} into account."
    if pair.winner is not None:
        loser = b if pair.winner == a else a
        by_little = ", but by less than the margin" if pair.also == "equivalent" else ""
        better = "is better than" if terms.compare == "wins" else "has a higher mean rating than"
        return f"{pair.winner} {better} {loser}{by_little}", counts
    if pair.verdict == "equivalent":
        return f"{a} and {b} are equivalent within {plain(terms.margin or 0.0)}", counts
    if contradictory([pair]):
        return f"{a} or {b}: no result, as the evidence contradicts itself", counts
    return f"{a} or {b}: undecided", counts


def _counts_words(pair: PairResult) -> str:
    return (
        f"On {counted(pair.items, 'item')} {pair.system_a} was preferred {counted(pair.wins, 'time')}, {pair.system_b} "
        f"{counted(pair.losses, 'time')}, and {pair.ties:,} {'was a tie' if pair.ties == 1 else 'were ties'}."
    )


def _means_words(pair: PairResult) -> str:
    lead = pair.difference.estimate
    if lead is None:
        return f"Of {counted(pair.items, 'item')} there are too few for a difference of mean ratings."
    first, second = (pair.system_a, pair.system_b) if lead >= 0 else (pair.system_b, pair.system_a)
    return f"On {counted(pair.items, 'item')} the mean rating of {first} is {number(abs(lead))} above that of {second}."


def _against_baseline(pairs: Sequence[PairResult], baseline: str) -> tuple[str, str]:
    above = [pair.winner for pair in pairs if pair.winner not in (None, baseline)]
    below = sum(pair.winner == baseline for pair in pairs)
    if not above:
        headline = f"No system is shown to be better than {baseline}"
    elif len(above) == len(pairs) > 1:
        return f"Every other system is better than {baseline}", ""
    elif len(above) == 1:
        headline = f"{above[0]} is better than {baseline}"
    else:
        headline = f"{len(above)} of {len(pairs)} systems are better than {baseline}"
    if not below:
        return headline, f"{baseline} is not shown to be better than any other."
    how_many = _all(below) if below == len(pairs) else f"{below} of the {len(pairs)}"
    return headline, f"{baseline} is better than {how_many} others."


def _too_few(pairs: Sequence[PairResult], terms: Terms) -> str:
    """That some pairs could not have been decided, before anybody looks for a reason in the labels."""
    without = [pair for pair in pairs if TOO_FEW in pair.flags or TOO_FEW_PEOPLE in pair.flags]
    if not without:
        return ""
    unit = "clusters of items" if any(pair.clusters is not None for pair in without) else "items"
    unit = "people" if TOO_FEW_PEOPLE in without[0].flags else f"{unit} without ties"
    which = "It has" if len(pairs) == 1 else f"{len(without):,} of them have" if len(without) > 1 else "One of them has"
    if 1 < len(without) == len(pairs):
        which = "All of them have"
    verdict = "verdict" if terms.margin is None else "verdict that a system is better"
    return f" {which} too few {unit} for any {verdict}."


def _decided(total: int, equivalent: int, undecided: int, terms: Terms) -> str:
    words = _decided_words(total, equivalent, undecided)
    return words if terms.going_on or not total else f"One look: {words[0].lower()}{words[1:]}"


def _decided_words(total: int, equivalent: int, undecided: int) -> str:
    if total == 0:
        return "There is no pair."
    if total == 1:
        return "The pair is undecided." if undecided else "The pair is decided."
    if undecided == total:
        return f"None of the {total:,} pairs is decided."
    words = f"{total - undecided:,} of {total:,} pairs {'is' if total - undecided == 1 else 'are'} decided"
    if equivalent:
        words += f" ({equivalent:,} of them as equivalent)"
    if undecided:
        words += f", {undecided:,} {'is' if undecided == 1 else 'are'} undecided"
    return f"{words}."


def _next_step(found: CriterionResult, terms: Terms, undecided: int, currency: str) -> str:
    if not terms.human:
        return "Collect human labels: metrics and judges alone are no evidence of quality."
    if not found.pairs:
        return "Collect labels of two systems on the same items."
    if wrong := contradictory(found.pairs):
        return _next_of_contradiction(wrong)
    if undecided == 0:
        which = (
            "the pair"
            if len(found.pairs) == 1
            else "every compared pair"
            if _never_compared(found, terms)
            else "every pair"
        )
        return f"Stop labelling: {which} is decided.{_spared(found)}"
    if not RULES[terms.rule].controls_error:
        why = "is for one look" if terms.looks == "one" else "promises no error rate"
        return f"Leave it there: this rule {why}. To go on until there is a verdict, start a campaign."
    if terms.people == "random":
        return " ".join(("Leave it there, or collect a new set.", *found.advice))
    nearest = _nearest(found)
    if nearest is None and _have_few(found):
        return f"Collect a new, larger set: fewer than {LEAST_UNITS} items do not tell how many it takes."
    if nearest is None:
        which, them = ("the undecided pairs", "them") if undecided > 1 else ("the undecided pair", "it")
        within = "" if terms.items_per_pair is None else " within the limit of items per pair"
        return f"More labels are unlikely to decide {which}{within}: leave {them} undecided."
    if (nearest.items_to_decision or 0) > (1 + _FAR) * nearest.items:
        return _far_away(nearest, currency, alone=len(found.pairs) == 1)
    which = "" if len(found.pairs) == 1 else f" on {nearest.system_a} and {nearest.system_b}"
    return f"An 80% chance of a verdict{which} takes a new set of {anew_words(nearest, currency)}."


def _next_of_campaign(found: CriterionResult, campaign: CampaignProgress, undecided: int, currency: str) -> str:
    """A campaign says itself when it is over."""
    if campaign.ended is not None:
        left = " What is undecided stays so." if undecided else ""
        because = "the campaign was stopped" if campaign.ended == "stopped" else campaign.ended_because
        return f"Stop labelling: {because}.{left}{'' if undecided else _spared(found, campaign)}"
    nearest = _nearest(found)
    if nearest is None:
        if campaign.beyond is not None and all(_is_beyond(pair) for pair in found.pairs if pair.verdict == "undecided"):
            which = "The undecided pairs are" if undecided > 1 else "The undecided pair is"
            left = f"the {campaign.beyond} left"
            return f"{which} unlikely to be decided with {left}: stop the campaign to save the rest."
        return "Go on with the campaign: it says itself when it is over."
    return f"Go on with the campaign: {_goes_on(nearest, currency)}"


def _next_of_watch(found: CriterionResult, undecided: int, currency: str) -> str:
    """Labels go on for as long as a pair needs them; anybody may look whenever there are new ones."""
    if wrong := contradictory(found.pairs):
        return _next_of_contradiction(wrong)
    if not undecided:
        return f"Stop labelling: {'the pair is' if len(found.pairs) == 1 else 'all pairs are'} decided."
    waiting = [pair for pair in found.pairs if pair.verdict == "undecided"]
    if all(pair.exhausted for pair in waiting):
        return "Stop labelling: no item is left that could count, and what is undecided stays so."
    only_new = all(NEW_ITEMS in pair.flags or pair.exhausted for pair in waiting)
    if not any(pair.labels for pair in found.pairs):
        go_on = f"{_NEW_ITEMS}, and look again" if only_new else "Go on labelling, and look again whenever you like"
        return f"{go_on}: there is no evidence yet."
    nearest = _nearest(found)
    if nearest is None and _have_few(found):
        return f"{_NEW_ITEMS if only_new else 'Go on labelling'}, and look again whenever you like."
    if nearest is None:
        which = "the undecided pairs" if undecided > 1 else "the undecided pair"
        how = "have new items labelled, as the others can add no evidence," if only_new else "go on labelling"
        return f"A verdict on {which} is unlikely within the plan: leave it at that, or {how} and look again."
    go_on = _NEW_ITEMS if NEW_ITEMS in nearest.flags else "Go on labelling"
    return f"{go_on}, and look again whenever you like: {_goes_on(nearest, currency)}"


def _nearest(found: CriterionResult) -> PairResult | None:
    """The undecided pair that is projected to need the fewest further items; None where no end is in sight."""
    open_pairs = (pair for pair in found.pairs if pair.verdict == "undecided" and pair.items_to_decision is not None)
    return min(open_pairs, key=lambda pair: pair.items_to_decision or 0, default=None)


def _goes_on(nearest: PairResult, currency: str) -> str:
    needed = further_words(nearest, currency)
    return f"{nearest.system_a} and {nearest.system_b} need {needed}, if everything goes on as before."


def _have_few(found: CriterionResult) -> bool:
    """Whether an undecided pair has too few items to tell how many more it takes."""
    return any(FEW_UNITS in pair.flags for pair in found.pairs if pair.verdict == "undecided")


def _next_of_contradiction(wrong: Sequence[PairResult]) -> str:
    """Something that the rule supposes does not hold; it need not hold for the other pairs either."""
    return (
        f"Stop labelling, and find out what is wrong: the evidence on {pairs_in_words(wrong)} contradicts itself, and "
        "more labels cannot mend that. When the cause is removed, ask again in a new study."
    )


def _next_of_own_analysis(own: OwnAnalysis) -> str:
    """An analysis beside the campaign, or the looks, does not say how they go on."""
    whose = "of the last look" if own.kind == "watch" else "of the campaign"
    return f"Report the verdict {whose}, which is shown without --own-analysis."


def _is_beyond(pair: PairResult) -> bool:
    """Whether a pair needs more than is left, as projected."""
    return BEYOND_ITEMS in pair.flags or BEYOND_BUDGET in pair.flags


def _far_away(nearest: PairResult, currency: str, *, alone: bool) -> str:
    """Where even the nearest verdict would take many times the labels at hand."""
    which = "the pair" if alone else f"{nearest.system_a} and {nearest.system_b}"
    return f"Leave {which} undecided: an 80% chance of a verdict takes {anew_words(nearest, currency)}."


def _spared(found: CriterionResult, campaign: CampaignProgress | None = None) -> str:
    """What stopping at the verdict would have spared, where every label belongs to one pair."""
    if found.labels != sum(pair.labels for pair in found.pairs):
        return ""
    needed = [pair.labels_at_stop for pair in found.pairs if pair.labels_at_stop is not None]
    if len(needed) != len(found.pairs) or sum(needed) >= found.labels:
        return ""
    if campaign is None or campaign.labels == found.labels:
        return f" {sum(needed):,} of the {found.labels:,} labels were enough."
    return f" {sum(needed):,} of the {found.labels:,} labels in evidence were enough; {campaign.labels:,} were paid."
