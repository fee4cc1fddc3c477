"""The two tasks, and what of them an evaluator may learn from.

What values of texts are worth beside what people said of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import stdtr
from scipy.stats import pearsonr, rankdata, spearmanr, ttest_1samp

import tiebreak
from tiebreak.data.study import Study
from tiebreak.kernels.unit_means import effective_clusters
from tiebreak.scoring.evaluator.examples.corpus import Corpus, share_of
from tiebreak.scoring.evaluator.examples.rows import Pairs
from tiebreak.scoring.evaluator.examples.sources import human_pairs

HELD_OUT = 0.2
SYSTEMS_HELD_OUT = 5


@dataclass(frozen=True)
class Split:
    """`learn`: what an evaluator is trained on; `held`: the studies of the inputs that are kept; `new`: systems of
    which it has read nothing."""

    learn: tuple[Study, ...]
    held: tuple[Study, ...]
    new: tuple[str, ...]


def summaries(data: Path) -> Study:
    """News summaries, rated by three experts on four criteria."""
    return tiebreak.read_study(data / "summeval").select(annotators=["expert_*"])


def sentences(data: Path) -> list[Study]:
    """Pairs of sentences, of which ten people each chose the more natural one."""
    return [tiebreak.read_study(data / name) for name in ("naturalness-v1", "naturalness-v2")]


def of_items(study: Study, items: set[str]) -> Study:
    """The rows of these items."""
    tables = {
        name: frame.filter(pl.col("item").is_in(list(items)))
        for name, frame in study.tables.items()
        if "item" in frame.columns
    }
    return replace(study, **tables, with_repeats={})


def split(studies: Sequence[Study], seed: int, new_systems: int) -> Split:
    """A fifth of the inputs is held out, and so many systems. Nothing is learned from inputs that share a text with
    one that is held out."""
    generator = np.random.default_rng(seed)
    new = tuple(generator.choice(sorted(studies[0].systems), new_systems, replace=False).tolist())
    corpus = Corpus.of(studies)
    sides: list[tuple[set[str], set[str]]] = [(set(), set()) for _ in studies]
    for (number, item), unit in zip(corpus.items, corpus.units, strict=True):
        sides[number][share_of(unit, seed) < HELD_OUT].add(item)
    held = tuple(of_items(study, kept) for study, (_, kept) in zip(studies, sides, strict=True))
    texts = pl.concat([outputs_of(study)["text"] for study in held]).unique()
    learn = []
    for study, (mine, _) in zip(studies, sides, strict=True):
        met = outputs_of(study).filter(pl.col("text").is_in(texts.implode()))["item"]
        known = [name for name in study.systems if name not in new]
        learn.append(of_items(study, mine - set(met)).select(systems=known))
    return Split(tuple(learn), held, new)


def outputs_of(study: Study) -> pl.DataFrame:
    assert study.outputs is not None
    return study.outputs


def split_of_summaries(data: Path, seed: int) -> Split:
    return split([summaries(data)], seed, SYSTEMS_HELD_OUT)


def split_of_sentences(data: Path, seed: int) -> Split:
    return split(sentences(data), seed, 0)


Floats = NDArray[np.float64]
Key = tuple[str, str]
"""An item and a system."""
Scores = list[tuple[str, str, float]]
"""An item, a system and a value, for texts."""


def two_way(values: Floats, pairs: Pairs) -> float:
    """Share of the decided pairs whose better text has the higher value; equal values count half."""
    decided = pairs.better != 0
    said = np.sign(values[pairs.a] - values[pairs.b])[decided]
    return float(np.mean((1 + said * pairs.better[decided]) / 2))


def within(values: Floats, human: Floats, context: NDArray[np.intp]) -> float:
    """The mean over contexts of Spearman's correlation over the texts of one."""
    found = []
    for number in np.unique(context):
        own = (context == number) & ~np.isnan(human) & ~np.isnan(values)
        if own.sum() > 2 and np.ptp(human[own]) > 0 and np.ptp(values[own]) > 0:
            found.append(float(spearmanr(values[own], human[own])[0]))
    return float(np.mean(found)) if found else math.nan


def keys_of(corpus: Corpus) -> list[Key]:
    """Of each text."""
    return [
        (corpus.items[context][1], corpus.writers[writer].name)
        for context, writer in zip(corpus.context, corpus.writer, strict=True)
    ]


def mean_ratings(study: Study) -> dict[Key, float]:
    """Over criteria and people."""
    assert study.ratings is not None
    rated = study.ratings.group_by("item", "system").agg(pl.col("value").mean())
    return {(item, system): value for item, system, value in rated.iter_rows()}


