"""An own analysis of labels whose verdict a campaign or a watched study has already: what it is, and what it asks.

A result whose promise does not hold: its terms, its intervals and its sentence for a paper all say so.
"""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import Final

from tiebreak.messages.kinds import NoticeKind
from tiebreak.numbers import counted, plain
from tiebreak.records import LabelRule, Notice
from tiebreak.results.progress import Kept, NumberOfLabels, OwnAnalysis
from tiebreak.results.records import CompareResult, CriterionResult, PairResult, PaperSentence
from tiebreak.results.settings import CompareSettings
from tiebreak.rules.guarantee import Guarantee
from tiebreak.rules.registry import RULES
from tiebreak.settings.protocol import DecisionSettings

_VALUES: Final[dict[LabelRule, str]] = {
    "mean": "the mean of the labels of an item",
    "majority": "their majority",
    "first": "the first of them",
}


WHAT_IT_IS: Final = NoticeKind(
    "own-analysis",
    "`--own-analysis`: not the campaign's own verdict, and perhaps another question",
    "report the verdict without it",
)
LOOKED_AT: Final = NoticeKind(
    "number-looked-at", "an audit of labels whose number was chosen by looking", "take it as a pilot"
)
LEFT_OUT: Final = NoticeKind(
    "labels-left-out",
    "an export without its campaign has labels that came late, were withdrawn or were set aside",
    "compare the campaign, or a whole export",
)
KINDS: Final = (WHAT_IT_IS, LOOKED_AT, LEFT_OUT)

_WHOSE: Final[dict[Kept, str]] = {"campaign": "the campaign", "watch": "the watched study"}
_BESIDE: Final[dict[Kept, str]] = {"campaign": "the campaign's verdict", "watch": "the verdict of its looks"}
_WHY_NO_PROMISE: Final[dict[NumberOfLabels, str]] = {
    "abandoned": "items of the campaign were abandoned, perhaps for what people saw in them",
    "withdrawn": "labels of the campaign were withdrawn, perhaps for what they say",
    "short": "the budget ended the campaign before all pairs had their items",
    "looked": "the number of labels was chosen by looking at them",
    "budget": "the budget ended the campaign, which a verdict would have ended earlier",
    "items": "the campaign ran out of items, and a verdict would have ended it earlier",
    "stopped": "somebody stopped the campaign, perhaps after a look at its labels",
    "running": "the campaign is still running, and is looked at again and again",
    "watched": "labels kept coming, and were looked at again and again",
    "unknown": "the number of labels may have been chosen by looking at them",
}


def whose_labels(own: OwnAnalysis) -> str:
    """ "the campaign NAME", or "the watched study NAME"."""
    return f"{_WHOSE[own.kind]} {own.name}"


def warning_of(own: OwnAnalysis) -> str:
    """What it is, and what its numbers cannot promise."""
    counts = ((own.late, "late"), (own.withdrawn, "withdrawn"), (own.set_aside, "set-aside"))
    what = f"This is an own analysis of the labels of {whose_labels(own)}, not {_BESIDE[own.kind]}."
    left_out = "".join(f" {_left_out(count, kind)}" for count, kind in counts if count)
    if own.promises:
        return f"{what}{left_out} The number of labels was fixed beforehand."
    why = _WHY_NO_PROMISE[own.number]
    return (
        f"{what}{left_out} {why[0].upper()}{why[1:]}: a promise for a finished set of labels or for a number fixed "
        "beforehand does not hold here, and none is made."
    )


def _left_out(count: int, kind: str) -> str:
    return f"{counted(count, f'{kind} label')} {'is' if count == 1 else 'are'} left out."


def own_analysis_notice(own: OwnAnalysis, unlike: str) -> Notice:
    """The same as a notice, with what it asks otherwise than the campaign ("" for nothing)."""
    text = f"{own.warning} {unlike}".rstrip()
    return WHAT_IT_IS.notice(text, late=own.late, withdrawn=own.withdrawn, unlike=bool(unlike))


def no_promise_of(own: OwnAnalysis) -> Guarantee:
    """In place of a promise that does not hold."""
    return Guarantee(f"promise no error rate: this is an own analysis, and {_WHY_NO_PROMISE[own.number]}")


