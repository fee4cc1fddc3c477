"""Contexts that are learned from or set aside together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from tiebreak.data.provenance import item_keys


def joined(units: Sequence[str], contexts: Sequence[str], texts: Iterable[tuple[int, str, bool]]) -> tuple[str, ...]:
    """`units` (C,) of contexts, those with the same words made one: the first of their names, by the alphabet. Of
    contexts without words, those that share a labelled text are one.

    texts: the context of each (its number), the text, and whether people labelled it there. By the same words a study
    is told which items a model learned from (`item_keys`).
    """
    holders: dict[str, set[int]] = defaultdict(set)
    joining = set()
    for context, text, has_labels in texts:
        (name,) = item_keys(contexts[context], (text,))
        holders[name].add(context)
        if has_labels or contexts[context]:
            joining.add(name)
    numbers = {unit: number for number, unit in enumerate(sorted(set(units)))}
    of = np.array([numbers[unit] for unit in units], dtype=np.intp)
    pairs = [(of[min(holders[name])], of[other]) for name in joining for other in holders[name]]
    one, other = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
    graph = coo_array((np.ones(one.size), (one, other)), shape=(len(numbers), len(numbers)))
    parts = connected_components(graph, directed=False)[1]
    names = sorted(numbers)
    first = {part: names[number] for number, part in reversed(list(enumerate(parts.tolist())))}
    return tuple(first[parts[number]] for number in of)
