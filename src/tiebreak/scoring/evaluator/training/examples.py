"""What there is to learn in studies, and which of it is kept apart."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from tiebreak.data.study import Study
from tiebreak.errors import UsageError, check_known
from tiebreak.scoring.evaluator.examples.corpus import Corpus
from tiebreak.scoring.evaluator.examples.human import human_pairs
from tiebreak.scoring.evaluator.examples.pairs import Pairs, Source
from tiebreak.scoring.evaluator.examples.splits import fold_of, share_of, texts_of_systems, within
from tiebreak.scoring.evaluator.examples.strong import StrongCounts, strong_pairs
from tiebreak.scoring.evaluator.examples.weak import WeakCounts, weak_pairs
from tiebreak.scoring.evaluator.training.settings import TrainSettings

SOURCES: tuple[Source, ...] = ("strong", "weak", "human")
"""The order in which they are learned: what people say comes last."""


@dataclass(frozen=True, slots=True, eq=False)
class Examples:
    """Pairs by where their labels come from, in the order of learning; those of no use are absent."""

    corpus: Corpus
    pairs: dict[Source, Pairs]
    strong: StrongCounts | None
    weak: WeakCounts | None

    @classmethod
    def of(cls, studies: Sequence[Study], settings: TrainSettings) -> Examples:
        """All that the studies have, of the kinds that the settings want.

        Raises:
            UsageError: no study has outputs, there is nothing to learn, or a criterion that no study knows.
        """
        corpus = Corpus.of(studies)
        _check_criteria(studies, settings.criteria)
        found: dict[Source, Pairs] = {}
        strong = weak = None
        if settings.strong:
            ties = settings.tie_mix if settings.ties else 0.0
            found["strong"], strong = strong_pairs(corpus, np.random.default_rng([settings.seed, 7]), ties=ties)
        if settings.weak:
            found["weak"], weak = weak_pairs(corpus)
        if settings.human:
            found["human"] = human_pairs(corpus, studies, settings.criteria)
        if not settings.ties:
            found = {source: _decided(pairs) for source, pairs in found.items()}
        kept = {source: pairs for source, pairs in found.items() if len(pairs)}
        if not kept:
            raise UsageError(
                "there is nothing to learn: no item has a reference beside outputs, no run in study.toml has two "
                "checkpoints far enough apart, and nobody compared or rated outputs (of those that were asked for)"
            )
        return cls(corpus, kept, strong, weak)

    def counts(self) -> dict[str, object]:
        """JSON-ready: pairs by source, and what was left out."""
        pairs = {source: len(of) for source, of in self.pairs.items()}
        strong = None if self.strong is None else asdict(self.strong)
        weak = None if self.weak is None else asdict(self.weak)
        return {"contexts": len(self.corpus.contexts), "texts": len(self.corpus.texts), "pairs": pairs,
                "strong": strong, "weak": weak}  # fmt: skip

    def fingerprint(self) -> str:
        """SHA-256 (hex) of texts and pairs: what a training that is resumed must find again."""
        sha = hashlib.sha256("\0".join((*self.corpus.contexts, *self.corpus.texts)).encode("utf-8", "replace"))
        for source, pairs in self.pairs.items():
            sha.update(source.encode())
            for column in (pairs.a, pairs.b, pairs.shares, pairs.margin):
                sha.update(np.ascontiguousarray(column).tobytes())
        return sha.hexdigest()


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """Which texts (T,) are learned from, which say when to stop, and which are measured; of no text two are true.

    Texts of held-out systems are only measured, and only in contexts that are.
    """

    learned: NDArray[np.bool_]
    looked: NDArray[np.bool_]
    measured: NDArray[np.bool_]

    @classmethod
    def of(cls, corpus: Corpus, settings: TrainSettings, fold: int | None) -> Parts:
        """`fold`: measure the contexts of this fold; None: a share of all."""
        drawn = np.array([share_of(unit, settings.seed) for unit in corpus.units])
        if fold is None:
            measured = drawn < settings.held_out / 2
            looked = (drawn < settings.held_out) & ~measured
        elif settings.folds is None:
            raise UsageError(f"fold {fold} is to be measured, and the settings name no number of folds")
        else:
            measured = fold_of(corpus, settings.folds, settings.seed) == fold
            again = np.array([share_of(unit, settings.seed + 1) for unit in corpus.units])  # within the other folds
            looked = ~measured & (again < settings.held_out / 2)
        new = (
            np.zeros(len(corpus.texts), dtype=bool)
            if settings.held_out_systems is None
            else texts_of_systems(corpus, settings.held_out_systems)
        )
        measured, looked = measured[corpus.context], looked[corpus.context] & ~new
        return cls(~measured & ~looked & ~new, looked, measured)

    def learn(self, pairs: Pairs) -> Pairs:
        return pairs.only(within(pairs, self.learned))

    def look(self, pairs: Pairs) -> Pairs:
        return pairs.only(within(pairs, self.looked))

    def measure(self, pairs: Pairs) -> Pairs:
        return pairs.only(within(pairs, self.measured))


def _check_criteria(studies: Sequence[Study], criteria: Sequence[str] | None) -> None:
    """Raise UsageError for a criterion that no study has labels on: nothing would be learned from it."""
    known = tuple(dict.fromkeys(name for study in studies for name in study.criteria if name is not None))
    check_known("criterion", criteria or (), known)


def _decided(pairs: Pairs) -> Pairs:
    """Without ties: shares of the two sides, and no pair that nobody decided."""
    shares = pairs.shares * np.array([1.0, 0.0, 1.0])
    told = shares.sum(1) > 0
    kept = pairs.only(told)
    return Pairs(kept.a, kept.b, shares[told] / shares[told].sum(1, keepdims=True), kept.context, kept.margin)
