"""How two texts are compared: what is read of them, what follows from the order, and how words match."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from tiebreak.errors import TiebreakError
from tiebreak.scoring.evaluator.models.encoders import Limits, by_length, load_encoder, tokenize
from tiebreak.scoring.evaluator.models.model import FEATURES, PairAtOnce, make_model, matching
from tiebreak.scoring.evaluator.settings import TrainSettings
from tiebreak.scoring.evaluator.training.kept import Trained

# ---- How two texts are compared: what is read of them, and what follows from the order. ----------------------------


def test_one_score_per_text_and_davidsons_outcomes(tiny: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Logits d/2, log nu, -d/2 of the difference d of two scores; however many pairs, each text is read once."""
    encoder, tokenizer = load_encoder(tiny)
    model = make_model(encoder, TrainSettings(encoder=tiny, form="siamese"))
    assert model.form == "siamese"
    model.eval()
    with torch.no_grad():
        model.log_nu.fill_(0.3)
    tokens = Trained(tokenizer, {}, model).read(["good cat", "bad", "the dog runs"], ["what is the sun"])
    context = np.zeros(3, dtype=int)
    a, b = np.array([0, 1, 2, 0]), np.array([1, 2, 0, 0])
    scores = model.scores(tokens, context, np.arange(3), 512)
    with torch.inference_mode():
        logits = model.logits(tokens, context, a, b).numpy()
    difference = scores[a] - scores[b]
    assert np.allclose(logits, np.stack([difference / 2, np.full(4, 0.3), -difference / 2], axis=1), atol=1e-5)
    by_hand = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    read: list[int] = []
    forward = model.encoder.forward

    def counted(**given: torch.Tensor) -> object:
        read.append(given["input_ids"].shape[0])
        return forward(**given)

    monkeypatch.setattr(model.encoder, "forward", counted)
    assert np.allclose(model.probabilities(tokens, context, a, b, 512), by_hand, atol=1e-5)
    assert sum(read) == 4, "three texts and a context"


def test_the_cross_form_reads_equal_budgets_and_answers_alike_in_both_orders(tiny: str) -> None:
    encoder, tokenizer = load_encoder(tiny)
    model = make_model(encoder, TrainSettings(encoder=tiny, form="cross", text_tokens=500, context_tokens=500))
    texts = ["good cat " * 100, "bad", "the dog runs"]
    evaluator = Trained(tokenizer, {}, model)
    tokens = evaluator.read(texts, ["what is the sun " * 50, ""])
    assert isinstance(model.reader, PairAtOnce)
    context, longest = np.zeros(3, dtype=int), 64
    for a, b, lengths in ((0, 0, [20, 20]), (0, 1, [20, 1]), (1, 0, [1, 20])):
        ids, kinds = model.reader.row(tokens, context, a, b)
        ends = np.flatnonzero(np.array(ids) == tokens.end)
        assert [ends[1] - ends[0] - 1, ends[2] - ends[1] - 1] == lengths, "at most a third of 60 each"
        assert len(ids) == len(kinds) == longest
    assert model.always_read(tokens) == Limits(20, 20, shared=True), "beside two texts of 20"
    short = evaluator.read(["bad", "the dog runs"], ["what is the sun " * 50])
    assert model.always_read(short) == Limits(54, 20, shared=True)
    assert model.always_read(evaluator.read(texts, [""])) == Limits(0, 30, shared=True), "no context to leave room for"
    without, _ = model.reader.row(tokens, np.ones(3, dtype=int), 0, 0)
    assert len(without) == longest, "texts share what no context takes"
    a, b = np.array([0, 1, 2]), np.array([1, 2, 0])
    found = model.probabilities(tokens, context, a, b, 512)
    assert np.allclose(found, model.probabilities(tokens, context, b, a, 100)[:, ::-1], atol=1e-6)
    assert not np.allclose(found[:, 0], found[:, 2])


