"""Context and both texts in one sequence, as in learning-to-compare, figure 1."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch.nn import functional

from tiebreak.scoring.evaluator.models.batches import by_length
from tiebreak.scoring.evaluator.models.comparer import Comparer
from tiebreak.scoring.evaluator.models.encoders import Ids, Tokens, mean_of_tokens, padded
from tiebreak.scoring.evaluator.models.learner import Floats, Limits, Places, cut, cut_middle


class Cross(Comparer):
    """[CLS] context [SEP] A [SEP] B [SEP], and three logits of the mean over its tokens. It is read in both orders.

    A and B have equal numbers of tokens at most; the context gets what they leave.
    """

    def __init__(self, encoder: torch.nn.Module, limits: Limits, *, ties: bool = True) -> None:
        super().__init__()
        width = int(encoder.config.hidden_size)
        self.encoder, self.limits, self.ties = encoder, limits, ties
        self.head = torch.nn.Sequential(torch.nn.Dropout(0.1), torch.nn.Linear(width, 3))
        self._kinds = int(getattr(encoder.config, "type_vocab_size", 0) or 0)

    def always_read(self, tokens: Tokens) -> Limits:
        """Of a context, beside the longest of these texts."""
        room = tokens.longest - 4
        text = min(self.limits.text, room // 3 if any(tokens.contexts) else room // 2)
        longest = min(max(map(len, tokens.texts), default=0), text)
        return Limits(min(self.limits.context, room - 2 * longest), text, shared=True)

    def logits(self, tokens: Tokens, context: Places, a: Places, b: Places) -> torch.Tensor:
        """Of both orders: the first n of (a, b), as (a, b) sees them; the next n of (b, a), turned round."""
        rows = [self._row(tokens, context, x, y) for x, y in zip(a, b, strict=True)]
        swapped = [self._row(tokens, context, y, x) for x, y in zip(a, b, strict=True)]
        found = self._read([*rows, *swapped], tokens)
        return torch.cat([found[: a.size], found[a.size :].flip(1)])

    def orders(self, tokens: Tokens, context: Places, a: Places, b: Places, at_once: int) -> tuple[Floats, Floats]:
        self.eval()
        rows = [self._row(tokens, context, x, y) for x, y in zip(a, b, strict=True)]
        rows += [self._row(tokens, context, y, x) for x, y in zip(a, b, strict=True)]
        found = np.empty((len(rows), 3))
        with torch.inference_mode():
            for batch in by_length([len(ids) for ids, _ in rows], at_once):
                logits = self._read([rows[number] for number in batch], tokens)
                found[batch] = functional.softmax(logits.float(), dim=1).double().cpu().numpy()
        return found[: a.size], found[a.size :, ::-1]

    def _read(self, rows: list[tuple[Ids, Ids]], tokens: Tokens) -> torch.Tensor:
        ids, mask = padded([ids for ids, _ in rows], tokens.padding, self.device)
        more: dict[str, Any] = {}
        if self._kinds > 1:
            more["token_type_ids"] = padded([kinds for _, kinds in rows], 0, self.device)[0]
        found: torch.Tensor = self.head(mean_of_tokens(self.encoder, ids, mask, **more))
        if not self.ties:
            found = found + torch.tensor([0.0, -30.0, 0.0], device=found.device)
        return found

    def _row(self, tokens: Tokens, context: Places, a: int, b: int) -> tuple[Ids, Ids]:
        """Numbers, and which of the two kinds of sentence each belongs to."""
        room = tokens.longest - 4
        each = min(self.limits.text, room // 3 if tokens.contexts[context[a]] else room // 2)
        texts = [cut(tokens.texts[number], each) for number in (a, b)]
        about = cut_middle(tokens.contexts[context[a]], min(self.limits.context, room - sum(map(len, texts))))
        first = [tokens.first, *about, tokens.end, *texts[0], tokens.end]
        second = [*texts[1], tokens.end]
        return [*first, *second], [0] * len(first) + [1] * len(second)
