"""What an audit found, in sentences.

What a judge's probabilities are worth, in sentences.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from tiebreak.numbers import counted, in_percent, interval, listed_names, number, percent, plain, some_names
from tiebreak.records import Target
from tiebreak.results.audits import (
    JUDGED_PER_LABELLED,
    Audit,
    AuditedSource,
    Calibration,
    CheckKind,
    Dependence,
    Estimate,
    Orders,
    PairWinRates,
    Reliability,
)

_ABOUT: Final[dict[Target, str]] = {
    "inputs": "inputs like those that people labelled",
    "items": "all that was judged of these items, a random part of which people labelled; their labels count as they "
    "are, and what they tell of the whole has no interval",
}
_WORTH_SAYING: Final = 0.05
_SMALL: Final = 0.005
"""Below which two digits would show a known figure as none."""
_THEMES: Final[dict[CheckKind, str]] = {
    "side": "Side shown",
    "length": "Length",
    "lists": "Lists",
    "headings": "Headings",
    "bold": "Bold",
    "system": "Systems",
    "group": "Groups",
}
_WINNERS: Final[dict[CheckKind, str]] = {
    "side": "The output shown on the left",
    "length": "The longer output, in words,",
    "lists": "The output with more list items",
    "headings": "The output with more headings",
    "bold": "The output with more bold passages",
}


RATES_SHOWN: Final = (
    "How often the better system of each pair is preferred: by people, by it, and corrected by people with an interval."
)
BIASES_SHOWN: Final = (
    "How much more often outputs with each property win by it than by people. The intervals hold together; those that "
    "exclude zero are coloured."
)
PROBABILITIES_SHOWN: Final = (
    "How often people name its likeliest outcome, by the probability that it states. On the dashed line both are equal."
)


def check_name(check: Dependence) -> str:
    """A check in one or two words, such as "Length" or the name of a system."""
    return _THEMES[check.check] if check.name is None else check.name


def conclusion(found: AuditedSource) -> tuple[tuple[str, str], ...]:
    """What to know of a source, each under a name: agreement, biases, win rates, and what it can be used for."""
    if not found.validated:
        return (("Agreement", _unvalidated(found)), *_order(found), *_biases(found))
    told = (*_order(found), *_biases(found), *_wrong_rates(found))
    return (("Agreement", _agreement(found)), *told, ("Use", _use(found)))


def _unvalidated(found: AuditedSource) -> str:
    why, more = "people labelled nothing of what it judged", ""
    if found.unjudged:
        why = f"people labelled {counted(found.unjudged, 'comparison')}, and it judged none of them"
        more = ", or have it judge what they labelled"
    return f"unvalidated, as {why}. Have people label some of what it judged (tiebreak campaign create){more}."


def _agreement(found: AuditedSource) -> str:
    agreement = found.agreement
    said = f"with people on {share_words(agreement.all)} of {counted(found.comparisons, 'comparison')}"
    if agreement.decided.comparisons and agreement.decided.comparisons < found.comparisons:
        said += f", on {share_words(agreement.decided)} where people decided"
    if agreement.person.value is not None and agreement.with_others.value is not None:
        its, one = share_words(agreement.with_others), share_words(agreement.person)
        said += f"; with the other annotators of an item on {its}, where an annotator agrees on {one}"
    return f"{said}."


def _order(found: AuditedSource) -> tuple[tuple[str, str], ...]:
    """How often a judge that was asked in both orders changes its outcome with them."""
    if found.orders is None:
        return ()
    flips = found.orders.flips
    asked = f"of {counted(flips.comparisons, 'comparison')} asked in both orders"
    return (("Order", f"the outcome changes with it on {share_words(flips)} {asked}."),)


def _biases(found: AuditedSource) -> tuple[tuple[str, str], ...]:
    """Those that are shown, or that none is."""
    shown = [_shown(check, found) for check in found.dependence if check.shown]
    checked = sum(check.shown is not None for check in found.dependence)
    if shown:
        return (("Biases", " ".join(shown)),)
    return (("Biases", f"none shown by {counted(checked, 'check')}{_largest(found.dependence)}."),) if checked else ()


def _largest(checks: Sequence[Dependence]) -> str:
    """The largest effect of those that are not shown, which need not be small."""
    known = [check for check in checks if check.effect.value is not None]
    if not known:
        return ""
    most = max(known, key=lambda check: abs(check.effect.value or 0.0))
    return f"; the largest is {most.name or _THEMES[most.check].lower()}: {_difference(most.effect)}"


def _wrong_rates(found: AuditedSource) -> tuple[tuple[str, str], ...]:
    """On how many pairs its own win rates are shown to differ from people's."""
    known = [pair for pair in found.pairs if pair.outcomes.difference.low is not None]
    if not known:
        return ()
    wrong = [pair for pair in known if _is_wrong(pair)]
    if not wrong:
        any_pair = "the pair" if len(known) == 1 else "any pair"
        return (("Win rates", f"not shown to differ from people's on {any_pair}."),)
    pairs = "the pair" if len(known) == 1 else f"{len(wrong):,} of {len(known):,} pairs"
    return (("Win rates", f"differ from people's on {pairs} (each interval by itself): take the corrected ones."),)


