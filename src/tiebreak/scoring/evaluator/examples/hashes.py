"""The items that an evaluator learned from, as hashes: a study is asked by them whether it knows the items."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from tiebreak.data.provenance import item_keys, telling
from tiebreak.scoring.evaluator.examples.corpus import Corpus
from tiebreak.scoring.evaluator.examples.pairs import OfTexts


def item_hashes(corpus: Corpus, parts: Sequence[OfTexts]) -> list[str]:
    """The keys of all items with a text in one of the rows, and of what stays together with them; sorted."""
    used = {number for rows in parts for number in np.unique(rows.texts).tolist()}
    units = {corpus.units[corpus.context[number]] for number in used}
    texts = defaultdict[int, list[str]](list)
    for context, text in zip(corpus.context.tolist(), corpus.texts, strict=True):
        texts[context].append(text)
    told = telling((study, context) for (study, _), context in zip(corpus.items, corpus.contexts, strict=True))
    return sorted(
        {
            key
            for number, (context, unit) in enumerate(zip(told, corpus.units, strict=True))
            if unit in units
            for key in item_keys(context, texts[number])
        }
    )
