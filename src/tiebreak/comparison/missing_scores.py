"""Scores that some items lack: whether those without a label lack them as those with one do.

What counts as the metric's mean says nothing, and harms nothing, where a score is missing whoever labels the item. But
scores are often computed for the labelled items and a few more. Then the mean over the others is no sample of what was
drawn, and to bet on it would be wrong in more than half of all pairs without a difference.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from tiebreak.evidence.automatic import PairAutomatic
from tiebreak.kernels.hypergeometric import Hypergeometric

_RARE: Final = 0.01  # chance, over all metrics, that items which lack scores alike look as if they did not


def with_scores(automatic: PairAutomatic) -> PairAutomatic:
    """Without the unlabelled items that lack what every labelled one has: a sample of such items, as these are."""
    complete = ~np.isnan(automatic.labelled).any(axis=0)
    there = ~np.isnan(automatic.unlabelled[:, complete]).any(axis=1)
    return automatic if there.all() else replace(automatic, unlabelled=automatic.unlabelled[there])


def lack_alike(automatic: PairAutomatic) -> bool:
    """Whether labelled items do not have more of the scores than chance would give them."""
    labelled, others = automatic.labelled, automatic.unlabelled
    size = labelled.shape[0] + others.shape[0]
    of_labelled, known = ((~np.isnan(of)).sum(axis=0) for of in (labelled, np.concatenate([labelled, others])))
    if (known == size).all():
        return True
    least, marked = of_labelled.astype(np.float64), known.astype(np.float64)
    tail = Hypergeometric(size).upper_tail(least, np.full_like(least, labelled.shape[0]), marked, size - marked)
    return bool((tail >= _RARE / marked.size).all())
