"""What changes while an evaluator is trained: pure functions of how far it has come."""

from __future__ import annotations

from typing import Final, Literal

Curriculum = Literal["falling", "none", "rising"]
"""How large the margins of weak pairs are that are shown: from large to small, all at once, from small to large."""

LARGEST: Final = 0.5
FALLS_UNTIL: Final = 0.6
"""Of the steps of the stage; from there on every margin counts. The paper states no schedule."""

WARM_UP: Final = 0.07


def rate_at(step: int, steps: int) -> float:
    """The learning rate at a step from 0, as a share of its peak: up over the first 7% of the steps, then down to 0."""
    up = max(round(WARM_UP * steps), 1)
    return (step + 1) / up if step < up else max((steps - step) / max(steps - up, 1), 0.0)


def margins_at(step: int, steps: int, smallest: float, curriculum: Curriculum) -> tuple[float, float]:
    """The smallest and the largest margin that weak pairs may have at a step.

    `falling`: at least 0.5 at first, `smallest` from 60% of the steps on (learning-to-compare, 3.1). `rising` is the
    reverse: at most what `falling` would begin with, and then more.
    """
    if curriculum == "none":
        return smallest, 1.0
    come = min(step / max(FALLS_UNTIL * steps, 1e-9), 1.0)
    if curriculum == "falling":
        return LARGEST - (LARGEST - smallest) * come, 1.0
    return smallest, LARGEST + (1.0 - LARGEST) * come
