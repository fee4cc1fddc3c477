"""When labels cannot decide: what difference they could have found.

Which metric or judge would have made the labels go further, when none was asked for.
"""

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
from tiebreak.messages.advice import findable, findable_with_budget, helpful_metric
from tiebreak.numbers import counted, in_percent
from tiebreak.results.records import CONTRADICTION, PairResult
from tiebreak.results.settings import CompareSettings
from tiebreak.rules.family import Family
from tiebreak.rules.power import PlannedPower, drawn_tie_rate
from tiebreak.rules.registry import RULES


def undecided_advice(
    evidence: Sequence[PairEvidence], pairs: Sequence[PairResult], settings: CompareSettings, family: int
) -> tuple[str, ...]:
    """What a plan of as many units finds in 80% of studies; nothing if every pair is decided.

    Only for rules that plan items, with the ties of all undecided pairs. What a mean or a cluster lacks in its square
    counts as ties.
    """
    open_pairs = [p.verdict == "undecided" and CONTRADICTION not in p.flags for p in pairs]
    undecided = [(e, p) for e, p, is_open in zip(evidence, pairs, open_pairs, strict=True) if is_open]
    if not undecided or not RULES[settings.rule].plans_items:
        return ()
    items = max(p.items for _, p in undecided)
    ties = sum(p.ties for _, p in undecided) / max(1, sum(p.items for _, p in undecided))
    sequences = [e.sequence for e, _ in undecided]
    best = max(sequences, key=len)
    units = sum(len(sequence) for sequence in sequences)
    square = 1 - drawn_tie_rate(sum(float((1 - sequence.for_a**2).sum()) for sequence in sequences), units)
    tested = family if settings.multiplicity != "none" else 1
    own = Family(settings.alpha, "bonferroni", max(tested, 1), settings.margin is not None)
    power = PlannedPower.of(own, square, pool=best.pool_size)

    def found_with(planned: int) -> float | None:
        found = power.found(planned) if planned else None
        return None if found is None else best.scale * found

    most = "at most " if len({p.items for _, p in undecided}) > 1 else ""
    advice = [findable(found_with(len(best)), f"{most}{counted(items, 'item')} per pair and {in_percent(ties)} ties")]
    if settings.items_per_pair is not None and any(p.budget_left for _, p in undecided):
        whole = found_with(max(e.most_units or 0 for e, _ in undecided))
        advice.append(findable_with_budget(whole, settings.items_per_pair))
    return tuple(advice)


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
    if not RULES[settings.rule].controls_error or not settings.human or settings.metrics or settings.judges:
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
    return helpful_metric(option, name, best)


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
