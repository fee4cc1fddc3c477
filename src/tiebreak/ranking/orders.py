"""The order by pairwise verdicts: those of `compare` on the same labels, all criteria in one family."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tiebreak.checks import data_warnings
from tiebreak.comparison.judgement import judge_pairs
from tiebreak.comparison.processes import evidence_settings
from tiebreak.data.study import Study
from tiebreak.evidence.automatic import AutomaticPairs, RandomOrders, automatic_outcomes, automatic_values
from tiebreak.evidence.human_labels import ValuesByPair
from tiebreak.evidence.items import ItemIndex
from tiebreak.evidence.study_evidence import StudyEvidence, study_evidence
from tiebreak.ranking.sources import from_people, judges_asked
from tiebreak.records import Notice
from tiebreak.results.order import Order, order_of
from tiebreak.results.ranking.settings import RankSettings, asked_sources
from tiebreak.results.settings import CompareSettings


def orders_of(
    study: Study, criteria: Sequence[str | None], settings: RankSettings
) -> tuple[list[Order], tuple[Notice, ...]]:
    """The order that the verdicts on each criterion amount to, and what looks wrong in the labels behind them.

    They rest on people's labels where these are among the sources, else on what the judges say together.
    """
    rules = CompareSettings(
        alpha=settings.alpha,
        multiplicity=settings.multiplicity,
        several=settings.several,
        raters=settings.raters,
        tie_threshold=settings.tie_threshold,
    )
    if from_people(settings):
        labelled = _labels_asked(study, settings)
        evidence = study_evidence(labelled, criteria, evidence_settings(rules))
        warnings = data_warnings(labelled, evidence, settings.several)
    else:

        def judged(criterion: str | None, index: ItemIndex) -> ValuesByPair:
            judges = judges_asked(study, criterion, settings)
            return automatic_outcomes(study, automatic_values(study, criterion, index, (), judges), index, 0.0)

        evidence, warnings = study_evidence(study, criteria, evidence_settings(rules), judged), ()
    return _orders(evidence, rules), warnings


def _orders(evidence: StudyEvidence, rules: CompareSettings) -> list[Order]:
    nothing = AutomaticPairs(evidence.index, evidence.pairs, {}, RandomOrders(0))
    judged = judge_pairs(evidence, nothing, rules, None) if evidence.summaries else []
    found = []
    for criterion in evidence.criteria:
        pairs, judged = judged[: len(criterion.pairs)], judged[len(criterion.pairs) :]
        found.append(
            order_of(
                [name for pair in pairs for name in (pair.system_a, pair.system_b)],
                [(pair.system_a, pair.system_b, pair.verdict, pair.also) for pair in pairs],
            )
        )
    return found


def _labels_asked(study: Study, settings: RankSettings) -> Study:
    """The study without the kind of labels that is no source."""
    kinds = {of.kind for of in asked_sources(settings.sources)}
    if not kinds or {"preferences", "ratings"} <= kinds:
        return study
    return replace(study, ratings=None) if "preferences" in kinds else replace(study, preferences=None)