def _is_wrong(pair: PairWinRates) -> bool:
    """Whether the source's win rate is not people's, by the interval of the pair."""
    of = pair.outcomes.difference
    return of.low is not None and of.high is not None and (of.low > 0 or of.high < 0)


def _use(found: AuditedSource) -> str:
    """What it saves beside labels, and that it does not stand in for a person."""
    needed = [pair.outcomes.needed for pair in found.pairs]
    both = [(of.with_source, of.without) for of in needed if of.with_source is not None and of.without is not None]
    saved = 1 - sum(its for its, _ in both) / sum(own for _, own in both) if both else 0.0
    beside = "beside people it would save next to no labels"
    if saved >= _WORTH_SAYING:
        option = f"compare --{found.kind} {shlex.quote(found.name)}"
        beside = (
            f"beside people it would save about {in_percent(saved)} of the labels, where it judges "
            f"{JUDGED_PER_LABELLED} times as many items ({option})"
        )
    its, person = found.agreement.with_others, found.agreement.person
    if its.high is not None and person.low is not None and its.high < person.low:
        return f"{beside}; it agrees less with the other annotators than an annotator does."
    return f"{beside}; alone it proves nothing."


def left_out_words(found: AuditedSource) -> str:
    """What could not be compared."""
    parts = []
    if found.unscored:
        parts.append(f"{found.unscored:,} of its {counted(found.replies or 0, 'answer')} could not be read")
    if found.validated and found.unjudged:
        parts.append(f"{counted(found.unjudged, 'comparison')} with human labels it did not judge")
    if found.validated and found.pairs_without_labels:
        have = "has" if found.pairs_without_labels == 1 else "have"
        pairs = counted(found.pairs_without_labels, "pair")
        parts.append(f"{pairs} that it judged {have} no human labels, so that it is unvalidated there")
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}." if text else ""


def dependence_words(found: AuditedSource) -> tuple[str, ...]:
    """A sentence for all checks that show nothing, by theme and reason, and one for those that could not be made."""
    quiet = sorted((check for check in found.dependence if check.shown is False), key=_alike)
    missing = [check for check in found.dependence if check.shown is None]
    return (*(_no_sign(list(checks)) for _, checks in groupby(quiet, _alike)), *_not_checked(missing))


def _alike(check: Dependence) -> tuple[bool, int, str, bool, str]:
    """What checks that one sentence is about have in common; those about a judge's own family come first."""
    own = check.family or ""
    return not own, list(_THEMES).index(check.check), own, check.would_show is None, check.why


def _shown(check: Dependence, found: AuditedSource) -> str:
    effect, name = _difference(check.effect), listed_names([found.name])
    if check.check == "group":
        here, there = two_shares(check.inside or 0.0, check.elsewhere or 0.0)
        return f"In the group {check.name} {name} agrees with people on {here}, elsewhere on {there}: {effect}."
    here, there = two_shares(check.by_source or 0.0, check.by_people or 0.0)
    if check.check == "side":
        of_none = f"without a preference for a side it would be {there}"
        return f"{_WINNERS['side']} wins {here} by {name}; {of_none}: {effect}."
    who = _WINNERS.get(check.check, check.name or "")
    return f"{who} wins {here} by {name} and {there} by people: {effect}{_family(check)}."


def _family(check: Dependence, both: str = "both") -> str:
    return "" if check.family is None else f"; {both} names point to {check.family}"


def _no_sign(checks: Sequence[Dependence]) -> str:
    """Checks of one theme that show nothing, all for the same reason; what would have shown in the least and in the
    most sensitive one."""
    theme, names = _THEMES[checks[0].check], [check.name for check in checks if check.name is not None]
    about = f" ({some_names(names)})" if names else ""
    if len(names) == 1:
        theme, about = theme.removesuffix("s"), f" {names[0]}"
    family = _family(checks[0], "both" if len(checks) == 1 else "their")
    if checks[0].why:
        return f"{theme}{about}: not shown ({checks[0].why}){family}."
    sizes = sorted(check.would_show for check in checks if check.would_show is not None)
    if not sizes:
        return f"{theme}{about}: too few comparisons to tell{family}."
    span = " to ".join(dict.fromkeys((number(sizes[0]), number(sizes[-1]))))
    largest = "" if len(checks) > 1 else f"{_difference(checks[0].effect)}; "
    return f"{theme}{about}: not shown ({largest}an effect above {span} would have shown in 80% of studies){family}."


def _not_checked(checks: Sequence[Dependence]) -> Iterator[str]:
    """What could not be checked, by the reason."""
    names: dict[str, list[str]] = {}
    for check in checks:
        names.setdefault(check.why, []).append(check.name or _THEMES[check.check].lower())
    if names:
        yield f"Not checked: {'; '.join(f'{some_names(of)} ({why})' for why, of in names.items())}."