def sentence_of(sentence: PaperSentence, own: OwnAnalysis) -> PaperSentence:
    """For a paper: nobody should paste it as the campaign's verdict."""
    return replace(
        sentence,
        found=f"In an own analysis of the labels of {whose_labels(own)} (not {_BESIDE[own.kind]}): {sentence.found}",
    )


def labels_left_out(late: int, withdrawn: int, set_aside: int, *, of_export: bool) -> tuple[Notice, ...]:
    """Labels that are no evidence of the campaign that they are from; none where there are none. `of_export`: the
    campaign is not there to give its own verdict."""
    counts = ((late, "late"), (withdrawn, "withdrawn"), (set_aside, "set-aside"))
    sentences = [_left_out(count, kind) for count, kind in counts if count]
    if not sentences:
        return ()
    if of_export:
        sentences.append("The campaign's own verdict is not in this folder: compare the campaign, or a whole export.")
    return (LEFT_OUT.notice(" ".join(sentences), late=late, withdrawn=withdrawn, set_aside=set_aside),)


def number_looked_at(*, watched: bool) -> Notice:
    """That whoever stopped collecting labels of a watched study or a campaign may have known what they said."""
    what = "This study is watched" if watched else "This is the export of a campaign"
    return LOOKED_AT.notice(
        f"{what}: when to stop labelling may have been chosen by looking at the labels, which intervals do not know."
    )


def unlike_campaign(settings: CompareSettings, decision: DecisionSettings, several: LabelRule | None) -> str:
    """ "Unlike the campaign: ..." with the options that ask the campaign's question; "" where it is the same.

    `several`: the campaign's way to one value of an item, None where an item has one label. Rules may differ: an own
    analysis is there to try another. What the rule asked for cannot do is no difference that could be avoided.
    """
    words: list[str] = []
    options: list[str] = []
    if settings.target != decision.target:
        names = {"inputs": "inputs like these", "items": "these items only"}
        words.append(f"about {names[settings.target]}, not {names[decision.target]}")
        options += ["--target", decision.target]
    if settings.margin != decision.margin:
        words.append(f"{_margin(settings.margin)}, not {_margin(decision.margin)}")
        if decision.margin is not None and RULES[settings.rule].takes_margin:
            options += ["--margin", plain(decision.margin)]
    if several is not None and settings.several != several:
        words.append(f"{_VALUES[settings.several]}, not {_VALUES[several]}")
        options += ["--several", several]
    if settings.alpha != decision.alpha and RULES[settings.rule].level == RULES[decision.rule].level:
        level = RULES[settings.rule].level
        words.append(f"{level} {plain(settings.alpha)}, not {plain(decision.alpha)}")
        options += ["--alpha", plain(decision.alpha)]
    both = RULES[settings.rule].controls_error and RULES[decision.rule].controls_error
    if both and settings.multiplicity != decision.multiplicity:
        words.append(f"--multiplicity {settings.multiplicity}, not {decision.multiplicity}")
        options += ["--multiplicity", decision.multiplicity]
    if not words:
        return ""
    advice = f" To ask its question, give {shlex.join(options)}." if options else ""
    return f"Unlike the campaign: {'; '.join(words)}.{advice}"


def _margin(margin: float | None) -> str:
    return "without a margin" if margin is None else f"with margin {plain(margin)}"


def without_promise(found: CompareResult, why: Guarantee) -> CompareResult:
    """The result with `why` ("carry no promise, because ...") in place of what its verdicts promised."""
    return replace(
        found,
        terms=replace(found.terms, guarantee=why),
        results=tuple(_criterion(criterion, why) for criterion in found.results),
    )


def _criterion(found: CriterionResult, why: Guarantee) -> CriterionResult:
    pairs = tuple(_pair(pair) for pair in found.pairs)
    return replace(found, pairs=pairs, for_paper=found.for_paper.under(why))


def _pair(pair: PairResult) -> PairResult:
    found = pair.difference
    return replace(pair, difference=replace(found, validity=found.validity.withdrawn()))
