"""A mean of few bounded values, without order and without approximation: one look, any distribution on [-1, 1].

Null: the mean of h_i in [-1, 1] is at most delta. With lambda = kappa / (1 + delta) each factor
1 + lambda (h_i - delta) is nonnegative and has mean at most 1, so that

    E(delta) = mean over kappa in [0, 1] of prod_i (1 + kappa (h_i - delta) / (1 + delta))

has mean at most 1: the null is rejected at level q where E >= 1/q (Markov), p = min(1, 1/E). E falls as delta rises,
and is the same in every order. It holds for independent items, and for items drawn without replacement from a pool
whose mean is at most delta (Maclaurin's inequality: drawing without replacement makes the product's mean smaller).
Ties change nothing at delta = 0. Eight wins of eight reject at .025, E = (2^9 - 1)/9.
Source: the mixture of Robbins (1970) with the bets of Waudby-Smith & Ramdas (2024), all placed at once.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(40)
_KAPPAS, _SHARES = (_NODES + 1) / 2, _WEIGHTS / 2  # exact for up to 79 items, since the product is a polynomial


def mixture_p(values: Floats, null: float) -> float:
    """p-value of "mean <= null" for `values` (n,) in [-1, 1] and a null in [-1, 1]; 1 without values.

    Never falls as the null rises. Impossible nulls (a value above -1 where the null is -1) have p = 0.
    """
    if null <= -1.0:
        return 0.0 if (values > -1).any() else 1.0
    kinds, counts = np.unique(values, return_counts=True)
    wealth = float(log_wealth(kinds, counts[None, :].astype(np.float64), null)[0])
    return float(np.exp(-max(wealth, 0.0)))


def log_wealth(kinds: Floats, counts: Floats, null: float) -> Floats:
    """log E (R,) of R samples with `counts` (R, D) of the different values `kinds` (D,); a null in (-1, 1]."""
    with np.errstate(divide="ignore"):
        log_products = counts @ np.log1p(np.multiply.outer((kinds - null) / (1 + null), _KAPPAS))
    top = log_products.max(axis=1, initial=-np.inf)
    found: Floats = top + np.log(np.exp(log_products - top[:, None]) @ _SHARES)
    return found
