"""An own analysis of labels whose verdict a campaign or a watched study has already: what it is, and what it asks.

A result whose promise does not hold: its terms, its intervals and its sentence for a paper all say so.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from tiebreak.messages.notices import NoticeKind
from tiebreak.messages.tables import LABELS_LEFT_OUT
from tiebreak.numbers import counted
from tiebreak.records import Notice
from tiebreak.results.progress import Kept, OwnAnalysis
from tiebreak.results.records import CompareResult, PairResult, PaperSentence
from tiebreak.rules.rule import Guarantee

WHAT_IT_IS: Final = NoticeKind(
    "own-analysis",
    "`--own-analysis`: not the campaign's own verdict",
    "report the verdict without it",
)

_WHOSE: Final[dict[Kept, str]] = {"campaign": "the campaign", "watch": "the watched study"}
_BESIDE: Final[dict[Kept, str]] = {"campaign": "the campaign's verdict", "watch": "the verdict of its looks"}
NO_PROMISE: Final = Guarantee(
    "promise no error rate: this is an own analysis, and the number of labels may have been chosen by looking at them"
)
"""In place of a promise for a finished set of labels, or for a number fixed beforehand."""


def whose_labels(own: OwnAnalysis) -> str:
    """ "the campaign NAME", or "the watched study NAME"."""
    return f"{_WHOSE[own.kind]} {own.name}"


def _left_out(late: int, withdrawn: int, set_aside: int) -> str:
    """A sentence of each kind of labels that are no evidence of a campaign."""
    counts = {"late": late, "withdrawn": withdrawn, "set-aside": set_aside}
    return " ".join(
        f"{counted(count, f'{kind} label')} {'is' if count == 1 else 'are'} left out."
        for kind, count in counts.items()
        if count
    )


def own_analysis_notice(own: OwnAnalysis) -> Notice:
    """What it is, and what it cannot promise."""
    what = f"This is an own analysis of the labels of {whose_labels(own)}, not {_BESIDE[own.kind]}."
    why = "Their number may have been chosen by looking at them, so it promises no error rate."
    text = " ".join(part for part in (what, _left_out(own.late, own.withdrawn, own.set_aside), why) if part)
    return WHAT_IT_IS.notice(text, late=own.late, withdrawn=own.withdrawn)


def sentence_of(sentence: PaperSentence, own: OwnAnalysis) -> PaperSentence:
    """For a paper: nobody should paste it as the campaign's verdict."""
    return replace(
        sentence,
        found=f"In an own analysis of the labels of {whose_labels(own)} (not {_BESIDE[own.kind]}): {sentence.found}",
    )


def labels_left_out(late: int, withdrawn: int, set_aside: int, *, of_export: bool) -> tuple[Notice, ...]:
    """Labels that are no evidence of the campaign that they are from; none where there are none. `of_export`: the
    campaign is not there to give its own verdict."""
    text = _left_out(late, withdrawn, set_aside)
    if not text:
        return ()
    if of_export:
        text += " The campaign's own verdict is not in this folder: compare the campaign, or a whole export."
    return (LABELS_LEFT_OUT.notice(text, late=late, withdrawn=withdrawn, set_aside=set_aside),)


def without_promise(found: CompareResult, why: Guarantee) -> CompareResult:
    """The result with `why` ("carry no promise, because ...") in place of what its verdicts promised."""

    def withdrawn(pair: PairResult) -> PairResult:
        gap = pair.difference
        return replace(pair, difference=replace(gap, validity=gap.validity.withdrawn()))

    results = tuple(
        replace(one, pairs=tuple(map(withdrawn, one.pairs)), for_paper=one.for_paper.under(why))
        for one in found.results
    )
    return replace(found, terms=replace(found.terms, guarantee=why), results=results)
