"""One score per text given its context, and Davidson's probabilities of the three outcomes of two scores."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch.nn import functional

from tiebreak.scoring.evaluator.models.batches import by_length
from tiebreak.scoring.evaluator.models.comparer import Comparer, Floats, Limits, Places, cut, cut_middle
from tiebreak.scoring.evaluator.models.encoders import Ids, Tokens, mean_of_tokens, padded

_HIDDEN = 128


class Siamese(Comparer):
    """[CLS] text [SEP] context [SEP], and a score of the mean over its tokens, by a small network.

    With d the difference of scores the logits are d/2, log nu and -d/2 (Davidson 1970, with nu free), so that both
    orders of a pair always agree, and n texts take n passes through the encoder for all their n(n - 1)/2 pairs.
    """

    def __init__(self, encoder: torch.nn.Module, limits: Limits, *, ties: bool = True) -> None:
        super().__init__()
        width = int(encoder.config.hidden_size)
        self.encoder, self.limits, self.ties = encoder, limits, ties
        self.head = torch.nn.Sequential(
            torch.nn.Linear(width, _HIDDEN), torch.nn.GELU(), torch.nn.Dropout(0.1), torch.nn.Linear(_HIDDEN, 1)
        )
        self.log_nu = torch.nn.Parameter(torch.zeros(()))
        self._kinds = int(getattr(encoder.config, "type_vocab_size", 0) or 0)

    def logits(self, tokens: Tokens, context: Places, a: Places, b: Places) -> torch.Tensor:
        texts, places = np.unique(np.concatenate([a, b]), return_inverse=True)
        scores = self._read([self._row(tokens, context, number) for number in texts], tokens)
        at = torch.from_numpy(places).to(scores.device)
        return self._davidson(scores[at[: a.size]] - scores[at[a.size :]])

    def probabilities(self, tokens: Tokens, context: Places, a: Places, b: Places, at_once: int) -> Floats:
        texts, places = np.unique(np.concatenate([a, b]), return_inverse=True)
        scores = torch.from_numpy(self.scores(tokens, context, texts, at_once))
        difference = scores[places[: a.size]] - scores[places[a.size :]]
        with torch.inference_mode():
            found: Floats = functional.softmax(self._davidson(difference.to(self.device)), dim=1).double().cpu().numpy()
        return found

    def flips(self, tokens: Tokens, context: Places, a: Places, b: Places, at_once: int) -> float:  # noqa: ARG002
        return 0.0

    def scores(self, tokens: Tokens, context: Places, texts: Places, at_once: int) -> Floats:
        """The score of each of some texts (n,), for judging: one pass for each."""
        self.eval()
        rows = [self._row(tokens, context, number) for number in texts]
        found = np.empty(len(rows))
        with torch.inference_mode():
            for batch in by_length([len(ids) for ids, _ in rows], at_once):
                found[batch] = self._read([rows[number] for number in batch], tokens).double().cpu().numpy()
        return found

    def _read(self, rows: list[tuple[Ids, Ids]], tokens: Tokens) -> torch.Tensor:
        ids, mask = padded([ids for ids, _ in rows], tokens.padding, self.device)
        more: dict[str, Any] = {}
        if self._kinds > 1:
            more["token_type_ids"] = padded([kinds for _, kinds in rows], 0, self.device)[0]
        return self.head(mean_of_tokens(self.encoder, ids, mask, **more)).squeeze(1)

    def _row(self, tokens: Tokens, context: Places, number: int) -> tuple[Ids, Ids]:
        """Numbers, and which of the two kinds of sentence each belongs to."""
        text = cut(tokens.texts[number], min(self.limits.text, tokens.longest - 3))
        room = min(self.limits.context, tokens.longest - 3 - len(text))
        about = cut_middle(tokens.contexts[context[number]], room)
        first = [tokens.first, *text, tokens.end]
        second = [*about, tokens.end] if about else []
        return [*first, *second], [0] * len(first) + [1] * len(second)

    def _davidson(self, difference: torch.Tensor) -> torch.Tensor:
        tie = self.log_nu if self.ties else torch.full_like(self.log_nu, -30.0)
        half = difference.to(tie.dtype) / 2
        return torch.stack([half, tie.expand_as(half), -half], dim=1)
