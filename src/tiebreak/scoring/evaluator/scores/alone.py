"""Outputs scored one by one, by a discriminator or a regressor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from operator import or_
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tiebreak.data.study import Study
from tiebreak.scoring.evaluator.examples.corpus import Corpus
from tiebreak.scoring.evaluator.models.encoders import Tokens
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
        parts.append(_lost(one, corpus, tokens, np.unique(texts[mine])))
        for part in np.array_split(mine, -(-mine.size // _OUTPUTS_AT_ONCE)):
            asked, place = np.unique(texts[part], return_inverse=True)
            found[part] = one.model.scores(tokens, corpus.context, asked, AT_ONCE)[place]
            report(part.size)
    return found, reduce(or_, parts)


def _lost(one: ScoresAlone, corpus: Corpus, tokens: Tokens, texts: Places) -> Lost:
    """Of these texts and their contexts; `tokens`: of the whole corpus."""
    contexts = np.unique(corpus.context[texts]).tolist()
    read = replace(
        tokens,
        texts=tuple(tokens.texts[number] for number in texts),
        contexts=tuple(tokens.contexts[number] for number in contexts),
    )
    said = [corpus.texts[number] for number in texts]
    return Lost.of(
        one.tokenizer, one.model.always_read(tokens), said, [corpus.contexts[number] for number in contexts], read
    )
