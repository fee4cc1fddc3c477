"""The labels of a campaign as a study, for `compare` and everything else that takes one."""

from __future__ import annotations

from dataclasses import replace

from tiebreak.data.study import Study
from tiebreak.errors import TiebreakError
from tiebreak.live.campaign import LiveCampaign


def exported(campaign: LiveCampaign) -> Study:
    """The campaign's study with its labels as preferences, in the order in which they came.

    Check tasks are left out: their answers were known. Labels that came too late to be evidence in the campaign are
    there, with `late` true; comments in `comment`; the task in `task`.

    Raises:
        TiebreakError: there are no labels yet.
    """
    rows = [
        {
            "item": record.assigned.item,
            "system_a": record.assigned.system_a,
            "system_b": record.assigned.system_b,
            "annotator": record.assigned.annotator,
            "outcome": record.label.outcome,
            "criterion": campaign.protocol.criterion,
            "left": record.assigned.left,
            "seconds": record.label.seconds,
            "decided_at": record.label.at,
            "task": record.assigned.task,
            "comment": record.label.comment,
            "late": record.late,
        }
        for record in campaign.ledger.labelled
        if record.label is not None and not record.assigned.gold
    ]
    if not rows:
        raise TiebreakError(f"{campaign.folder} has no labels yet; hand out a sheet, and collect it")
    study, protocol = campaign.study, campaign.protocol
    criteria = study.settings.criteria
    settings = replace(
        study.settings,
        criteria=None if criteria is None or protocol.criterion not in criteria else (protocol.criterion,),
        price_per_label=protocol.labels.price,
        currency=protocol.labels.currency,
    )
    return Study.from_tables(
        items=study.items,
        outputs=study.outputs,
        preferences=rows,
        scores=study.scores,
        judge_preferences=study.judge_preferences,
        settings=settings,
        name=study.name,
    )
