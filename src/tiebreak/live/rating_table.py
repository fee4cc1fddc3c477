"""The ratings of a campaign as rows of the tables ratings, edits and spans."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import cast

from tiebreak.campaign.events import OutputAssigned, OutputRated
from tiebreak.campaign.kinds import kind_of
from tiebreak.campaign.kinds.rating import Rating
from tiebreak.data.schema import TableName
from tiebreak.errors import TiebreakError
from tiebreak.live.campaign import LiveCampaign
from tiebreak.live.ledger import TaskRecord

Row = dict[str, object]


def rating_rows(campaign: LiveCampaign, names: Mapping[str, str], *, comments: bool) -> dict[TableName, list[Row]]:
    """One row per rating, edit and passage. `names`: of people who get another one.

    Ratings that are no evidence are there, with `late`, `withdrawn` or `set_aside` true. The time of a task stands in
    its first row: it was spent once.

    Raises:
        TiebreakError: there are no labels yet.
    """
    found: dict[TableName, list[Row]] = {"ratings": [], "edits": [], "spans": []}
    for record in _one_each(campaign):
        label = cast(OutputRated, record.label)
        of = cast(OutputAssigned, record.assigned)
        shared: Row = {
            "item": of.item,
            "system": of.system,
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


def _one_each(campaign: LiveCampaign) -> Iterator[TaskRecord]:
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
