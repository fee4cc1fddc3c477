"""What people prefer, and what they rate higher, as pairs to learn from."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiebreak.data.study import Study
from tiebreak.scoring.evaluator.examples.corpus import Corpus
from tiebreak.scoring.evaluator.examples.pairs import Pairs

Floats = NDArray[np.float64]
Pair = tuple[int, int]

_OUTCOMES = {"a": 0, "tie": 1, "b": 2}
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class HumanCounts:
    """Pairs of outputs that were left out: their texts are `identical`, or one is `without_text`."""

    identical: int
    without_text: int


def human_pairs(
    corpus: Corpus, studies: Sequence[Study], criteria: Sequence[str] | None = None
) -> tuple[Pairs, HumanCounts]:
    """One row per pair of texts that people compared, or that they rated in one context.

    A preference gives its share of votes. Of two rated texts each person who rated both votes by the ratings; where
    nobody did, the means vote, once. Votes count alike, on whatever criterion. So n rated texts of a context give up to
    n(n - 1)/2 pairs. Identical texts are left out: they teach nothing.
    """
    votes: dict[Pair, Floats] = defaultdict(lambda: np.zeros(3))
    identical, without = set[tuple[int, str, Side, Side]](), set[tuple[int, str, Side, Side]]()
    for number, study in enumerate(studies):
        texts = corpus.numbers_in(number, study)
        for table in (_preferences(study, criteria), _ratings(study, criteria)):
            for (item, *sides), cast in table:
                first, second = (texts.get((item, *side)) for side in sides)
                one, other = sorted(sides, key=repr)
                if first is None or second is None:
                    without.add((number, item, one, other))
                    continue
                if corpus.texts[first] == corpus.texts[second]:
                    identical.add((number, item, one, other))
                    continue
                swapped = first > second
                votes[min(first, second), max(first, second)] += cast[::-1] if swapped else cast
    shares = np.array([cast / cast.sum() for cast in votes.values()]).reshape(-1, 3)
    pairs = Pairs.of([a for a, _ in votes], [b for _, b in votes], shares, corpus.context)
    return pairs, HumanCounts(len(identical), len(without))


Side = tuple[str, str | None]
Votes = Iterator[tuple[tuple[str, Side, Side], Floats]]


def _preferences(study: Study, criteria: Sequence[str] | None) -> Votes:
    if study.preferences is None:
        return
    columns = ("item", "system_a", "sample_a", "system_b", "sample_b", "outcome", "criterion")
    for item, a, sample_a, b, sample_b, outcome, criterion in study.preferences.select(columns).iter_rows():
        if criteria is None or criterion in criteria:
            cast = np.zeros(3)
            cast[_OUTCOMES[outcome]] = 1.0
            yield (item, (a, sample_a), (b, sample_b)), cast


def _ratings(study: Study, criteria: Sequence[str] | None) -> Votes:
    """Of every two rated outputs of an item, on each criterion: as many votes as people rated both, at least one."""
    if study.ratings is None:
        return
    columns = ("item", "criterion", "system", "sample", "annotator", "value")
    given: dict[tuple[str, str], dict[Side, dict[str, float]]] = defaultdict(lambda: defaultdict(dict))
    for item, criterion, system, sample, annotator, value in study.ratings.select(columns).iter_rows():
        if criteria is None or criterion in criteria:
            given[item, criterion][system, sample][annotator] = value
    for (item, _), outputs in given.items():
        for (one, by_one), (other, by_other) in itertools.combinations(outputs.items(), 2):
            both = by_one.keys() & by_other.keys()
            differences = [by_one[person] - by_other[person] for person in both] or [
                float(np.mean(list(by_one.values())) - np.mean(list(by_other.values())))
            ]
            cast = np.zeros(3)
            for difference in differences:
                cast[1 if abs(difference) <= ROUNDING else (0 if difference > 0 else 2)] += 1.0
            yield (item, one, other), cast