def flip_words(found: Orders) -> tuple[str, ...]:
    """How often the order changes the outcome, and what asking in both does."""
    flips = found.flips
    first = (
        f"The outcome changes with the order on {share_words(flips)} of {counted(flips.comparisons, 'comparison')} "
        f"answered in both; on {found.reversals:,} of them it takes the one output first, then the other."
    )
    if found.gain.value is None or found.one_order.value is None or found.together.value is None:
        return (first,)
    one, both = two_shares(found.one_order.value, found.together.value)
    return (
        first,
        f"One order alone agrees with people on {one}, both together (a change is a tie) on {both}: "
        f"{_difference(found.gain)}.",
    )


def statistics_words(audit: Audit) -> tuple[tuple[str, str], ...]:
    """What the figures mean, one fact each."""
    sure = percent(1 - audit.settings.alpha)
    several = {"mean": "the side of the mean of their labels", "majority": "that of most", "first": "the earliest"}
    people = f"people's outcome is {several[audit.settings.several]}"
    if audit.settings.raters == "any":
        people += ", of ratings by whoever rated either output"
    drawn = "items or clusters independent" if audit.settings.target == "inputs" else "of items or clusters drawn"
    facts = [
        ("Comparison", f"an item and an output of each of two systems, A being the first by name; {people}"),
        ("About", _ABOUT[audit.settings.target]),
        (
            "Intervals",
            f"{sure} each, {drawn}; of differences and win rates by a joint sign-flip and score test, of the "
            "others by leaving out one at a time",
        ),
    ]
    if audit.checks:
        each = plain(float(f"{audit.settings.alpha / audit.checks:.2g}"))
        wrong = f"so that at most about {percent(audit.settings.alpha)} of such audits have any that is wrong"
        checks = f"{counted(audit.checks, 'check')}, a sentence where the interval at {each} excludes 0 (Bonferroni)"
        facts.append(("What errors go with", f"{checks}, {wrong}"))
    if any(found.pairs for found in audit.results):
        judged = f"with {JUDGED_PER_LABELLED} items judged for each that people label; a projection"
        if audit.settings.target == "items":
            judged = "of these items; a projection"
        half = f"To ±{plain(audit.settings.half_width)}"
        facts.append((half, f"labels until the interval of the corrected win rate is so narrow, {judged}"))
    facts.append(("Win rate", "share of items on which a system is preferred; ties count half"))
    return tuple(facts)


def share_words(of: Estimate) -> str:
    """A share with its interval: "71% (68% to 74%)"; one that is known by itself."""
    if of.value is None:
        return "-"
    if of.low is None or of.high is None or of.low == of.high:
        return in_percent(of.value)
    return f"{in_percent(of.value)} ({in_percent(max(of.low, 0.0))} to {in_percent(min(of.high, 1.0))})"


def number_words(of: Estimate) -> str:
    """A number with its interval: "0.55 [0.50, 0.60]"; one that is known by itself."""
    if of.value is None:
        return "-"
    if of.low is None or of.high is None:
        return number(of.value)
    if of.low == of.high:
        return number(of.value, 3 if abs(of.value) < _SMALL else 2)
    return f"{number(of.value)} {interval(of.low, of.high)}"


def _difference(of: Estimate) -> str:
    return f"difference {number_words(of)}"


def two_shares(one: float, other: float) -> tuple[str, str]:
    """Two shares that differ, so that they look different."""
    first, second = in_percent(one), in_percent(other)
    return (first, second) if first != second else (f"{100 * one:.1f}%", f"{100 * other:.1f}%")


def calibration_words(found: Calibration) -> tuple[str, ...]:
    """How sure it is beside how often people agree, and its scores."""
    replies = "1 reply" if found.replies == 1 else f"{found.replies:,} replies"
    if found.stated is None:
        return (f"It states them in {replies}, none of them beside human labels.",)
    said = f"Its likeliest outcome has the probability {number(found.stated)} in the mean, and people name it on "
    of = f"of {counted(found.comparisons, 'comparison')}"
    words = [f"{said}{share_words(found.agrees)} {of}: difference {number_words(found.excess)}."]
    scores = f"Brier score {number_words(found.brier)}; the shares of people's outcomes alone would get "
    scores += f"{number(found.brier_of_shares or 0.0)}. "
    if found.impossible:
        called = f"it called what people said impossible on {counted(found.impossible, 'comparison')}"
        words.append(f"{scores}Log loss: infinite, as {called}.")
    else:
        words.append(
            f"{scores}Log loss {number_words(found.log_loss)}, and {number(found.log_loss_of_shares or 0.0)}. "
            "The lower the better."
        )
    if found.scaled:
        words.append(f"In {found.scaled:,} of {replies} they were not 1 in all, and were scaled.")
    return tuple(words)


def bin_words(of: Reliability) -> str:
    """A bin of the table of reliability: "0.6 to 0.7"."""
    return f"below {plain(of.high)}" if not of.low else f"{plain(of.low)} to {plain(of.high)}"
