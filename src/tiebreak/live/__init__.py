"""A campaign on disk: protocol, study and log of events, held together. What sheets and web pages work on."""

from tiebreak.live.campaign import LiveCampaign
from tiebreak.live.folder import create_campaign, open_campaign
from tiebreak.live.result import result_of

__all__ = ["LiveCampaign", "create_campaign", "open_campaign", "result_of"]
