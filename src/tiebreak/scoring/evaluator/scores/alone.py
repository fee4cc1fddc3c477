"""Outputs scored one by one, by a discriminator or a regressor."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tiebreak.data.study import Study
from tiebreak.scoring.evaluator.examples.corpus import Corpus
from tiebreak.scoring.evaluator.models.lost import Lost
from tiebreak.scoring.evaluator.scores.outcomes import Places, Report
from tiebreak.scoring.evaluator.scores.samples import Sample
from tiebreak.scoring.evaluator.training.kept import ScoresAlone
from tiebreak.scoring.evaluator.training.measured import AT_ONCE

_OUTPUTS_AT_ONCE: Final = 256


def scores_alone(
    study: Study, trained: Sequence[ScoresAlone], samples: Sequence[Sample], of: Places, report: Report
) -> tuple[NDArray[np.float64], Lost]:
    """The score (n,) of each output, by the one of `trained` whose number is in `of` (n,); and what was not read.

    Equal outputs of one system for one input are read once.
    """
    corpus = Corpus.of([study])
    numbers = corpus.numbers_in(0, study)
    texts = np.array([numbers[one.item, one.system, one.sample] for one in samples], dtype=np.intp)
    found = np.empty(texts.size)
    parts: list[Lost] = []
    for number, one in enumerate(trained):
        mine = np.flatnonzero(of == number)
        if not mine.size:
            continue
        tokens = one.read(corpus)
        limits = one.model.always_read(tokens)
        said = (corpus.texts, corpus.contexts, tokens, corpus.context, np.unique(texts[mine]))
        parts.append(Lost.among(limits, *said))
        for part in np.array_split(mine, -(-mine.size // _OUTPUTS_AT_ONCE)):
            asked, place = np.unique(texts[part], return_inverse=True)
            found[part] = one.model.scores(tokens, corpus.context, asked, AT_ONCE)[place]
            report(part.size)
    return found, reduce(or_, parts)
