"""Labelling policies: how many people label an item, and how their answers become its value.

A new policy is a file here and an entry in `LABELLING_POLICIES`.
"""

from __future__ import annotations

from typing import Final

from tiebreak.campaign.labelling.policies import (
    FixedWorker,
    LabellingPolicy,
    Majority,
    MaxThree,
    MeanLabels,
    OneWorker,
    OutcomePolicy,
)

__all__ = ["LABELLING_POLICIES", "OUTCOME_POLICIES", "LabellingPolicy", "OutcomePolicy"]

OUTCOME_POLICIES: Final[dict[str, OutcomePolicy]] = {
    policy.name: policy for policy in (OneWorker(), FixedWorker(), Majority(), MaxThree())
}
"""For preferences."""

LABELLING_POLICIES: Final[dict[str, LabellingPolicy]] = {**OUTCOME_POLICIES, MeanLabels.name: MeanLabels()}
