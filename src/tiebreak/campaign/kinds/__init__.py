"""Kinds of labels: what people are asked, how an answer is read, and what becomes of it.

A new kind is a file here, a line in `LABEL_KINDS`, and its words in `settings.protocol.LABEL_KINDS`.
"""

from __future__ import annotations

from typing import Final

from tiebreak.campaign.kinds.correctness import Correctness, Judged, Span
from tiebreak.campaign.kinds.kind import AnswerError, AnswerField, FieldProblem, ItemTexts, LabelKind, Phrase
from tiebreak.campaign.kinds.preference import Preference, Preferred
from tiebreak.campaign.kinds.ranking import Ranked, Ranking
from tiebreak.campaign.kinds.rating import Rated, Rating
from tiebreak.campaign.kinds.rating_with_edit import RatedWithEdit, RatingWithEdit
from tiebreak.campaign.outcome_marks import Tally
from tiebreak.campaign.protocol import Protocol

__all__ = [
    "LABEL_KINDS",
    "AnswerError",
    "AnswerField",
    "FieldProblem",
    "ItemTexts",
    "Judged",
    "LabelKind",
    "Phrase",
    "Preferred",
    "Ranked",
    "Rated",
    "RatedWithEdit",
    "Span",
    "Tally",
    "kind_of",
]

LABEL_KINDS: Final[dict[str, LabelKind]] = {
    kind.name: kind for kind in (Preference(), Ranking(), Rating(), RatingWithEdit(), Correctness())
}


def kind_of(protocol: Protocol) -> LabelKind:
    """The kind of a campaign's labels."""
    return LABEL_KINDS[protocol.labels.kind]
