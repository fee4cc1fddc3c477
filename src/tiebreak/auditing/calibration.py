"""Whether a judge's probabilities are right: beside what people say, on all that both judged.

Brier's score (1950) is the sum over the three outcomes of the squared distance between the probability and what was,
between 0 and 2; the log loss is -log of the probability of what was, in nats. Both are proper: nobody gains by stating
anything but what is believed. They are set beside the best that fixed probabilities could reach, the shares of people's
outcomes. Reliability asks the simpler question: of the answers called so probable, how many do people share?
"""

from __future__ import annotations

from typing import Final

import numpy as np

from tiebreak.auditing.comparisons import Chances, Comparisons
from tiebreak.auditing.estimates import mean_estimate, score_estimate, share_estimate
from tiebreak.results.audits import Calibration, Estimate, Reliability

EDGES: Final = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)
"""Of the table of reliability: the probability of the most probable outcome, at least each and below the next."""


def calibration(of: Comparisons, chances: Chances, alpha: float) -> Calibration:
    """All figures, with intervals at level 1 - `alpha` each."""
    probabilities = np.full((of.said.size, 3), np.nan)
    for place, pair in enumerate(of.pairs):
        own = of.pair == place
        probabilities[own] = chances.on_pair(pair)[of.item[own]]
    there = ~np.isnan(probabilities[:, 0])
    if not there.any():
        nothing = Estimate()
        return Calibration(
            chances.replies, chances.scaled, 0, nothing, None, nothing, None, 0, None, nothing, nothing, ()
        )
    stated, units = probabilities[there], of.claim.units(of.item[there])
    was = np.stack([of.people[there] == code for code in (1, 0, -1)], axis=1)
    shares = was.mean(axis=0)
    likeliest = stated.max(axis=1)
    named = np.isclose(stated, likeliest[:, None])
    hit = (was & named).sum(axis=1) / named.sum(axis=1)
    given = stated[was]
    losses = -np.log(np.where(given > 0, given, 1.0))
    impossible = int((given <= 0).sum())
    bins = np.clip(np.digitize(likeliest, EDGES) - 1, 0, len(EDGES) - 2)
    return Calibration(
        replies=chances.replies,
        scaled=chances.scaled,
        comparisons=int(there.sum()),
        brier=score_estimate(((stated - was) ** 2).sum(axis=1), units, alpha),
        brier_of_shares=float(1 - (shares**2).sum()),
        log_loss=Estimate(comparisons=losses.size) if impossible else score_estimate(losses, units, alpha),
        log_loss_of_shares=float(-(shares * np.log(np.where(shares > 0, shares, 1.0))).sum()),
        impossible=impossible,
        stated=float(likeliest.mean()),
        agrees=share_estimate(hit, units, alpha),
        excess=mean_estimate(likeliest - hit, units, alpha),
        reliability=tuple(
            Reliability(
                EDGES[number],
                EDGES[number + 1],
                float(likeliest[bins == number].mean()),
                share_estimate(hit[bins == number], units.among(bins == number), alpha),
            )
            for number in np.unique(bins).tolist()
        ),
    )
