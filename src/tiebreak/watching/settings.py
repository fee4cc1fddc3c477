"""What the first look of a watched study fixes. The options of `watch` are made from this record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from tiebreak.errors import UsageError
from tiebreak.records import LabelRule, Multiplicity, Target
from tiebreak.results.settings import CompareSettings
from tiebreak.settings import shared
from tiebreak.settings.checks import check_settings
from tiebreak.settings.protocol import LISTED_POOL, ORDER, ItemOrder
from tiebreak.settings.setting import Setting, setting, settings_of


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchSettings:
    """The question of a watched study. `criteria`, `systems` None and `only_pairs` (): all that the study has.

    `per_item`: labels of an item that count, None: for each pair as many as most of its items have. `items_per_pair`:
    the number of items at which looking at a pair ends, None: the items that the study lists when the pair joins.
    `reserve`: share of alpha that is kept for systems that join later.

    Raises:
        UsageError: an impossible value.
    """

    rule: str = setting("anytime", shared.rule(("anytime",)))
    alpha: float = setting(0.05, shared.ALPHA)
    margin: float | None = setting(None, shared.MARGIN)
    target: Target = setting("inputs", shared.TARGET)
    criteria: tuple[str, ...] | None = setting(None, shared.CRITERION)
    several: LabelRule = setting("mean", Setting("Value of an item with several labels", choices=("mean", "majority")))
    per_item: int | None = setting(
        None, replace(shared.PER_ITEM, default_words="for each pair, as most of its items have")
    )
    items_per_pair: int | None = setting(
        None, replace(shared.ITEMS_PER_PAIR, default_words="the items that the study lists")
    )
    tie_threshold: float = setting(0.0, shared.TIE_THRESHOLD)
    multiplicity: Multiplicity = setting("holm", shared.MULTIPLICITY)
    systems: tuple[str, ...] | None = setting(None, shared.SYSTEMS)
    baseline: str | None = setting(None, shared.BASELINE)
    only_pairs: tuple[tuple[str, str], ...] = setting((), shared.ONLY_PAIRS)
    order: ItemOrder = setting("shuffled", ORDER)
    reserve: float = setting(
        0.1,
        Setting("Share of alpha kept for systems that join later", at_least=0, below=1, such_as="0.1, or 0 for none"),
    )

    def __post_init__(self) -> None:
        check_settings(self)
        if self.target == "items" and self.order == "listed":
            raise UsageError(f"order is 'listed', but this {LISTED_POOL}")

    def compared(self, alpha: float) -> CompareSettings:
        """The same question for a family of pairs that has this alpha."""
        return CompareSettings(
            rule=self.rule,
            alpha=alpha,
            margin=self.margin,
            target=self.target,
            criteria=self.criteria,
            several=self.several,
            tie_threshold=self.tie_threshold,
            multiplicity=self.multiplicity,
            systems=self.systems,
            baseline=self.baseline,
        )

    @classmethod
    def of_dict(cls, saved: Mapping[str, Any]) -> WatchSettings:
        """The settings that a ledger holds.

        Raises:
            UsageError, TypeError: what no version of this program has written.
        """
        values = dict(saved)
        for name in ("criteria", "systems"):
            values[name] = None if values[name] is None else tuple(values[name])
        values["only_pairs"] = tuple((first, second) for first, second in values["only_pairs"])
        return cls(**values)


def check_unchanged(fixed: WatchSettings, asked: Mapping[str, Any]) -> None:
    """Refuse settings that differ from those that the first look fixed.

    Raises:
        UsageError: with both values of each that differs.
    """
    names = {named.name: named for named in settings_of(WatchSettings)}
    wrong = [
        f"{names[name].option} {_shown(name, value)} (the first look fixed {_shown(name, getattr(fixed, name))})"
        for name, value in asked.items()
        if value != getattr(fixed, name)
    ]
    if wrong:
        raise UsageError(
            f"{'; '.join(wrong)}: the error rate holds for the terms of the first look. Leave the option out, or "
            "analyse the labels afresh: tiebreak compare STUDY --own-analysis"
        )


def _shown(name: str, value: object) -> str:
    if value is None or value == ():
        return "all" if name in ("criteria", "systems", "only_pairs") else "none"
    if isinstance(value, tuple):
        return ", ".join(_shown(name, part) for part in value)
    return f"{value:g}" if isinstance(value, float) else str(value)
