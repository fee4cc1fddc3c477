"""Where a campaign or a watched study stands, in a paragraph under its verdicts."""

from __future__ import annotations

from tiebreak.results.records import CompareResult
from tiebreak.results.words.campaign import standing_words
from tiebreak.results.words.watch import watch_words


def standing_of(result: CompareResult) -> str:
    """Labels and looks so far; "" for a finished set of labels."""
    if result.watch is not None:
        return watch_words(result.watch)
    return "" if result.campaign is None else standing_words(result.campaign)
