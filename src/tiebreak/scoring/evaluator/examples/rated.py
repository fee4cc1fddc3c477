"""What people say of single texts: mean ratings, and criteria brought to one scale."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from tiebreak.data.study import Study
from tiebreak.errors import UsageError
from tiebreak.scoring.evaluator.examples.corpus import Corpus
from tiebreak.scoring.evaluator.examples.pairs import Chosen, Floats, Places


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
