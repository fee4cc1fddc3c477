"""How far a campaign has come, whatever it collects: labels, money, what is missing, and why it ended."""

from __future__ import annotations

from typing import Final

from tiebreak.campaign.state import EndReason, State
from tiebreak.numbers import counted
from tiebreak.results.progress import Beyond, CampaignProgress

_END_REASONS: Final[dict[EndReason, str]] = {
    "decided": "all that was asked is decided",
    "budget": "the budget is spent",
    "items": "no items are left for the undecided pairs",
    "stopped": "somebody stopped it",
}

_RATED_ENDS: Final[dict[EndReason, str]] = {
    "decided": "all that was asked is known",
    "items": "no outputs are left for what is not known yet",
}
"""Of a campaign of ratings."""


def why_ended(state: State) -> str | None:
    """Why the campaign is over, in words; None while it runs."""
    if state.ended == "items" and not state.protocol.rates:
        ended = {k for m in state.undecided if state.is_exhausted(m) for k in state.plan.measures[m].tracks}
        limited = [state.plan.tracks[k].limited for k in ended]
        if any(limited):
            reached = f"the limit of {state.protocol.most_items(len(state.plan.tracks)):,} items per pair is reached"
            return reached if all(limited) else f"{reached}, or no items are left, for the undecided pairs"
    if state.ended == "budget" and (state.most_labels or 0) > state.labels:
        pairs = len(state.plan.tracks)
        if state.protocol.pays_for_fewer(pairs) and all(state.is_exhausted(m) for m in state.undecided):
            return f"each undecided pair has the {counted(state.protocol.most_items(pairs) or 0, 'item')} of its plan"
        return "what is left of the budget cannot complete another item"
    if state.protocol.rates and state.ended in _RATED_ENDS:
        return _RATED_ENDS[state.ended]
    if state.ended == "decided" and state.undecided:
        return "the best system is found, and the other pairs were not needed"
    return None if state.ended is None else _END_REASONS[state.ended]


def progress_of(state: State, to_decision: int | None, beyond: Beyond | None) -> CampaignProgress:
    """`to_decision`: labels until all is decided or known, as projected; `beyond`: what they exceed."""
    protocol = state.protocol
    price = state.price
    return CampaignProgress(
        labels=state.labels,
        labels_in_evidence=sum(track.done_labels for track in state.tracks),
        labels_waiting=sum(track.waiting for track in state.tracks),
        late=state.late,
        labels_withdrawn=state.labels_withdrawn,
        checks=sum(person.gold_asked for person in state.annotators.values()),
        labels_out=len(state.tasks),
        labels_left=state.labels_left,
        cost=None if price is None else round(state.cost, 2),
        labels_to_decision=to_decision,
        cost_to_decision=None if price is None or to_decision is None else round(to_decision * price, 2),
        beyond=beyond,
        currency=protocol.labels.currency,
        ended=state.ended,
        ended_because=why_ended(state),
        ended_at=state.ended_at,
        protocol=protocol.to_dict(),
        labels_set_aside=state.set_aside,
        paused=state.paused,
    )
