"""How far a judge's answer hangs on the order in which it sees two outputs, and what asking in both orders does."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tiebreak.auditing.comparisons import Comparisons
from tiebreak.auditing.estimates import Estimate, mean_estimate, share_estimate
from tiebreak.auditing.lookup import looked_up
from tiebreak.auditing.replies import Replies


@dataclass(frozen=True, slots=True)
class Orders:
    """Of the comparisons that a judge was asked in both orders, and answered in both.

    `flips`: the share of them whose outcome changes with the order; `reversals`: comparisons among them on which it
    takes the one output first and then the other one. Where people labelled them: `one_order` agrees with people so
    often, in the mean of both, and `together`, a change counted as a tie, as everywhere in tiebreak; `gain`: the second
    minus the first.
    """

    flips: Estimate
    reversals: int
    one_order: Estimate = field(default_factory=Estimate)
    together: Estimate = field(default_factory=Estimate)
    gain: Estimate = field(default_factory=Estimate)


def orders(of: Comparisons, replies: Replies, alpha: float) -> Orders | None:
    """None where no comparison was answered in both orders."""
    one, other = replies.both_orders()
    if not one.size:
        return None
    first, second = replies.said[one], replies.said[other]
    people = np.sign(looked_up(replies.cell[one], replies.cells_of(of), of.human))
    asked = ~np.isnan(people)
    right = ((first == people).astype(np.float64) + (second == people)) / 2
    joint = np.where(first == second, first, 0.0) == people
    every = of.claim.units(replies.item[one], np.unique(replies.cell).size)
    labelled = of.claim.units(replies.item[one][asked])
    return Orders(
        flips=share_estimate(first != second, every, alpha),
        reversals=int((first * second == -1).sum()),
        one_order=share_estimate(right[asked], labelled, alpha),
        together=share_estimate(joint[asked], labelled, alpha),
        gain=mean_estimate((joint - right)[asked], labelled, alpha),
    )
