"""The page on what evaluators learn from people: what is learned and measured, figures by hand, and a tiny run."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from benchmarks.papers.people import measures, splits, tables, trainings
from scipy.stats import pearsonr
from tests.tiny_encoder import WORDS, make_tiny_encoder

from benchmarks import evaluator_people
from tiebreak.data.study import Study
from tiebreak.data.writers import write_study
from tiebreak.scoring.evaluator.examples.pairs import Pairs
from tiebreak.scoring.evaluator.examples.splits import share_of

SYSTEMS = [f"M{number}" for number in range(12)]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three small studies by the names of real ones: good words are rated higher and preferred."""
    folder = tmp_path_factory.mktemp("data")
    generator = np.random.default_rng(2)
    items, outputs, ratings, scores = [], [], [], []
    for item in range(90):
        items.append({"item": f"i{item}", "input": f"what is {WORDS[5 + item % 5]} {item}", "references": ["good cat"]})
        for number, system in enumerate(SYSTEMS):
            text = " ".join(["good" if generator.random() < number / 11 else "bad" for _ in range(3)] + [f"{item}"])
            outputs.append({"item": f"i{item}", "system": system, "text": text})
            for person in ("expert_0", "expert_1", "turker_0"):
                value = text.count("good") + int(generator.integers(0, 2))
                ratings.append({"item": f"i{item}", "system": system, "annotator": person, "criterion": "c",
                                "value": value})  # fmt: skip
            scores += [
                {"item": f"i{item}", "system": system, "metric": judge, "value": text.count("good")}
                for judge in trainings.JUDGES
            ]
    write_study(Study.from_tables(items=items, outputs=outputs, ratings=ratings, scores=scores), folder / "summeval")
    for name in ("naturalness-v1", "naturalness-v2"):
        pairs, votes = [], []
        for item in range(30):
            texts = {"a": f"good {WORDS[item % 15]} {item % 8}", "b": f"bad {WORDS[(item + 3) % 15]} the"}
            pairs += [{"item": f"{name}{item}", "system": system, "text": text} for system, text in texts.items()]
            votes += [
                {"item": f"{name}{item}", "system_a": "a", "system_b": "b", "annotator": f"p{person}",
                 "outcome": "a" if person < 4 - item % 3 else "b"}
                for person in range(4)
            ]  # fmt: skip
        write_study(Study.from_tables(outputs=pairs, preferences=votes), folder / name)
    return folder


def test_nothing_that_is_learned_from_shares_a_text_with_what_is_held_out(data: Path) -> None:
    for seed in range(3):
        parts = splits.split_of_sentences(data, seed)
        learned, held = (
            {text for study in side for text in splits.outputs_of(study)["text"]} for side in (parts.learn, parts.held)
        )
        assert learned
        assert held
        assert not learned & held
    parts = splits.split_of_summaries(data, 0)
    assert len(parts.new) == splits.SYSTEMS_HELD_OUT
    assert not set(parts.new) & set(splits.outputs_of(parts.learn[0])["system"])
    assert set(splits.outputs_of(parts.held[0])["system"]) == set(SYSTEMS)
    items = {name: share_of(f"what is {WORDS[5 + int(name[1:]) % 5]} {name[1:]}", 0) for name in
             (f"i{number}" for number in range(90))}  # fmt: skip
    assert set(splits.outputs_of(parts.held[0])["item"]) == {name for name, share in items.items() if share < 0.2}


def test_figures_by_hand() -> None:
    """Of three decided pairs one is right, one wrong, one undecided by the values; ties of people do not count."""
    shares = np.array([[1.0, 0, 0], [0.6, 0, 0.4], [0, 0.3, 0.7], [0, 1, 0]])
    pairs = Pairs.of([0, 1, 2, 0], [1, 2, 3, 3], shares, np.zeros(4, dtype=int))
    assert measures.two_way(np.array([2.0, 1.0, 1.0, 0.0]), pairs) == pytest.approx((1 + 0.5 + 0) / 3)
    human, values = np.array([1.0, 2, 3, 3, 2, 1]), np.array([1.0, 2, 3, 1, 2, 3])
    assert measures.within(values, human, np.array([0, 0, 0, 1, 1, 1])) == pytest.approx(0.0), "1 and -1"
    generator = np.random.default_rng(0)
    one = generator.normal(size=4000)
    other = 0.05 * one + generator.normal(size=4000)
    found = pearsonr(one, other)
    mine = measures._p_of_one_order(float(found[0]), 4000)
    assert mine == pytest.approx(float(found[1]), rel=0.02), "as of one order, though both were counted"
    assert tables.cell([0.1, 0.3, 0.2]) == "0.20 (0.10 to 0.30)"


