"""Every notice by theme; docs/warnings.md is made from this.

`python benchmarks/warning_page.py --write` writes the page.
"""

from __future__ import annotations

from typing import Final

from tiebreak.checks.all_checks import ABOUT_LABELS, ABOUT_PEOPLE
from tiebreak.messages import campaign, derived, notices, own_analysis, people, ranks, tables, watch
from tiebreak.messages.kinds import Theme

_OF_DATA: Final = "compare, report, check, rank, campaign status"
_OF_LOOKS: Final = "campaign status, watch, and compare, report and plot of their results"

CATALOGUE: Final[tuple[Theme, ...]] = (
    Theme("People", _OF_DATA, (*ABOUT_PEOPLE, people.LEFT_OUT)),
    Theme("Labels and outputs", _OF_DATA, (*ABOUT_LABELS, *notices.KINDS)),
    Theme("Files", "every command that reads a study", (*tables.KINDS, *derived.KINDS)),
    Theme("Campaigns and watched studies", _OF_LOOKS, (*campaign.KINDS, *own_analysis.KINDS, *watch.KINDS)),
    Theme("Leaderboards", "rank, under `notes`", ranks.KINDS),
)
"""Every kind of notice that the source raises (a test compares both)."""
