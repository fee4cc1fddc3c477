"""Sixteen systems, 120 pairs, label by label: what a campaign's thresholds do to a whole family of pairs.

A campaign of 24,000 labels through `step` takes seconds, so that here the vectorised engine plays it; a test holds that
against `step`. Pairs take turns and stop at their verdict. The pairs share items and outputs, so that their labels
depend on each other.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from benchmarks.worlds.campaigns.whole import ALPHA, Play, Played
from benchmarks.worlds.simulation import simulated_rule
from numpy.typing import NDArray

from tiebreak.records import Multiplicity
from tiebreak.simulate.engines.engine import run_matrices
from tiebreak.simulate.engines.policies import SimulatedLabelling

Codes = NDArray[np.int8]
Rng = np.random.Generator

SYSTEMS, ITEMS = 16, 150
GAP = 1.0  # between the two halves, in standard deviations of an output's quality


def decided_by_label(outcomes: Codes, multiplicity: Multiplicity, alpha: float) -> tuple[Codes, NDArray[np.int64]]:
    """Verdicts (K,) of a campaign that looks after every label, 1 for a, -1 for b, 0; and the labels (K,) of each pair.

    `outcomes` (K, n): in the sealed order of each pair. The pairs take turns, one label each.
    """
    pairs, items = outcomes.shape
    rule = simulated_rule("anytime", items, alpha, batch=1, pairs=pairs, multiplicity=multiplicity)
    found = run_matrices(outcomes[None, :, :, None], SimulatedLabelling("one"), rule)
    return found.verdict[0], found.labels[0]


def draw_outcomes(rng: Rng, better: int, items: int = ITEMS) -> Codes:
    """Outcomes (120, items), each pair in an order of its own; the first `better` systems are better by GAP.

    An output's quality is normal around its system's; a person sees the difference of two with noise of the same
    size, and calls a tie what is closer than 0.3.
    """
    quality = rng.normal(size=(items, SYSTEMS)) + GAP * (np.arange(SYSTEMS) < better)
    first, second = np.array(list(combinations(range(SYSTEMS), 2))).T
    seen = (quality[:, first] - quality[:, second]).T + rng.normal(size=(len(first), items))
    return rng.permuted(np.where(np.abs(seen) < 0.3, 0, np.sign(seen)).astype(np.int8), axis=1)


def truth(better: int) -> Codes:
    """(120,) 1 where the first system of the pair is better, 0 where both are equal; the first is never worse."""
    return np.array([int(a < better <= b) for a, b in combinations(range(SYSTEMS), 2)], dtype=np.int8)


def sixteen(rule: Multiplicity, better: int, rate: bool) -> Play:
    """Campaigns of sixteen systems. `rule`: the account of many pairs; `rate`: count the share of wrong
    verdicts among those given, not whether there is one."""
    true = truth(better)

    def play(rng: Rng) -> Played:
        outcomes = draw_outcomes(rng, better)
        verdicts, labels = decided_by_label(outcomes, rule, ALPHA)
        given, wrong = int((verdicts != 0).sum()), int(((verdicts != 0) & (verdicts != true)).sum())
        return Played(wrong / max(given, 1) if rate else float(wrong > 0), given, int(labels.sum()))

    return play
