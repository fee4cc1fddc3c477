"""What an encoder does not read of texts: the ends of those that are longer than it reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiebreak.numbers import counted
from tiebreak.scoring.evaluator.models.encoders import Tokens
from tiebreak.scoring.evaluator.models.learner import Limits


@dataclass(frozen=True, slots=True)
class Lost:
    """Distinct texts and contexts that are longer than the `limits`, the tokens that are read of each."""

    limits: Limits
    texts: frozenset[str] = frozenset()
    contexts: frozenset[str] = frozenset()

    @classmethod
    def of(cls, limits: Limits, texts: Sequence[str], contexts: Sequence[str], tokens: Tokens) -> Lost:
        """`limits`: what the model always reads; `tokens`: of these texts and contexts, in their order."""
        return cls(
            limits,
            frozenset(text for text, ids in zip(texts, tokens.texts, strict=True) if len(ids) > limits.text),
            frozenset(text for text, ids in zip(contexts, tokens.contexts, strict=True) if len(ids) > limits.context),
        )

    @classmethod
    def among(
        cls, limits: Limits, texts: Sequence[str], contexts: Sequence[str], tokens: Tokens, context: NDArray[np.intp],
        chosen: NDArray[np.intp],
    ) -> Lost:  # fmt: skip
        """The same of the `chosen` ones of the texts, by their numbers, and of their contexts; `context` (T,): the
        number of each text's.
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
