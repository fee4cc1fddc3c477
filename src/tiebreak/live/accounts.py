"""What each annotator has done and is owed."""

from __future__ import annotations

import csv
import io
from dataclasses import asdict, dataclass, fields
from typing import Final

from tiebreak.campaign import State

_FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True, slots=True)
class Account:
    """One person. `labels`: answers given, check tasks and late ones among them, each paid; `open`: tasks not answered
    yet. `seconds`: time noted in all; `seconds_per_label`: on average, where it was noted. `first_text`: share of
    answers for the text shown first (about half is usual). `pay` is None without a price.
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
    pay: float | None
    currency: str


def accounts(state: State) -> tuple[Account, ...]:
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
            pay=None if price is None else round(person.labels * price, 2),
            currency=currency,
        )
        for name, person in sorted(state.annotators.items())
    )


def accounts_csv(found: tuple[Account, ...]) -> bytes:
    """A table for whoever pays; UTF-8 with a byte order mark, for Excel. Names are never formulas."""
    stream = io.StringIO(newline="")
    writer = csv.writer(stream)
    writer.writerow([field.name for field in fields(Account)])
    for account in found:
        row = asdict(account)
        name = str(row["annotator"])
        row["annotator"] = f"'{name}" if name.startswith(_FORMULA_STARTS) else name
        row["excluded"] = "yes" if account.excluded else "no"
        writer.writerow(["" if value is None else value for value in row.values()])
    return stream.getvalue().encode("utf-8-sig")
