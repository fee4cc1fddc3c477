"""How a campaign stands, whatever people are asked in it."""

from __future__ import annotations

from tiebreak.live import LiveCampaign, result_of
from tiebreak.live.result import measured_of
from tiebreak.results.measured.records import MeasuredResult
from tiebreak.results.measured.words import headline_words as measured_headline
from tiebreak.results.progress import CampaignProgress
from tiebreak.results.records import CompareResult
from tiebreak.results.words.campaign import headline_words

Standing = CompareResult | MeasuredResult


def standing_of(live: LiveCampaign) -> Standing:
    """Its own verdicts, or its estimates of ratings."""
    return measured_of(live) if live.protocol.rates else result_of(live, with_curves=False)


def headline(found: Standing) -> str:
    """Labels, and how much is decided or known, in one line."""
    if isinstance(found, MeasuredResult):
        return measured_headline(found)
    return headline_words(progress_of(found), found.terms.family, found.undecided)


def progress_of(found: Standing) -> CampaignProgress:
    """Where the campaign stands whose result this is."""
    if found.campaign is None:
        raise ValueError("this is no campaign's result")
    return found.campaign
