"""Which of several metrics and judges mattered, in words: the same in the terminal and in the report."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tiebreak.results.numbers import counted
from tiebreak.results.records import JudgeOrders, MetricUse

_MATTERS = 0.05
_NAMED = 6


def shares_words(uses: Sequence[MetricUse]) -> str:
    """One sentence on uses with the same names (mean share over pairs), or "" where there is nothing to compare."""
    known = [use.shares for use in uses if use.shares is not None]
    if not known:
        return ""
    shares = np.mean(known, axis=0)
    names = uses[0].names
    over = f", in the mean of {len(known):,} pairs" if len(known) > 1 else ""
    order = sorted(range(len(names)), key=lambda k: -shares[k])
    mattered = [k for k in order if shares[k] >= _MATTERS]
    if not mattered:
        return f"None of {_listed(names)} explains anything{over}."
    parts = [f"{names[k]} {100 * shares[k]:.0f} %" for k in mattered]
    rest = [names[k] for k in order if shares[k] < _MATTERS]
    tail = f"; {_listed(rest)} next to nothing" if rest else ""
    return f"Of what they explain together{over}: {_listed(parts)}{tail}."


def order_words(judge: JudgeOrders) -> str:
    """How far a judge's answer depends on which text it sees first."""
    share = 100 * judge.disagreements / judge.both_orders
    return (
        f"{judge.name} was asked in both orders {counted(judge.both_orders, 'time')}; "
        f"{counted(judge.disagreements, 'time')} "
        f"({share:.0f} %) the answer changed with the order, which counts as a tie."
    )


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more
