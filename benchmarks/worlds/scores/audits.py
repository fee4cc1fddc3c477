"""The intervals of `audit`: agreement, kappa, win rates and what corrects them, flips, probabilities, errors of two."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import astuple
from typing import Final

import numpy as np
from benchmarks.cells import Cell, Counts, Measure, Rng
from benchmarks.worlds.scores.intervals import Missed, missed
from benchmarks.worlds.scores.judged import UNSEEN, World, both_orders, drawn, figures, study_of, truth
from numpy.typing import NDArray
from scipy.special import ndtri

from tiebreak.auditing.audit import audit_with
from tiebreak.data.study import Study
from tiebreak.records import Raters
from tiebreak.results.audits import Audit, Estimate
from tiebreak.results.settings import AuditSettings

Floats = NDArray[np.float64]

RUNS: Final = 1_000
FIGURES: Final = (
    "agreement", "decided", "a preferred", "kappa", "people", "judge", "difference", "corrected",
    "corrected by chances", "flips", "errors of two", "Brier", "log loss", "too sure", "reliability",
)  # fmt: skip
CONTROLS: Final = ("single comparisons", "by the judge alone")

_BIN: Final = 0.6
"""Where the bin of the table of reliability begins that is counted."""

_CLUSTERS: Final = "20 clusters"
_FEW: Final = "30 items"

WORLDS: Final = (
    World("100 of 300 items", 300, 100),
    World("30 of 300 items", 300, 30, because=_FEW),
    World("a judge that leans by 1, and is too sure", 300, 100, lean=1.0, sure=3.0),
    World("200 of 600, in 20 of 60 clusters of 10", 600, 200, cluster=10, because=_CLUSTERS),
    World("60 of 150 items, 3 samples, 2 of them labelled", 150, 60, samples=3, shown=2),
    World("100 of 300, rated by different people", 300, 100, people=20),
    World("these items: 100 of 200", 200, 100, target="items"),
    World("these items: 90 of 100", 100, 90, target="items"),
    World("these items: 200 of 400, in 20 of 40 clusters of 10", 400, 200, cluster=10, target="items",
          because=_CLUSTERS),
    World("these items: 60 of 100, 3 samples, 2 of them labelled", 100, 60, samples=3, shown=2, target="items"),
)  # fmt: skip


def counted(world: World) -> Measure:
    """Intervals that miss, of one pair of systems."""

    def measure(rng: Rng, runs: int) -> Counts:
        found = Missed()
        for _ in range(runs):
            of = drawn(world, rng, world.judged)
            study, labelled = study_of(world, of, rng)
            true = truth(world) if world.target == "inputs" else figures(of)
            for name, interval in intervals_of(audited(world, study)).items():
                found.add(name, interval, true[name])
            part = of.taken(labelled, world.shown)
            said = both_orders(part)
            found.add("single comparisons", binomial((said == part.human).ravel()), true["agreement"])
            found.add("by the judge alone", binomial(((1 + both_orders(of)) / 2).ravel()), true["people"])
        return found.total(dict.fromkeys((*FIGURES, *CONTROLS)))

    return measure


def audited(world: World, study: Study) -> Audit:
    """What `audit` finds."""
    raters: Raters = "any" if world.people else "same"
    return audit_with(study, AuditSettings(judges=("all",), target=world.target, raters=raters, tie_threshold=UNSEEN))


def intervals_of(found: Audit) -> Mapping[str, Estimate]:
    """By name; figures that an audit lacks are left out."""
    of = next(each for each in found.results if each.name == "gpt")
    (pair,), (two,) = of.pairs, found.together
    stated, orders = of.probabilities, of.orders
    intervals = {
        "agreement": of.agreement.all,
        "decided": of.agreement.decided,
        "a preferred": of.agreement.recall[0],
        "kappa": of.agreement.kappa,
        "people": pair.outcomes.by_people,
        "judge": pair.outcomes.by_source,
        "difference": pair.outcomes.difference,
        "corrected": pair.outcomes.corrected,
        "errors of two": two.correlation,
    }
    if pair.expected is not None:
        intervals["corrected by chances"] = pair.expected.corrected
    if orders is not None:
        intervals["flips"] = orders.flips
    if stated is not None:
        intervals |= {"Brier": stated.brier, "log loss": stated.log_loss, "too sure": stated.excess}
        row = next((row for row in stated.reliability if row.low == _BIN), None)
        intervals |= {} if row is None else {"reliability": row.agrees}
    return intervals


def binomial(hits: Floats) -> Estimate:
    """The control: Wald's interval of comparisons that are each drawn by itself, of a population without an end."""
    share, count = float(hits.mean()), hits.size
    reach = float(ndtri(0.975)) * math.sqrt(share * (1 - share) / count)
    return Estimate(share, share - reach, share + reach, count, count)


def cells() -> Iterator[Cell]:
    """All cells of this module."""
    for world in WORLDS:
        yield Cell(
            "audit",
            world.name,
            "corner" if world.because else "ordinary",
            counted(world),
            RUNS,
            astuple(world),
            tuple(missed(name) for name in FIGURES),
        )
