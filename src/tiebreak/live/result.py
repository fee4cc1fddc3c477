"""The verdict of a campaign with everything that its log knows beside the state: people, why it was stopped, curves."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import polars as pl

from tiebreak.campaign import verdicts
from tiebreak.campaign.curves import evidence_curves
from tiebreak.campaign.labelling import LABELLING_POLICIES
from tiebreak.checks import campaign_warnings
from tiebreak.comparison.agreement import study_agreement
from tiebreak.data.fingerprint import fingerprint_of_labels
from tiebreak.evidence.study_evidence import EvidenceSettings, study_evidence
from tiebreak.live.accounts import accounts
from tiebreak.live.campaign import LiveCampaign
from tiebreak.live.label_table import labels_in_evidence, labels_in_time
from tiebreak.live.log_care import log_notices
from tiebreak.records import Notice
from tiebreak.results.records import AnnotatorAgreement, AnnotatorLabels, CompareResult
from tiebreak.results.words import paper_sentence


def result_of(campaign: LiveCampaign, *, with_curves: bool = True) -> CompareResult:
    """The campaign's own verdict, as of its last refresh: what `status`, `report`, `plot` and `compare` show.

    `with_curves`: how the evidence grew, too, which takes the time of one more replay.
    """
    curves = evidence_curves(campaign.beginning, campaign.events()) if with_curves else {}
    found = verdicts(campaign.state, curves)
    people = accounts(campaign.state, campaign.ledger)
    study = found.study | {
        "name": campaign.study.name,
        "fingerprint": fingerprint_of_labels(labels_in_time(campaign), None),
    }
    (criterion,) = found.results
    used = labels_in_evidence(campaign)
    counted = _by_person(used)
    progress = found.campaign
    agreement, warnings = _looked_over(campaign, used)
    criterion = replace(
        criterion,
        people=counted,
        agreement=agreement,
        annotators=tuple(sorted(person.annotator for person in counted)),
        sentence=paper_sentence(
            criterion.pairs,
            found.terms,
            criterion=criterion.criterion,
            from_ratings=False,
            people=len(counted),
            labels=criterion.labels,
        ),
    )
    return replace(
        found,
        study=study,
        folder=campaign.folder.resolve().name,
        results=(criterion,),
        warnings=(*log_notices(campaign), *found.warnings, *warnings),
        campaign=None if progress is None else replace(progress, people=people, stop_reason=campaign.stop_reason),
    )


def _looked_over(
    campaign: LiveCampaign, labels: pl.DataFrame | None
) -> tuple[tuple[AnnotatorAgreement, ...], tuple[Notice, ...]]:
    """How far people agree, and what may mislead in their labels; as `compare` finds it of the same labels.

    `labels`: those in evidence, of which a label rule makes the values that the campaign's labelling policy made.
    """
    if labels is None:
        return (), ()
    protocol = campaign.protocol
    study = replace(campaign.study, preferences=labels)
    rule = LABELLING_POLICIES[protocol.labels.labelling].several
    settings = EvidenceSettings(rule, target=protocol.decision.target, baseline=protocol.baseline)
    evidence = study_evidence(study, (protocol.criterion,), settings)
    return study_agreement(study, protocol.criterion, settings.seed), campaign_warnings(study, evidence, rule)


def _by_person(labels: pl.DataFrame | None) -> tuple[AnnotatorLabels, ...]:
    """Labels of each person, most first."""
    given = Counter(() if labels is None else labels["annotator"].to_list())
    return tuple(AnnotatorLabels(name, given[name]) for name in sorted(given, key=lambda name: (-given[name], name)))
