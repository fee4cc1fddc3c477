"""What `estimate` found: frozen records that know how to become frames and a JSON-ready dictionary.

Where people and a metric agree on outputs and where they do not: points, counts, and a few outputs to read.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiebreak.kernels.data_efficiency import DataEfficiency, PerfectMetric, RatingCorrelations
from tiebreak.kernels.held_out_regression import Unused
from tiebreak.kernels.influence import IntervalEstimate
from tiebreak.kernels.rating_mean import RatingVariance
from tiebreak.records import Notice, document
from tiebreak.results.settings import EstimateSettings
from tiebreak.results.shown import ShownResult
from tiebreak.version import __version__

_FIGURES: Final[dict[str, type[pl.DataType]]] = dict.fromkeys(("estimate", "low", "high"), pl.Float64)
SYSTEMS: Final[dict[str, type[pl.DataType]]] = {
    "criterion": pl.String, "system": pl.String, "items": pl.Int64, "ratings": pl.Int64, **_FIGURES,
}  # fmt: skip
DIFFERENCES: Final[dict[str, type[pl.DataType]]] = {
    "criterion": pl.String, "system_a": pl.String, "system_b": pl.String, "items": pl.Int64, **_FIGURES,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class MetricGain:
    """The mean with the help of metrics. `metrics`: those that helped, none where no rated output showed that they do.

    `saved`: the share of ratings that they save here, None where they cannot help. `unused`: why none helped.
    """

    mean: IntervalEstimate
    metrics: tuple[str, ...]
    saved: IntervalEstimate
    unused: Unused | None

    @property
    def efficiency(self) -> IntervalEstimate:
        """Ratings without metrics for one with them, at this number of ratings: below 1 where they cost something."""
        ends = (self.saved.estimate, self.saved.low, self.saved.high)
        return IntervalEstimate(*(None if share is None or share >= 1 else 1 / (1 - share) for share in ends))


@dataclass(frozen=True, slots=True)
class MetricEfficiency:
    """What one metric would save of single ratings, by the outputs that have both."""

    metric: str
    efficiency: DataEfficiency


@dataclass(frozen=True, slots=True)
class SystemEstimate:
    """One system on one criterion. `items`, `outputs`, `ratings`: how many; `pool`: items that could have been rated.

    `clusters`: units of evidence where items belong together, else None. `help`: with metrics, if any were named;
    `rho`: the correlation of the only one with what people mean, None where several were named or it is not identified.
    """

    system: str
    items: int
    outputs: int
    ratings: int
    pool: int
    clusters: int | None
    mean: IntervalEstimate
    help: MetricGain | None
    rho: float | None
    variance: RatingVariance
    perfect: PerfectMetric
    efficiencies: tuple[MetricEfficiency, ...]


@dataclass(frozen=True, slots=True)
class DifferenceEstimate:
    """Mean rating of `system_a` minus that of `system_b`, on the items where they can be compared."""

    system_a: str
    system_b: str
    items: int
    ratings: int
    mean: IntervalEstimate
    help: MetricGain | None


def best_of(one: SystemEstimate | DifferenceEstimate) -> IntervalEstimate:
    """The mean with metrics where any were named, else without."""
    return one.mean if one.help is None else one.help.mean


@dataclass(frozen=True, slots=True)
class CriterionEstimates:
    """All systems on one criterion. `variance`, `perfect`, `efficiencies`: within systems, over all of them; `pooled`:
    of all outputs as if of one system, as the paper has it. `correlations`: by metric. `scale`: as study.toml says.
    `derived_from`: the table of labels that the ratings follow from, None where people gave them. `unvalidated`:
    metrics that have no value of any output that people rated.
    """

    criterion: str
    scale: tuple[float, float] | None
    systems: tuple[SystemEstimate, ...]
    differences: tuple[DifferenceEstimate, ...]
    variance: RatingVariance
    pooled: RatingVariance
    perfect: PerfectMetric
    efficiencies: tuple[MetricEfficiency, ...]
    correlations: tuple[tuple[str, RatingCorrelations], ...]
    derived_from: str | None = None
    unvalidated: tuple[str, ...] = ()

    def metrics_by_use(self) -> list[str]:
        """The metrics, by their correlation within systems; those without one, where it cannot be had, last."""
        within = {name: of.within.estimate for name, of in self.correlations}
        return sorted(within, key=lambda name: (within[name] is None, -(within[name] or 0.0)))


@dataclass(frozen=True, repr=False)
class EstimateResult(ShownResult):
    """Estimates of all criteria; `study`: its name; `own_analysis`: why the number of labels was not fixed, or None."""

    study: str
    results: tuple[CriterionEstimates, ...]
    warnings: tuple[Notice, ...]
    settings: EstimateSettings
    own_analysis: str | None = None

    @cached_property
    def systems(self) -> pl.DataFrame:
        """One row per criterion and system: `criterion`, `system`, `items`, `ratings`, `estimate`, `low`, `high`."""
        rows = [
            (found.criterion, one.system, one.items, one.ratings, best.estimate, best.low, best.high)
            for found in self.results
            for one in found.systems
            for best in (best_of(one),)
        ]
        return pl.DataFrame(rows, schema=SYSTEMS, orient="row")

    @cached_property
    def differences(self) -> pl.DataFrame:
        """One row per criterion and pair: `criterion`, `system_a`, `system_b`, `items`, `estimate`, `low`, `high`."""
        rows = [
            (found.criterion, one.system_a, one.system_b, one.items, best.estimate, best.low, best.high)
            for found in self.results
            for one in found.differences
            for best in (best_of(one),)
        ]
        return pl.DataFrame(rows, schema=DIFFERENCES, orient="row")

    @property
    def table(self) -> pl.DataFrame:
        """That of the systems."""
        return self.systems

    @property
    def facts(self) -> tuple[str, ...]:
        """The mean of each system on each criterion."""
        several = len(self.results) > 1
        return tuple(
            f"{system} {'unknown' if mean is None else format(mean, '.3g')}" + (f" on {criterion}" if several else "")
            for criterion, system, mean in self.systems.select("criterion", "system", "estimate").iter_rows()
        )

    def to_dict(self) -> dict[str, object]:
        """The same as JSON-ready lists and dictionaries; null is what the data do not identify."""
        return {
            "tiebreak": __version__,
            "study": self.study,
            "settings": self.settings.to_dict(),
            "own_analysis": self.own_analysis,
            "results": [_criterion(found) for found in self.results],
            "warnings": [notice.to_dict() for notice in self.warnings],
        }


def _criterion(found: CriterionEstimates) -> dict[str, object]:
    paper = {name: getattr(found.pooled, name).estimate for name in ("sigma_f2", "sigma_a2", "gamma", "ceiling")}
    return document(
        found, "variance", "pooled", "perfect", "efficiencies",
        systems=[_system(one) for one in found.systems],
        differences=[
            document(one, "mean", "help", **document(one.mean), control_variates=_help(one.help))
            for one in found.differences
        ],
        all_systems=_variance(found.variance, found.perfect, found.efficiencies),
        pooled_as_in_paper=paper,
        correlations=[{"metric": name, **document(of)} for name, of in found.correlations],
    )  # fmt: skip


def _system(one: SystemEstimate) -> dict[str, object]:
    helped = {
        "control_variates": _help(one.help),
        "efficiency": IntervalEstimate() if one.help is None else one.help.efficiency,
        "rho": None if one.help is None else one.rho,
    }
    variance = _variance(one.variance, one.perfect, one.efficiencies)
    return document(one, "help", "variance", "perfect", "efficiencies", **helped) | variance


def _help(of: MetricGain | None) -> dict[str, object] | None:
    return None if of is None else document(of, "mean", "unused", **document(of.mean))


def _variance(
    variance: RatingVariance, perfect: PerfectMetric, efficiencies: tuple[MetricEfficiency, ...]
) -> dict[str, object]:
    return {
        "sigma_f2": variance.sigma_f2.estimate,
        "sigma_a2": variance.sigma_a2.estimate,
        "gamma": variance.gamma.estimate,
        "intervals": {
            name: [getattr(variance, name).low, getattr(variance, name).high]
            for name in ("sigma_f2", "sigma_a2", "gamma", "ceiling")
        },
        "ceiling": variance.ceiling.estimate,
        "why_not": variance.reason,
        "perfect_metric": {"leave_one_out": perfect.leave_one_out, "as_in_paper": perfect.as_in_paper},
        "metrics": [
            {
                "metric": one.metric,
                "outputs": one.efficiency.outputs,
                "rho": asdict(one.efficiency.rho),
                "rho_observed": asdict(one.efficiency.rho_observed),
                "efficiency": asdict(one.efficiency.realised),
                "population_efficiency": asdict(one.efficiency.population),
                "pays_from": asdict(one.efficiency.pays_from),
                "noiseless": one.efficiency.noiseless,
                "why_not": one.efficiency.reason,
            }
            for one in efficiencies
        ],
    }


Floats = NDArray[np.float64]
Places = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Example:
    """An output of a quadrant, with the mean rating that people gave it and the value of the metric. `sample`: which
    of several outputs of the system, or None.
    """

    item: str
    system: str
    sample: str | None
    human: float
    metric: float
    text: str

    @property
    def output(self) -> str:
        """ "new on i3", or "new, sample 2, on i3"."""
        sample = "" if self.sample is None else f", sample {self.sample},"
        return f"{self.system}{sample} on {self.item}"


@dataclass(frozen=True, slots=True)
class Quadrant:
    """Outputs that people, and the metric, put above the median of all (`high`), or not."""

    human_high: bool
    metric_high: bool
    count: int
    examples: tuple[Example, ...]

    @property
    def words(self) -> str:
        """ "people high, metric low"."""
        return f"people {_LEVEL[self.human_high]}, metric {_LEVEL[self.metric_high]}"


_LEVEL = {True: "high", False: "low"}


@dataclass(frozen=True, slots=True, eq=False)
class MetricPoints:
    """All rated outputs (n,) of a criterion that have a value of the metric: the number of their system, their mean
    rating and the metric, as it is; and the four quadrants about the medians `human_middle` and `metric_middle`.
    """

    criterion: str
    metric: str
    lower_is_better: bool
    systems: tuple[str, ...]
    system: Places
    human: Floats
    value: Floats
    human_middle: float
    metric_middle: float
    quadrants: tuple[Quadrant, ...]

    @property
    def label(self) -> str:
        """The metric's name, and which way it goes where that is not the usual one."""
        return f"{self.metric} (lower is better)" if self.lower_is_better else self.metric

    def correlations(self) -> Floats:
        """Pearson's over the outputs of each system (S,), above 0 where people prefer what the metric does; NaN where
        one of the two is constant.
        """
        sign = -1.0 if self.lower_is_better else 1.0
        found = np.full(len(self.systems), np.nan)
        for number in range(found.size):
            human, value = (of[self.system == number] for of in (self.human, self.value))
            if human.size > 1 and np.ptp(human) > 0 and np.ptp(value) > 0:
                found[number] = sign * np.corrcoef(human, value)[0, 1]
        return found

    def to_dict(self) -> dict[str, object]:
        """The quadrants, JSON-ready."""
        return {
            "criterion": self.criterion,
            "metric": self.metric,
            "lower_is_better": self.lower_is_better,
            "outputs": int(self.human.size),
            "human_middle": self.human_middle,
            "metric_middle": self.metric_middle,
            "quadrants": [asdict(of) for of in self.quadrants],
        }
