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
    """What was left out: pairs of outputs whose texts are `identical`, and comparisons of outputs without a text."""

    identical: int
    without_text: int


def human_pairs(
    corpus: Corpus, studies: Sequence[Study], criteria: Sequence[str] | None = None
) -> tuple[Pairs, HumanCounts]:
    """One row per pair of texts that people compared, or that they rated in one context; criteria count alike.

    A preference gives its share of votes. Of two rated texts each person who rated both votes by the ratings; where
    nobody did, the means vote, once. So n rated texts of a context give up to n(n - 1)/2 pairs. Identical texts are
    left out: they teach nothing.
    """
    votes: dict[Pair, Floats] = defaultdict(lambda: np.zeros(3))
    identical: set[tuple[int, str, Side, Side]] = set()
    without = 0
    for number, study in enumerate(studies):
        texts = corpus.numbers_in(number, study)
        for table in (_preferences(study, criteria), _ratings(study, criteria)):
            for (item, (system_a, sample_a), (system_b, sample_b)), cast in table:
                first, second = texts.get((item, system_a, sample_a)), texts.get((item, system_b, sample_b))
                if first is None or second is None:
                    without += 1
                    continue
                if corpus.texts[first] == corpus.texts[second]:
                    one, other = sorted(((system_a, sample_a), (system_b, sample_b)), key=repr)
                    identical.add((number, item, one, other))
                    continue
                swapped = first > second
                votes[min(first, second), max(first, second)] += cast[::-1] if swapped else cast
    shares = np.array([cast / cast.sum() for cast in votes.values()]).reshape(-1, 3)
    pairs = Pairs.of([a for a, _ in votes], [b for _, b in votes], shares, corpus.context)
    return pairs, HumanCounts(len(identical), without)


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
