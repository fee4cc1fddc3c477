"""Pair policies: which pair is asked next.

A new policy is a file here and a line in `PAIR_POLICIES`.
"""

from __future__ import annotations

from typing import Final

from tiebreak.campaign.pair_policies.policies import Batches, MostInformative, WinnerOnly
from tiebreak.campaign.track_policy import TrackPolicy

__all__ = ["PAIR_POLICIES"]

PAIR_POLICIES: Final[dict[str, TrackPolicy]] = {
    policy.name: policy for policy in (Batches(), MostInformative(), WinnerOnly())
}
