"""What there is to learn in studies, and which of it is kept apart."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiebreak.data.study import Study
from tiebreak.errors import UsageError, check_known
from tiebreak.messages.tables import UNUSED
from tiebreak.numbers import counted
from tiebreak.scoring.evaluator.examples import sources
from tiebreak.scoring.evaluator.examples.corpus import Corpus, fold_of, share_of, texts_of_systems, within
from tiebreak.scoring.evaluator.examples.rows import Pairs, Rated, Rows, Source, as_pairs
from tiebreak.scoring.evaluator.settings import TrainSettings


@dataclass(frozen=True, slots=True, eq=False)
class Examples:
    """Rows by where their labels come from, in the order of learning; those of no use are absent.

    Pairs of texts to compare; for a discriminator pairs of a reference and an output; for a regressor rated texts.
    `studies`: name and fingerprint of each. `across`: rated texts that are compared whatever their contexts, besides;
    None where that was not asked for. `ties_left_out`: pairs that are nothing but ties, where ties are not learned.
    `unknown`: what a study.toml says of systems that no table of the study names.
    """

    studies: tuple[tuple[str, str], ...]
    corpus: Corpus
    rows: dict[Source, Rows]
    strong: sources.StrongCounts | None = None
    weak: sources.WeakCounts | None = None
    human: sources.HumanCounts | None = None
    across: sources.Across | None = None
    ties_left_out: int = 0
    unknown: tuple[str, ...] = ()

    @classmethod
    def of(cls, studies: Sequence[Study], settings: TrainSettings) -> Examples:
        """All that the studies have, of the kinds that the settings want.

        Raises:
            UsageError: no study has outputs, there is nothing to learn, or a criterion that no study knows.
        """
        corpus, named = Corpus.of(studies), tuple((study.name, study.fingerprint) for study in studies)
        criteria = dict.fromkeys(name for study in studies for name in study.criteria if name is not None)
        check_known("criterion", settings.criteria or (), tuple(criteria))  # else nothing would be learned from it
        generator = np.random.default_rng([settings.seed, 7])
        if settings.form == "regressor":
            rated = sources.rated_texts(corpus, studies, settings.criteria)
            return cls(named, corpus, _useful({"human": rated}, settings))
        if settings.form == "discriminator":
            written, counts = sources.strong_pairs(corpus, generator, ties=0.0)
            return cls(named, corpus, _useful({"strong": written}, settings), counts)
        found: dict[Source, Pairs] = {}
        strong, weak, human = None, None, None
        if settings.strong:
            ties = settings.tie_mix if settings.ties else 0.0
            found["strong"], strong = sources.strong_pairs(corpus, generator, ties=ties)
        if settings.weak:
            found["weak"], weak = sources.weak_pairs(corpus)
        if settings.human:
            found["human"], human = sources.human_pairs(corpus, studies, settings.criteria)
        across = sources.Across.of(corpus, studies, settings.criteria, ties=settings.ties) if settings.across else None
        if across is not None and not np.any(across.context != across.context[:1]):
            raise UsageError("--across compares rated texts about different inputs, and no two inputs have rated texts")
        every = sum(map(len, found.values()))
        if not settings.ties:
            found = {source: pairs.decided() for source, pairs in found.items()}
        ties_left_out = every - sum(map(len, found.values()))
        unknown = tuple(
            notice.text
            for study in studies
            for notice in study.notices
            if notice.code == UNUSED.code and "system" in notice.details
        )
        if not any(map(len, found.values())) and across is None and _rated_apart(studies, settings):
            raise UsageError(
                f"nobody rated two outputs of one input{_on_criteria(settings)}, and there is nothing else to learn: "
                "--across compares rated outputs of different inputs"
            )
        useful = _useful(found, settings, across=bool(across), unknown=unknown)
        return cls(named, corpus, useful, strong, weak, human, across, ties_left_out, unknown)

    def on_one_scale(self, learned: NDArray[np.bool_]) -> tuple[Examples, sources.Scale | None]:
        """Ratings brought to one scale, that of the texts (T,) that are learned from; None where none are learned.

        Raises:
            UsageError: these have no ratings that differ.
        """
        rated = self.rows.get("human")
        if not isinstance(rated, Rated):
            return self, None
        scale = sources.Scale.of(within(rated, learned))
        return replace(self, rows={"human": scale.of_texts(rated)}), scale

    def missing(self, settings: TrainSettings) -> list[str]:
        """A sentence of each thing that was wanted and is not there: runs of checkpoints, systems, texts, ties."""
        found = []
        if settings.compares and settings.ties and not self._has_ties():
            found.append(
                "Nothing that it learns from is a tie, so that it answers by none. Ties come of two references or two "
                "samples of one system for one input, of votes for a tie, and of equal ratings."
            )
        if self.weak is not None and not self.weak.runs:
            found.append(
                "Nothing is learned from checkpoints: no study.toml gives two systems the same run, and each a step. "
                "Where systems are checkpoints, add these under [systems.NAME]."
            )
        found += [f"{sentence[0].upper()}{sentence[1:]}." for sentence in self.unknown]
        if self.human is not None and self.human.without_text:
            found.append(
                f"{counted(self.human.without_text, 'pair')} of outputs with labels left out: there is no text of one "
                "of them."
            )
        if self.ties_left_out:
            found.append(
                f"{counted(self.ties_left_out, 'pair')} left out of which nothing but ties is said (--no-learn-ties), "
                "and votes for a tie of other pairs."
            )
        return found

    def _has_ties(self) -> bool:
        pairs = [as_pairs(rows) for rows in self.rows.values()]
        pairs += [] if self.across is None else [self.across.in_groups(2)]
        return any(np.any(some.shares[:, 1] > 0) for some in pairs)

    def counts(self) -> dict[str, object]:
        """JSON-ready: rows by source, and what was left out."""
        rows = {source: len(of) for source, of in self.rows.items()}
        left_out = {"strong": self.strong, "weak": self.weak, "human": self.human}
        return {
            "studies": [{"name": name, "fingerprint": fingerprint} for name, fingerprint in self.studies],
            "contexts": len(self.corpus.contexts), "texts": len(self.corpus.texts), "repeats": self.corpus.repeats,
            "rows": rows, **{source: None if of is None else asdict(of) for source, of in left_out.items()},
            "across": None if self.across is None else len(self.across), "ties_left_out": self.ties_left_out,
        }  # fmt: skip

    def fingerprint(self) -> str:
        """SHA-256 (hex) of texts, of what stays together, and of rows: a resumed training must find the same."""
        corpus = self.corpus
        said = (*corpus.contexts, *corpus.units, *(writer.name for writer in corpus.writers), *corpus.texts)
        sha = hashlib.sha256("\0".join(said).encode("utf-8", "replace"))
        tables = [*self.rows.items(), *([] if self.across is None else [(repr(self.across.columns), self.across)])]
        arrays = [corpus.context, corpus.writer, corpus.reference]
        for name, rows in tables:
            sha.update(name.encode())
            arrays += [getattr(rows, column.name) for column in fields(rows)]
        for numbers in arrays:
            if isinstance(numbers, np.ndarray):
                sha.update(np.ascontiguousarray(numbers).tobytes())
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
        new = texts_of_systems(corpus, settings.held_out_systems or ())
        measured, looked = measured[corpus.context], looked[corpus.context] & ~new
        return cls(~measured & ~looked & ~new, looked, measured)


def _on_criteria(settings: TrainSettings) -> str:
    return " on the criteria that were asked for" if settings.criteria else ""


def _nothing(settings: TrainSettings) -> str:
    """Why there is nothing to learn of what was asked for."""
    if settings.form == "discriminator":
        return "a discriminator tells references from outputs, and no item has a reference beside outputs"
    if settings.form == "regressor":
        return f"a regressor learns mean ratings, and nobody rated outputs{_on_criteria(settings)}"
    but_ties = "" if settings.ties else ", or only ties came of it (--no-learn-ties)"
    why = []
    if settings.strong:
        why.append("no item has a reference beside outputs")
    if settings.weak:
        why.append("no run in study.toml has two checkpoints far enough apart")
    if settings.human:
        why.append(f"nobody compared or rated two different outputs of an item{_on_criteria(settings)}{but_ties}")
    if not why:
        return "there is nothing to learn: --no-strong, --no-weak and --no-labels leave out all that there is"
    *first, last = why
    return f"there is nothing to learn: {', '.join(first)}{', and ' if first else ''}{last}"


def _rated_apart(studies: Sequence[Study], settings: TrainSettings) -> bool:
    """Whether people rated what is to be learned, of different inputs."""
    wanted = settings.criteria
    return settings.human and any(
        study.ratings is not None
        and study.ratings.filter(True if wanted is None else pl.col("criterion").is_in(wanted))["item"].n_unique() > 1
        for study in studies
    )


def _useful(
    found: Mapping[Source, Rows], settings: TrainSettings, *, across: bool = False, unknown: Sequence[str] = ()
) -> dict[Source, Rows]:
    """Those with rows; `across`: whether texts about different inputs are compared, besides, as people rated them.

    Raises:
        UsageError: there is none.
    """
    kept = {source: rows for source, rows in found.items() if len(rows) or (source == "human" and across)}
    if not kept:
        raise UsageError(". ".join((_nothing(settings), *unknown)))
    return kept
