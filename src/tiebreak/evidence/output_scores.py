"""What metrics say of every rated output: of the sample that people rated, where a system has several for an item."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from tiebreak.data.study import Study
from tiebreak.evidence.automatic import AutomaticValues
from tiebreak.evidence.automatic_names import serving
from tiebreak.evidence.rated_systems import RatedSystem, RatedSystems

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class OutputScores:
    """Values (M, n) of the metrics `names` by system, in the order of its rated outputs; higher is better, NaN where
    absent.
    """

    names: tuple[str, ...]
    by_system: dict[str, Floats]

    @classmethod
    def of(cls, study: Study, criterion: str, rated: RatedSystems, automatic: AutomaticValues) -> Self:
        """Of metrics that `automatic` has by item, as means over samples."""
        found = {}
        for one in rated.systems:
            values = automatic.scores[:, automatic.system_row[one.name]][:, one.output_items]
            if len(rated.samples) > 1:
                for row, metric in zip(values, automatic.names, strict=True):
                    row[:] = _of_samples(study, criterion, metric, rated, one, row)
            found[one.name] = values
        return cls(automatic.names, found)


def _of_samples(
    study: Study, criterion: str, metric: str, rated: RatedSystems, one: RatedSystem, by_item: Floats
) -> Floats:
    """Scores (n,) of one metric by sample; `by_item` where its scores name no samples."""
    frame = serving(study.scores, "metric", metric, criterion)
    if frame["sample"].null_count() == frame.height:
        return by_item
    number = {name: k for k, name in enumerate(rated.samples)}
    sign = 1.0 if study.settings.higher_is_better.get(metric, True) else -1.0
    scores = np.full(by_item.size, np.nan)
    place = {code: k for k, code in enumerate(one.outputs.codes.tolist())}
    for item, system, sample, value in frame.select("item", "system", "sample", "value").iter_rows():
        if system == one.name and sample in number:
            at = place.get(rated.index.position[item] * len(number) + number[sample])
            if at is not None:
                scores[at] = sign * value
    return scores
