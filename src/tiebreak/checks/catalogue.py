"""Every notice by theme; docs/warnings.md is made from this.

`python benchmarks/warning_page.py --write` writes the page.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tiebreak.checks.all_checks import ABOUT_LABELS, ABOUT_PEOPLE
from tiebreak.checks.kinds import Check
from tiebreak.messages import campaign, derived, notices, own_analysis, people, ranks, tables
from tiebreak.messages.notices import NoticeKind, Theme

_OF_DATA: Final = "compare, report, check, estimate, rank, campaign status"
_OF_LOOKS: Final = "campaign status, watch, and compare, report and plot of their results"


def _kinds(checks: Sequence[Check]) -> tuple[NoticeKind, ...]:
    """Each once, though several checks may raise it."""
    return tuple({check.kind.code: check.kind for check in checks}.values())


CATALOGUE: Final[tuple[Theme, ...]] = (
    Theme("People", _OF_DATA, (*_kinds(ABOUT_PEOPLE), people.PEOPLE_LEFT_OUT)),
    Theme("Labels and outputs", _OF_DATA, (*_kinds(ABOUT_LABELS), *notices.KINDS)),
    Theme("Files", "every command that reads a study", (*tables.KINDS, derived.DERIVED_FROM)),
    Theme("Campaigns and watched studies", _OF_LOOKS, (*campaign.KINDS, own_analysis.WHAT_IT_IS)),
    Theme("Leaderboards", "rank, under `notes`", ranks.KINDS),
)
"""Every kind of notice that the source raises (a test compares both)."""
