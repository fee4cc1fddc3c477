"""From studies to what was trained in a folder; an interrupted training goes on where it was."""

from __future__ import annotations

import json
import shutil
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from pathlib import Path
from types import FrameType
from typing import Any, Final

import numpy as np
from filelock import FileLock, Timeout

from tiebreak.data.study import Study
from tiebreak.errors import InputError, Problem, TiebreakError, UsageError
from tiebreak.files import write_bytes, writing
from tiebreak.scoring.evaluator.examples.collect import Examples, Parts
from tiebreak.scoring.evaluator.examples.corpus import within
from tiebreak.scoring.evaluator.examples.rows import ACROSS, OfTexts, Pairs, Rows, as_pairs
from tiebreak.scoring.evaluator.models.encoders import Lost, fastest_device, load_encoder, positions_of, tokenize
from tiebreak.scoring.evaluator.models.model import make_model
from tiebreak.scoring.evaluator.settings import ENOUGH_TEXTS, TrainSettings
from tiebreak.scoring.evaluator.training.card import about_trained
from tiebreak.scoring.evaluator.training.kept import ABOUT, CLAIM, TRAINING, evaluators_in, read_about, save_trained
from tiebreak.scoring.evaluator.training.measures import MOST_PROBABLE, NEVER, calibrated, measure
from tiebreak.scoring.evaluator.training.stages import Stage, stages_of, texts_learned
from tiebreak.scoring.evaluator.training.trainer import Training
from tiebreak.settings.setting import settings_of

_LOCK: Final = "training.lock"

Report = Callable[[int, Stage, int, float], None]
"""Fold (0 where there are none), stage, steps done, loss of the last."""
Interrupted = Callable[[], bool]


def train_evaluator(
    studies: Sequence[Study], folder: Path, settings: TrainSettings, report: Report | None = None
) -> list[dict[str, Any]]:
    """Trains, and leaves the evaluator (or what scores texts alone) in `folder`, or one per fold in folders of it. What
    each is, as `evaluator.json` says; a training that was interrupted goes on, one that has ended is not done again.

    Raises:
        UsageError: nothing to learn, unknown systems or an encoder that cannot be had; or the folder holds another
            training, by its settings or by what it learns from.
        TiebreakError: another process is training into the folder.
        KeyboardInterrupt: somebody pressed Ctrl-C; what it has learned is kept.
    """
    examples = Examples.of(studies, settings)
    fingerprint = examples.fingerprint()
    if (folder / ABOUT).exists():  # nothing is written any more: it may be where nobody can write
        _check_claim(folder, settings, fingerprint)
        return [read_about(place) for place in evaluators_in(folder)]
    told = report or (lambda *_: None)
    with _claimed(folder, settings, fingerprint), _on_interrupt() as interrupted:
        if settings.folds is None:
            return [_train(examples, folder, settings, None, told, interrupted)]
        made = [
            _train(examples, folder / f"fold-{fold}", settings, fold, told, interrupted)
            for fold in range(settings.folds)
        ]  # one after the other: each takes all cores
        whole = {"folds": [about["signature"] for about in made], "settings": settings.to_dict()}
        write_bytes(folder / ABOUT, (json.dumps(whole, indent=1) + "\n").encode())
    return made


def _train(
    examples: Examples, folder: Path, settings: TrainSettings, fold: int | None, report: Report, asked: Interrupted
) -> dict[str, Any]:
    if (folder / ABOUT).exists():
        return read_about(folder)
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    corpus = examples.corpus
    parts = Parts.of(corpus, settings, fold)
    examples, scale = examples.on_one_scale(parts.learned)
    stages = stages_of(examples, parts, settings)
    if not stages:
        raise UsageError(
            "nothing is left to learn from: hold out fewer contexts or systems"
            + ("" if fold is None else ", or train without --folds: contexts that share a labelled text stay together")
        )
    if settings.weights is None:
        few = settings.form != "cross" and texts_learned(stages).size < ENOUGH_TEXTS
        settings = replace(settings, weights="frozen" if few else "fine-tuned")
    encoder, tokenizer = load_encoder(settings.encoder, pretrained=settings.weights != "random", seed=settings.seed)
    tokens = tokenize(tokenizer, corpus.texts, corpus.contexts, positions_of(encoder), corpus.reference)
    model = make_model(encoder, settings).to(fastest_device())
    if scale is not None:
        model.centre.fill_(scale.mean)
        model.spread.fill_(scale.deviation)

    def told(stage: Stage, step: int, loss: float) -> None:
        report(fold or 0, stage, step, loss)

    training = Training(model, tokens, corpus.context, settings, told, asked)
    ends = training.run(stages, folder / TRAINING)
    held_out: dict[str, Rows] = {source: within(rows, parts.measured) for source, rows in examples.rows.items()}
    if examples.across is not None:
        held_out[ACROSS] = within(examples.across, parts.measured).in_groups(max(stages[-1].draws.contexts_at_once, 2))
    answers: dict[str, Any] = {}
    if scale is not None:
        answers["scale"] = asdict(scale)
    if settings.compares:
        answers |= _ties(training, stages, held_out)
    measured = {
        source: measure(model, tokens, corpus.context, rows, answers.get("tie_bound", MOST_PROBABLE))
        for source, rows in held_out.items()
    }
    every: list[OfTexts] = [*examples.rows.values(), *([] if examples.across is None else [examples.across])]
    read = np.unique(np.concatenate([rows.texts.ravel() for rows in every]))
    if settings.form == "regressor":
        beside = corpus.reference[read]
        read = np.union1d(read, beside[beside >= 0])
    lost = Lost.of(model.always_read(tokens), corpus.texts, corpus.contexts, tokens, corpus.context, read)
    about = about_trained(settings, examples, stages, ends, measured, answers, fold, lost)
    signed = save_trained(folder, model, tokenizer, about)
    shutil.rmtree(folder / TRAINING)
    return signed


