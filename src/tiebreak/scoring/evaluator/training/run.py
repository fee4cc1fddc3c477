"""Which training a folder belongs to, and that one process at a time trains into it.

From studies to what was trained in a folder; an interrupted training goes on where it was.

At Ctrl-C the step is ended and kept first.
"""

from __future__ import annotations

import json
import shutil
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from types import FrameType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tiebreak.data.study import Study
from tiebreak.errors import InputError, Problem, TiebreakError, UsageError
from tiebreak.files import write_bytes, writing
from tiebreak.scoring.evaluator.examples.collect import Examples, Parts
from tiebreak.scoring.evaluator.examples.ratings import Scale
from tiebreak.scoring.evaluator.examples.rows import OfTexts, Pairs, Rows, as_pairs
from tiebreak.scoring.evaluator.models.encoders import (
    Lost,
    Tokens,
    fastest_device,
    load_encoder,
    positions_of,
    tokenize,
)
from tiebreak.scoring.evaluator.models.model import Comparer, Learner, Regressor, make_model
from tiebreak.scoring.evaluator.settings import TrainSettings
from tiebreak.scoring.evaluator.training.card import ACROSS, about_trained, model_card
from tiebreak.scoring.evaluator.training.kept import ABOUT, CLAIM, TRAINING, read_about, save_trained
from tiebreak.scoring.evaluator.training.measures import AT_ONCE, MOST_PROBABLE, NEVER, TASKS, calibrated
from tiebreak.scoring.evaluator.training.stages import Stage, stages_of
from tiebreak.scoring.evaluator.training.trainer import Training
from tiebreak.settings.setting import settings_of

_LOCK: Final = "training.lock"


@contextmanager
def claimed(folder: Path, settings: TrainSettings, fingerprint: str) -> Iterator[None]:
    """The folder belongs to one training: the same settings and the same examples; to the new one where the other has
    left nothing yet and runs no more. Nobody else trains into it meanwhile; a process that was killed holds nothing.

    Raises:
        UsageError: it belongs to another, or has other files in it.
        TiebreakError: another process is at the same training.
    """
    from filelock import FileLock, Timeout

    check_claim(folder, settings, fingerprint)
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder / _LOCK)
        try:
            lock.acquire(blocking=False)
        except Timeout as error:
            _refuse_other(folder, settings, fingerprint)
            raise TiebreakError(f"another process is training into {folder}: wait until it has ended") from error
    try:
        check_claim(folder, settings, fingerprint)
        written = {"settings": settings.to_dict(), "examples": fingerprint}
        write_bytes(folder / CLAIM, (json.dumps(written) + "\n").encode())
        yield
    finally:
        with suppress(OSError):  # Windows keeps a file that is open
            (folder / _LOCK).unlink()
        lock.release()


def check_claim(folder: Path, settings: TrainSettings, fingerprint: str) -> None:
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
        known = json.loads((folder / CLAIM).read_text(encoding="utf-8"))
        said, examples = known["settings"], known["examples"]
    except FileNotFoundError:
        return  # it is about to be written
    except (ValueError, LookupError, TypeError) as error:
        damaged = "the file is damaged, so that nobody knows which training this is; remove it, or the whole folder"
        raise InputError([Problem(str(folder / CLAIM), damaged)]) from error
    mine = settings.to_dict()
    changed = [name for name in mine if said.get(name) != mine[name]]
    if not changed and examples == fingerprint:
        return
    options = {one.name: one.option for one in settings_of(TrainSettings)}
    what = (
        f"another {options[changed[0]]}"
        if changed
        else "other texts, labels or checkpoints, or with the same in another order"
    )
    raise UsageError(f"{folder} holds a training with {what}; name another folder")


