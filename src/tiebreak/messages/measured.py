"""A campaign of ratings in words: how far it is, what it promises, and a sentence for a paper."""

from __future__ import annotations

from typing import Final

from tiebreak.messages.campaign import standing_words
from tiebreak.numbers import counted, listed_names, number, percent, some_names
from tiebreak.results.measured import Measured, MeasuredResult
from tiebreak.version import __version__

_WHAT: Final = {"means": "mean", "differences": "difference", "directions": "direction"}
_ABOUT: Final = {"inputs": "inputs like these", "items": "these items only"}


def headline_words(result: MeasuredResult) -> str:
    """Labels, and how many measures are known, in one line."""
    known = len(result.measures) - result.undecided
    what = counted(len(result.measures), _WHAT[result.until])
    return f"{standing_words(result.campaign)[:-1]}; {known:,} of {what} known as well as was asked."


def question_words(result: MeasuredResult) -> str:
    """What the campaign asks for."""
    wanted = sorted({of.wanted for of in result.measures if of.wanted is not None})
    width = f" to {some_names([f'±{number(width)}' for width in wanted])}" if wanted else ""
    told = {
        "means": f"every system's mean{width}",
        "differences": f"every difference of two means{width}",
        "directions": "which of two systems is better" + (f", or their difference{width}" if width else ""),
    }[result.until]
    return f"Asks for {told}, about {_ABOUT[result.target]}"


def need_words(of: Measured) -> str:
    """What is known, or what is still missing."""
    if of.found == "narrow":
        return "known"
    if of.found in ("a", "b"):
        return f"{of.systems[0 if of.found == 'a' else 1]} is better"
    if of.items_to_go is not None:
        return f"about {counted(of.items_to_go, 'item')}, {counted(of.ratings_to_go or 0, 'rating')}"
    return "no items left" if of.exhausted else "not known yet"


def name_of(of: Measured) -> str:
    """ "gpt", or "gpt - llama"."""
    return " - ".join(of.systems)


def paper_sentence(result: MeasuredResult) -> str:
    """One sentence to paste into a paper: what was rated, how it ended, and how intervals hold; "" before the end."""
    progress = result.campaign
    if progress.ended_because is None:
        return ""
    criteria = some_names([found.criterion for found in result.results])
    systems = len({name for of in result.measures for name in of.systems})
    asked = question_words(result)[0].lower() + question_words(result)[1:]
    rated = f"{counted(progress.labels_in_evidence, 'output')} of {counted(systems, 'system')} on {criteria}"
    return (
        f"In a campaign that {asked}, people rated {rated} ({result.labels_in_words}), in an order of items sealed "
        f"beforehand; it ended because {progress.ended_because}. Intervals ({result.title}{helped_words(result)}) hold "
        f"with {percent(1 - result.alpha)} at every look{_together(result)} (tiebreak {__version__})."
    )


def helped_words(result: MeasuredResult) -> str:
    """ " with bleu", or nothing."""
    return f" with {listed_names(result.metrics)}" if result.metrics else ""


def _together(result: MeasuredResult) -> str:
    count = len(result.measures)
    if count == 1:
        return ""
    return ", each by itself" if result.multiplicity == "none" else f", all {count:,} at once"
