"""Which reader understands the sheets of a campaign."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tiebreak.campaign import Protocol
from tiebreak.errors import UsageError
from tiebreak.live import LiveCampaign
from tiebreak.sheets.filled import FilledRow
from tiebreak.sheets.preference_answers import PreferenceReader
from tiebreak.sheets.rating_answers import RatingReader, rating_columns
from tiebreak.sheets.reading import AnswerReader


def answer_columns(protocol: Protocol) -> tuple[str, ...]:
    """The columns in which answers may stand."""
    return rating_columns(protocol) if protocol.rates else PreferenceReader.columns


def reader_of(campaign: LiveCampaign, rows: Sequence[FilledRow], file: str, words: Mapping[str, str]) -> AnswerReader:
    """The reader of one sheet. `words`: what `--answer` says of answers, in campaigns that compare.

    Raises:
        UsageError: words for a campaign of ratings.
    """
    protocol = campaign.protocol
    if not protocol.rates:
        return PreferenceReader(rows, file, ties=protocol.labels.ties, words=words)
    if words:
        raise UsageError("--answer says which of two texts an answer means, and here people rate single texts")
    return RatingReader(protocol, campaign.study, file)
