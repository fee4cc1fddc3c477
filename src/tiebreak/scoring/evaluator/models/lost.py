"""What an encoder does not read of texts: ends that are cut, texts without a word, words that it does not know."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tiebreak.results.numbers import counted
from tiebreak.scoring.evaluator.models.encoders import Tokens
from tiebreak.scoring.evaluator.models.learner import Limits

_MOSTLY: Final = 0.5
_SHOWN: Final = 30  # characters of a text

Texts = frozenset[str]


@dataclass(frozen=True, slots=True)
class Lost:
    """Distinct texts. `cut`: longer than `limits`, the tokens that are read of each; `contexts`: contexts that are;
    `empty`: the tokenizer reads nothing in them; `unknown`: more than half of their tokens stand for a word or
    character that it does not know; `alike`: texts that are read as another one is, though they differ.
    """

    limits: Limits
    cut: Texts = frozenset()
    contexts: Texts = frozenset()
    empty: Texts = frozenset()
    unknown: Texts = frozenset()
    alike: Texts = frozenset()

    @classmethod
    def of(cls, tokenizer: Any, limits: Limits, texts: Sequence[str], contexts: Sequence[str], tokens: Tokens) -> Lost:
        """`limits`: what the model always reads; `tokens`: of these texts and contexts, in their order."""
        read = list(zip(texts, tokens.texts, strict=True))
        about = zip(contexts, tokens.contexts, strict=True)
        unknown = tokenizer.unk_token_id
        return cls(
            limits,
            frozenset(text for text, ids in read if len(ids) > limits.text),
            frozenset(text for text, ids in about if len(ids) > limits.context),
            frozenset(text for text, ids in read if not ids),
            frozenset(text for text, ids in read if ids and ids.count(unknown) > _MOSTLY * len(ids)),
            _alike((text, tuple(ids[: limits.text])) for text, ids in read if ids and unknown not in ids),
        )

    @classmethod
    def among(
        cls, tokenizer: Any, limits: Limits, texts: Sequence[str], contexts: Sequence[str], tokens: Tokens,
        context: NDArray[np.intp], chosen: NDArray[np.intp],
    ) -> Lost:  # fmt: skip
        """The same of the `chosen` ones of the texts, by their numbers, and of their contexts; `context` (T,): the
        number of each text's.
        """
        about = np.unique(context[chosen]).tolist()
        read = replace(
            tokens,
            texts=tuple(tokens.texts[number] for number in chosen),
            contexts=tuple(tokens.contexts[number] for number in about),
        )
        return cls.of(
            tokenizer, limits, [texts[number] for number in chosen], [contexts[number] for number in about], read
        )

    def __or__(self, other: Lost) -> Lost:
        limits = Limits(
            min(self.limits.context, other.limits.context), min(self.limits.text, other.limits.text),
            self.limits.shared,
        )  # fmt: skip
        return Lost(
            limits, self.cut | other.cut, self.contexts | other.contexts, self.empty | other.empty,
            self.unknown | other.unknown, self.alike | other.alike,
        )  # fmt: skip

    def notes(self) -> list[str]:
        """A sentence for each kind that there is."""
        found = []
        if self.cut:
            found.append(
                f"Of {counted(len(self.cut), 'text')} only the beginning is read: the evaluator reads at most "
                f"{counted(self.limits.text, 'token')} of a text (--text-tokens of evaluator train, as "
                "far as its encoder goes)."
            )
        if self.contexts and self.limits.context:
            beside = "beside the longest texts the evaluator reads"
            reads = beside if self.limits.shared else "the evaluator reads at most"
            found.append(
                f"Of {counted(len(self.contexts), 'context')} the middle is not read: {reads} "
                f"{counted(self.limits.context, 'token')} of a context (--context-tokens of evaluator "
                "train, as far as its encoder goes)."
            )
        if self.empty:
            found.append(
                f"{counted(len(self.empty), 'distinct text')} {_is(self.empty)} empty to the encoder, such as "
                f"{_such(self.empty)}."
            )
        if self.unknown:
            found.append(
                f"{counted(len(self.unknown), 'text')} {_is(self.unknown)} mostly of words or characters that the "
                f"encoder does not know, such as {_such(self.unknown)}: it cannot tell such texts apart. Another "
                "--encoder of evaluator train may know their script."
            )
        if self.alike:
            found.append(
                f"{counted(len(self.alike), 'text')} {_is(self.alike)} the same to the encoder as another one, such as "
                f"{_such(self.alike)}: they differ in what it does not read, as capitals or accents may be. Another "
                "--encoder of evaluator train may read them."
            )
        return found


def _alike(read: Iterable[tuple[str, tuple[int, ...]]]) -> Texts:
    """Of distinct texts, with what is read of each."""
    same = defaultdict[tuple[int, ...], set[str]](set)
    for text, ids in read:
        same[ids].add(text)
    return frozenset(text for texts in same.values() if len(texts) > 1 for text in texts)


def _is(texts: Texts) -> str:
    return "is" if len(texts) == 1 else "are"


def _such(texts: Texts) -> str:
    first = min(texts)
    return repr(first if len(first) <= _SHOWN else f"{first[:_SHOWN]}...")
