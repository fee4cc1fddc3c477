"""What changes where people are left out: who they are, how many labels are left, and which verdicts are others.

The labels that comparisons with one system rest on.

Scores that some items lack: whether those without a label lack them as those with one do.

What counts as the metric's mean says nothing, and harms nothing, where a score is missing whoever labels the item. But
scores are often computed for the labelled items and a few more. Then the mean over the others is no sample of what was
drawn, and to bet on it would be wrong in more than half of all pairs without a difference.

Who gave the labels: how many each annotator gave, and what each system was rated.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np
import polars as pl

from tiebreak.data.study import Study
from tiebreak.evidence.automatic import PairAutomatic
from tiebreak.evidence.human_labels import labels_of_people
from tiebreak.evidence.items import ItemIndex
from tiebreak.evidence.study_evidence import CriterionEvidence, labels_by_annotator
from tiebreak.kernels.hypergeometric import Hypergeometric
from tiebreak.messages import people as messages
from tiebreak.records import LabelRule, Notice, Raters, Verdict
from tiebreak.results.order import Annotators, SystemRatings
from tiebreak.results.records import CompareResult


def people_left_out(study: Study, chosen: Study, everybody: CompareResult, without: CompareResult) -> Notice:
    """The two results side by side.

    `study`: with everybody; `chosen`: without those left out, `everybody` and `without` their results by settings that
    are otherwise the same.
    """
    criteria = dict.fromkeys(found.criterion for result in (everybody, without) for found in result.results)
    before, after = (labels_of_people(some, tuple(criteria)) for some in (study, chosen))
    names = sorted(before.keys() - after.keys())
    first, second = (_verdicts(result) for result in (everybody, without))
    return messages.people_left_out(names, len(before), (before.total(), after.total()), first, second)


def _verdicts(result: CompareResult) -> dict[messages.PairKey, Verdict]:
    return {
        (found.criterion, pair.system_a, pair.system_b): pair.verdict
        for found in result.results
        for pair in found.pairs
    }


def with_baseline(study: Study, baseline: str | None, raters: Raters) -> Study:
    """The study with the labels that say something of the baseline: preferences between it and another system, and
    ratings of outputs beside which it was rated (by the same person, unless `raters` are "any"). Without a baseline the
    study as it is.
    """
    if baseline is None:
        return study
    preferences, ratings = study.preferences, study.ratings
    if preferences is not None:
        preferences = preferences.filter((pl.col("system_a") == baseline) | (pl.col("system_b") == baseline))
    if ratings is not None:
        together = ["item", "criterion", *(["annotator"] if raters == "same" else [])]
        ratings = ratings.filter((pl.col("system") == baseline).any().over(together))
    return replace(
        study,
        preferences=None if preferences is None or not preferences.height else preferences,
        ratings=None if ratings is None or not ratings.height else ratings,
    )


_RARE: Final = 0.01  # chance, over all metrics, that items which lack scores alike look as if they did not


def with_scores(automatic: PairAutomatic) -> PairAutomatic:
    """Without the unlabelled items that lack what every labelled one has: a sample of such items, as these are."""
    complete = ~np.isnan(automatic.labelled).any(axis=0)
    there = np.asarray(~np.isnan(automatic.unlabelled[:, complete]).any(axis=1))
    return automatic if there.all() else automatic.beside(there)


def lack_alike(automatic: PairAutomatic) -> bool:
    """Whether labelled items do not have more of the scores than chance would give them."""
    labelled, others = automatic.labelled, automatic.unlabelled
    size = labelled.shape[0] + others.shape[0]
    of_labelled, known = ((~np.isnan(of)).sum(axis=0) for of in (labelled, np.concatenate([labelled, others])))
    if (known == size).all():
        return True
    least, marked = of_labelled.astype(np.float64), known.astype(np.float64)
    tail = Hypergeometric(size).upper_tail(least, np.full_like(least, labelled.shape[0]), marked, size - marked)
    return bool((tail >= _RARE / marked.size).all())


def annotator_labels(study: Study, evidence: CriterionEvidence, index: ItemIndex, rule: LabelRule) -> Annotators:
    """Labels in the evidence per annotator, most first; `study`: the part of it that was compared."""
    counts = labels_by_annotator(study, evidence, index, rule)
    return Annotators(tuple(name for name, _ in counts), tuple(labels for _, labels in counts))


def system_ratings(study: Study, criterion: str | None) -> tuple[SystemRatings, ...]:
    """Ratings per system, best mean first; empty without ratings. `study`: the part of it that was compared."""
    if study.ratings is None:
        return ()
    ratings = study.ratings.filter(pl.col("criterion").eq_missing(pl.lit(criterion)))
    all_ratings = ratings.group_by("system").agg(deviation=pl.col("value").std(), ratings=pl.len())
    means = ratings.sort("value").group_by("system", "item", "sample").agg(pl.col("value").mean())  # in one order
    means = means.sort("item", "sample").group_by("system", "item").agg(pl.col("value").mean())
    means = means.sort("item").group_by("system").agg(mean=pl.col("value").mean())
    found = means.join(all_ratings, on="system").sort(["mean", "system"], descending=[True, False])
    return tuple(SystemRatings(*row) for row in found.iter_rows())
