"""Strong supervision: what people wrote is better than what was generated (learning-to-compare, 3.1)."""

from __future__ import annotations

import itertools
from collections import defaultdict
from dataclasses import dataclass
from typing import Final

import numpy as np

from tiebreak.scoring.evaluator.examples.corpus import Corpus
from tiebreak.scoring.evaluator.examples.pairs import BETTER, TIE, Pairs

KEPT_AT_LEAST: Final = 0.5
"""Of the decided pairs: where ties are rarer than the mix wants, no more of what references say is given up for it."""


@dataclass(frozen=True, slots=True)
class StrongCounts:
    """How many pairs there are, before the mix; `lone_references`: contexts whose only reference makes no tie;
    `identical`: outputs that equal a reference; `equal_references`: pairs of references with one text; `used_decided`
    and `used_ties`: how many are left after it.
    """

    decided: int
    reference_ties: int
    sample_ties: int
    identical: int
    equal_references: int
    lone_references: int
    used_decided: int
    used_ties: int


def strong_pairs(corpus: Corpus, generator: np.random.Generator, *, ties: float = 1.0) -> tuple[Pairs, StrongCounts]:
    """A reference before each text that a system wrote; ties between two references, and between two samples of one
    system (of one checkpoint, if systems are checkpoints), all within a context.

    In both orders n references and n generated texts are n^2 pairs "better", as many "worse", and n(n - 1) ties of
    each kind. `ties`: how many ties for each "better", at most: 1 is the mix 1:1:1. What there is too much of is drawn,
    of decided pairs at least half; where no reference is beside an output, ties are left out: alone they would teach
    that everything is one. An output that equals a reference is not worse than the others, and beside none of them.
    """
    by_context: dict[int, list[int]] = defaultdict(list)
    for number, context in enumerate(corpus.context):
        by_context[int(context)].append(number)
    reference = corpus.is_reference
    decided: list[tuple[int, int]] = []
    told: list[tuple[int, int]] = []
    made: list[tuple[int, int]] = []
    identical = equal_references = lone = 0
    for texts in by_context.values():
        references = [number for number in texts if reference[number]]
        generated = [number for number in texts if not reference[number]]
        lone += len(references) == 1
        given = {corpus.texts[number] for number in references}
        others = [number for number in generated if corpus.texts[number] not in given]
        identical += len(generated) - len(others)
        decided += itertools.product(references, others)
        both = list(itertools.combinations(references, 2))
        differ = [pair for pair in both if corpus.texts[pair[0]] != corpus.texts[pair[1]]]
        equal_references += len(both) - len(differ)
        told += differ
        for _, same in itertools.groupby(sorted(generated, key=lambda n: corpus.writer[n]), lambda n: corpus.writer[n]):
            made += list(itertools.combinations(same, 2))
    equal = told + made
    found = (len(decided), len(told), len(made), identical, equal_references, lone)
    if decided and equal:  # in both orders: a decided pair is one "better", a tie two ties
        most = max(2 * len(equal) / ties, KEPT_AT_LEAST * len(decided)) if ties else len(decided)
        decided = _drawn(decided, int(np.ceil(most)), generator)
    equal = _drawn(equal, int(np.ceil(ties * len(decided) / 2)), generator)
    counts = StrongCounts(*found, len(decided), len(equal))
    pairs = [*decided, *equal]
    shares = [BETTER] * len(decided) + [TIE] * len(equal)
    return Pairs.of([a for a, _ in pairs], [b for _, b in pairs], shares, corpus.context), counts


def _drawn(pairs: list[tuple[int, int]], most: int, generator: np.random.Generator) -> list[tuple[int, int]]:
    if len(pairs) <= most:
        return pairs
    return [pairs[number] for number in np.sort(generator.choice(len(pairs), size=most, replace=False))]