def _ties(training: Training, stages: Sequence[Stage], held_out: Mapping[str, Rows]) -> dict[str, Any]:
    """The bound of ties of an evaluator, and what it is set by: pairs of people, or, where none were learned, of
    references. Checkpoints never tie.
    """
    if not training.settings.ties:
        return {"tie_bound": NEVER, "ties_like": None}
    last = next((stage for stage in reversed(stages) if stage.source != "weak"), None)
    if last is None:
        return {"tie_bound": MOST_PROBABLE, "ties_like": None}
    sources = (last.source, *([ACROSS] if last.draws.across else []))
    bound = calibrated(
        Pairs.joined([] if last.looks is None else [as_pairs(last.looks)]),
        as_pairs(last.draws.shown()),
        Pairs.joined([as_pairs(held_out[source]) for source in sources if source in held_out]),
        lambda pairs: training.model.probabilities(training.tokens, training.context, pairs.a, pairs.b),
    )
    return {"tie_bound": bound.bound, "ties_like": last.source, "ties_set_by": asdict(bound)}


@contextmanager
def _on_interrupt() -> Iterator[Interrupted]:
    """Whether somebody has pressed Ctrl-C, to be asked between steps: the step is ended and kept first. Pressed again,
    it acts at once. Elsewhere than in the main thread Ctrl-C is left as it is.
    """
    asked: list[int] = []

    def remember(number: int, _: FrameType | None) -> None:
        if asked:
            raise KeyboardInterrupt
        asked.append(number)

    try:
        before = signal.signal(signal.SIGINT, remember)
    except ValueError:  # not the main thread
        yield lambda: False
        return
    try:
        yield lambda: bool(asked)
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _claimed(folder: Path, settings: TrainSettings, fingerprint: str) -> Iterator[None]:
    """The folder belongs to one training: the same settings and the same examples; to the new one where the other has
    left nothing yet and runs no more. Nobody else trains into it meanwhile; a process that was killed holds nothing.

    Raises:
        UsageError: it belongs to another, or has other files in it.
        TiebreakError: another process is at the same training.
    """
    _check_claim(folder, settings, fingerprint)
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder / _LOCK)
        try:
            lock.acquire(blocking=False)
        except Timeout as error:
            _refuse_other(folder, settings, fingerprint)
            raise TiebreakError(f"another process is training into {folder}: wait until it has ended") from error
    try:
        _check_claim(folder, settings, fingerprint)
        claim = {"settings": settings.to_dict(), "examples": fingerprint}
        write_bytes(folder / CLAIM, (json.dumps(claim) + "\n").encode())
        yield
    finally:
        with suppress(OSError):  # Windows keeps a file that is open
            (folder / _LOCK).unlink()
        lock.release()


def _check_claim(folder: Path, settings: TrainSettings, fingerprint: str) -> None:
    """Raise UsageError where the folder belongs to another training that has left something, or has other files."""
    if folder.is_file():
        raise UsageError(f"{folder} is a file; name a folder for the evaluator")
    if all(place.is_dir() or place.name in (CLAIM, _LOCK) for place in folder.rglob("*")):
        return
    if not (folder / CLAIM).is_file():
        raise UsageError(f"{folder} is not empty; name another folder")
    _refuse_other(folder, settings, fingerprint)


def _refuse_other(folder: Path, settings: TrainSettings, fingerprint: str) -> None:
    """Raise UsageError where the folder says that it belongs to another training."""
    try:
        claim = json.loads((folder / CLAIM).read_text(encoding="utf-8"))
        claimed, examples = claim["settings"], claim["examples"]
        mine = settings.to_dict()
        changed = [one.option for one in settings_of(TrainSettings) if claimed.get(one.name) != mine[one.name]]
    except FileNotFoundError:
        return  # it is about to be written
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        damaged = "the file is damaged, so that nobody knows which training this is; remove it, or the whole folder"
        raise InputError([Problem(str(folder / CLAIM), damaged)]) from error
    if changed or examples != fingerprint:
        other = "other texts, labels or checkpoints, or with the same in another order"
        what = f"another {changed[0]}" if changed else other
        raise UsageError(f"{folder} holds a training with {what}; name another folder")
