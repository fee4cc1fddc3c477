"""A result whose promise does not hold: its terms, its intervals and its sentence for a paper all say so."""

from __future__ import annotations

from dataclasses import replace

from tiebreak.results.records import CompareResult, CriterionResult, PairResult
from tiebreak.results.words.claims import NO_PROMISE


def without_promise(found: CompareResult, why: str) -> CompareResult:
    """The result with `why` ("carry no promise, because ...") in place of what its verdicts promised."""
    promised = found.terms.guarantee.split(". To look again")[0]  # a sentence for a paper has no advice
    return replace(
        found,
        terms=replace(found.terms, guarantee=why),
        results=tuple(_criterion(criterion, promised, why) for criterion in found.results),
    )


def _criterion(found: CriterionResult, promised: str, why: str) -> CriterionResult:
    pairs = tuple(_pair(pair) for pair in found.pairs)
    return replace(found, pairs=pairs, sentence=found.sentence.replace(promised, why))


def _pair(pair: PairResult) -> PairResult:
    meant = pair.difference.validity
    if meant.startswith(NO_PROMISE):
        return pair
    return replace(pair, difference=replace(pair.difference, validity=f"{NO_PROMISE} (meant: {meant})"))
