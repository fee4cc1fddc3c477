"""What whoever runs a campaign may do by hand: end it, and give a person no more tasks.

Both are events of the log. Neither takes back a label or an answer that is under way: what is evidence stays evidence.
"""

from __future__ import annotations

from collections.abc import Sequence

from tiebreak.campaign import AnnotatorExcluded, CampaignStopped, State
from tiebreak.campaign.events import Event
from tiebreak.errors import UsageError, did_you_mean
from tiebreak.live.campaign import LiveCampaign
from tiebreak.live.ledger import Ledger


def stop(campaign: LiveCampaign, *, now: str, reason: str = "") -> bool:
    """End the campaign, for good; False (and nothing is written) where it is over already.

    Verdicts stay as they are. Answers that come later are kept and paid, and are no evidence.
    """

    def decide(state: State, _: Ledger) -> Sequence[Event]:
        return () if state.ended is not None else (CampaignStopped(now, reason),)

    return bool(campaign.commit(decide))


def exclude(campaign: LiveCampaign, annotator: str, *, now: str, reason: str = "") -> bool:
    """Give a person no more tasks, for good; False (and nothing is written) where they get none already.

    Their labels stay, and answers to the tasks that they have still count: to leave out labels that one has seen, or
    to hand on those tasks that take long, would bend the error rate. What they do not answer expires as usual.

    Raises:
        UsageError: nobody of that name ever got a task.
    """

    def decide(state: State, _: Ledger) -> Sequence[Event]:
        known = state.annotators
        if annotator not in known:
            raise UsageError(f"nobody called {annotator!r} has had a task{did_you_mean(annotator, known)}")
        return () if state.is_excluded(annotator) else (AnnotatorExcluded(now, annotator, reason),)

    return bool(campaign.commit(decide))