def means_of(scores: Scores, systems: Collection[str]) -> dict[str, float]:
    """Of each of these systems."""
    return {name: float(np.mean([value for _, system, value in scores if system == name])) for name in systems}


def correlations(values: Sequence[float] | Floats, human: Sequence[float] | Floats) -> dict[str, float]:
    """Spearman's and Pearson's, and the larger of their two p."""
    rho, r = spearmanr(values, human), pearsonr(values, human)
    return {"spearman": float(rho[0]), "pearson": float(r[0]), "p": float(max(rho[1], r[1]))}


def p_by_context(values: Floats, human: Floats, context: NDArray[np.intp]) -> float:
    """The larger p of both correlations over texts, of contexts that are drawn as wholes: a t-test of what each context
    adds to the covariance, of values or of ranks. Texts of one context are no more independent than they are.
    """
    units = np.unique(context, return_inverse=True)[1]

    def p(one: Floats, other: Floats) -> float:
        added = np.bincount(units, (one - one.mean()) * (other - other.mean()))
        return float(ttest_1samp(added, 0.0).pvalue)

    return max(p(values, human), p(rankdata(values), rankdata(human)))


@dataclass(frozen=True, slots=True, eq=False)
class HeldOut:
    """What is measured of one seed: people's means, and pairs of which they say something."""

    corpus: Corpus
    pairs: Pairs
    human: Mapping[Key, float]
    new: tuple[str, ...]

    @classmethod
    @cache
    def of(cls, data: Path, seed: int) -> HeldOut:
        parts = split_of_summaries(data, seed)
        corpus = Corpus.of(parts.held)
        return cls(corpus, human_pairs(corpus, parts.held)[0], mean_ratings(parts.held[0]), parts.new)

    def texts(self, scores: Scores) -> dict[str, float]:
        """What scores of all texts are worth."""
        known = {(item, system): value for item, system, value in scores}
        values = np.array([known.get(key, np.nan) for key in keys_of(self.corpus)])
        human = np.array([self.human.get(key, np.nan) for key in keys_of(self.corpus)])
        there = ~np.isnan(human) & ~np.isnan(values)
        is_new = np.array([name in self.new for _, name in keys_of(self.corpus)])
        both = self.pairs.only(there[self.pairs.a] & there[self.pairs.b])
        found = {
            "within": within(values, human, self.corpus.context),
            **correlations(values[there], human[there]),
            "p": p_by_context(values[there], human[there], self.corpus.context[there]),
        }
        if len(both):
            found["two_way"] = two_way(values, both)
            found["new"] = two_way(values, both.only(is_new[both.a] | is_new[both.b]))
        return found

    def systems(self, values: Mapping[str, float]) -> dict[str, float]:
        """What a number of each system is worth."""
        names = sorted(values)
        means = [np.mean([value for (_, system), value in self.human.items() if system == name]) for name in names]
        mine = [values[name] for name in names]
        return correlations(mine, means)


def of_votes(values_of: Callable[[Corpus], Floats], parts: Split) -> dict[str, float]:
    """What values of both texts of pairs are worth beside the votes on the pairs."""
    corpus = Corpus.of(parts.held)
    pairs, values = human_pairs(corpus, parts.held)[0], values_of(corpus)
    difference, votes = values[pairs.a] - values[pairs.b], pairs.shares[:, 0] - pairs.shares[:, 2]
    both = np.concatenate([difference, -difference]), np.concatenate([votes, -votes])
    rho, r = float(spearmanr(*both)[0]), float(pearsonr(*both)[0])
    return {"two_way": two_way(values, pairs), "correlation": rho, "pearson": r}


@cache
def independent_pairs(data: Path, seed: int) -> float:
    """Held-out pairs of sentences that would say as much if none shared a sentence with another,
    where those that do say the same: no more than there are.
    """
    parts = split_of_sentences(data, seed)
    corpus = Corpus.of(parts.held)
    pairs = human_pairs(corpus, parts.held)[0]
    units = [corpus.units[number] for number in corpus.context[pairs.a]]
    return effective_clusters(np.unique(units, return_counts=True)[1].astype(np.float64))


def p_of_votes(found: Mapping[str, float], pairs: float) -> float:
    """The larger p of both correlations of `of_votes`."""
    return max(_p_of_one_order(found[name], pairs) for name in ("correlation", "pearson"))


def _p_of_one_order(correlation: float, pairs: float) -> float:
    """Of a correlation over both orders of so many pairs, whose means are 0: each pair counts once."""
    left = max(1 - correlation**2, 1e-300)
    return float(2 * stdtr(pairs - 1, -abs(correlation) * np.sqrt((pairs - 1) / left)))
