"""Allocations: which system's outputs are rated next.

A new allocation is a file here and a line in `ALLOCATIONS`.
"""

from __future__ import annotations

from typing import Final

from tiebreak.campaign.allocations.allocations import Equal, Widest
from tiebreak.campaign.track_policy import TrackPolicy

__all__ = ["ALLOCATIONS"]

ALLOCATIONS: Final[dict[str, TrackPolicy]] = {policy.name: policy for policy in (Equal(), Widest())}
