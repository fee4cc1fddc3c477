"""What each annotator has done and is owed."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields

from tiebreak.campaign import State
from tiebreak.live.ledger import Ledger
from tiebreak.tabular.delimited import csv_for_spreadsheets


@dataclass(frozen=True, slots=True)
class Account:
    """One person. `labels`: answers given, check tasks and late ones among them, each paid; `open`: tasks not answered
    yet. `seconds`: time noted in all; `seconds_per_label`: on average, where it was noted. `first_text`: share of
    answers for the text shown first (about half is usual). `why_excluded`: what was said when they were, or "wrong
    answers to check tasks"; empty if they were not. `pay` is None without a price.
    """

    annotator: str
    labels: int
    open: int
    seconds: float
    seconds_per_label: float | None
    first_text: float | None
    checks: int
    checks_right: int
    excluded: bool
    why_excluded: str
    pay: float | None
    currency: str


def accounts(state: State, ledger: Ledger) -> tuple[Account, ...]:
    """All annotators, by name."""
    price, currency = state.protocol.labels.price, state.protocol.labels.currency
    return tuple(
        Account(
            annotator=name,
            labels=person.labels,
            open=person.open,
            seconds=round(person.seconds, 3),
            seconds_per_label=round(person.seconds / person.timed, 3) if person.timed else None,
            first_text=round(person.chose_left / person.labels, 4) if person.labels else None,
            checks=person.gold_asked,
            checks_right=person.gold_right,
            excluded=state.is_excluded(name),
            why_excluded=why_excluded(state, ledger, name),
            pay=None if price is None else round(person.labels * price, 2),
            currency=currency,
        )
        for name, person in sorted(state.annotators.items())
    )


def why_excluded(state: State, ledger: Ledger, annotator: str) -> str:
    """Why a person gets no more tasks, in words; empty if they may get some, or if nobody said why."""
    by_hand = ledger.excluded.get(annotator)
    if by_hand is not None:
        return by_hand.reason
    return "wrong answers to check tasks" if state.is_excluded(annotator) else ""


def accounts_csv(found: tuple[Account, ...]) -> bytes:
    """A table for whoever pays, as CSV for spreadsheet programs."""
    header = [field.name for field in fields(Account)]
    rows = [(asdict(account) | {"excluded": "yes" if account.excluded else "no"}).values() for account in found]
    return csv_for_spreadsheets([header, *rows])
