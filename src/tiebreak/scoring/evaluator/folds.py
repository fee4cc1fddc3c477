"""Which of several evaluators speaks of an item: one that did not learn from its labels."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from tiebreak.data.study import Study
from tiebreak.data.trained_on import SEEN_TEXTS, Learned, contexts_of, texts_of_items
from tiebreak.scoring.evaluator.examples.splits import share_of
from tiebreak.scoring.evaluator.training.kept import Trained


def trained_for(study: Study, items: Sequence[str], evaluators: Sequence[Trained]) -> dict[str, int]:
    """The number of the evaluator of each item: one that learned from no label of it, and, where there is one, from
    nothing else of it either; of several such the context of the item chooses.

    Where each has learned from some label, the choice is as blind, and the study's own check refuses the result.
    """
    if len(evaluators) == 1 or study.outputs is None:
        return dict.fromkeys(items, 0)
    contexts = contexts_of(study.items)
    texts = texts_of_items(study.outputs.filter(pl.col("item").is_in(list(items))), study.items)
    learned = [Learned.of(one.about["trained_on"]) for one in evaluators]
    seen = [frozenset(one.about["trained_on"][SEEN_TEXTS]) for one in evaluators]
    found = {}
    for item in items:
        said = texts[item]
        free = [number for number, of in enumerate(learned) if not (of.knows(said) or of.may_know(said))]
        new = [number for number in free if seen[number].isdisjoint(said.texts)]
        every = new or free or list(range(len(evaluators)))
        found[item] = every[int(len(every) * share_of(contexts.get(item, "") or item, 0))]
    return found
