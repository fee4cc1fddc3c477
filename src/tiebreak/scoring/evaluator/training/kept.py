"""What was trained, in a folder: weights, encoder, tokenizer, what it is, and a model card."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, get_args

from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from tiebreak.data.provenance import SEEN_ITEMS
from tiebreak.errors import InputError, Problem, TiebreakError, UsageError
from tiebreak.files import write_bytes, writing
from tiebreak.parsing import ParsingError, json_reader
from tiebreak.scoring.evaluator.examples.corpus import Corpus
from tiebreak.scoring.evaluator.models.encoders import Tokens, fastest_device, positions_of, quiet, tokenize
from tiebreak.scoring.evaluator.models.model import Comparer, Learner, Scorer, make_model
from tiebreak.scoring.evaluator.settings import COMPARING, Form, TrainSettings
from tiebreak.scoring.evaluator.training.card import ACROSS

ABOUT: Final = "evaluator.json"
WEIGHTS: Final = "model.safetensors"
CARD: Final = "README.md"
CLAIM: Final = "training.json"


TRAINING: Final = "training"
"""Where a training keeps how far it is."""


_ENCODER: Final = "encoder"
_NEEDED: Final = frozenset({"signature", "settings", "measured", "trained_on"})
"""What is said of everything that was trained."""
_ABOUT_CONFIG: Final = frozenset({"_name_or_path", "architectures", "dtype", "torch_dtype", "transformers_version"})
_ENOUGH: Final = 30
"""Held-out pairs from which on a share of them is looked at."""
_LITTLE: Final = 0.6


@dataclass(frozen=True, slots=True, eq=False)
class Trained:
    """What was trained. `about`: what `evaluator.json` says: signature, settings, what it learned from and how good it
    was; the tie bound of an evaluator.
    """

    tokenizer: Any
    about: dict[str, Any]

    @property
    def signature(self) -> str:
        return str(self.about["signature"])

    @property
    def form(self) -> str:
        return str(self.about["settings"]["form"])

    @property
    def meaning(self) -> dict[str, Any]:
        """What the signature stands for in a study: with hashes of the texts whose labels it learned from. What it
        learned of references and checkpoints is no matter there: it says nothing of what people said.
        """
        return _meaning(self.about)


@dataclass(frozen=True, slots=True, eq=False)
class Evaluator(Trained):
    """It compares two texts."""

    model: Comparer

    @property
    def doubts(self) -> list[str]:
        """What speaks against it: that it found hardly more of the better texts than a coin on held-out pairs, of those
        that people labelled where these are enough.
        """
        measured = self.about["measured"]
        people = {name: of for name, of in measured.items() if name in ("human", ACROSS)}
        for of_what, some in (("labelled ", people), ("", measured)):
            found = [(of["decided"], of["two_way"]) for of in some.values() if of["decided"]]
            pairs = sum(decided for decided, _ in found)
            if pairs >= _ENOUGH:
                share = sum(decided * right for decided, right in found) / pairs
                said = (
                    f"The evaluator found the better text of {100 * share:.0f}% of {pairs:,} {of_what}pairs that were "
                    "held out from its training, and a coin finds half: a single answer of it tells little."
                )
                return [said] if share < _LITTLE else []
        return []

    def read(self, texts: Sequence[str], contexts: Sequence[str]) -> Tokens:
        return tokenize(self.tokenizer, texts, contexts, positions_of(self.model.encoder))


@dataclass(frozen=True, slots=True, eq=False)
class ScoresAlone(Trained):
    """It scores each text by itself: a discriminator or a regressor."""

    model: Scorer

    def read(self, corpus: Corpus) -> Tokens:
        return tokenize(
            self.tokenizer, corpus.texts, corpus.contexts, positions_of(self.model.encoder), corpus.reference
        )


def save_trained(folder: Path, model: Learner, tokenizer: Any, about: dict[str, Any], card: str) -> dict[str, Any]:
    """Weights first; `evaluator.json`, without which the folder is no evaluator, last. Returned: what it says."""
    with writing(folder):
        (folder / _ENCODER).mkdir(parents=True, exist_ok=True)
        model.encoder.config.save_pretrained(folder / _ENCODER)
        tokenizer.save_pretrained(folder / _ENCODER)
        state = {name: tensor.detach().cpu().contiguous() for name, tensor in model.state_dict().items()}
        save_file(state, folder / f"{WEIGHTS}.new")
        (folder / f"{WEIGHTS}.new").chmod(0o644)  # safetensors lets nobody else read it
        (folder / f"{WEIGHTS}.new").replace(folder / WEIGHTS)
    made = {"signature": _signature(about, folder), **about}
    write_bytes(folder / CARD, card.replace("SIGNATURE", made["signature"]).encode())
    write_bytes(folder / ABOUT, (json.dumps(made, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode())
    return made


def load_evaluator(path: str | os.PathLike[str]) -> Evaluator:
    """The evaluator of a folder, on the GPU where there is one. No model hub is asked.

    Raises:
        InputError: there is none, its training has not ended, its files are damaged or do not fit together, or it is a
            folder of several, for folds.
        UsageError: it is a discriminator or a regressor, which compares nothing.
    """
    form = read_about(Path(path))["settings"].get("form")
    alone = form in get_args(Form) and form not in COMPARING
    if not alone and isinstance(found := load_trained(path), Evaluator):
        return found
    raise UsageError(
        f"{path} is a {form}: it compares no texts, but scores each alone; use it by tiebreak evaluator score, "
        "or train another with --form siamese or cross"
    )


def load_trained(path: str | os.PathLike[str]) -> Evaluator | ScoresAlone:
    """What was trained into a folder, on the GPU where there is one. No model hub is asked.

    Raises:
        InputError: there is nothing, its training has not ended, its files are damaged or do not fit together, or it is
            a folder of several, for folds.
    """
    folder = Path(path)
    about = read_about(folder)
    if "folds" in about:
        several = (
            f"it has {len(about['folds'])} evaluators, one per fold: name one of them, such as {folder / 'fold-0'}"
        )
        raise InputError([Problem(str(folder), several)])
    from transformers import AutoConfig, AutoModel, AutoTokenizer

    try:
        settings = TrainSettings(**about["settings"])
        if settings.form in COMPARING and "tie_bound" not in about:
            raise UsageError("it has no tie_bound")
    except (TypeError, UsageError) as error:
        raise InputError([Problem(str(folder / ABOUT), f"the file is damaged ({error}): train again")]) from error
    quiet()
    try:
        if not (folder / _ENCODER).is_dir():
            raise ValueError(f"its folder {_ENCODER} is missing")
        config = AutoConfig.from_pretrained(folder / _ENCODER, local_files_only=True)
        tokenizer = AutoTokenizer.from_pretrained(folder / _ENCODER, use_fast=True, local_files_only=True)
        model = make_model(AutoModel.from_config(config).float(), settings)
        model.load_state_dict(load_file(folder / WEIGHTS))
    except (OSError, ValueError, RuntimeError, KeyError, SafetensorError) as error:
        raise InputError([Problem(str(folder), f"the evaluator is damaged: {str(error).splitlines()[0]}")]) from error
    if _signature(about, folder) != about["signature"]:
        wrong = f"weights, tokenizer and {ABOUT} are not those that were trained together; copy the whole folder again"
        raise InputError([Problem(str(folder), wrong)])
    model.to(fastest_device()).eval()
    return Evaluator(tokenizer, about, model) if isinstance(model, Comparer) else ScoresAlone(tokenizer, about, model)


def read_about(folder: Path) -> dict[str, Any]:
    """What `evaluator.json` says.

    Raises:
        InputError: it is not there, or damaged.
    """
    path = folder / ABOUT
    if not path.is_file():
        begun = any((folder / name).exists() for name in (CLAIM, TRAINING))
        why = "its training has not ended: run it again" if begun else f"no evaluator: it has no {ABOUT}"
        why = why if folder.is_dir() else "no such folder"
        raise InputError([Problem(str(folder), why)])
    try:
        found = json_reader()(path.read_text(encoding="utf-8"))
    except (ParsingError, UnicodeDecodeError) as error:
        raise InputError([Problem(str(path), f"the file is damaged ({error}): train again")]) from error
    if not isinstance(found, dict) or not ({"folds"} <= found.keys() or found.keys() >= _NEEDED):
        raise InputError([Problem(str(path), "it does not describe an evaluator: train again")])
    return found


def _meaning(about: dict[str, Any]) -> dict[str, Any]:
    labels = {name: hashes for name, hashes in about["trained_on"].items() if name != SEEN_ITEMS}
    encoder = Path(str(about["settings"]["encoder"])).name  # wherever it lay
    return {"kind": "evaluator", "form": about["settings"]["form"], "encoder": encoder, **labels}


def _signature(about: dict[str, Any], folder: Path) -> str:
    """Names all that an answer depends on, and what the signature stands for: whoever has it can answer the same."""
    meaning, settings = _meaning(about), about["settings"]
    asked = [about.get("tie_bound"), about.get("scale"), settings["text_tokens"], settings["context_tokens"], meaning]
    try:
        with (folder / WEIGHTS).open("rb") as stream:
            weights = hashlib.file_digest(stream, "sha256").hexdigest()
        words = _tokenizer_of(folder / _ENCODER) + _config_of(folder / _ENCODER)
    except OSError as error:
        raise TiebreakError(f"cannot read {error.filename}: {error.strerror}") from error
    answers = hashlib.sha256(words + json.dumps(asked, sort_keys=True).encode()).hexdigest()
    return f"evaluator|{meaning['form']}|encoder:{meaning['encoder']}|weights:{weights[:16]}|answers:{answers[:8]}"


def _config_of(folder: Path) -> bytes:
    """The shape of the encoder, without what says where it came from and with what it is written."""
    found = json_reader()((folder / "config.json").read_text(encoding="utf-8"))
    kept = {name: value for name, value in found.items() if name not in _ABOUT_CONFIG}
    return json.dumps(kept, sort_keys=True).encode()


def _tokenizer_of(folder: Path) -> bytes:
    """The files of the tokenizer, without what a use of it leaves there: how far it last cut or filled texts up."""
    whole = folder / "tokenizer.json"
    if whole.is_file():
        found = json_reader()(whole.read_text(encoding="utf-8"))
        kept = {name: value for name, value in found.items() if name not in ("truncation", "padding")}
        return json.dumps(kept, sort_keys=True, ensure_ascii=False).encode()
    others = sorted(path for path in folder.iterdir() if path.is_file() and path.name != "config.json")
    return b"\0".join(path.name.encode() + b"\0" + path.read_bytes() for path in others)
