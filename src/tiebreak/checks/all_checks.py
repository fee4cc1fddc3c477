"""All checks of the data in the order in which their notices are shown, and every notice by theme.

`python benchmarks/warning_page.py --write` makes docs/warnings.md from the themes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tiebreak.checks import annotators, items, positions, use, values
from tiebreak.checks.labels import Check, Labels, LabelsOf
from tiebreak.data.study import Study
from tiebreak.evidence.study_evidence import StudyEvidence
from tiebreak.messages import campaign, derived, notices, own_analysis, people, ranks, tables
from tiebreak.messages.notices import NoticeKind, Theme
from tiebreak.records import LabelRule, Notice

ABOUT_PEOPLE: Final[tuple[Check, ...]] = (*annotators.CHECKS, *positions.CHECKS)
ABOUT_LABELS: Final[tuple[Check, ...]] = (*items.CHECKS, *use.CHECKS, *values.CHECKS)


def data_warnings(
    study: Study,
    evidence: StudyEvidence,
    label_rule: LabelRule = "mean",
    of: LabelsOf = "study",
    metrics: Sequence[str] = (),
) -> tuple[Notice, ...]:
    """What looks wrong in the labels and outputs behind an evidence; nothing where all is well.

    `study`: restricted to the systems and annotators that `evidence` was made from; labels on other criteria are
    ignored. `label_rule`: the one `evidence` was made with. `of`: whose labels they are. `metrics`: those that the
    result rests on, ("all",) being every one. Works for any study: what cannot be checked (no texts, no positions, too
    few items) is not warned about.
    """
    labels = Labels(study, evidence, label_rule, of, tuple(metrics))
    return tuple(
        notice for check in (*ABOUT_PEOPLE, *ABOUT_LABELS) if of not in check.skipped for notice in check.find(labels)
    )


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