def test_batches_are_sorted_by_length_and_hold_so_many_tokens() -> None:
    lengths = np.random.default_rng(0).integers(1, 40, 100).tolist()
    found = list(by_length([*lengths, 500], 200))
    assert found[0].tolist() == [100], "longer than a batch: alone"
    assert sorted(np.concatenate(found).tolist()) == list(range(101))
    read = [[lengths[number] for number in batch] for batch in found[1:]]
    assert all(max(batch) * len(batch) <= 200 for batch in read)
    assert sum(read, []) == sorted(lengths, reverse=True)  # noqa: RUF017


def test_texts_of_like_length_are_read_together_and_say_the_same_in_any_batches(
    tiny: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """40 texts of 1 to 30 words about 7 contexts: a batch has 256 tokens at most with what fills it up, and hardly any
    of that; each text and each context is read once.
    """
    encoder, tokenizer = load_encoder(tiny)
    model = make_model(encoder, TrainSettings(encoder=tiny))
    generator = np.random.default_rng(3)
    texts = [" ".join(generator.choice(["good", "cat", "runs"], size)) for size in generator.integers(1, 31, 40)]
    contexts = [" ".join(["what is the sun"] * size) for size in range(7)]
    tokens, context = Trained(tokenizer, {}, model).read(texts, contexts), np.arange(40) % 7
    shapes: list[tuple[int, int]] = []
    masked: list[int] = []
    forward = model.encoder.forward

    def counted(**given: torch.Tensor) -> object:
        shapes.append(tuple(given["input_ids"].shape))  # type: ignore[arg-type]
        masked.append(int(given["attention_mask"].sum()))
        return forward(**given)

    monkeypatch.setattr(model.encoder, "forward", counted)
    found = model.scores(tokens, context, np.arange(40), 256)
    assert all(rows * width <= 256 for rows, width in shapes)
    assert sum(rows for rows, _ in shapes) == 47
    assert sum(rows * width for rows, width in shapes) < 1.35 * sum(masked), "1.7 in no order"
    monkeypatch.undo()
    one_by_one = [float(model.scores(tokens, context, np.array([number]), 256)[0]) for number in range(40)]
    assert np.allclose(found, one_by_one, atol=1e-5)
    assert model.scores(tokens, context, np.array([], dtype=int), 256).size == 0


@pytest.mark.parametrize("form", ["siamese", "discriminator", "regressor"])
def test_a_frozen_encoder_reads_each_text_once_for_all_steps(
    form: Any, tiny: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoder, tokenizer = load_encoder(tiny)
    model = make_model(encoder, TrainSettings(encoder=tiny, form=form)).eval()
    texts, references = ["good cat", "bad", "the dog runs", "sun"], np.array([-1, 0, 0, -1])
    tokens, context = Trained(tokenizer, {}, model).read(texts, ["what is", ""], references), np.array([0, 0, 1, 1])
    a, b = np.array([3, 0]), np.array([1, 3])
    before = [row.detach() for row in model.scores_of(tokens, context, a, b)]
    alone = model.scores(tokens, context, b)
    model.freeze(tokens, context, np.array([0, 1, 3]))

    def read(**_: torch.Tensor) -> object:
        raise AssertionError("read again")

    monkeypatch.setattr(model.encoder, "forward", read)
    found = model.scores_of(tokens, context, a, b)
    assert all(torch.allclose(one, other, atol=1e-5) for one, other in zip(found, before, strict=True))
    assert np.allclose(model.scores(tokens, context, b), alone, atol=1e-5)
    sum(row.sum() for row in found).backward()  # type: ignore[union-attr]
    learning = {name.partition(".")[0] for name, one in model.named_parameters() if one.grad is not None}
    assert learning == {"head"}
    with pytest.raises(AssertionError, match="read again"):
        model.scores(tokens, context, np.array([2]))


def test_texts_of_which_nothing_can_be_read_are_refused(tiny: str) -> None:
    _, tokenizer = load_encoder(tiny)
    with pytest.raises(TiebreakError, match=r"reads nothing in .*: take another encoder"):
        tokenize(tokenizer, ["\u200b", ""], [], 64)
    assert tokenize(tokenizer, ["\u200b", "good"], [], 64).texts[0] == []
    assert tokenize(tokenizer, ["", " "], [], 64).texts == ([], [])


# ---- How words of a text and its context match, against loops over words. ------------------------------------------


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
