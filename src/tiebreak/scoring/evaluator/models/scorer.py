"""One score per text given its context."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray

from tiebreak.scoring.evaluator.models.encoders import Ids, Tokens, padded
from tiebreak.scoring.evaluator.models.learner import Floats, Learner, Limits, Places, by_length, cut, cut_middle
from tiebreak.scoring.evaluator.models.matching import FEATURES, masked_mean, matching

_HIDDEN: Final = 128
_SPECIAL: Final = 2  # tokens around each text
_TEXTS_AT_ONCE: Final = 64
"""In judging: the cosines of all their words with all words of their contexts are in memory at once."""
_TEXTS_IN_GROUP: Final = 1024
"""In judging: what they are set beside is read once, and in memory for all of them."""


@dataclass(frozen=True, slots=True)
class States:
    """What the encoder made of n texts: states (n, T, width) of their tokens, where there is one (n, T), and the means
    (n, width).
    """

    tokens: torch.Tensor
    mask: torch.Tensor
    mean: torch.Tensor

    @classmethod
    def of(cls, tokens: torch.Tensor, mask: torch.Tensor) -> States:
        return cls(tokens, mask, masked_mean(tokens, mask.to(tokens.dtype)))

    def at(self, places: Places) -> States:
        """Those at these places, each as often as it is named."""
        chosen = torch.from_numpy(places).to(self.tokens.device)
        return States.of(self.tokens[chosen], self.mask[chosen])


@dataclass(frozen=True, slots=True)
class ScoredBeside:
    """What each of n texts is set beside: `states` of distinct ones, the `place` (n,) of its own among them, and where
    there is one (n,); None: everywhere.
    """

    states: States
    place: Places
    there: NDArray[np.bool_] | None = None

    def at(self, chosen: Places) -> ScoredBeside:
        """Of some of the texts."""
        return ScoredBeside(self.states, self.place[chosen], None if self.there is None else self.there[chosen])

    def features_of(self, read: States) -> list[torch.Tensor]:
        """The products of means (n, width) and FEATURES (n, 6) of the texts; zeros where there is nothing beside."""
        others = self.states.at(self.place)
        found = [read.mean * others.mean * 3, matching(read.tokens, read.mask, others.tokens, others.mask)]
        if self.there is None:
            return found
        there = torch.from_numpy(self.there).to(read.mean.device)[:, None]
        return [part * there for part in found]


class Scorer(Learner):
    """A small network on the mean of a text's states, its product with that of the context, and how words match.

    Texts and contexts are read by themselves: n texts about c contexts take n + c passes through the encoder.
    `beside`: how many other texts a text is set beside, its context among them.
    """

    def __init__(self, encoder: torch.nn.Module, limits: Limits, *, beside: int = 1) -> None:
        super().__init__()
        width = int(encoder.config.hidden_size)
        self.encoder, self.limits = encoder, limits
        self.head = torch.nn.Sequential(
            torch.nn.Linear(width + beside * (width + FEATURES), _HIDDEN),
            torch.nn.GELU(),
            torch.nn.Dropout(0.1),
            torch.nn.Linear(_HIDDEN, 1),
        )

    def scores_of(self, tokens: Tokens, context: Places, *numbers: Places) -> list[torch.Tensor]:
        """For training: scores of several rows of texts, each as long as its row; every text is read once."""
        texts = np.unique(np.concatenate(numbers))
        scores = self._scores(tokens, texts, self._beside(tokens, context, texts))
        return [scores[torch.from_numpy(np.searchsorted(texts, row)).to(scores.device)] for row in numbers]

    def scores(self, tokens: Tokens, context: Places, texts: Places, at_once: int) -> Floats:
        """The score of each of some texts (n,), for judging: one pass for each, and one for each context.

        `context`: of each text (T,); `at_once`: tokens in one batch, with what fills up shorter rows.
        """
        self.eval()
        found = np.empty(texts.size)
        with torch.inference_mode():
            for group in self._groups(tokens, context, texts, at_once):
                beside = self._beside(tokens, context, texts[group])
                lengths = [len(self._text(tokens, number)) + _SPECIAL for number in texts[group]]
                for batch in by_length(lengths, at_once, _TEXTS_AT_ONCE):
                    of_batch = [one.at(batch) for one in beside]
                    found[group[batch]] = self._scores(tokens, texts[group[batch]], of_batch).double().cpu().numpy()
        return found

    def _groups(self, tokens: Tokens, context: Places, texts: Places, at_once: int) -> Iterator[Places]:
        """All texts of contexts of like length that are read in one batch, as far as they are not too many."""
        contexts, place = np.unique(context[texts], return_inverse=True)
        counts = np.bincount(place, minlength=contexts.size)
        order = np.argsort(place, kind="stable")
        of_context = np.split(order, np.cumsum(counts)[:-1])
        lengths = [len(self._context(tokens, number)) + _SPECIAL for number in contexts]
        for batch in by_length(lengths, at_once) if contexts.size else ():
            mine = np.concatenate([of_context[number] for number in batch])
            yield from np.array_split(mine, -(-mine.size // _TEXTS_IN_GROUP))

    def _scores(self, tokens: Tokens, texts: Places, beside: Sequence[ScoredBeside]) -> torch.Tensor:
        """Scores (n,) of texts; `beside`: what the head reads besides."""
        read = self._read([self._text(tokens, number) for number in texts], tokens)
        inputs = torch.cat([read.mean, *(part for one in beside for part in one.features_of(read))], 1)
        found: torch.Tensor = self.head(inputs).squeeze(1)
        return found

    def _beside(self, tokens: Tokens, context: Places, texts: Places) -> list[ScoredBeside]:
        """The contexts of texts (n,), each distinct one read once."""
        contexts, place = np.unique(context[texts], return_inverse=True)
        return [ScoredBeside(self._read([self._context(tokens, number) for number in contexts], tokens), place)]

    def _context(self, tokens: Tokens, number: int) -> Ids:
        return cut_middle(tokens.contexts[number], min(self.limits.context, tokens.longest - _SPECIAL))

    def _text(self, tokens: Tokens, number: int) -> Ids:
        return cut(tokens.texts[number], min(self.limits.text, tokens.longest - _SPECIAL))

    def _read(self, rows: Sequence[Ids], tokens: Tokens) -> States:
        """[CLS] tokens [SEP]."""
        ids, mask = padded([[tokens.first, *ids, tokens.end] for ids in rows], tokens.padding, self.device)
        states = self.encoder(input_ids=ids, attention_mask=mask.long()).last_hidden_state
        return States.of(states, mask.bool())
