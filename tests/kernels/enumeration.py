"""Exact checks of the supermartingale property, by enumeration of all orders of a tiny pool."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

PathOfOrder = Callable[[NDArray[np.intp]], Floats]
"""From an order of all N items to log E after each of them."""


def largest_growth_over_orders(path: PathOfOrder, size: int) -> float:
    """The largest mean of E(after one more item)/E(before) over all prefixes: at most one for a supermartingale.

    Prefixes after which the null is impossible (E infinite) are left out: under the null there are none.
    """
    children: dict[tuple[int, ...], list[float]] = defaultdict(list)
    wealth: dict[tuple[int, ...], float] = {(): 1.0}
    for order in permutations(range(size)):
        e = np.exp(path(np.array(order)))
        for end in range(1, size + 1):
            if order[:end] not in wealth:
                wealth[order[:end]] = float(e[end - 1])
                children[order[: end - 1]].append(float(e[end - 1]))
    return max(float(np.mean(after)) / wealth[prefix] for prefix, after in children.items())


def best_stopping_value(path: PathOfOrder, size: int) -> float:
    """The expected wealth of the gambler who stops whenever it is best, by backward induction over all prefixes."""
    wealth: dict[tuple[int, ...], float] = {(): 1.0}
    for order in permutations(range(size)):
        e = np.exp(path(np.array(order)))
        for end in range(1, size + 1):
            wealth[order[:end]] = float(e[end - 1])

    def value(prefix: tuple[int, ...]) -> float:
        following = [value((*prefix, item)) for item in range(size) if item not in prefix]
        return max(wealth[prefix], float(np.mean(following))) if following else wealth[prefix]

    return value(())
