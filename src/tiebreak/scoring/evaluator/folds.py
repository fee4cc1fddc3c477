"""Which of several evaluators speaks of an item: one that did not learn from its labels."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import polars as pl

from tiebreak.data.study import Study
from tiebreak.data.trained_on import LABELLED_TEXTS, context_hash, contexts_of
from tiebreak.scoring.evaluator.examples.splits import share_of
from tiebreak.scoring.evaluator.training.kept import Trained


def trained_for(study: Study, items: Sequence[str], evaluators: Sequence[Trained]) -> dict[str, int]:
    """The number of the evaluator of each item. Of several that learned from no output of it, its context chooses.

    Where each has learned from some output, the choice is as blind, and the study's own check refuses the result.
    """
    if len(evaluators) == 1 or study.outputs is None:
        return dict.fromkeys(items, 0)
    contexts = contexts_of(study.items)
    texts: dict[str, set[str]] = defaultdict(set)
    wanted = study.outputs.filter(pl.col("item").is_in(list(items)))
    for item, text in wanted.select("item", "text").iter_rows():
        texts[item].add(context_hash(contexts.get(item, ""), (text,)))
    learned = [set(one.about["trained_on"][LABELLED_TEXTS]) for one in evaluators]
    found = {}
    for item in items:
        free = [number for number, known in enumerate(learned) if not texts[item] & known]
        every = free or list(range(len(evaluators)))
        found[item] = every[int(len(every) * share_of(contexts.get(item, "") or item, 0))]
    return found
