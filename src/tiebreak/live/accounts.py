"""What each annotator has done and is owed, and what is to be said of the log of a campaign."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import asdict, fields
from statistics import fmean

from tiebreak.campaign import State
from tiebreak.campaign.kinds import kind_of
from tiebreak.campaign.state import AnnotatorState, OpenUnit
from tiebreak.live.campaign import LiveCampaign
from tiebreak.live.ledger import TaskLedger
from tiebreak.results.progress import CampaignAccount
from tiebreak.tabular.delimited import csv_for_spreadsheets


def accounts(campaign: LiveCampaign) -> tuple[CampaignAccount, ...]:
    """All annotators, by name. Whoever has passed the tutorial is paid its bonus."""
    state, ledger, tutorial = campaign.state, campaign.ledger, campaign.tutorial
    held_up, edits = _holding_up(state), _edit_sizes(campaign)
    people = {name: AnnotatorState() for name in ledger.tutorials} | dict(state.annotators)
    return tuple(
        CampaignAccount(
            annotator=name,
            labels=person.labels,
            open=person.open,
            holds_up=held_up[name],
            seconds=round(person.seconds, 3),
            seconds_per_label=round(person.seconds / person.timed, 3) if person.timed else None,
            first_text=None
            if not kind_of(state.protocol).has_sides or not person.labels
            else round(person.chose_left / person.labels, 4),
            left_page=person.left_page,
            pasted=person.pasted,
            edited=round(fmean(edits[name]), 1) if edits[name] else None,
            checks=person.gold_asked,
            checks_right=person.gold_right,
            excluded=state.is_excluded(name),
            why_excluded=why_excluded(state, ledger, name),
            pay=_pay(state, person, tutorial.bonus if tutorial and tutorial.has_passed(ledger, name) else 0.0),
            currency=state.protocol.labels.currency,
        )
        for name, person in sorted(people.items())
    )


def _edit_sizes(campaign: LiveCampaign) -> defaultdict[str, list[int]]:
    """Of the edits of each person."""
    kind, sizes = kind_of(campaign.protocol), defaultdict[str, list[int]](list)
    for record in campaign.ledger.labelled:
        size = None if record.label is None else kind.edit_size(record.label.response)
        if size is not None:
            sizes[record.assigned.annotator].append(size)
    return sizes


def _pay(state: State, person: AnnotatorState, bonus: float) -> float | None:
    return None if state.price is None and not bonus else round(person.pay + bonus, 2)


def _holding_up(state: State) -> Counter[str]:
    """Open tasks of each person on an item at or before which an answer waits: on the same item or unit, or later in
    the order of the pair.
    """
    last = [max((unit for unit, items in pair.open.items() if _answered(items)), default=-1) for pair in state.tracks]
    return Counter(
        task.annotator for task in state.tasks.values() if task.gold is None and task.unit <= last[task.track]
    )


def _answered(items: OpenUnit) -> bool:
    return any(item.counted for item in items)


def why_excluded(state: State, ledger: TaskLedger, annotator: str) -> str:
    """Why a person gets no more tasks, in words; empty if they may get some, or if nobody said why."""
    by_hand = ledger.excluded.get(annotator)
    if by_hand is not None:
        return by_hand.reason
    return "wrong answers to check tasks" if state.is_excluded(annotator) else ""


def accounts_csv(found: tuple[CampaignAccount, ...]) -> bytes:
    """A table for whoever pays, as CSV for spreadsheet programs."""
    header = [field.name for field in fields(CampaignAccount)]
    rows = [(asdict(account) | {"excluded": "yes" if account.excluded else "no"}).values() for account in found]
    return csv_for_spreadsheets([header, *rows])
