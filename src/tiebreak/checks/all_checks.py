"""All checks of the data, in the order in which their notices are shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tiebreak.checks import annotators, items, positions, texts, use, values
from tiebreak.checks.kinds import Check
from tiebreak.checks.labels import Labels, LabelsOf
from tiebreak.data.study import Study
from tiebreak.evidence.study_evidence import StudyEvidence
from tiebreak.records import LabelRule, Notice

ABOUT_PEOPLE: Final[tuple[Check, ...]] = (*annotators.CHECKS, *positions.CHECKS)
ABOUT_LABELS: Final[tuple[Check, ...]] = (*items.CHECKS, *texts.CHECKS, *use.CHECKS, *values.CHECKS)


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
