"""`--rule fixed`: one look at a finished set of labels, at full power, in no order and without a seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tiebreak.comparison.assistance import metric_use
from tiebreak.comparison.pair_result import pair_result
from tiebreak.comparison.people import PeopleTests
from tiebreak.evidence.automatic import AutomaticPairs, PairAutomatic
from tiebreak.evidence.pair_evidence import EvidencePairs, PairEvidence, PairSummary
from tiebreak.evidence.study_evidence import StudyEvidence
from tiebreak.records import Verdict
from tiebreak.results.records import NOT_PROJECTED, Difference, MetricUse, PairResult, Saving
from tiebreak.results.settings import CompareSettings
from tiebreak.rules.finished import FinishedCounts, FinishedSet, FinishedSets, TestKind, all_agreeing, kind_of_test
from tiebreak.rules.finished_family import FinishedFamily, adjusted_p, decide_finished
from tiebreak.rules.fixed import fixed_validity
from tiebreak.rules.power import further_outcomes, further_units, least_units
from tiebreak.rules.rule import ALL_LABELLED, CERTAIN, FRESH_LABELS, TOO_FEW, TOO_FEW_PEOPLE, Validity

Floats = NDArray[np.float64]

Tests = FinishedSets | PeopleTests

_ENOUGH_UNITS = 200  # which decide when all agree, unless the test has said otherwise already


def finished_results(
    evidence: StudyEvidence,
    automatic: AutomaticPairs,
    settings: CompareSettings,
    price: float | None,
    over_people: PeopleTests | None = None,
) -> list[PairResult]:
    """One result per pair, in the same order; all pairs are one family.

    `automatic`: values of metrics and judges, one record per pair, or none at all. `over_people`: the tests, where
    verdicts are to hold for people like these.
    """
    pairs, summaries = evidence.pairs, evidence.summaries
    tests = over_people or FinishedSets(_tested(k, pairs, known, automatic) for k, known in enumerate(summaries))
    family = decide_finished(tests, settings.alpha, settings.multiplicity, settings.margin)
    adjusted = adjusted_p(tests, settings.multiplicity, settings.margin)
    uses: list[MetricUse | None] = [None] * len(pairs)
    if automatic and settings.human and isinstance(tests, FinishedSets):
        uses = [_use(k, pair, automatic.of(pair), tests, settings) for k, pair in enumerate(pairs)]
    few = {
        k
        for k, pair in enumerate(summaries)
        if family.verdicts[k] == "undecided" and _too_few(k, pair, pairs, automatic, tests, family.level)
    }
    found = [
        _result(k, pair, use, tests, family, settings, price, too_few=k in few)
        for k, (pair, use) in enumerate(zip(summaries, uses, strict=True))
    ]
    return (
        found if adjusted is None else [replace(of, p_adjusted=float(p)) for of, p in zip(found, adjusted, strict=True)]
    )


def _too_few(
    k: int, pair: PairSummary, pairs: EvidencePairs, automatic: AutomaticPairs, tests: Tests, level: float
) -> bool:
    """Whether nothing would have been decided, had all labels that are no ties agreed."""
    few = bool(tests.smallest_p[k] > level)
    if isinstance(tests, PeopleTests):
        return few or not tests.decides(k, level)
    if pair.points is not None:  # how far labels that agreed would lie apart is no question of votes
        return few
    of = _tested(k, pairs, pair, automatic) if few or pair.units <= _ENOUGH_UNITS else None
    if not isinstance(of, FinishedSet) or not of.values.size:
        return few
    return bool(FinishedSets([all_agreeing(of)]).p_a[0] > level)


def test_kinds(evidence: Sequence[PairSummary], results: Sequence[PairResult]) -> tuple[TestKind, ...]:
    """The tests that the pairs got, each once. With a metric's help an outcome is a value like a mean."""
    return tuple(dict.fromkeys(_kind(pair, result) for pair, result in zip(evidence, results, strict=True)))


def _kind(pair: PairSummary, result: PairResult) -> TestKind:
    helped = result.metric is not None and result.metric.used
    return kind_of_test(
        clustered=pair.clustered,
        of_means=pair.of_means or helped,
        in_pool=pair.pool_units is not None,
        whole=ALL_LABELLED in result.flags,
    )


def _tested(
    k: int, pairs: EvidencePairs, known: PairSummary, automatic: AutomaticPairs
) -> FinishedSet | FinishedCounts:
    """What the test of a pair needs; of one outcome per item the counts are enough."""
    if automatic or known.clustered or known.of_means:
        pair = pairs[k]
        return finished_set(pair, automatic.of(pair) if automatic else None)
    if known.pool_units is None:
        return FinishedCounts(known.wins, known.ties, known.losses)
    ties = known.ties - known.identical  # known ties: the others stand for their share of all items
    return FinishedCounts(known.wins, ties, known.losses, known.pool_units, known.scale)


