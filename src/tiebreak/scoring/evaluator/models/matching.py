"""How well a text and its context match, word for word (late interaction, as in ColBERT and BERTScore)."""

from __future__ import annotations

from typing import Final

import torch
from torch.nn import functional

FEATURES: Final = 6
_USUAL: Final = (0.6, 0.7, 0.3, 0.2, 0.4, 0.8)
_SPREAD: Final = 5.0
"""Values of the features in ordinary texts, and what brings them to the size of the other inputs of a head."""
_SHARP: Final = 10.0


def matching(
    text: torch.Tensor, text_mask: torch.Tensor, about: torch.Tensor, about_mask: torch.Tensor
) -> torch.Tensor:
    """FEATURES of each of n texts beside its context.

    text (n, T, width), about (n, C, width): states of their tokens; masks (n, T) and (n, C), True where there is one.

    From the cosines of every word with every word: that of the means; of each word of the text with the word of the
    context that is most like it the mean, a smooth minimum and the spread; the same mean the other way round, which is
    how much of the context the text covers. The last is the logarithm of the text's length.
    """
    here, there = text_mask.to(text.dtype), about_mask.to(text.dtype)
    cosines = functional.normalize(text, dim=2) @ functional.normalize(about, dim=2).transpose(1, 2)
    best = cosines.masked_fill(~about_mask[:, None, :], -1.0).amax(2)
    mean = masked_mean(best.unsqueeze(2), here).squeeze(1)
    least = -torch.logsumexp(-_SHARP * best.masked_fill(~text_mask, torch.inf), 1) / _SHARP
    spread = masked_mean(((best - mean[:, None]) ** 2).unsqueeze(2), here).squeeze(1).clamp(min=1e-6).sqrt()
    covered = masked_mean(cosines.masked_fill(~text_mask[:, :, None], -1.0).amax(1).unsqueeze(2), there).squeeze(1)
    together = functional.cosine_similarity(masked_mean(text, here), masked_mean(about, there))
    found = torch.stack([together, mean, least, spread, covered, here.sum(1).log() / 5], 1)
    return (found - found.new_tensor(_USUAL)) * _SPREAD


def masked_mean(states: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    """The mean (n, width) of states (n, T, width) where weights (n, T) are 1 and not 0."""
    return (states * weights.unsqueeze(2)).sum(1) / weights.sum(1, keepdim=True)
