"""Which metric or judge would have made the labels go further, when none was asked for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tiebreak.comparison.assistance import expected_saving
from tiebreak.data.study import Study
from tiebreak.evidence.automatic import RandomOrders, automatic_values, has_value, pair_automatic
from tiebreak.evidence.automatic_names import known_judges, known_metrics
from tiebreak.evidence.items import ItemIndex
from tiebreak.evidence.pair_evidence import PairEvidence
from tiebreak.evidence.study_evidence import CriterionEvidence
from tiebreak.results.numbers import in_percent
from tiebreak.results.records import PairResult
from tiebreak.results.settings import CompareSettings

_PAIRS_TRIED = 30
_WORTH_SAYING = 0.1  # of the labels


def metric_hint(
    study: Study,
    index: ItemIndex,
    evidence: CriterionEvidence,
    pairs: Sequence[PairResult],
    settings: CompareSettings,
) -> str:
    """One sentence naming the metric with the largest median saving over undecided pairs, or "".

    Nothing to say: a metric is in use already, every pair is decided, no item is without labels, items are clustered,
    or no metric saves a tenth of the labels. Choose a metric before further labels come, not after each look.
    """
    if settings.rule not in ("fixed", "anytime") or not settings.human or settings.metrics or settings.judges:
        return ""
    places = [
        place
        for place, (known, result) in enumerate(zip(evidence.summaries, pairs, strict=True))
        if result.verdict == "undecided" and known.clusters is None
    ]
    undecided = [evidence.pairs[place] for place in places[:_PAIRS_TRIED]]
    if all(index.in_pool(pair.system_a, pair.system_b).sum() == pair.items.size for pair in undecided):
        return ""  # every item is labelled: no metric is worth reading
    best, name, option = 0.0, "", ""
    for kind, known in (("metric", known_metrics), ("judge", known_judges)):
        for candidate in known(study, undecided[0].criterion):
            saving = _median_saving(study, index, undecided, kind, candidate, settings.seed)
            if saving > best:
                best, name, option = saving, candidate, kind
    if best < _WORTH_SAYING:
        return ""
    return (
        f"--{option} {name!r} would save about {in_percent(best)} of the labels of an undecided pair, judging by how "
        "well it predicts those at hand; fix it before more labels come."
    )


def _median_saving(
    study: Study, index: ItemIndex, pairs: Sequence[PairEvidence], kind: str, name: str, seed: int
) -> float:
    metrics, judges = ((name,), ()) if kind == "metric" else ((), (name,))
    values = automatic_values(study, pairs[0].criterion, index, metrics, judges)
    found = []
    orders = RandomOrders(seed)
    for pair in pairs:
        automatic = pair_automatic(pair, index, values, orders)
        judged = has_value(automatic.unlabelled)
        if not judged.any():
            found.append(0.0)
            continue
        saving = expected_saving(pair, automatic.beside(judged), seed)
        found.append(0.0 if saving is None else saving.share)
    return float(np.median(found))
