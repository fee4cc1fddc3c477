"""All warnings about the data, in the order in which they are shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from tiebreak.checks import order, people, reliability, texts, use
from tiebreak.checks import people as first_labels
from tiebreak.checks import texts as outcomes
from tiebreak.checks.labels import Labels, LabelsOf
from tiebreak.data.study import Study
from tiebreak.evidence.study_evidence import StudyEvidence
from tiebreak.records import LabelRule, Notice

_CHECKS: Final[tuple[Callable[[Labels], Iterable[Notice]], ...]] = (
    reliability.at_chance,
    reliability.in_a_hurry,
    reliability.constant_answers,
    people.few_annotators,
    people.one_sided_positions,
    people.position_bias,
    people.uneven_panels,
    first_labels.one_person_first,
    first_labels.first_labels_differ,
    order.neighbouring_items,
    order.suspicious_order,
    outcomes.many_ties,
    outcomes.repeated_inputs,
    outcomes.shared_inputs,
    texts.length_preference,
    texts.identical_outputs,
    texts.empty_outputs,
    texts.repeated_outputs,
    texts.labels_on_identical,
    use.ratings_not_used,
    use.different_raters,
    use.pool_is_labelled,
    use.drawn_by_cluster,
    use.beyond_budget,
)


_SEEN_TO_BY_CAMPAIGNS: Final = (
    people.uneven_panels,
    first_labels.one_person_first,
    first_labels.first_labels_differ,
    order.suspicious_order,
    texts.labels_on_identical,
    use.ratings_not_used,
    use.different_raters,
    use.pool_is_labelled,
    use.drawn_by_cluster,
    use.beyond_budget,
)
_OF_CAMPAIGNS: Final = tuple(check for check in _CHECKS if check not in _SEEN_TO_BY_CAMPAIGNS)
_OF_COMPARISONS: Final = (outcomes.many_ties, use.ratings_not_used, texts.labels_on_identical)


def campaign_warnings(study: Study, evidence: StudyEvidence, label_rule: LabelRule) -> tuple[Notice, ...]:
    """`data_warnings` on the labels of a campaign, as far as it does not see to that itself.

    It asks in an order of its own, by its own number of people per item, nothing about identical outputs and no more
    than it uses.
    """
    labels = Labels(study, evidence, label_rule, "campaign")
    return tuple(notice for check in _OF_CAMPAIGNS for notice in check(labels))


def data_warnings(
    study: Study, evidence: StudyEvidence, label_rule: LabelRule = "mean", of: LabelsOf = "study"
) -> tuple[Notice, ...]:
    """What looks wrong in the labels and outputs behind an evidence; nothing where all is well.

    `study`: restricted to the systems and annotators that `evidence` was made from; labels on other criteria are
    ignored. `label_rule`: the one `evidence` was made with (panels of different sizes matter to majorities only). `of`:
    whose labels they are. Works for any study: what cannot be checked (no texts, no positions, too few items) is not
    warned about, nor for means of ratings what concerns verdicts only.
    """
    labels = Labels(study, evidence, label_rule, of)
    checks = [check for check in _CHECKS if of != "means" or check not in _OF_COMPARISONS]
    return tuple(notice for check in checks for notice in check(labels))
