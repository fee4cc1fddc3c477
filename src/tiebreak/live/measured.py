"""What a campaign of ratings has found out, with all that its log knows beside the state: people, withdrawals."""

from __future__ import annotations

from dataclasses import replace

from tiebreak.campaign.estimates import estimates
from tiebreak.live.accounts import accounts
from tiebreak.live.campaign import LiveCampaign
from tiebreak.live.log_care import log_notices
from tiebreak.live.result import taken_back_notice
from tiebreak.results.measured.records import MeasuredResult
from tiebreak.results.words.log import REPAIRED_LOG
from tiebreak.results.words.watch import LISTED_PROMISE


def measured_of(campaign: LiveCampaign) -> MeasuredResult:
    """The campaign's own estimates, as of its last refresh: what `status` and `estimate` show."""
    found = estimates(campaign.state)
    result = replace(
        found,
        study=dict(found.study) | {"name": campaign.study.name},
        folder=campaign.folder.resolve().name,
        warnings=(*taken_back_notice(campaign), *log_notices(campaign), *found.warnings),
        campaign=replace(
            found.campaign,
            people=accounts(campaign.state, campaign.ledger),
            stop_reason=campaign.stop_reason,
        ),
    )
    if campaign.ledger.repairs:
        return replace(result, guarantee=REPAIRED_LOG, sentence="")
    if campaign.protocol.order.order == "listed":
        return replace(result, guarantee=LISTED_PROMISE, sentence="")
    return result
