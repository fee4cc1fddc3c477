"""The verdict of a campaign with everything that its log knows beside the state: people, why it was stopped, curves."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import replace

from tiebreak.campaign import verdicts
from tiebreak.campaign.curves import evidence_curves
from tiebreak.live.accounts import accounts
from tiebreak.live.campaign import LiveCampaign
from tiebreak.results.records import AnnotatorLabels, CompareResult
from tiebreak.results.words import paper_sentence


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
    (criterion,) = found.results
    counted = _labels_in_evidence(campaign)
    progress = found.campaign
    criterion = replace(
        criterion,
        people=counted,
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
        campaign=None if progress is None else replace(progress, people=people, stop_reason=campaign.stop_reason),
    )


def _labels_in_evidence(campaign: LiveCampaign) -> tuple[AnnotatorLabels, ...]:
    """By person, most first: neither check tasks, nor late labels, nor those that still wait for others."""
    state = campaign.state
    waiting = {
        (plan.system_a, plan.system_b, state.plan.items[place.item], annotator)
        for plan, pair in zip(state.plan.pairs, state.pairs, strict=True)
        for unit in pair.open.values()
        for place in unit
        for annotator, _ in place.answers
    }
    given = Counter(
        task.annotator
        for task in (record.assigned for record in campaign.ledger.labelled if not record.late)
        if not task.gold and (task.system_a, task.system_b, task.item, task.annotator) not in waiting
    )
    return tuple(AnnotatorLabels(name, given[name]) for name in sorted(given, key=lambda name: (-given[name], name)))


def _fingerprint(campaign: LiveCampaign) -> str:
    """Of the answers by task, whoever gave them: an export with other names has the same."""
    digest = hashlib.sha256(campaign.state.plan.fingerprint.encode())
    for record in campaign.ledger.labelled:
        if record.label is not None:
            digest.update(f"{record.assigned.task} {record.label.outcome}\n".encode())
    return digest.hexdigest()
