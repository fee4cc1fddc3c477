"""The verdict of a campaign with everything that its log knows beside the state: people, why it was stopped, curves.

What a campaign of ratings has found out, with all that its log knows beside the state: people, withdrawals.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import polars as pl

from tiebreak.campaign import verdicts
from tiebreak.campaign.estimates import estimates, evidence_curves
from tiebreak.campaign.labelling import OUTCOME_POLICIES
from tiebreak.checks import data_warnings
from tiebreak.comparison.assistance import metric_use
from tiebreak.comparison.pair_result import study_agreement
from tiebreak.data.tables import fingerprint_of_labels
from tiebreak.evidence.automatic import automatic_pairs, automatic_values
from tiebreak.evidence.study_evidence import EvidenceSettings, StudyEvidence, study_evidence
from tiebreak.live.accounts import accounts
from tiebreak.live.campaign import LiveCampaign
from tiebreak.live.export import labels_in_evidence, labels_in_time
from tiebreak.messages.campaign import headline_words, withdrawn_notice
from tiebreak.messages.measured import headline_words as measured_headline
from tiebreak.messages.own_analysis import without_promise
from tiebreak.messages.paper import paper_sentence
from tiebreak.messages.watch import LISTED_PROMISE
from tiebreak.records import Notice
from tiebreak.results.comparison_terms import doubted
from tiebreak.results.measured import MeasuredResult
from tiebreak.results.order import Annotators
from tiebreak.results.progress import CampaignProgress
from tiebreak.results.records import AnnotatorAgreement, CompareResult, MetricUse, PairResult


def result_of(campaign: LiveCampaign, *, with_curves: bool = True) -> CompareResult:
    """The campaign's own verdict, as of its last refresh: what `status`, `report`, `plot` and `compare` show.

    `with_curves`: how the evidence grew, too, which takes the time of one more replay.
    """
    curves = evidence_curves(campaign.beginning, campaign.events()) if with_curves else {}
    found = verdicts(campaign.state, curves)
    study = found.study | {
        "name": campaign.study.name,
        "fingerprint": fingerprint_of_labels(labels_in_time(campaign), None),
    }
    (criterion,) = found.results
    used = labels_in_evidence(campaign)
    counted = _by_person(used)
    agreement, warnings, metrics = _looked_over(campaign, used)
    pairs = _with_metrics(campaign, criterion.pairs, metrics)
    terms = doubted(found.terms, warnings)
    criterion = replace(
        criterion,
        pairs=pairs,
        people=counted,
        agreement=agreement,
        annotators=tuple(sorted(counted.names)),
        for_paper=paper_sentence(
            pairs,
            terms,
            criterion=criterion.criterion,
            from_ratings=False,
            people=len(counted),
            labels=criterion.labels,
        ),
    )
    result = replace(
        found,
        study=study,
        terms=terms,
        folder=campaign.folder.resolve().name,
        results=(criterion,),
        warnings=(*taken_back_notice(campaign), *found.warnings, *warnings),
        campaign=replace(progress_of(found), people=accounts(campaign), stop_reason=campaign.stop_reason),
    )
    return without_promise(result, LISTED_PROMISE) if terms.guarantee == LISTED_PROMISE else result


def taken_back_notice(campaign: LiveCampaign) -> tuple[Notice, ...]:
    """What somebody took back, and when: whoever reads the verdict must know."""
    withdrawn = campaign.ledger.withdrawn.values()
    return withdrawn_notice([(of.event.systems, of.event.item, of.when, of.event.reason) for of in withdrawn])


Standing = CompareResult | MeasuredResult
"""How a campaign stands: its verdicts, or its estimates of ratings."""


def standing_of(campaign: LiveCampaign) -> Standing:
    """Its own verdicts, or its estimates of ratings, without curves."""
    return measured_of(campaign) if campaign.protocol.rates else result_of(campaign, with_curves=False)


def headline_of(found: Standing) -> str:
    """Labels, and how much is decided or known, in one line."""
    if isinstance(found, MeasuredResult):
        return measured_headline(found)
    return headline_words(progress_of(found), found.terms.family, found.undecided)


def progress_of(found: Standing) -> CampaignProgress:
    """Where the campaign stands whose result this is."""
    if found.campaign is None:
        raise ValueError("this is no campaign's result")
    return found.campaign


def _looked_over(
    campaign: LiveCampaign, labels: pl.DataFrame | None
) -> tuple[tuple[AnnotatorAgreement, ...], tuple[Notice, ...], dict[tuple[str, str], MetricUse]]:
    """How far people agree, what may mislead in their labels, and how metrics compare with them, by pair; as `compare`
    finds it of the same labels.

    `labels`: those in evidence, of which a label rule makes the values that the campaign's labelling policy made.
    """
    if labels is None:
        return (), (), {}
    protocol = campaign.protocol
    study = replace(campaign.study, preferences=labels)
    rule = OUTCOME_POLICIES[protocol.labels.labelling].several
    settings = EvidenceSettings(rule, target=protocol.decision.target, baseline=protocol.baseline)
    evidence = study_evidence(study, (protocol.criterion,), settings)
    return (
        study_agreement(study, protocol.criterion, settings.seed),
        data_warnings(study, evidence, rule, "campaign"),
        _metric_uses(campaign, evidence),
    )


def _metric_uses(campaign: LiveCampaign, evidence: StudyEvidence) -> dict[tuple[str, str], MetricUse]:
    """What metrics and judges say against what people say, by pair; whether the rule used them is for it to say.

    They are those of the study before its labels: a judge may have learned from older labels of the same items.
    """
    protocol, decision = campaign.protocol, campaign.protocol.decision
    if not decision.metrics and not decision.judges:
        return {}
    values = automatic_values(campaign.study, protocol.criterion, evidence.index, decision.metrics, decision.judges)
    (criterion,) = evidence.criteria
    found = {}
    for pair, automatic in zip(criterion.pairs, automatic_pairs(evidence, [values], 0), strict=True):
        found[pair.system_a, pair.system_b] = replace(metric_use(pair, automatic, 0.0), used=False)
    return found


def _with_metrics(
    campaign: LiveCampaign, pairs: Sequence[PairResult], uses: Mapping[tuple[str, str], MetricUse]
) -> tuple[PairResult, ...]:
    """The pairs with what metrics did for each, as far as there are labels to say it."""
    rule = campaign.state.rule
    found = []
    for pair, measure in zip(pairs, campaign.state.measures, strict=True):
        use = uses.get((pair.system_a, pair.system_b))
        used = rule.metric_used(measure.evidence)
        found.append(pair if use is None else replace(pair, metric=replace(use, used=used)))
    return tuple(found)


def _by_person(labels: pl.DataFrame | None) -> Annotators:
    """Labels of each person, most first."""
    given = Counter(() if labels is None else labels["annotator"].to_list())
    names = sorted(given, key=lambda name: (-given[name], name))
    return Annotators(tuple(names), tuple(given[name] for name in names))


def measured_of(campaign: LiveCampaign) -> MeasuredResult:
    """The campaign's own estimates, as of its last refresh: what `status` and `estimate` show."""
    found = estimates(campaign.state)
    result = replace(
        found,
        study=dict(found.study) | {"name": campaign.study.name},
        folder=campaign.folder.resolve().name,
        warnings=(*taken_back_notice(campaign), *found.warnings),
        campaign=replace(found.campaign, people=accounts(campaign), stop_reason=campaign.stop_reason),
    )
    if campaign.protocol.order.order == "listed":
        return replace(result, guarantee=LISTED_PROMISE, sentence="")
    return result
