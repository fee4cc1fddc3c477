"""Which of several evaluators speaks of an item: one that did not learn from its labels."""

from __future__ import annotations

from collections.abc import Sequence

from tiebreak.data.provenance import LABELLED_ITEMS, SEEN_ITEMS, keys_of_items, learned_keys
from tiebreak.data.study import Study
from tiebreak.scoring.evaluator.examples.corpus import share_of
from tiebreak.scoring.evaluator.training.kept import Trained


def trained_for(study: Study, items: Sequence[str], evaluators: Sequence[Trained]) -> dict[str, int]:
    """The number of the evaluator of each item: one that learned from no label of it, and, where there is one, from
    nothing else of it either; of several such the hashes of the item choose.

    Where each has learned from its labels, the choice is as blind, and results leave the item out.
    """
    if len(evaluators) == 1:
        return dict.fromkeys(items, 0)
    keys = keys_of_items(study.outputs, study.items)
    learned = [learned_keys(one.about["trained_on"], LABELLED_ITEMS) for one in evaluators]
    seen = [learned_keys(one.about["trained_on"], SEEN_ITEMS) for one in evaluators]
    chosen = {}
    for item in items:
        mine = keys.get(item, frozenset())
        free = [number for number, known in enumerate(learned) if known.isdisjoint(mine)]
        new = [number for number in free if seen[number].isdisjoint(mine)]
        every = new or free or list(range(len(evaluators)))
        chosen[item] = every[int(len(every) * share_of(min(mine, default=item), 0))]
    return chosen


def all_learned(study: Study, items: Sequence[str], evaluators: Sequence[Trained]) -> bool:
    """Whether each item would be judged by an evaluator that learned from its labels."""
    keys, chosen = keys_of_items(study.outputs, study.items), trained_for(study, items, evaluators)
    return all(
        not learned_keys(evaluators[chosen[item]].about["trained_on"], LABELLED_ITEMS).isdisjoint(keys[item])
        for item in items
    )
