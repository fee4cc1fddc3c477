"""One score per text given its context, and Davidson's probabilities of the three outcomes of two scores."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch.nn import functional

from tiebreak.scoring.evaluator.models.batches import by_length
from tiebreak.scoring.evaluator.models.comparer import Comparer, Floats, Limits, Places, cut, cut_middle
from tiebreak.scoring.evaluator.models.encoders import Ids, Tokens, mean_of_tokens, padded

_HIDDEN = 128
_SPREAD = 8.0  # entries of an embedding of length 1 are small
_ALIKE = 4.0


class Siamese(Comparer):
    """Texts and contexts are embedded apart, each once; a small network makes a score of the two.

    With d the difference of scores the logits are d/2, log nu and -d/2 (Davidson 1970, with nu free), so that both
    orders of a pair always agree, and n texts take n passes through the encoder for all their n(n - 1)/2 pairs.
    """

    def __init__(self, encoder: torch.nn.Module, limits: Limits, *, ties: bool = True) -> None:
        super().__init__()
        width = int(encoder.config.hidden_size)
        self.encoder, self.limits, self.ties = encoder, limits, ties
        self.head = torch.nn.Sequential(
            torch.nn.Linear(4 * width + 1, _HIDDEN), torch.nn.GELU(), torch.nn.Dropout(0.1), torch.nn.Linear(_HIDDEN, 1)
        )
        self.log_nu = torch.nn.Parameter(torch.zeros(()))

    def logits(self, tokens: Tokens, context: Places, a: Places, b: Places) -> torch.Tensor:
        texts, places = np.unique(np.concatenate([a, b]), return_inverse=True)
        scores = self._scores(tokens, context, texts)
        at = torch.from_numpy(places).to(scores.device)
        return self._davidson(scores[at[: a.size]] - scores[at[a.size :]])

    def probabilities(self, tokens: Tokens, context: Places, a: Places, b: Places, at_once: int) -> Floats:
        texts, places = np.unique(np.concatenate([a, b]), return_inverse=True)
        scores = torch.from_numpy(self.scores(tokens, context, texts, at_once))
        difference = scores[places[: a.size]] - scores[places[a.size :]]
        with torch.inference_mode():
            return functional.softmax(self._davidson(difference.to(self.device)), dim=1).double().cpu().numpy()

    def flips(self, tokens: Tokens, context: Places, a: Places, b: Places, at_once: int) -> float:  # noqa: ARG002
        return 0.0

    def scores(self, tokens: Tokens, context: Places, texts: Places, at_once: int) -> Floats:
        """The score of each of some texts (n,), for judging."""
        self.eval()
        with torch.inference_mode():
            used, where = np.unique(context[texts], return_inverse=True)
            about = self._embedded([self._context(tokens, number) for number in used], tokens, at_once)
            found = self._embedded([self._text(tokens, number) for number in texts], tokens, at_once)
            empty = torch.tensor([not tokens.contexts[number] for number in used], device=self.device)[where]
            return self._head(found, about[where], empty).double().cpu().numpy()

    def _scores(self, tokens: Tokens, context: Places, texts: Places) -> torch.Tensor:
        used, where = np.unique(context[texts], return_inverse=True)
        rows = [self._text(tokens, number) for number in texts]
        empty = torch.tensor([not tokens.contexts[number] for number in used], device=self.device)[where]
        found = mean_of_tokens(self.encoder, *padded(rows, tokens.padding, self.device))
        if bool(empty.all()):
            return self._head(found, torch.zeros_like(found), empty)
        contexts = [self._context(tokens, number) for number in used]
        about = mean_of_tokens(self.encoder, *padded(contexts, tokens.padding, self.device))
        return self._head(found, about[where], empty)

    def _head(self, text: torch.Tensor, about: torch.Tensor, empty: torch.Tensor) -> torch.Tensor:
        text = functional.normalize(text, dim=1)
        about = functional.normalize(about, dim=1).masked_fill(empty.unsqueeze(1), 0.0)
        both = text * about
        alike = _ALIKE * both.sum(1, keepdim=True)
        together = torch.cat([_SPREAD * part for part in (text, about, both, (text - about).abs())] + [alike], dim=1)
        return self.head(together).squeeze(1)

    def _davidson(self, difference: torch.Tensor) -> torch.Tensor:
        tie = self.log_nu if self.ties else torch.full_like(self.log_nu, -30.0)
        half = difference.to(tie.dtype) / 2
        return torch.stack([half, tie.expand_as(half), -half], dim=1)

    def _embedded(self, rows: Sequence[Ids], tokens: Tokens, at_once: int) -> torch.Tensor:
        width = int(self.encoder.config.hidden_size)
        found = torch.empty((len(rows), width), device=self.device)
        for batch in by_length([len(row) for row in rows], at_once):
            ids, mask = padded([rows[number] for number in batch], tokens.padding, self.device)
            found[torch.from_numpy(batch)] = mean_of_tokens(self.encoder, ids, mask).float()
        return found

    def _text(self, tokens: Tokens, number: int) -> Ids:
        return [tokens.first, *cut(tokens.texts[number], min(self.limits.text, tokens.longest - 2)), tokens.end]

    def _context(self, tokens: Tokens, number: int) -> Ids:
        most = min(self.limits.context, tokens.longest - 2)
        return [tokens.first, *cut_middle(tokens.contexts[number], most), tokens.end]
