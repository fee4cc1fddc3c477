"""What people say of single texts: mean ratings, criteria brought to one scale, and which of two texts about different
inputs they rated higher (learning-to-compare, 3.1).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tiebreak.data.study import Study
from tiebreak.errors import UsageError
from tiebreak.scoring.evaluator.examples.corpus import Corpus
from tiebreak.scoring.evaluator.examples.rows import ROUNDING, Chosen, Floats, Pairs, Places, Rated

Column = tuple[str, str]
"""A criterion and a person, or a criterion and "" for all people."""


@dataclass(frozen=True, slots=True)
class Scale:
    """One scale for several criteria, of texts that are learned from.

    `criteria`: the mean of each and its standard deviation. On the scale a text has the mean over its criteria of its
    standardised ratings, times the mean deviation, plus the mean of the means: with one criterion, its mean rating.
    `mean`, `deviation`: of these values.
    """

    criteria: Mapping[str, tuple[float, float]]
    mean: float
    deviation: float

    @classmethod
    def of(cls, rated: Rated) -> Scale:
        """Criteria on which all ratings are equal are left out.

        Raises:
            UsageError: ratings are equal on every criterion, or there are none.
        """
        ends = {}
        for name, values in zip(rated.criteria, rated.values.T, strict=True):
            known = values[~np.isnan(values)]
            if known.size and np.ptp(known) > 0:
                ends[name] = (float(known.mean()), float(known.std()))
        values = cls(ends, 0.0, 1.0).of_texts(rated).values if ends else np.empty(0)
        if not values.size or np.ptp(values) == 0:
            raise UsageError("there is nothing to learn: the texts to learn from have no ratings that differ")
        return cls(ends, float(values.mean()), float(values.std()))

    def of_texts(self, rated: Rated) -> Rated:
        """Values (n, 1) on this scale, of the texts that have one."""
        at = [rated.criteria.index(name) for name in self.criteria]
        means, deviations = np.array(list(self.criteria.values())).T
        standard = (rated.values[:, at] - means) / deviations
        has = ~np.isnan(standard).all(axis=1)
        values = np.nanmean(standard[has], axis=1) * deviations.mean() + means.mean()
        return Rated(rated.text[has], values[:, None], rated.context[has], (" and ".join(self.criteria),))


def rated_texts(corpus: Corpus, studies: Sequence[Study], criteria: Sequence[str] | None = None) -> Rated:
    """Every text that people rated; a criterion of several studies is one. Of equal texts by one system all count."""
    texts, columns, values = _table(corpus, studies, criteria, by_person=False)
    return Rated(texts, values, corpus.context[texts], tuple(criterion for criterion, _ in columns))


@dataclass(frozen=True, slots=True, eq=False)
class Across:
    """Texts (n,) that people rated, by their numbers in the corpus; any two of one study can be compared. There are too
    many pairs to list.

    `context`, `study` (n,): of each; `values` (n, K): its ratings by criterion and person, as `columns` (K,) say, NaN
    where there is none. `ties`: whether equal ratings are ties, or say nothing.
    """

    text: Places
    context: Places
    study: Places
    values: Floats
    columns: tuple[Column, ...]
    ties: bool

    @classmethod
    def of(
        cls, corpus: Corpus, studies: Sequence[Study], criteria: Sequence[str] | None = None, *, ties: bool = True
    ) -> Across:
        """Every text that people rated on these criteria; of equal texts of one system and context the mean counts."""
        texts, columns, values = _table(corpus, studies, criteria, by_person=True)
        context = corpus.context[texts]
        study = np.array([corpus.items[number][0] for number in context.tolist()], dtype=np.intp)
        return cls(texts, context, study, values, columns, ties)

    def __len__(self) -> int:
        return int(self.text.size)

    @property
    def texts(self) -> Places:
        """One in a row (n, 1)."""
        return self.text[:, None]

    def only(self, chosen: Chosen) -> Across:
        """Those that a mask (n,) or numbers name."""
        text, context, study = self.text[chosen], self.context[chosen], self.study[chosen]
        return Across(text, context, study, self.values[chosen], self.columns, self.ties)

    def between(self, contexts: Places) -> Pairs:
        """All pairs of texts of two different ones of these contexts that share a criterion.

        On each criterion each person who rated both votes; where nobody did, the means vote, once. The context of a
        pair is that of its first text.
        """
        mine = self.only(np.isin(self.context, contexts))
        first, second = np.triu_indices(len(mine), 1)
        apart = (mine.context[first] != mine.context[second]) & (mine.study[first] == mine.study[second])
        first, second = first[apart], second[apart]
        votes = mine._votes(first, second)
        told = votes.sum(1) > 0
        shares = votes[told] / votes[told].sum(1, keepdims=True)
        a, b = mine.text[first[told]], mine.text[second[told]]
        pairs = Pairs(a, b, shares, mine.context[first[told]], np.full(a.size, np.nan))
        return pairs if self.ties else pairs.decided()

    def in_groups(self, contexts_at_once: int) -> Pairs:
        """Pairs within groups of so many neighbouring contexts: some for every text, and not all n(n - 1)/2."""
        contexts = np.unique(self.context)
        groups = (contexts[start : start + contexts_at_once] for start in range(0, contexts.size, contexts_at_once))
        return Pairs.joined([self.between(group) for group in groups])

    def _votes(self, first: Places, second: Places) -> Floats:
        """How often (P, 3) the first text of a pair was given more, as much, or less than the second."""
        votes = np.zeros((first.size, 3))
        for criterion in dict.fromkeys(criterion for criterion, _ in self.columns):
            own = self.values[:, [column[0] == criterion for column in self.columns]]
            known = ~np.isnan(own)
            means = np.where(known.any(1), np.where(known, own, 0.0).sum(1) / np.maximum(known.sum(1), 1), np.nan)
            differences = own[first] - own[second]
            nobody = np.isnan(differences).all(1)
            differences = np.column_stack([differences, np.where(nobody, means[first] - means[second], np.nan)])
            votes[:, 0] += (differences > ROUNDING).sum(1)
            votes[:, 1] += (np.abs(differences) <= ROUNDING).sum(1)
            votes[:, 2] += (differences < -ROUNDING).sum(1)
        return votes


def _table(
    corpus: Corpus, studies: Sequence[Study], criteria: Sequence[str] | None, *, by_person: bool
) -> tuple[Places, tuple[Column, ...], Floats]:
    """Texts (n,) that people rated on these criteria, what the columns (K,) of ratings are, and mean ratings (n, K),
    NaN where there is none.
    """
    given: dict[int, dict[Column, list[float]]] = defaultdict(lambda: defaultdict(list))
    for number, study in enumerate(studies):
        if study.ratings is None:
            continue
        texts = corpus.numbers_in(number, study)
        names = ("item", "system", "sample", "criterion", "annotator", "value")
        for item, system, sample, criterion, annotator, value in study.ratings.select(names).iter_rows():
            text = texts.get((item, system, sample))
            if text is not None and (criteria is None or criterion in criteria):
                given[text][criterion, annotator if by_person else ""].append(value)
    rows = sorted(given)
    columns = tuple(sorted({column for ratings in given.values() for column in ratings}))
    values = [[np.mean(given[row][column]) if column in given[row] else np.nan for column in columns] for row in rows]
    return np.array(rows, dtype=np.intp), columns, np.array(values, dtype=np.float64).reshape(len(rows), len(columns))
