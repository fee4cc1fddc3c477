"""The labels of a campaign as rows of the tables of a study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

import polars as pl

from tiebreak.campaign.events import LabelGiven
from tiebreak.campaign.kinds import ItemTexts, kind_of
from tiebreak.data.columns import completed
from tiebreak.data.schema import TableName
from tiebreak.errors import TiebreakError
from tiebreak.live.campaign import LiveCampaign
from tiebreak.live.ledger import TaskLedger, TaskRecord


def labels_in_time(campaign: LiveCampaign) -> pl.DataFrame | None:
    """The labels that are evidence, or may become it: no check tasks, late or withdrawn ones. None before the first.

    As they are, without the checks of a table that somebody wrote, and without their times: a campaign has an order of
    its own.
    """
    ledger = campaign.ledger
    kept = [record for record in _one_each(ledger) if record.counts and not ledger.counts_no_more(record)]
    return _frame(campaign, kept)


def labels_in_evidence(campaign: LiveCampaign) -> pl.DataFrame | None:
    """`labels_in_time` without those that still wait for others: the labels that verdicts rest on."""
    state = campaign.state
    waiting = {
        (*plan.systems, state.plan.items[place.item], annotator)
        for plan, pair in zip(state.plan.tracks, state.tracks, strict=True)
        for unit in pair.open.values()
        for place in unit
        for annotator, _ in place.answers
    }
    kept = [
        record
        for record in _one_each(campaign.ledger)
        if record.counts
        and not campaign.ledger.counts_no_more(record)
        and (*record.item, record.assigned.annotator) not in waiting
    ]
    return _frame(campaign, kept)


def _frame(campaign: LiveCampaign, records: Sequence[TaskRecord]) -> pl.DataFrame | None:
    """Answered tasks as preferences without times; None without any."""
    kind, rows = kind_of(campaign.protocol), []
    for record in records:
        of, label = record.assigned, cast(LabelGiven, record.label)
        shared = {"item": of.item, "annotator": of.annotator, "seconds": label.seconds}
        rows += [shared | row for row in kind.rows(campaign.protocol, of, label.response, ItemTexts())["preferences"]]
    names = ("item", "system_a", "system_b", "annotator", "outcome", "criterion", "left")
    schema = dict.fromkeys(names, pl.String) | {"seconds": pl.Float64}
    return completed(pl.DataFrame(rows, schema=schema), "preferences") if rows else None


def label_rows(
    campaign: LiveCampaign, names: Mapping[str, str], *, comments: bool
) -> dict[TableName, list[dict[str, object]]]:
    """The rows of all labels but those of check tasks, by table. `names`: of people who get another one.

    Labels that are no evidence are there, with `late`, `withdrawn` or `set_aside` true; of two answers of a person on
    one item (to a task that was taken back, and to the one that they got instead) only the one that is evidence. The
    time of a task stands in its first row: it was spent once.

    Raises:
        TiebreakError: there are no labels yet.
    """
    protocol, kind = campaign.protocol, kind_of(campaign.protocol)
    records = _one_each(campaign.ledger)
    sets_aside = protocol.rates or protocol.people.least_seconds is not None
    found: dict[TableName, list[dict[str, object]]] = {}
    for record in records:
        of, label = record.assigned, cast(LabelGiven, record.label)
        of_task = campaign.texts.of_task(of, kind)
        shared: dict[str, object] = {
            "item": of.item,
            "annotator": names.get(of.annotator, of.annotator),
            "decided_at": label.at,
            "task": of.task,
        }
        marks = {"late": record.late, "withdrawn": campaign.ledger.is_withdrawn(record)}
        marks |= {"set_aside": record.set_aside} if sets_aside else {}
        for number, (table, rows) in enumerate(kind.rows(protocol, of, label.response, of_task).items()):
            for place, row in enumerate(rows):
                first = number == place == 0
                said: dict[str, object] = {
                    "seconds": float(label.seconds) if first and label.seconds is not None else None,
                    "comment": label.comment if first and comments else None,
                }
                found.setdefault(table, []).append(shared | row | (said | marks if number == 0 else {}))
    if not found:
        raise TiebreakError(f"{campaign.folder} has no labels yet; hand out a sheet, and collect it")
    return found


def _one_each(ledger: TaskLedger) -> list[TaskRecord]:
    """The answered tasks that are no checks, in the order of the answers, one for each person, item and pair."""
    answered = [record for record in ledger.labelled if not record.is_check]
    chosen: dict[tuple[str, ...], TaskRecord] = {}
    for record in answered:
        key = (record.assigned.annotator, *record.item)
        if key not in chosen or (record.counts and not chosen[key].counts):
            chosen[key] = record
    kept = {record.assigned.task for record in chosen.values()}
    return [record for record in answered if record.assigned.task in kept]
