"""How words of a text and its context match, against loops over words."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from tiebreak.scoring.evaluator.models.model import FEATURES, matching


def by_loops(text: np.ndarray, about: np.ndarray) -> list[float]:
    def cosine(x: np.ndarray, y: np.ndarray) -> float:
        return float(x @ y / np.linalg.norm(x) / np.linalg.norm(y))

    best = [max(cosine(word, other) for other in about) for word in text]
    covered = np.mean([max(cosine(word, other) for word in text) for other in about])
    least = -np.log(sum(np.exp(-10 * value) for value in best)) / 10
    found = [cosine(text.mean(0), about.mean(0)), np.mean(best), least, np.std(best), covered, np.log(len(text)) / 5]
    return [(value - usual) * 5 for value, usual in zip(found, (0.6, 0.7, 0.3, 0.2, 0.4, 0.8), strict=True)]


def test_features_are_those_of_the_words_alone() -> None:
    """Padding says nothing, whatever stands there."""
    generator = np.random.default_rng(3)
    sizes = [(3, 5), (7, 2), (1, 1)]
    text, about = torch.randn(3, 7, 4) * 50, torch.randn(3, 5, 4) * 50
    text_mask, about_mask = torch.zeros(3, 7, dtype=torch.bool), torch.zeros(3, 5, dtype=torch.bool)
    wanted = []
    for row, (words, others) in enumerate(sizes):
        mine, theirs = generator.normal(size=(words, 4)), generator.normal(size=(others, 4))
        text[row, :words], about[row, :others] = torch.tensor(mine), torch.tensor(theirs)
        text_mask[row, :words], about_mask[row, :others] = True, True
        wanted.append(by_loops(mine, theirs))
    found = matching(text.double(), text_mask, about.double(), about_mask)
    assert found.shape == (3, FEATURES)
    assert found.numpy() == pytest.approx(np.array(wanted), abs=6e-3)  # a spread of 0 is taken for 0.001


def test_gradients_are_numbers_where_all_words_are_alike() -> None:
    text = torch.ones(1, 3, 4, requires_grad=True)
    mask = torch.ones(1, 3, dtype=torch.bool)
    matching(text, mask, torch.ones(1, 3, 4), mask).sum().backward()
    assert text.grad is not None
    assert bool(torch.isfinite(text.grad).all())
