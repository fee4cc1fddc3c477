"""The labels of a campaign as rows of the table preferences.

The ratings of a campaign as rows of the tables ratings, edits and spans.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

import polars as pl

from tiebreak.campaign.events import LabelGiven, OutputRated, TaskAssigned
from tiebreak.campaign.kinds import kind_of
from tiebreak.campaign.kinds.rating import Rating
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
    return _frame(kept, campaign.protocol.criterion)


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
    return _frame(kept, campaign.protocol.criterion)


def _frame(records: Sequence[TaskRecord], criterion: str | None) -> pl.DataFrame | None:
    """Answered tasks as preferences without times; None without any."""
    rows = [
        (of.item, of.system_a, of.system_b, of.annotator, label.outcome, criterion, of.left, label.seconds)
        for of, label in map(_comparison, records)
    ]
    names = ("item", "system_a", "system_b", "annotator", "outcome", "criterion", "left")
    schema = dict.fromkeys(names, pl.String) | {"seconds": pl.Float64}
    return completed(pl.DataFrame(rows, schema=schema, orient="row"), "preferences") if rows else None


def label_rows(campaign: LiveCampaign, names: Mapping[str, str], *, comments: bool) -> list[dict[str, object]]:
    """One row per label: what `exported` has in its table preferences.

    Of two answers of a person on one item (to a task that was taken back, and to the one that they got instead) only
    the one that is evidence is there: a study holds one label of each.
    """
    rows: list[dict[str, object]] = [
        {
            "item": of.item,
            "system_a": of.system_a,
            "system_b": of.system_b,
            "annotator": names.get(of.annotator, of.annotator),
            "outcome": label.outcome,
            "criterion": campaign.protocol.criterion,
            "left": of.left,
            "seconds": None if label.seconds is None else float(label.seconds),
            "decided_at": label.at,
            "task": of.task,
            "comment": label.comment if comments else None,
            "late": record.late,
            "withdrawn": campaign.ledger.is_withdrawn(record),
            **({"set_aside": record.set_aside} if campaign.protocol.people.least_seconds is not None else {}),
        }
        for record, (of, label) in ((record, _comparison(record)) for record in _one_each(campaign.ledger))
    ]
    if not rows:
        raise TiebreakError(f"{campaign.folder} has no labels yet; hand out a sheet, and collect it")
    return rows


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


def _comparison(record: TaskRecord) -> tuple[TaskAssigned, LabelGiven]:
    """An answered task of a campaign that compares."""
    if not isinstance(record.label, LabelGiven):
        raise ValueError(f"task {record.assigned.task} compares no two outputs, or has no answer")
    return record.assigned, record.label


Row = dict[str, object]


def rating_rows(campaign: LiveCampaign, names: Mapping[str, str], *, comments: bool) -> dict[TableName, list[Row]]:
    """One row per rating, edit and passage. `names`: of people who get another one.

    Ratings that are no evidence are there, with `late`, `withdrawn` or `set_aside` true. The time of a task stands in
    its first row: it was spent once.

    Raises:
        TiebreakError: there are no labels yet.
    """
    found: dict[TableName, list[Row]] = {"ratings": [], "edits": [], "spans": []}
    for record in _one_each_rating_table(campaign):
        label = cast(OutputRated, record.label)
        of = record.assigned
        shared: Row = {
            "item": of.item,
            "system": of.system_a,
            "annotator": names.get(of.annotator, of.annotator),
            "decided_at": label.at,
            "task": of.task,
        }
        seconds = None if label.seconds is None else float(label.seconds)
        for place, (criterion, value) in enumerate(_values(campaign, label).items()):
            found["ratings"].append(
                shared
                | {
                    "criterion": criterion,
                    "value": value,
                    "seconds": seconds if place == 0 else None,
                    "comment": label.comment if comments and place == 0 else None,
                    "late": record.late,
                    "withdrawn": campaign.ledger.is_withdrawn(record),
                    "set_aside": record.set_aside,
                }
            )
        if label.edit is not None:
            found["edits"].append(shared | {"text": label.edit})
        found["spans"] += [
            shared | {"passage": span.passage, "support": span.support, "start": span.start, "end": span.end}
            for span in label.spans
        ]
    if not found["ratings"]:
        raise TiebreakError(f"{campaign.folder} has no labels yet; hand out a sheet, and collect it")
    return {name: rows for name, rows in found.items() if rows}


def _values(campaign: LiveCampaign, label: OutputRated) -> dict[str, float]:
    """What was answered, and what the campaign made of it."""
    kind = cast(Rating, kind_of(campaign.protocol))
    return {**label.values, **kind.values(label)}


def _one_each_rating_table(campaign: LiveCampaign) -> Iterator[TaskRecord]:
    """Answered tasks in the order of their answers, one for each person and output: of two answers (to a task that was
    taken back, and to the one that came instead) the one that is evidence.
    """
    chosen: dict[tuple[str, ...], TaskRecord] = {}
    for record in campaign.ledger.labelled:
        key = (record.assigned.annotator, *record.item)
        if key not in chosen or (record.counts and not chosen[key].counts):
            chosen[key] = record
    kept = {record.assigned.task for record in chosen.values()}
    return (record for record in campaign.ledger.labelled if record.assigned.task in kept)
