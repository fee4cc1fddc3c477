"""Where rows to learn from come from (learning-to-compare, 3.1). Strong supervision: what people wrote is better than
what was generated. Weak: later checkpoints of a training write better than earlier ones. Last, what people prefer, and
what they rate higher.

What people say of single texts: mean ratings, criteria brought to one scale, and which of two texts about different
inputs they rated higher.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Final

import numpy as np

from tiebreak.data.study import Study
from tiebreak.errors import UsageError
from tiebreak.scoring.evaluator.examples.corpus import Corpus, Writer
from tiebreak.scoring.evaluator.examples.rows import BETTER, ROUNDING, TIE, Chosen, Floats, Pairs, Places, Rated

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
    a, b = np.array([*decided, *equal], dtype=np.intp).reshape(-1, 2).T
    return Pairs.of(a, b, [BETTER] * len(decided) + [TIE] * len(equal), corpus.context), counts


def _drawn(pairs: list[tuple[int, int]], most: int, generator: np.random.Generator) -> list[tuple[int, int]]:
    if len(pairs) <= most:
        return pairs
    return [pairs[number] for number in np.sort(generator.choice(len(pairs), size=most, replace=False))]


SMALLEST_MARGIN = 0.1
"""Of the steps of the training: checkpoints that are nearer are not compared."""

CONVERGED_WITHIN = 0.02
"""A dev loss at most this share above the best of its run counts as almost converged."""


@dataclass(frozen=True, slots=True)
class WeakCounts:
    """`runs` with two checkpoints or more. Pairs of checkpoints: `used`, `near` (below the margin), `converged` (both
    almost). Pairs of texts: `identical` are left out. `without_loss`: runs of which nobody says whether they converged.
    """

    runs: int
    used: int
    near: int
    converged: int
    identical: int
    without_loss: int


def weak_pairs(corpus: Corpus, smallest: float = SMALLEST_MARGIN) -> tuple[Pairs, WeakCounts]:
    """Of every two checkpoints of a run that are far enough apart: the later one's texts before the earlier one's, in
    the same contexts. The margin of a pair is the difference of steps divided by all steps of the run.

    Never two checkpoints that had both almost converged: a dev loss within 2% of the best of the run, or after it.
    Without `total_steps` the last checkpoint's step counts as all.
    """
    runs: dict[tuple[int, str], list[int]] = defaultdict(list)
    for number, writer in enumerate(corpus.writers):
        if writer.about.run is not None and writer.about.step is not None:
            runs[writer.study, writer.about.run].append(number)
    texts: dict[int, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for number, (writer, context) in enumerate(zip(corpus.writer, corpus.context, strict=True)):
        texts[int(writer)][int(context)].append(number)
    counts: Counter[str] = Counter()
    rows: list[tuple[int, int, float]] = []
    for run in runs.values():
        if len(run) < 2:
            continue
        counts["runs"] += 1
        checkpoints = [corpus.writers[number] for number in run]
        converged = almost_converged(checkpoints)
        counts["without_loss"] += all(one.about.dev_loss is None for one in checkpoints)
        steps = [one.about.step or 0 for one in checkpoints]
        total = max([one.about.total_steps or 0 for one in checkpoints] + steps)
        for earlier, later in itertools.permutations(range(len(run)), 2):
            if (steps[later], later) < (steps[earlier], earlier):
                continue  # each pair once; two systems of one step are too near, too
            margin = (steps[later] - steps[earlier]) / max(total, 1)
            if margin < smallest - 1e-9:
                counts["near"] += 1
            elif converged[earlier] and converged[later]:
                counts["converged"] += 1
            else:
                counts["used"] += 1
                ours, theirs = texts[run[later]], texts[run[earlier]]
                for context in sorted(ours.keys() & theirs.keys()):
                    both = list(itertools.product(ours[context], theirs[context]))
                    differ = [(a, b, margin) for a, b in both if corpus.texts[a] != corpus.texts[b]]
                    counts["identical"] += len(both) - len(differ)
                    rows += differ
    a, b, margins = zip(*rows, strict=True) if rows else ((), (), ())
    pairs = Pairs.of(a, b, [BETTER] * len(rows), corpus.context, margins)
    return pairs, WeakCounts(*(counts[column.name] for column in fields(WeakCounts)))


def almost_converged(checkpoints: Sequence[Writer]) -> list[bool]:
    """Of each checkpoint of a run, whether its dev loss is within 2% of the best, or it came after the best one.

    Where no checkpoint has a dev loss, of none.
    """
    losses = [(one.about.dev_loss, one.about.step or 0) for one in checkpoints if one.about.dev_loss is not None]
    if not losses:
        return [False] * len(checkpoints)
    best, at = min(losses)
    bound = best + CONVERGED_WITHIN * abs(best)
    return [
        (one.about.step or 0) > at or (one.about.dev_loss is not None and one.about.dev_loss <= bound)
        for one in checkpoints
    ]


_OUTCOMES = {"a": 0, "tie": 1, "b": 2}


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
    votes: dict[tuple[int, int], Floats] = defaultdict(lambda: np.zeros(3))
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
    a, b = np.array(list(votes), dtype=np.intp).reshape(-1, 2).T
    return Pairs.of(a, b, shares, corpus.context), HumanCounts(len(identical), len(without))


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
