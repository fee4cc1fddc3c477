"""What a campaign may ask and cost at most, and what of it could give the systems away."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from tiebreak.campaign import State
from tiebreak.data.study import Study

_SHORTEST_NAME: Final = 3  # "a" or "B" stand in every text


@dataclass(frozen=True, slots=True)
class Outlook:
    """`items`: (pair, item) combinations that could be asked about at most; `known`: those that need not be, since both
    systems wrote the same. `labels`, `money` (None without a price): what the former take at most, or the budget where
    it is less (`within_budget`).
    """

    systems: int
    pairs: int
    items: int
    known: int
    labels: int
    within_budget: bool
    money: float | None


def outlook(state: State) -> Outlook:
    """Of a campaign that has just begun, before any label."""
    plan, protocol = state.plan, state.protocol
    asked = [int((~pair.known[: pair.starts[pair.most_units]]).sum()) for pair in plan.tracks]
    labels = sum(asked) * protocol.most_labels_per_item
    budget = protocol.most_labels
    most = labels if budget is None else min(labels, budget)
    price = protocol.labels.price
    return Outlook(
        systems=len(plan.systems),
        pairs=len(plan.tracks),
        items=sum(asked),
        known=sum(pair.identical for pair in plan.tracks),
        labels=most,
        within_budget=budget is not None and budget < labels,
        money=None if price is None else round(most * price, 2),
    )


def names_given_away(state: State, study: Study) -> tuple[tuple[str, ...], int]:
    """Systems whose names stand in the question or the instructions, and how many outputs name their own system."""
    protocol, systems = state.protocol, [name for name in state.plan.systems if len(name) >= _SHORTEST_NAME]
    told = tuple(name for name in systems if _names(name, (protocol.question, protocol.instructions)))
    outputs = 0
    if study.outputs is not None:
        for (system,), frame in study.outputs.group_by(["system"]):
            if system in systems:
                outputs += _names(str(system), frame["text"].drop_nulls())
    return told, outputs


def _names(name: str, texts: Iterable[str]) -> int:
    """Texts with the name in them, as a word of its own, in capitals or not."""
    pattern = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE)
    return sum(pattern.search(text) is not None for text in texts)
