"""What a trained evaluator says of the outputs of a study, or of any texts."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiebreak.data.provenance import add_signatures, contexts_of, texts_read
from tiebreak.data.study import Study
from tiebreak.errors import UsageError, check_known
from tiebreak.numbers import counted
from tiebreak.scoring.evaluator.examples.rows import Floats, Places
from tiebreak.scoring.evaluator.models.encoders import Lost
from tiebreak.scoring.evaluator.settings import EvaluatorJudgingSettings
from tiebreak.scoring.evaluator.training.kept import Trained, all_learned, evaluators_in, load_evaluator, trained_for
from tiebreak.scoring.writing import Question, add_judgements, answered_by

_SAVE_EVERY: Final = 60.0  # seconds
_AT_ONCE: Final = {"siamese": 512, "cross": 128}
"""Pairs that a form judges in one go, and keeps after it: a minute or so of work on one processor."""
_SCHEMA: Final = dict.fromkeys(
    ("item", "system_a", "system_b", "sample_a", "sample_b", "judge", "criterion", "texts", "outcome"), pl.String()
) | {"p_a": pl.Float64(), "p_tie": pl.Float64(), "p_b": pl.Float64(), "signature": pl.String()}
"""Of the rows of judge_preferences that are written."""
_OUTCOME: Final = {1: "a", 0: "tie", -1: "b"}

Report = Callable[[int, int], None]
"""Pairs judged, and of how many."""
Save = Callable[[pl.DataFrame], None]
"""Rows of judge_preferences: all that were judged so far."""


@dataclass(frozen=True, slots=True)
class ReadTexts:
    """Texts (n,) as an evaluator reads them, equal ones about equal contexts once. `place` (n,): of each among those;
    `probabilities` (m, 3): of pairs (m,) of places; `lost`: what it does not read.
    """

    place: Places
    probabilities: Callable[[Places, Places], Floats]
    lost: Lost

    @classmethod
    def of(cls, evaluator: Trained, texts: Sequence[tuple[str, str]]) -> ReadTexts:
        """`texts`: the context of each, and the text."""
        numbers = {key: number for number, key in enumerate(dict.fromkeys(texts))}
        contexts = {context: number for number, context in enumerate(dict.fromkeys(context for context, _ in numbers))}
        distinct, about = [text for _, text in numbers], list(contexts)
        tokens = evaluator.read(distinct, about)
        context = np.array([contexts[context] for context, _ in numbers], dtype=np.intp)
        limits, every = evaluator.model.always_read(tokens), np.arange(len(distinct))
        lost = Lost.of(limits, distinct, about, tokens, context, every)
        place = np.array([numbers[key] for key in texts], dtype=np.intp)
        return cls(place, evaluator.model.comparing(tokens, context), lost)


class ComparingBy:
    """Compares by an evaluator, with the context of each item; equal texts are a tie without being read.

    Items without a context have an empty one. `lost`: what it did not read of the texts so far, None before the first.
    """

    def __init__(self, evaluator: Trained, contexts: Mapping[str, str]) -> None:
        self._evaluator, self._contexts = evaluator, contexts
        self.lost: Lost | None = None

    def __call__(self, items: Sequence[str], texts: Sequence[str], others: Sequence[str]) -> NDArray[np.int8]:
        """Outcomes (n,) of texts and others for items, each n long: 1 where the text is better, -1 if worse, else 0.

        Raises:
            UsageError: an item that is not among the contexts, where there are any.
        """
        if self._contexts:
            check_known("item", items, tuple(self._contexts), but="there are inputs of")
        about = [self._contexts.get(item, "") for item in items]
        read = ReadTexts.of(self._evaluator, [*zip(about, texts, strict=True), *zip(about, others, strict=True)])
        self.lost = read.lost if self.lost is None else self.lost | read.lost
        a, b = np.split(read.place, 2)
        return np.where(a == b, 0, self._evaluator.answers(read.probabilities(a, b))).astype(np.int8)

    @property
    def notes(self) -> list[str]:
        """What it did not read of the texts that it compared."""
        return [] if self.lost is None else self.lost.notes()


@dataclass(frozen=True, slots=True)
class _Question:
    """A pair of outputs of an item, each with its sample; `texts`: as `texts_read` has both and the context."""

    item: str
    context: str
    a: tuple[str, str | None]
    b: tuple[str, str | None]
    text_a: str
    text_b: str
    texts: str

    @property
    def key(self) -> Question:
        return (self.item, *self.a, *self.b)


@dataclass(frozen=True, slots=True)
class Judged:
    """`preferences`: rows of judge_preferences, one per pair: both orders were read where the order matters.

    `known`: pairs that it had judged before; `identical`: pairs of equal texts, a tie without being read;
    `lost`: what was not read of the others, None where there are none. `gone`: pairs that it had judged of which there
    is an output no more; `doubts`: what speaks against the evaluator.
    """

    judge: str
    preferences: pl.DataFrame
    known: int
    identical: int
    lost: Lost | None = None
    gone: int = 0
    doubts: tuple[str, ...] = ()

    @property
    def notes(self) -> list[str]:
        """What it did not read of the texts that it judged, and what it said of others."""
        notes = [*self.doubts, *([] if self.lost is None else self.lost.notes())]
        if self.gone:
            notes.append(
                f"What it had said of {counted(self.gone, 'pair')} of outputs that are gone still counts; --overwrite "
                "removes it."
            )
        return notes

    def to_dict(self) -> dict[str, object]:
        """The numbers, JSON-ready."""
        rows = self.preferences
        ties = int((rows["outcome"] == "tie").sum()) if rows.height else 0
        return {"judge": self.judge, "judged": rows.height, "ties": ties, "identical": self.identical,
                "known": self.known, "notes": self.notes}  # fmt: skip


def judge_into(
    study: Study,
    folder: Path,
    settings: EvaluatorJudgingSettings,
    *,
    overwrite: bool = False,
    proves: bool = False,
    report: Report | None = None,
) -> Judged:
    """Judges what is asked for and the evaluator has not judged yet, and writes it into the study's folder: every
    minute, and where it is interrupted, what it has judged until then. With `overwrite` it judges everything, and
    replaces what is there when all is judged: an interruption leaves the old answers, and never some of both.

    `proves`: refuse an evaluator that learned from labels of these items, before it judges anything.

    Raises:
        UsageError: nothing to judge, an unknown system, or answers of another judge by this name; with `proves`, what
            it says would prove nothing.
        InputError: the folder has no evaluator, or a damaged one.
    """
    evaluators = [load_evaluator(place) for place in evaluators_in(folder)]
    meanings = {one.signature: one.meaning for one in evaluators}
    if proves:
        items = list(dict.fromkeys(question.item for question in _questions(study, settings, {})))
        if items and all_learned(study, items, evaluators):
            raise UsageError(
                f"the evaluator learned from labels of all {len(items):,} items, so that it can prove nothing here: "
                "train it with --folds, or on other items"
            )
    if settings.criterion is not None:
        check_known("criterion", (settings.criterion,), tuple(name for name in study.criteria if name is not None))
    known = {} if overwrite else answered_by(study, settings.name, settings.criterion, meanings)
    if known and study.path is not None:
        add_signatures(study.path, meanings)  # of answers that came without

    def save(judged: pl.DataFrame) -> None:
        if judged.height:
            add_judgements(study, settings.name, settings.criterion, judged, meanings, overwrite=overwrite)

    found = judge_study(evaluators, study, settings, known, report, None if overwrite else save)
    if overwrite:
        save(found.preferences)
    return found


def judge_study(
    evaluators: Sequence[Trained],
    study: Study,
    settings: EvaluatorJudgingSettings,
    known: Mapping[Question, str | None] | None = None,
    report: Report | None = None,
    save: Save | None = None,
) -> Judged:
    """Every pair of outputs of an item by two of the systems, without what is `known` and has not changed since.

    Of several evaluators, trained for folds, each item is judged by one that did not learn from it. `save` is called
    every minute, at the end, and before an interruption or an error goes on.

    Raises:
        UsageError: the study has no outputs, or no two of these systems on an item; an unknown system.
    """
    contexts = contexts_of(study.items)
    every = list(_questions(study, settings, contexts))
    if not every:
        raise UsageError("there is nothing to judge: no item has outputs of two of these systems")
    judged = known or {}
    asked = [one for one in every if one.key not in judged or judged[one.key] not in (None, one.texts)]
    chosen = trained_for(study, list(dict.fromkeys(question.item for question in asked)), evaluators)
    so_far = _Answers(asked, np.array([chosen[question.item] for question in asked], dtype=np.intp))
    told, keep, saved = report or (lambda *_: None), save or (lambda _: None), time.monotonic()
    try:
        for number, evaluator in enumerate(evaluators):
            for done in so_far.take(number, evaluator):
                told(done, len(asked))
                if time.monotonic() - saved > _SAVE_EVERY:
                    keep(so_far.frame(settings, evaluators))
                    saved = time.monotonic()
    finally:
        frame = so_far.frame(settings, evaluators)
        keep(frame)
    identical = int(so_far.identical.sum())
    doubts = tuple(dict.fromkeys(note for one in evaluators for note in one.doubts))
    return Judged(settings.name, frame, len(every) - len(asked), identical, so_far.lost, _gone(study, judged), doubts)


def _gone(study: Study, judged: Iterable[Question]) -> int:
    """Pairs of outputs, known either way round, of which one is not there."""
    there = set() if study.outputs is None else set(study.outputs.select("item", "system", "sample").iter_rows())
    pairs = {
        (item, frozenset(((a, sample_a), (b, sample_b))))
        for item, a, sample_a, b, sample_b in judged
        if not {(item, a, sample_a), (item, b, sample_b)} <= there
    }
    return len(pairs)


class _Answers:
    """What was answered so far of questions (n,). `chosen` (n,): the number of the evaluator of each; `done` (n,)."""

    def __init__(self, asked: Sequence[_Question], chosen: Places) -> None:
        self.asked, self.chosen = asked, chosen
        self.identical = np.array([question.text_a == question.text_b for question in asked], dtype=bool)
        self.done = self.identical.copy()
        self.lost: Lost | None = None
        self._probabilities = np.tile((0.0, 1.0, 0.0), (len(asked), 1))
        self._outcome = np.zeros(len(asked), dtype=np.int8)

    def take(self, number: int, evaluator: Trained) -> Iterator[int]:
        """Let the evaluator of this number answer what is left for it; how many are answered, after each go."""
        mine = np.flatnonzero((self.chosen == number) & ~self.done)
        if not mine.size:
            return
        asked = [self.asked[k] for k in mine.tolist()]
        read = ReadTexts.of(evaluator, [(one.context, text) for one in asked for text in (one.text_a, one.text_b)])
        self.lost = read.lost if self.lost is None else self.lost | read.lost
        a, b = read.place[::2], read.place[1::2]
        for part in np.array_split(np.arange(mine.size), -(-mine.size // _AT_ONCE[evaluator.model.form])):
            self._probabilities[mine[part]] = read.probabilities(a[part], b[part])
            self._outcome[mine[part]] = evaluator.answers(self._probabilities[mine[part]])
            self.done[mine[part]] = True
            yield int(self.done.sum())

    def frame(self, settings: EvaluatorJudgingSettings, evaluators: Sequence[Trained]) -> pl.DataFrame:
        """Rows of judge_preferences of those that are done."""
        rows = []
        for number in np.flatnonzero(self.done).tolist():
            one, signature = self.asked[number], evaluators[self.chosen[number]].signature
            about = (one.item, one.a[0], one.b[0], one.a[1], one.b[1], settings.name, settings.criterion, one.texts)
            said = (_OUTCOME[int(self._outcome[number])], *self._probabilities[number].tolist())
            rows.append((*about, *said, signature))
        return pl.DataFrame(rows, schema=_SCHEMA, orient="row")


def _questions(study: Study, settings: EvaluatorJudgingSettings, contexts: Mapping[str, str]) -> Iterator[_Question]:
    chosen = study.select(systems=settings.systems)
    if chosen.outputs is None:
        raise UsageError("an evaluator judges texts, and the study has no outputs")
    wanted = None if settings.pairs is None else {frozenset(pair) for pair in settings.pairs}
    check_known("system", sorted(set().union(*(wanted or ()))), chosen.systems)
    rows = chosen.outputs.select("item", "system", "sample", "text").sort("item", "system", "sample").iter_rows()
    for item, outputs in itertools.groupby(rows, key=lambda row: row[0]):
        for (_, a, sample_a, text_a), (_, b, sample_b, text_b) in itertools.combinations(list(outputs), 2):
            if a != b and (wanted is None or frozenset((a, b)) in wanted):
                about = contexts.get(item, "")
                texts = texts_read(about, (text_a, text_b))
                yield _Question(item, about, (a, sample_a), (b, sample_b), text_a, text_b, texts)
