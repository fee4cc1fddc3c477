"""In what an own analysis of a campaign's labels asks another question than the campaign.

A result whose promise does not hold: its terms, its intervals and its sentence for a paper all say so.
"""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import Final

from tiebreak.numbers import plain
from tiebreak.records import LabelRule
from tiebreak.results.records import CompareResult, CriterionResult, PairResult
from tiebreak.results.settings import CompareSettings
from tiebreak.rules.guarantee import Guarantee
from tiebreak.rules.registry import RULES
from tiebreak.settings.protocol import DecisionSettings

_VALUES: Final[dict[LabelRule, str]] = {
    "mean": "the mean of the labels of an item",
    "majority": "their majority",
    "first": "the first of them",
}


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
