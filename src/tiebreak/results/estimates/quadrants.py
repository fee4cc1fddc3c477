"""Where people and a metric agree on outputs and where they do not: points, counts, and a few outputs to read."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

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
