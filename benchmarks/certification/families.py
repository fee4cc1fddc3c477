"""Sixteen systems, 120 pairs, label by label: what a campaign's thresholds do to a whole family of pairs.

A campaign of 24,000 labels through `step` takes seconds, so that here the evidence of all pairs is computed at once and
the thresholds are applied label by label as the campaign's rule does; a test holds it against `step`. Pairs take turns
and stop at their verdict. The pairs share items and outputs, so that their labels depend on each other.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations

import numpy as np
from benchmarks.certification.whole_campaigns import ALPHA, Play, Played
from numpy.typing import NDArray

from tiebreak.decisions.anytime import EvidencePaths
from tiebreak.decisions.family import FamilyRule, decide_family
from tiebreak.kernels import bet_mixture
from tiebreak.kernels import multiplicity as kernel

Floats = NDArray[np.float64]
Codes = NDArray[np.int8]
Rng = np.random.Generator
Thresholds = Callable[[Floats, float], Floats]  # from running maxima (K, 2) of log E, and alpha, to (K,) or ()

SYSTEMS, ITEMS = 16, 150
GAP = 1.0  # between the two halves, in standard deviations of an output's quality


def holm(sup: Floats, alpha: float) -> Floats:
    """What each pair faces under Holm."""
    return kernel.holm_directions(sup, alpha).log_threshold


def benjamini_yekutieli(sup: Floats, alpha: float) -> Floats:
    """The common threshold of a campaign with a false discovery rate."""
    found = int(kernel.benjamini_yekutieli(kernel.p_from_sup(sup.ravel()), alpha).sum())
    harmonic = float(np.sum(1.0 / np.arange(1, sup.size + 1)))
    return np.full(len(sup), math.log(sup.size * harmonic / alpha) - math.log(max(found, 1)))


def each_by_itself(sup: Floats, alpha: float) -> Floats:
    """No account of the other pairs."""
    return np.full(len(sup), math.log(2 / alpha))


RULES: dict[str, Thresholds] = {"holm": holm, "fdr": benjamini_yekutieli, "none": each_by_itself}


def log_e_paths(outcomes: Codes) -> Floats:
    """log E (K, 2, n), for a and for b, of outcomes (K, n) in the sealed order of each pair."""
    prior = bet_mixture.default_prior()
    counts = [np.cumsum(outcomes == code, axis=1, dtype=np.float64) for code in (-1, 0, 1)]
    losses, ties, wins = counts
    for_a = bet_mixture.log_e_from_counts(losses, ties, wins, prior)
    for_b = bet_mixture.log_e_from_counts(wins, ties, losses, prior)
    return np.stack([for_a, for_b], axis=1)


def decided_by_label(paths: Floats, thresholds: Thresholds, alpha: float) -> tuple[Codes, NDArray[np.int64]]:
    """Verdicts (K,) of a campaign that looks after every label: 1 for a, -1 for b, 0; and the labels (K,) of each pair.
    A verdict stands, and its pair gets no more labels.

    No threshold is below log(1/alpha), so that a pair below it changes nothing for any pair.
    """
    sup = np.maximum.accumulate(paths, axis=2)
    reached = sup.max(axis=1) >= math.log(1 / alpha)
    matters = reached & (np.diff(sup, axis=2, prepend=-np.inf) > 0).any(axis=1)
    now = np.zeros(sup.shape[:2])
    verdicts = np.zeros(len(sup), dtype=np.int8)
    labels = np.full(len(sup), sup.shape[2])
    for label in range(sup.shape[2]):
        for pair in np.flatnonzero(matters[:, label]):
            if verdicts[pair]:
                continue
            now[pair] = sup[pair, :, label]
            new = (now.max(axis=1) >= thresholds(now, alpha)) & (verdicts == 0)
            verdicts[new] = np.where(now[new, 0] >= now[new, 1], 1, -1)
            # Pairs decided by another one's label have had one in this round if their turn came earlier.
            labels[new] = label + (np.flatnonzero(new) <= pair)
    return verdicts, labels


def by_e_bh(paths: Floats, alpha: float) -> tuple[Codes, NDArray[np.int64]]:
    """Verdicts (K,) and labels (K,) of `compare` on complete labels, which looks once, at the end: e-BH."""
    rule = FamilyRule(alpha, "fdr", independent_stops=True)
    found = decide_family([EvidencePaths(for_a, for_b, None, None) for for_a, for_b in paths], rule)
    verdicts = np.array([{"a": 1, "b": -1}.get(pair.verdict, 0) for pair in found], dtype=np.int8)
    return verdicts, np.full(len(paths), paths.shape[2])


def draw_outcomes(rng: Rng, better: int, items: int = ITEMS) -> Codes:
    """Outcomes (120, items), each pair in an order of its own; the first `better` systems are better by GAP.

    An output's quality is normal around its system's; a person sees the difference of two with noise of the same
    size, and calls a tie what is closer than .3.
    """
    quality = rng.normal(size=(items, SYSTEMS)) + GAP * (np.arange(SYSTEMS) < better)
    first, second = np.array(list(combinations(range(SYSTEMS), 2))).T
    seen = (quality[:, first] - quality[:, second]).T + rng.normal(size=(len(first), items))
    return rng.permuted(np.where(np.abs(seen) < 0.3, 0, np.sign(seen)).astype(np.int8), axis=1)


def truth(better: int) -> Codes:
    """(120,) 1 where the first system of the pair is better, 0 where both are equal; the first is never worse."""
    return np.array([int(a < better <= b) for a, b in combinations(range(SYSTEMS), 2)], dtype=np.int8)


def sixteen(rule: str, better: int, rate: bool) -> Play:
    """Campaigns of sixteen systems. `rule`: a name of `RULES`, or "e-bh"; `rate`: count the share of wrong verdicts
    among those given, not whether there is one."""
    true = truth(better)

    def play(rng: Rng) -> Played:
        paths = log_e_paths(draw_outcomes(rng, better))
        verdicts, labels = by_e_bh(paths, ALPHA) if rule == "e-bh" else decided_by_label(paths, RULES[rule], ALPHA)
        given, wrong = int((verdicts != 0).sum()), int(((verdicts != 0) & (verdicts != true)).sum())
        return Played(wrong / max(given, 1) if rate else float(wrong > 0), given, int(labels.sum()))

    return play
