"""What people say of single texts: mean ratings, and criteria brought to one scale.

What people rated higher of two texts about different inputs: the pairs of learning-to-compare (3.1) of which there
are too many to list.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from tiebreak.data.study import Study
from tiebreak.errors import UsageError
from tiebreak.scoring.evaluator.examples.corpus import Corpus
from tiebreak.scoring.evaluator.examples.rows import ROUNDING, Chosen, Floats, Pairs, Places


@dataclass(frozen=True, slots=True, eq=False)
class Rated:
    """Texts (n,) that people rated, each once, by their numbers in the corpus.

    `values` (n, K): means over people on each of the `criteria` (K,), NaN where nobody rated the text on it. `context`
    (n,).
    """

    text: Places
    values: Floats
    context: Places
    criteria: tuple[str, ...]

    @property
    def margin(self) -> Floats:
        """Nothing is said about it."""
        return np.full(self.text.size, np.nan)

    @property
    def texts(self) -> Places:
        """One in a row (n, 1)."""
        return self.text[:, None]

    @property
    def columns(self) -> tuple[Places | Floats, ...]:
        """All but the context, which follows from the text."""
        return self.text, self.values

    def __len__(self) -> int:
        return int(self.text.size)

    def only(self, chosen: Chosen) -> Rated:
        """Those that a mask or numbers name."""
        return Rated(self.text[chosen], self.values[chosen], self.context[chosen], self.criteria)


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
        found = cls(ends, 0.0, 1.0).of_texts(rated).values if ends else np.empty(0)
        if not found.size or np.ptp(found) == 0:
            raise UsageError("there is nothing to learn: the texts to learn from have no ratings that differ")
        return cls(ends, float(found.mean()), float(found.std()))

    def of_texts(self, rated: Rated) -> Rated:
        """Values (n, 1) on this scale, of the texts that have one."""
        at = [rated.criteria.index(name) for name in self.criteria]
        means, deviations = np.array(list(self.criteria.values())).T
        standard = (rated.values[:, at] - means) / deviations
        has = ~np.isnan(standard).all(axis=1)
        values = np.nanmean(standard[has], axis=1) * deviations.mean() + means.mean()
        kept = rated.only(has)
        return Rated(kept.text, values[:, None], kept.context, (" and ".join(self.criteria),))

    def to_dict(self) -> dict[str, object]:
        """JSON-ready."""
        return asdict(self)


def rated_texts(corpus: Corpus, studies: Sequence[Study], criteria: Sequence[str] | None = None) -> Rated:
    """Every text that people rated; a criterion of several studies is one. Of equal texts by one system all count."""
    given: dict[int, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for number, study in enumerate(studies):
        if study.ratings is None:
            continue
        texts = corpus.numbers_in(number, study)
        rows = study.ratings.select("item", "system", "sample", "criterion", "value").iter_rows()
        for item, system, sample, criterion, value in rows:
            text = texts.get((item, system, sample))
            if text is not None and (criteria is None or criterion in criteria):
                given[text][criterion].append(value)
    names = sorted({name for of in given.values() for name in of})
    values = [[np.mean(of[name]) if name in of else np.nan for name in names] for of in given.values()]
    found = np.array(list(given), dtype=np.intp)
    table = np.array(values, dtype=np.float64).reshape(len(given), len(names))
    return Rated(found, table, corpus.context[found], tuple(names))


Given = Mapping[tuple[str, str], float]
"""By criterion and person, what a text was given."""


@dataclass(frozen=True, slots=True, eq=False)
class Across:
    """Texts (n,) that people rated, by their numbers in the corpus; any two of one study can be compared.

    `context`, `study` (n,): of each; `given`: its ratings. `ties`: whether equal ratings are ties, or say nothing.
    """

    text: Places
    context: Places
    study: Places
    given: tuple[Given, ...]
    ties: bool

    @classmethod
    def of(
        cls, corpus: Corpus, studies: Sequence[Study], criteria: Sequence[str] | None = None, *, ties: bool = True
    ) -> Across:
        """Every text that people rated on these criteria; of equal texts of one system and context the mean counts."""
        found: dict[int, dict[tuple[str, str], list[float]]] = defaultdict(lambda: defaultdict(list))
        for number, study in enumerate(studies):
            if study.ratings is None:
                continue
            texts = corpus.numbers_in(number, study)
            columns = ("item", "system", "sample", "criterion", "annotator", "value")
            for item, system, sample, criterion, annotator, value in study.ratings.select(columns).iter_rows():
                text = texts.get((item, system, sample))
                if text is not None and (criteria is None or criterion in criteria):
                    found[text][criterion, annotator].append(value)
        numbers = sorted(found)
        contexts = [int(corpus.context[one]) for one in numbers]
        given = tuple({who: float(np.mean(values)) for who, values in found[one].items()} for one in numbers)
        of_study = [corpus.items[one][0] for one in contexts]
        return cls(_places(numbers), _places(contexts), _places(of_study), given, ties)

    def __len__(self) -> int:
        return int(self.text.size)

    @property
    def texts(self) -> Places:
        """One in a row (n, 1)."""
        return self.text[:, None]

    def only(self, chosen: Chosen) -> Across:
        """Those that a mask (n,) or numbers name."""
        kept = np.arange(len(self))[chosen]
        given = tuple(self.given[number] for number in kept)
        return Across(self.text[kept], self.context[kept], self.study[kept], given, self.ties)

    def between(self, contexts: Places) -> Pairs:
        """All pairs of texts of two different ones of these contexts that share a criterion.

        On each criterion each person who rated both votes; where nobody did, the means vote, once. The context of a
        pair is that of its first text.
        """
        mine = self.only(np.isin(self.context, contexts))
        first, second = np.triu_indices(len(mine), 1)
        apart = (mine.context[first] != mine.context[second]) & (mine.study[first] == mine.study[second])
        first, second = first[apart], second[apart]
        votes = _votes(mine.given, first, second)
        told = votes.sum(1) > 0
        shares = votes[told] / votes[told].sum(1, keepdims=True)
        a, b = mine.text[first[told]], mine.text[second[told]]
        found = Pairs(a, b, shares, mine.context[first[told]], np.full(a.size, np.nan))
        return found if self.ties else found.decided()

    def in_groups(self, contexts_at_once: int) -> Pairs:
        """Pairs within groups of so many neighbouring contexts: some for every text, and not all n(n - 1)/2."""
        contexts = np.unique(self.context)
        groups = (contexts[start : start + contexts_at_once] for start in range(0, contexts.size, contexts_at_once))
        return Pairs.joined([self.between(group) for group in groups])

    def rows(self) -> Iterator[tuple[int, str, str, float]]:
        """Text, criterion, person and rating, in an order that depends on these alone."""
        for number, given in zip(self.text.tolist(), self.given, strict=True):
            yield from ((number, *who, value) for who, value in sorted(given.items()))


def _places(numbers: Sequence[int]) -> Places:
    return np.array(numbers, dtype=np.intp)


def _votes(given: Sequence[Given], first: Places, second: Places) -> Floats:
    """How often (P, 3) the first text of a pair was given more, as much, or less than the second."""
    columns = sorted({who for of in given for who in of})
    place = {who: number for number, who in enumerate(columns)}
    values = np.full((len(given), len(columns)), np.nan)
    for row, of in enumerate(given):
        values[row, [place[who] for who in of]] = list(of.values())
    votes = np.zeros((first.size, 3))
    for criterion in sorted({criterion for criterion, _ in columns}):
        own = values[:, [place[who] for who in columns if who[0] == criterion]]
        known = ~np.isnan(own)
        means = np.where(known.any(1), np.where(known, own, 0.0).sum(1) / np.maximum(known.sum(1), 1), np.nan)
        differences = own[first] - own[second]
        nobody = np.isnan(differences).all(1)
        differences = np.column_stack([differences, np.where(nobody, means[first] - means[second], np.nan)])
        votes[:, 0] += (differences > ROUNDING).sum(1)
        votes[:, 1] += (np.abs(differences) <= ROUNDING).sum(1)
        votes[:, 2] += (differences < -ROUNDING).sum(1)
    return votes