@contextmanager
def on_interrupt() -> Iterator[Callable[[], bool]]:
    """Whether somebody has pressed Ctrl-C, to be asked between steps. Pressed again, it acts at once.

    Elsewhere than in the main thread Ctrl-C is left as it is.
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


Report = Callable[[int, Stage, int, float], None]
"""Fold (0 where there are none), stage, steps done, loss of the last."""


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
        check_claim(folder, settings, fingerprint)
        return [read_about(place) for place in evaluators_in(folder)]
    with claimed(folder, settings, fingerprint), on_interrupt() as interrupted:
        if settings.folds is None:
            return [_one(examples, folder, settings, None, report, interrupted)]
        made = [
            _one(examples, folder / f"fold-{fold}", settings, fold, report, interrupted)
            for fold in range(settings.folds)
        ]  # one after the other: each takes all cores
        whole = {"folds": [of["signature"] for of in made], "settings": settings.to_dict()}
        write_bytes(folder / ABOUT, (json.dumps(whole, indent=1) + "\n").encode())
    return made


def _one(
    examples: Examples, folder: Path, settings: TrainSettings, fold: int | None, report: Report | None,
    interrupted: Callable[[], bool],
) -> dict[str, Any]:  # fmt: skip
    if (folder / ABOUT).exists():
        return read_about(folder)
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    corpus, task = examples.corpus, TASKS[settings.form]
    parts = Parts.of(corpus, settings, fold)
    examples, scale = examples.on_one_scale(parts.learned)
    stages = stages_of(examples, parts, settings)
    if not stages:
        raise UsageError(
            "nothing is left to learn from: hold out fewer contexts or systems"
            + ("" if fold is None else ", or train without --folds: contexts that share a labelled text stay together")
        )
    encoder, tokenizer = load_encoder(settings.encoder, pretrained=settings.pretrained, seed=settings.seed)
    tokens = tokenize(tokenizer, corpus.texts, corpus.contexts, positions_of(encoder), corpus.reference)
    model = make_model(encoder, settings).to(fastest_device())
    if scale is not None and isinstance(model, Regressor):
        model.standardise(scale.mean, scale.deviation)
    told = report or (lambda *_: None)
    training = Training(
        model, tokens, corpus.context, settings, task.measure,
        lambda stage, step, loss: told(fold or 0, stage, step, loss), interrupted,
    )  # fmt: skip
    ends = training.run(stages, folder / TRAINING)
    held_out: dict[str, Rows] = {source: parts.measure(rows) for source, rows in examples.rows.items()}
    if examples.across is not None:
        held_out[ACROSS] = parts.measure(examples.across).in_groups(max(stages[-1].draws.contexts_at_once, 2))
    answers = _answers(model, tokens, corpus.context, stages, held_out, scale, settings)
    measured = {
        source: task.measured(model, tokens, corpus.context, rows, answers.get("tie_bound"))
        for source, rows in held_out.items()
    }
    learned = {stage.source: stage.draws for stage in stages}
    looked = {stage.source: stage.looks for stage in stages if stage.looks is not None}
    read = _read(examples, corpus.reference if settings.form == "regressor" else None)
    limits = model.always_read(tokens)
    lost = Lost.among(limits, corpus.texts, corpus.contexts, tokens, corpus.context, read)
    about = about_trained(settings, examples, learned, looked, ends, measured, answers, fold, lost)
    made = save_trained(folder, model, tokenizer, about, model_card(about))
    shutil.rmtree(folder / TRAINING)
    return made


def _read(examples: Examples, reference: NDArray[np.intp] | None) -> NDArray[np.intp]:
    """The texts that something is learned or measured from; with the references that are read beside them."""
    every: list[OfTexts] = [*examples.rows.values(), *([] if examples.across is None else [examples.across])]
    texts = np.unique(np.concatenate([rows.texts.ravel() for rows in every]))
    if reference is None:
        return texts
    beside = reference[texts]
    return np.union1d(texts, beside[beside >= 0])


def _answers(
    model: Learner, tokens: Tokens, context: NDArray[np.intp], stages: Sequence[Stage], held_out: Mapping[str, Rows],
    scale: Scale | None, settings: TrainSettings,
) -> dict[str, Any]:  # fmt: skip
    """What its answers mean: the bound of ties of an evaluator, the scale of a regressor; nothing more otherwise.

    The bound is calibrated on pairs of people, or, where none were learned, of references: checkpoints never tie.
    """
    if scale is not None:
        return {"scale": scale.to_dict()}
    if not isinstance(model, Comparer):
        return {}
    if not settings.ties:
        return {"tie_bound": NEVER, "ties_like": None}
    last = next((stage for stage in reversed(stages) if stage.source != "weak"), None)
    if last is None:
        return {"tie_bound": MOST_PROBABLE, "ties_like": None}
    looks = Pairs.joined([]) if last.looks is None else as_pairs(last.looks)
    measured = [
        held_out[source] for source in (last.source, *([ACROSS] if last.draws.across else [])) if source in held_out
    ]
    found = calibrated(
        looks, as_pairs(last.draws.shown()), Pairs.joined([as_pairs(rows) for rows in measured]),
        lambda pairs: model.probabilities(tokens, context, pairs.a, pairs.b, AT_ONCE),
    )  # fmt: skip
    return {"tie_bound": found.bound, "ties_like": last.source, "ties_set_by": asdict(found)}


def evaluators_in(folder: Path) -> list[Path]:
    """The folder, or those of its folds.

    Raises:
        InputError: there is no evaluator, or not of every fold.
    """
    about = read_about(folder)
    if "folds" not in about:
        return [folder]
    places = [folder / f"fold-{number}" for number in range(len(about["folds"]))]
    for place, signature in zip(places, about["folds"], strict=True):
        if read_about(place)["signature"] != signature:
            raise InputError(
                [Problem(str(place), "this is another evaluator than the one that was trained for the fold")]
            )
    return places
