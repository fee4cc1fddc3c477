"""One pair judged by a rule of the registry, from arrays."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak.records import Verdict
from tiebreak.rules.registry import RULES
from tiebreak.rules.rule import VERDICTS, MeasureFacts, Rule, Summary, Units
from tiebreak.settings.protocol import DecisionSettings

Floats = NDArray[np.float64]

MADE = {"posterior": {"metrics": ("bleu",)}}
"""Settings that a rule needs."""


class Judged(NamedTuple):
    """What a rule said of a pair, and after how many units."""

    verdict: Verdict
    stopped_at: int | None
    summary: Summary


def prepared(
    name: str, units: int, alpha: float = 0.05, margin: float | None = None, **facts: Any
) -> tuple[Rule[Any, Any], Any, DecisionSettings]:
    """A rule, its plan of one pair, and the settings."""
    rule, settings = RULES[name], DecisionSettings(name, alpha, margin=margin, **MADE.get(name, {}))
    if rule.rates:
        facts = {"half_width": 0.1, "outcomes_only": False} | facts
    (plan,) = rule.prepare([MeasureFacts(units, **facts)], settings)
    return rule, plan, settings


def judged(name: str, values: Floats, alpha: float = 0.05, margin: float | None = None, **facts: Any) -> Judged:
    """All values at once, and the first verdict on the way."""
    rule, plan, settings = prepared(name, values.size, alpha, margin, **facts)
    state, path = rule.advance(plan, rule.start(plan), Units.labelled(values[None]))
    (summary,) = rule.summary([plan], [state], settings)
    codes = rule.verdicts([plan], np.maximum.accumulate(path[0])[:, None], settings)[:, 0]
    if not codes.any():
        return Judged("undecided", None, summary)
    first = int((codes != 0).argmax())
    return Judged(VERDICTS[int(codes[first])], first + 1, summary)
