"""The verdict of a campaign with everything that its log knows beside the state: people, why it was stopped, curves."""

from __future__ import annotations

import hashlib
from dataclasses import replace

from tiebreak.campaign import verdicts
from tiebreak.campaign.curves import evidence_curves
from tiebreak.live.accounts import accounts
from tiebreak.live.campaign import LiveCampaign
from tiebreak.results.records import AnnotatorLabels, CompareResult


def result_of(campaign: LiveCampaign, *, with_curves: bool = True) -> CompareResult:
    """The campaign's own verdict, as of its last refresh: what `status`, `report`, `plot` and `compare` show.

    `with_curves`: how the evidence grew, too, which takes the time of one more replay.
    """
    curves = evidence_curves(campaign.beginning, campaign.events()) if with_curves else {}
    found = verdicts(campaign.state, curves)
    people = accounts(campaign.state, campaign.ledger)
    study = found.study | {
        "name": campaign.folder.resolve().name,
        "fingerprint": _fingerprint(campaign),
    }
    given = sorted(people, key=lambda person: (-person.labels, person.annotator))
    (criterion,) = found.results
    counted = tuple(AnnotatorLabels(person.annotator, person.labels) for person in given if person.labels)
    progress = found.campaign
    return replace(
        found,
        study=study,
        folder=campaign.folder.resolve().name,
        results=(replace(criterion, people=counted),),
        campaign=None if progress is None else replace(progress, people=people, stop_reason=campaign.stop_reason),
    )


def _fingerprint(campaign: LiveCampaign) -> str:
    """Of the answers by task, whoever gave them: an export with other names has the same."""
    digest = hashlib.sha256(campaign.state.plan.fingerprint.encode())
    for record in campaign.ledger.labelled:
        if record.label is not None:
            digest.update(f"{record.assigned.task} {record.label.outcome}\n".encode())
    return digest.hexdigest()