def finished_set(pair: PairEvidence, automatic: PairAutomatic | None = None) -> FinishedSet:
    """The evidence of a pair without its order; with the values of metrics and judges, if there are any.

    Items known to be ties, because the outputs are identical, count as outcomes for inputs like these; in a pool and
    among clusters the others stand for their share of all items.
    """
    labels = np.maximum(pair.labels, 1)  # nobody was asked about an identical output: its one outcome is known
    if pair.points is not None:
        labels = np.maximum(labels // 2, 1)  # two ratings make one difference
    if pair.sequence.pool_size is None and pair.units_of is None:
        everything = np.ones(pair.items.size, dtype=np.bool_)
        metrics, of_pool = _metrics(everything, automatic)
        return FinishedSet(
            pair.values, labels, pair.variances, metrics=metrics, pool_metrics=of_pool, points=pair.points
        )
    asked = pair.different
    metrics, of_pool = _metrics(asked, automatic)
    pool_size = pair.sequence.pool_size
    if of_pool is not None and pool_size is not None and of_pool.shape[0] != pool_size:
        metrics = of_pool = None  # items beside the list of the pool: the metric's mean would be that of other items
    share = pair.sequence.scale if pool_size is not None else float(asked.mean())
    if pair.drawn is not None and pair.drawn.in_pool is None:
        pool_size = None  # clusters labelled in part: as if they came from any number of them
    return FinishedSet(
        values=pair.values[asked],
        labels=labels[asked],
        variances=None if pair.variances is None else pair.variances[asked],
        clusters=pair.drawn.numbers if pair.drawn else None if pair.units_of is None else pair.units_of[asked],
        pool_size=pool_size,
        pool_clusters=None if pair.drawn is None else pair.drawn.in_pool,
        claim_size=pair.sequence.pool_size,
        scale=share,
        points=pair.points,
        metrics=metrics,
        pool_metrics=of_pool,
    )


def _metrics(asked: NDArray[np.bool_], automatic: PairAutomatic | None) -> tuple[Floats | None, Floats | None]:
    """Metrics on the labelled items and on the whole pool, NaN where absent; none where no unlabelled item has any."""
    if automatic is None or not automatic.unlabelled_judged:
        return None, None
    labelled = automatic.labelled[asked]
    return labelled, np.concatenate([labelled, automatic.unlabelled])


def _use(
    k: int, pair: PairEvidence, automatic: PairAutomatic, tests: FinishedSets, settings: CompareSettings
) -> MetricUse:
    """What the metrics did for the pair: a share of the labels saved is 1 less the squared ratio of widths."""
    use = replace(metric_use(pair, automatic, settings.metric_tie_threshold), used=False)
    held_out = tests.helped.get(k)
    if held_out is None:
        return replace(use, unused="unlisted" if automatic.unlabelled_judged else "all-labelled")
    if held_out.unused is not None:
        return replace(use, unused=held_out.unused)
    saved = Saving(1 - held_out.width_ratio**2, 1 - held_out.ratio_high**2, 1 - held_out.ratio_low**2)
    helping = tuple(name for name, share in zip(use.names, held_out.used.tolist(), strict=True) if share)
    return replace(use, used=True, helping=helping, saved=saved)


def _result(
    k: int,
    pair: PairSummary,
    use: MetricUse | None,
    tests: Tests,
    family: FinishedFamily,
    settings: CompareSettings,
    price: float | None,
    *,
    too_few: bool,
) -> PairResult:
    verdict = family.verdicts[k]
    whole = pair.pool_units is not None and pair.units == pair.pool_units
    validity = fixed_validity(settings, family, len(family.verdicts), people=isinstance(tests, PeopleTests))
    over_people = isinstance(tests, PeopleTests)
    few = TOO_FEW_PEOPLE if over_people and tests.smallest_p[k] > family.level else TOO_FEW
    open_ended = over_people and verdict == "undecided"
    if whole:
        validity = Validity(f"{validity}, {FRESH_LABELS}", of="fresh-labels") if pair.of_means else CERTAIN
    if not settings.human:
        validity = replace(validity, says=f"{validity}, of what metrics and judges say")
    estimate = float(tests.estimates[k])
    also: Verdict | None = "equivalent" if family.equivalent[k] and verdict in ("a", "b") else None
    found = pair_result(
        pair,
        verdict,
        Difference(estimate, float(family.low[k]), float(family.high[k]), validity),
        0 if verdict != "undecided" else _further_units(k, pair, tests, family, settings.margin),
        price,
        margin=settings.margin,
        drawn=pair.drawn,
        flags=(
            *((ALL_LABELLED,) if whole else ()),
            *((few,) if too_few else ()),
            *((NOT_PROJECTED,) if open_ended else ()),
        ),
    )
    return replace(
        found,
        over_people=tests.spread(k, family.level) if isinstance(tests, PeopleTests) else None,
        also=also,
        p_value=min(1.0, 2 * float(min(tests.p_a[k], tests.p_b[k]))),
        equivalence_interval=family.equivalence_interval(k),
        effective_clusters=pair.effective_clusters,
        metric=use,
    )


def _further_units(k: int, pair: PairSummary, tests: Tests, family: FinishedFamily, margin: float | None) -> int | None:
    """Until the nearest verdict has a chance of 80%, if all goes on as before; None where people have to be more."""
    if isinstance(tests, PeopleTests):
        return None
    units, pool = (pair.units, pair.pool_units) if pair.drawn is None else (pair.drawn, pair.drawn_from)
    difference = abs(float(tests.estimates[k]))
    helped = k in tests.helped and bool(tests.helped[k].used.any())
    if helped or pair.of_means or pair.clustered or pool is not None:
        half_width = float(family.high[k] - family.low[k]) / 2
        least = least_units(family.level)  # with fewer not even a perfect streak would decide
        needs = [further_units(units, half_width, difference, family.level, pool, least=least)]
    else:
        needs = [further_outcomes(pair.wins, pair.ties, pair.losses, family.level)]
    interval, level = family.equivalence_interval(k), family.equivalence_level
    if margin is not None and interval is not None and level is not None:
        needs.append(further_units(units, (interval[1] - interval[0]) / 2, margin - difference, level, pool))
    found = [need for need in needs if need is not None]
    return min(found) if found else None
