"""Networks of the testbed, what they write, and their checkpoints as a study."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
import torch
from benchmarks.papers.testbed.networks import NETWORKS
from benchmarks.papers.testbed.pairs import Split, TextPair
from benchmarks.papers.testbed.studies import PEOPLE, study_of
from benchmarks.papers.testbed.training import Checkpoint, Training, checkpoints, rate_at
from benchmarks.papers.testbed.vocabulary import BEGIN, END, PADDING, Vocabulary
from benchmarks.papers.testbed.writing import write

from tiebreak.scoring.evaluator.examples.corpus import Corpus
from tiebreak.scoring.evaluator.examples.weak import weak_pairs

SOURCE = torch.tensor([[5, 6, 7, 8], [9, 10, PADDING, PADDING]])


def small(name: str) -> torch.nn.Module:
    torch.manual_seed(1)
    return NETWORKS[name](30, 16, 0.1).eval()


@pytest.mark.parametrize("name", NETWORKS)
@torch.inference_mode()
def test_a_state_knows_the_source_and_what_was_written_before_alone(name: str) -> None:
    network = small(name)
    written = torch.tensor([[BEGIN, 4, 5, 6], [BEGIN, 4, 5, 6]])
    states = network.decode(network.encode(SOURCE), SOURCE, written)
    changed = written.clone()
    changed[:, 3] = 20
    after = network.decode(network.encode(SOURCE), SOURCE, changed)
    assert torch.allclose(states[:, :3], after[:, :3], atol=1e-6)
    assert not torch.allclose(states[:, 3], after[:, 3], atol=1e-3)
    other = SOURCE.clone()
    other[0, 1] = 20
    after = network.decode(network.encode(other), other, written)
    assert not torch.allclose(states[0, 1:], after[0, 1:], atol=1e-3)
    assert torch.allclose(states[1], after[1], atol=1e-6)


@pytest.mark.parametrize("name", NETWORKS)
@torch.inference_mode()
def test_what_a_text_is_padded_with_changes_nothing(name: str) -> None:
    network = small(name)
    alone, written = SOURCE[1:, :2], torch.tensor([[BEGIN, 4, 5]])
    short = network.decode(network.encode(alone), alone, written)
    long = network.decode(network.encode(SOURCE), SOURCE, written.repeat(2, 1))[1:]
    assert torch.allclose(short, long, atol=1e-5)
    target = torch.tensor([[4, 5, END]])
    wide = torch.tensor([[4, 5, END, PADDING, PADDING]])
    assert network.loss(alone, target).item() == pytest.approx(network.loss(alone, wide).item(), rel=1e-5)


@pytest.mark.parametrize("name", NETWORKS)
def test_the_most_probable_tokens_are_those_of_a_plain_loop(name: str) -> None:
    network = small(name)
    found = write(network, SOURCE, 6, temperature=0, seed=1)
    for row, source in zip(found, SOURCE, strict=True):
        said = [BEGIN]
        while len(said) <= 6 and said[-1] != END:
            with torch.inference_mode():
                states = network.decode(network.encode(source[None]), source[None], torch.tensor([said]))
                said.append(int(network.logits(states)[0, -1, END:].argmax()) + END)
        assert row[: len(said) - 1] == said[1:]
        assert set(row[len(said) - 1 :]) <= {END}


def test_texts_are_drawn_with_the_probabilities_of_the_network() -> None:
    """The first token for each of 4,000 equal sources: shares within four standard errors of p squared at 0.5."""
    network = small("recurrent")
    source = SOURCE[:1].repeat(4000, 1)
    drawn = torch.tensor([row[0] for row in write(network, source, 1, temperature=0.5, seed=3)])
    with torch.inference_mode():
        states = network.decode(network.encode(SOURCE[:1]), SOURCE[:1], torch.tensor([[BEGIN]]))
        p = network.logits(states)[0, 0, END:].softmax(0) ** 2
    p = torch.cat([torch.zeros(END), p / p.sum()])
    shares = torch.bincount(drawn, minlength=30) / 4000
    assert ((shares - p).abs() <= 4 * (p * (1 - p) / 4000).sqrt() + 1e-9).all()


def test_the_rate_rises_and_falls() -> None:
    rates = [rate_at(step, 100) for step in range(1, 101)]
    assert rates[4] == max(rates) == 1.0
    assert rates[0] == pytest.approx(0.2)
    assert rates[:5] == sorted(rates[:5])
    assert rates[4:] == sorted(rates[4:], reverse=True)
    assert 0 < rates[-1] < 0.02


def toy() -> tuple[Split, Vocabulary]:
    """Write the words in the other order."""
    words = ["cat", "dog", "sun", "red"]
    texts = list(itertools.permutations(words, 2))
    pairs = [TextPair(f"p{k}", f"{a} {b}", f"{b} {a}", str(k)) for k, (a, b) in enumerate(texts * 6)]
    return Split(tuple(pairs[:60]), tuple(pairs[60:66]), tuple(pairs[66:])), Vocabulary.of(pairs, 280)


TRAINING = Training(network="recurrent", width=32, steps=60, batch=12, checkpoints=3, rate=0.01, samples=2)


@pytest.mark.parametrize("name", NETWORKS)
def test_a_training_learns_and_can_be_repeated(name: str) -> None:
    parts, vocabulary = toy()
    training = replace(TRAINING, network=name)
    found = list(checkpoints(training, parts, vocabulary))
    assert [one.step for one in found] == [20, 40, 60]
    assert found[2].dev_loss < 0.6 * found[0].dev_loss
    torch.manual_seed(99)  # what others draw does not matter
    assert next(checkpoints(training, parts, vocabulary)) == found[0]
    assert next(checkpoints(replace(training, seed=2), parts, vocabulary)) != found[0]


def test_checkpoints_are_systems_of_a_run_from_which_an_evaluator_learns() -> None:
    parts, _ = toy()
    taken = [
        Checkpoint(step, 3.0 - step / 50, tuple((f"{pair.name} a{step}", f"b{step}") for pair in parts.written))
        for step in (20, 40, 60)
    ]
    study = study_of(TRAINING, parts.written, taken, range(2), people=True)
    assert study.systems == (PEOPLE, "recurrent-1-00020", "recurrent-1-00040", "recurrent-1-00060")
    about = study.settings.systems["recurrent-1-00040"]
    assert (about.run, about.step, about.total_steps, about.dev_loss) == ("recurrent-1", 40, 60, 3.0 - 40 / 50)
    assert about.settings["rate"] == 0.01
    assert study.settings.systems[PEOPLE].reference
    assert study.outputs is not None
    assert study.outputs.height == 2 * 3 * 2 + 2
    pairs, counts = weak_pairs(Corpus.of([study]))
    assert (counts.used, len(pairs)) == (3, 3 * 2 * 4)
