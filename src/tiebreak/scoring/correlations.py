"""How metrics go with the labels of a study: over instances, within systems, and between the systems' means.

Of ratings by `estimation/efficiency.py`. Of preferences an instance is one system's value on an item against another
system, in [-1, 1], beside the difference of their scores; each comparison counts once from either side, so that it
makes no difference which system is named first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from tiebreak.data.study import Study
from tiebreak.estimation.efficiency import correlations
from tiebreak.evidence.automatic import AutomaticValues, automatic_values
from tiebreak.evidence.automatic_names import known_metrics
from tiebreak.evidence.derived import with_derived
from tiebreak.evidence.items import ItemIndex
from tiebreak.evidence.rated_systems import OutputScores, RatedSystems
from tiebreak.evidence.study_evidence import CriterionEvidence, EvidenceSettings, study_evidence
from tiebreak.kernels.data_efficiency import RatingCorrelations, rating_correlations
from tiebreak.scoring.records import LabelCorrelations

_UNORDERED: Final = EvidenceSettings(ordered=False)


def label_correlations(study: Study, metrics: Sequence[str]) -> tuple[LabelCorrelations, ...]:
    """Of these metrics, on every criterion that has labels, those that follow from edits and spans among them."""
    labelled = with_derived(study, beside=False)
    if not labelled.criteria:
        return ()
    index = ItemIndex.of(labelled)
    return tuple(found for criterion in labelled.criteria for found in _on(labelled, criterion, index, metrics))


def _on(study: Study, criterion: str | None, index: ItemIndex, metrics: Sequence[str]) -> Iterator[LabelCorrelations]:
    names = [name for name in metrics if name in known_metrics(study, criterion)]
    if not names:
        return
    automatic = automatic_values(study, criterion, index, names, ())
    rated = None if criterion is None else RatedSystems.of(study, criterion, index, "inputs")
    if criterion is not None and rated is not None:
        for name, found in correlations(rated, OutputScores.of(study, criterion, rated, automatic)):
            yield LabelCorrelations(criterion, "ratings", name, found)
        return
    evidence = study_evidence(study, [criterion], _UNORDERED).criteria[0]
    for place, name in enumerate(names):
        yield LabelCorrelations(criterion, "preferences", name, _of_preferences(evidence, automatic, place))


def _of_preferences(evidence: CriterionEvidence, automatic: AutomaticValues, place: int) -> RatingCorrelations:
    """Those of the metric at a place, with the labels of all pairs."""
    human, metric, systems, items = [], [], [], []
    for pair in evidence.pairs:
        labelled = pair.labels > 0
        scores = automatic.of_pair(pair.system_a, pair.system_b)[pair.items, place]
        known = labelled & ~np.isnan(scores)
        for sign, system in ((1.0, pair.system_a), (-1.0, pair.system_b)):
            human.append(sign * pair.values[known])
            metric.append(sign * scores[known])
            systems.append(np.full(int(known.sum()), automatic.system_row[system], dtype=np.intp))
            items.append(pair.items[known])
    if not human:
        empty = np.zeros(0)
        return rating_correlations(empty, empty, empty.astype(np.intp), empty.astype(np.intp))
    return rating_correlations(*(np.concatenate(of) for of in (human, metric, systems, items)))
