"""Pair policies: which pair is asked next.

A new policy is a file here and a line in `PAIR_POLICIES`.
"""

from __future__ import annotations

from typing import Final

from tiebreak.campaign.pair_policies.batches import Batches
from tiebreak.campaign.pair_policies.most_informative import MostInformative
from tiebreak.campaign.pair_policies.policy import PairPolicy
from tiebreak.campaign.pair_policies.winner_only import WinnerOnly

__all__ = ["PAIR_POLICIES", "PairPolicy"]

PAIR_POLICIES: Final[dict[str, PairPolicy]] = {
    policy.name: policy for policy in (Batches(), MostInformative(), WinnerOnly())
}
