"""What a campaign that has just begun will ask, find and cost at most."""

from __future__ import annotations

from dataclasses import dataclass

from tiebreak.settings.protocol import DecisionSettings


@dataclass(frozen=True, slots=True)
class PlannedItems:
    """`items` of a pair are planned, of which the plan `finds` a difference with a chance of 80% (None: none); so would
    one for `others`, if there could be one (0: not).
    """

    items: int
    finds: float | None
    others: int
    others_find: float | None


@dataclass(frozen=True, slots=True)
class Outlook:
    """`study_items` of the study; `items`: (pair, item) combinations that could be asked about at most; `known`: those
    that need not be, since both systems wrote the same. `labels`, `money` in `currency` (None without a price): what
    the former take at most, or the budget where it is less (`within_budget`).

    In words: what people are asked (`asks`), who labels what (`labelling`), the `rule` and what it `wants` to know ("",
    where people compare). `look`: the rule decides all pairs together, at one look. `needs`: items per system that take
    ratings which come equally often (None: not known); `plan`: None without one; `companions`: most labelled items of a
    pair, where metrics need others (None: no limit for their sake). `hours` to an answer; `notices`: what may surprise.
    """

    systems: int
    pairs: int
    study_items: int
    items: int
    known: int
    labels: int
    within_budget: bool
    money: float | None
    currency: str
    rates: bool
    asks: str
    labelling: str
    rule: str
    decision: DecisionSettings
    wants: str
    look: bool
    needs: int | None
    plan: PlannedItems | None
    companions: int | None
    hours: float
    notices: tuple[str, ...]
