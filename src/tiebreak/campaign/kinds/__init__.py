"""Kinds of labels: what people are asked, and what their answers amount to.

A new kind is a file here and a line in `LABEL_KINDS`.
"""

from __future__ import annotations

from typing import Final

from tiebreak.campaign.kinds.correctness import Correctness
from tiebreak.campaign.kinds.kind import LabelKind
from tiebreak.campaign.kinds.preference import Preference
from tiebreak.campaign.kinds.rating import Rating
from tiebreak.campaign.kinds.rating_with_edit import RatingWithEdit
from tiebreak.campaign.protocol import Protocol

__all__ = ["LABEL_KINDS", "LabelKind", "kind_of"]

LABEL_KINDS: Final[dict[str, LabelKind]] = {
    kind.name: kind for kind in (Preference(), Rating(), RatingWithEdit(), Correctness())
}


def kind_of(protocol: Protocol) -> LabelKind:
    """The kind of a campaign's labels."""
    return LABEL_KINDS[protocol.labels.kind]