def test_p_of_texts_is_right_where_those_of_an_article_are_alike() -> None:
    """Of scores that know nothing but what articles have in common, .05 come below .05: twice as many, 200 of 2,000,
    would be found, and texts as if they were independent give 600 and more.
    """
    generator = np.random.default_rng(3)
    article = np.repeat(np.arange(18), 16)
    mine, independent = [], []
    for _ in range(2000):
        values, human = (
            generator.normal(size=18)[article] + generator.normal(size=article.size) for _ in ("values", "human")
        )
        mine.append(measures.p_by_context(values, human, article) < 0.05)
        independent.append(measures.correlations(values, human)["p"] < 0.05)
    assert 60 < sum(mine) < 130
    assert sum(independent) > 500
    signal = human + 0.5 * generator.normal(size=human.size)
    assert measures.p_by_context(signal, human, article) < 1e-3


def test_pairs_that_share_a_sentence_count_as_one(data: Path) -> None:
    for seed in range(3):
        held = splits.split_of_sentences(data, seed).held
        pairs = sum(splits.outputs_of(study).height for study in held) / 2
        assert 1 <= measures.independent_pairs(data, seed) < pairs
    found = {"correlation": 0.5, "pearson": 0.4}
    assert measures.p_of_votes(found, 40.0) == pytest.approx(measures._p_of_one_order(0.4, 40.0))
    assert measures.p_of_votes(found, 20.0) > measures.p_of_votes(found, 40.0)


def test_baselines_have_the_updates_of_the_evaluator() -> None:
    mine = trainings.SUMMARIES
    for training in trainings.OF_SUMMARIES.values():
        of = training.settings
        assert (of.rounds, of.contexts_at_once, of.patience, of.held_out, of.rate) == (
            mine.rounds, mine.contexts_at_once, mine.patience, mine.held_out, mine.rate
        )  # fmt: skip


def test_a_tiny_run_makes_the_page_and_goes_on_where_it_was(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoder = make_tiny_encoder(tmp_path)
    metrics = {"METRICS": ("bleu", "chrf"), "SLOW_METRICS": ("distinct-1",)}
    for module in (trainings, tables):
        for name, value in metrics.items():
            monkeypatch.setattr(module, name, value)
    quick = {
        name: replace(one, settings=replace(one.settings, encoder=encoder, rate=3e-3, rounds=4.0, contexts_at_once=8))
        for name, one in trainings.EVERY.items()
    }
    quick["metrics"] = replace(quick["metrics"], run=trainings.metrics_of_summaries(metrics["METRICS"]))
    quick["slow metrics"] = replace(quick["slow metrics"], run=trainings.metrics_of_summaries(metrics["SLOW_METRICS"]))
    monkeypatch.setattr(trainings, "EVERY", quick)
    options = argparse.Namespace(quick=True, data=data, cache=tmp_path / "cache", jobs=1, kept=False)
    page = evaluator_people.page(options)
    kept = sorted((tmp_path / "cache").iterdir())
    assert len(kept) == len(quick) - 1, "perplexity takes too long for a quick run"
    assert page == evaluator_people.page(options), "from what was kept"
    for said in ("| evaluator | 1 | ", "| `bleu` | 1 | ", "| `gpt-4o` | 1 | ", "| rating of each system |",
                 "| references alone, no labels |", "| labels of summaries |", "11 trainings"):  # fmt: skip
        assert said in page
    trainings._place(options.cache, 1 / 20, "within inputs", 0)[0].unlink()
    without = evaluator_people.page(argparse.Namespace(**(vars(options) | {"kept": True})))
    assert "Not run for this page: metrics by a language model, pairs about one article alone." in without
    assert page.count("pairs about one article alone") == 1
    changed = replace(quick["sentences"].settings, rate=2e-3)
    monkeypatch.setitem(quick, "sentences", replace(quick["sentences"], settings=changed))
    evaluator_people.page(options)
    assert len(sorted((tmp_path / "cache").iterdir())) == len(kept) + 1, (
        "made again, and other settings are another run"
    )
