"""What was trained, in a folder: weights, encoder, tokenizer, what it is, and a model card; and which of several is
asked about an item: one that did not learn from its labels.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from tiebreak.data.provenance import LABELLED_ITEMS, SEEN_ITEMS, keys_of_items, learned_keys
from tiebreak.data.study import Study
from tiebreak.errors import InputError, Problem, TiebreakError, UsageError
from tiebreak.files import write_bytes, writing
from tiebreak.numbers import counted
from tiebreak.parsing import ParsingError, json_reader
from tiebreak.scoring.evaluator.examples.corpus import share_of
from tiebreak.scoring.evaluator.examples.rows import ACROSS, Floats, Places
from tiebreak.scoring.evaluator.models.encoders import Tokens, fastest_device, positions_of, quiet, tokenize
from tiebreak.scoring.evaluator.models.model import Model, make_model
from tiebreak.scoring.evaluator.settings import COMPARING, TrainSettings
from tiebreak.scoring.evaluator.training.card import model_card
from tiebreak.scoring.evaluator.training.measures import answers

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
"""Where a configuration came from, and with what it was written."""
_LEFT_BY_USE: Final = frozenset({"truncation", "padding"})
"""How far a tokenizer last cut or filled texts up."""
_COIN: Final = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class Trained:
    """What was trained: an evaluator, or what scores each text alone. `about`: what `evaluator.json` says: signature,
    settings, what it learned from and how good it was; the tie bound of an evaluator.
    """

    tokenizer: Any
    about: dict[str, Any]
    model: Model

    @property
    def signature(self) -> str:
        return str(self.about["signature"])

    @property
    def compares(self) -> bool:
        """Whether it is an evaluator."""
        return self.model.form in COMPARING

    @property
    def meaning(self) -> dict[str, Any]:
        """What the signature stands for in a study: with hashes of the texts whose labels it learned from. What it
        learned of references and checkpoints is no matter there: it says nothing of what people said.
        """
        return _meaning(self.about)

    @property
    def doubts(self) -> list[str]:
        """What speaks against it: that a coin may find as many of the better texts of held-out pairs; of those that
        people labelled, where there are some.
        """
        for source in ("human", ACROSS, "strong", "weak") if self.compares else ():
            measures = self.about["measured"].get(source, {"decided": 0})
            if measures["decided"]:
                low, high = measures.get("intervals", {}).get("two_way", (1.0, 1.0))
                doubt = (
                    f"The evaluator found the better text of {100 * measures['two_way']:.0f}% of "
                    f"{counted(measures['decided'], 'pair')} that were held out from its training ({100 * low:.0f} to "
                    f"{100 * high:.0f}% of many more), and a coin finds half: a single answer of it tells little."
                )
                return [doubt] if low <= _COIN else []
        return []

    def answers(self, probabilities: Floats) -> NDArray[np.int8]:
        """Of an evaluator, to pairs with probabilities (n, 3): 1 where the first is better, -1 where the second, 0."""
        return answers(probabilities, float(self.about["tie_bound"]))

    def read(self, texts: Sequence[str], contexts: Sequence[str], references: Places | None = None) -> Tokens:
        """Texts and contexts as its model reads them; `references` as in `Tokens`."""
        return tokenize(self.tokenizer, texts, contexts, positions_of(self.model.encoder), references)


def save_trained(folder: Path, model: Model, tokenizer: Any, about: dict[str, Any]) -> dict[str, Any]:
    """Weights first; `evaluator.json`, without which the folder is no evaluator, last. Returned: what it says."""
    with writing(folder):
        (folder / _ENCODER).mkdir(parents=True, exist_ok=True)
        model.encoder.config.save_pretrained(folder / _ENCODER)
        tokenizer.save_pretrained(folder / _ENCODER)
        fresh = folder / f"{WEIGHTS}.new"
        save_file({name: tensor.detach().cpu().contiguous() for name, tensor in model.state_dict().items()}, fresh)
        fresh.chmod(0o644)  # safetensors lets nobody else read it
        fresh.replace(folder / WEIGHTS)
    signed = {"signature": _signature(about, folder), **about}
    write_bytes(folder / CARD, model_card(signed).encode())
    write_bytes(folder / ABOUT, (json.dumps(signed, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode())
    return signed


def load_evaluator(path: str | os.PathLike[str]) -> Trained:
    """The evaluator of a folder, on the GPU where there is one. No model hub is asked.

    Raises:
        InputError: there is none, its training has not ended, its files are damaged or do not fit together, or it is a
            folder of several, for folds.
        UsageError: it is a discriminator or a regressor, which compares nothing.
    """
    form = read_about(Path(path))["settings"].get("form")
    if form in ("discriminator", "regressor"):
        raise UsageError(
            f"{path} is a {form}: it compares no texts, but scores each alone; use it by tiebreak evaluator score, "
            "or train another with --form siamese or cross"
        )
    return load_trained(path)


def load_trained(path: str | os.PathLike[str]) -> Trained:
    """What was trained into a folder, on the GPU where there is one. No model hub is asked.

    Raises:
        InputError: there is nothing, its training has not ended, its files are damaged or do not fit together, or it is
            a folder of several, for folds.
    """
    from transformers import AutoConfig, AutoModel, AutoTokenizer

    folder = Path(path)
    about = read_about(folder)
    if "folds" in about:
        count = len(about["folds"])
        raise _wrong(folder, f"it has {count} evaluators, one per fold: name one of them, such as {folder / 'fold-0'}")
    try:
        settings = TrainSettings(**about["settings"])
        if settings.compares and "tie_bound" not in about:
            raise UsageError("it has no tie_bound")
    except (TypeError, UsageError) as error:
        raise _wrong(folder / ABOUT, f"the file is damaged ({error}): train again") from error
    quiet()
    try:
        if not (folder / _ENCODER).is_dir():
            raise ValueError(f"its folder {_ENCODER} is missing")
        config = AutoConfig.from_pretrained(folder / _ENCODER, local_files_only=True)
        tokenizer = AutoTokenizer.from_pretrained(folder / _ENCODER, use_fast=True, local_files_only=True)
        model = make_model(AutoModel.from_config(config).float(), settings)
        model.load_state_dict(load_file(folder / WEIGHTS))
    except (OSError, ValueError, RuntimeError, KeyError, SafetensorError) as error:
        raise _wrong(folder, f"the evaluator is damaged: {str(error).splitlines()[0]}") from error
    if _signature(about, folder) != about["signature"]:
        others = f"weights, tokenizer and {ABOUT} are not those that were trained together; copy the whole folder again"
        raise _wrong(folder, others)
    return Trained(tokenizer, about, model.to(fastest_device()).eval())


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
            raise _wrong(place, "this is another evaluator than the one that was trained for the fold")
    return places


def read_about(folder: Path) -> dict[str, Any]:
    """What `evaluator.json` says.

    Raises:
        InputError: it is not there, or damaged.
    """
    path = folder / ABOUT
    if not path.is_file():
        begun = any((folder / name).exists() for name in (CLAIM, TRAINING))
        why = "its training has not ended: run it again" if begun else f"no evaluator: it has no {ABOUT}"
        raise _wrong(folder, why if folder.is_dir() else "no such folder")
    try:
        about = json_reader()(path.read_text(encoding="utf-8"))
    except (ParsingError, UnicodeDecodeError) as error:
        raise _wrong(path, f"the file is damaged ({error}): train again") from error
    if not isinstance(about, dict) or not ("folds" in about or about.keys() >= _NEEDED):
        raise _wrong(path, "it does not describe an evaluator: train again")
    return about


def trained_for(study: Study, items: Sequence[str], evaluators: Sequence[Trained]) -> dict[str, int]:
    """The number of the evaluator of each item: one that learned from no label of it, and, where there is one, from
    nothing else of it either; of several such the hashes of the item choose.

    Where each has learned from its labels, the choice is as blind, and results leave the item out.
    """
    if len(evaluators) == 1:
        return dict.fromkeys(items, 0)
    keys = keys_of_items(study.outputs, study.items)
    learned = [learned_keys(one.about["trained_on"], LABELLED_ITEMS) for one in evaluators]
    seen = [learned_keys(one.about["trained_on"], SEEN_ITEMS) for one in evaluators]
    chosen = {}
    for item in items:
        mine = keys.get(item, frozenset())
        free = [number for number, known in enumerate(learned) if known.isdisjoint(mine)]
        new = [number for number in free if seen[number].isdisjoint(mine)]
        every = new or free or list(range(len(evaluators)))
        chosen[item] = every[int(len(every) * share_of(min(mine, default=item), 0))]
    return chosen


def all_learned(study: Study, items: Sequence[str], evaluators: Sequence[Trained]) -> bool:
    """Whether each item would be judged by an evaluator that learned from its labels."""
    keys, chosen = keys_of_items(study.outputs, study.items), trained_for(study, items, evaluators)
    return all(
        not learned_keys(evaluators[chosen[item]].about["trained_on"], LABELLED_ITEMS).isdisjoint(keys[item])
        for item in items
    )


def _wrong(place: Path, message: str) -> InputError:
    return InputError([Problem(str(place), message)])


def _meaning(about: dict[str, Any]) -> dict[str, Any]:
    labels = {name: hashes for name, hashes in about["trained_on"].items() if name != SEEN_ITEMS}
    encoder = Path(str(about["settings"]["encoder"])).name  # wherever it lay
    return {"kind": "evaluator", "form": about["settings"]["form"], "encoder": encoder, **labels}


def _signature(about: dict[str, Any], folder: Path) -> str:
    """Names all that an answer depends on, and what the signature stands for: whoever has it can answer the same."""
    meaning, settings = _meaning(about), about["settings"]
    asked = [about.get("tie_bound"), about.get("scale"), settings["text_tokens"], settings["context_tokens"], meaning]
    encoder = folder / _ENCODER
    try:
        with (folder / WEIGHTS).open("rb") as stream:
            weights = hashlib.file_digest(stream, "sha256").hexdigest()
        if (encoder / "tokenizer.json").is_file():
            words = _json_without(_LEFT_BY_USE, encoder / "tokenizer.json")
        else:
            files = sorted(path for path in encoder.iterdir() if path.is_file() and path.name != "config.json")
            words = b"\0".join(path.name.encode() + b"\0" + path.read_bytes() for path in files)
        words += _json_without(_ABOUT_CONFIG, encoder / "config.json")
    except OSError as error:
        raise TiebreakError(f"cannot read {error.filename}: {error.strerror}") from error
    answers = hashlib.sha256(words + json.dumps(asked, sort_keys=True).encode()).hexdigest()
    return f"evaluator|{meaning['form']}|encoder:{meaning['encoder']}|weights:{weights[:16]}|answers:{answers[:8]}"


def _json_without(names: frozenset[str], path: Path) -> bytes:
    document = json_reader()(path.read_text(encoding="utf-8"))
    kept = {name: value for name, value in document.items() if name not in names}
    return json.dumps(kept, sort_keys=True, ensure_ascii=False).encode()
