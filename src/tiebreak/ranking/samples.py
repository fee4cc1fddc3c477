"""Scores of single samples, each a player of its own: points against common references, or a rating (Zhou & Xu 2020).

Whoever compares two samples, a judge or the comparative evaluator, is a function from their numbers to outcomes; both
must be outputs for the same context, or, as in the paper, of the same task.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiebreak.errors import UsageError
from tiebreak.kernels.davidson_limits import reference_points
from tiebreak.kernels.glicko2 import PaperPlayers, Skill

Integers = NDArray[np.intp]
Compare = Callable[[Integers, Integers], ArrayLike]
"""From numbers of samples (n,) and of what each is compared with (n,) to outcomes (n,): 1, 0 or -1 for the first."""


def sample_points(compare: Compare, samples: int, references: int) -> NDArray[np.int64]:
    """Points (samples,) against so many references, which `compare` knows by number: 3 a win, 1 a draw, 0 a loss.

    The paper takes 50 references.

    Raises:
        UsageError: no sample or no reference, or other outcomes than one for each comparison.
    """
    if samples < 1 or references < 1:
        raise UsageError(f"points take a sample and a reference at least, not {samples} and {references}")
    first, second = np.divmod(np.arange(samples * references), references)
    return reference_points(_outcomes(compare, first, second).reshape(samples, references))


def sample_skills(compare: Compare, samples: int, games: int, *, rng: np.random.Generator) -> tuple[Skill, ...]:
    """Glicko-2 skills, in the paper's form, after so many games of samples drawn at random.

    The paper takes 10,000 games.

    Raises:
        UsageError: fewer than two samples or one game, or other outcomes than one for each game.
    """
    if samples < 2 or games < 1:
        raise UsageError(f"a tournament takes 2 samples and 1 game at least, not {samples} and {games}")
    first = rng.integers(samples, size=games)
    second = (first + rng.integers(1, samples, size=games)) % samples
    players = PaperPlayers(samples)
    outcomes = _outcomes(compare, first, second)
    for one, other, outcome in zip(first.tolist(), second.tolist(), outcomes.tolist(), strict=True):
        players.play(one, other, outcome)
    return players.skills()


def _outcomes(compare: Compare, first: Integers, second: Integers) -> NDArray[np.int64]:
    found = np.asarray(compare(first, second))
    if found.shape != first.shape or not np.isin(found, (-1, 0, 1)).all():
        raise UsageError(f"{first.size:,} comparisons need as many outcomes of 1, 0 or -1, not {found.shape} values")
    return found.astype(np.int64)
