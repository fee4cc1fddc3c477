"""Stopping rules: when a pair is decided.

A new rule is a file here and a line in `STOPPING_RULES`.
"""

from __future__ import annotations

from typing import Any, Final

from tiebreak.campaign.stopping.bernstein import Bernstein
from tiebreak.campaign.stopping.fixed_sample import FixedSample
from tiebreak.campaign.stopping.hoeffding import Hoeffding
from tiebreak.campaign.stopping.planned import Planned
from tiebreak.campaign.stopping.posterior import Posterior
from tiebreak.campaign.stopping.rule import MeasureFacts, PlanError, StoppingRule, Summary
from tiebreak.campaign.stopping.width import Width

__all__ = ["STOPPING_RULES", "MeasureFacts", "PlanError", "StoppingRule", "Summary"]

STOPPING_RULES: Final[dict[str, StoppingRule[Any, Any]]] = {
    rule.name: rule for rule in (Planned(), Posterior(), Hoeffding(), FixedSample(), Width(), Bernstein())
}
