"""The benchmarks of learning to compare, whole, with made-up texts, tiny networks and a tiny encoder."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from benchmarks.papers import checkpoint_order, evaluator_few, evaluator_people, run_choice
from benchmarks.papers.people import measures, tables, trainings
from benchmarks.papers.testbed.design import Design
from benchmarks.papers.testbed.findings import find
from benchmarks.papers.testbed.networks import NETWORKS
from benchmarks.papers.testbed.runs import Bench
from benchmarks.papers.testbed.trials import Trials
from benchmarks.results import RESULTS, read_rows
from tests.benchmarks.test_smoke import arguments, check_written
from tests.tiny_encoder import WORDS, make_tiny_encoder

from tiebreak.data.study import Study
from tiebreak.data.writers import write_study

SYSTEMS = [f"M{number}" for number in range(12)]


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    """120 made-up packages, and a tiny encoder beside them."""
    words = ["good", "bad", "cat", "dog", "sun", "rain"]
    blocks = [
        f"Package: p{k}\nDescription-en: {a} {b} {c}\n what is the {c} about {b} {a} {k}\n"
        for k, (a, b, c) in enumerate(itertools.islice(itertools.permutations(words, 3), 120))
    ]
    data = tmp_path / "data"
    data.mkdir()
    (data / "made_i18n_Translation-en").write_text("\n".join(blocks), encoding="utf-8")
    (tmp_path / "encoder").mkdir()
    return data


def test_checkpoint_order_is_written_and_made_once(packages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = packages.parent
    encoder = make_tiny_encoder(folder / "encoder")
    design = Design(steps=10, learned=12, judged=10, dev=6, vocabulary=280, encoder=encoder)
    bench = Bench(design, folder / "cache", packages, print)
    checkpoint_order.write_results(bench, [1], folder / "results")
    check_written(folder / "results", ("learning_order",))
    monkeypatch.setattr("benchmarks.papers.testbed.runs._write", None)
    monkeypatch.setattr("benchmarks.papers.testbed.runs._found", None)
    checkpoint_order.write_results(bench, [1], folder / "results")
    assert [row["network"] for row in read_rows("learning_order", folder / "results")] == [*NETWORKS]


def test_run_choice(packages: Path) -> None:
    folder = packages.parent
    plan = replace(
        run_choice.QUICK, steps=8, checkpoints=8, chosen_from=4, settings=2, train=20, dev=5, judged=(6, 4),
        unseen=(8, 5), aside=60, learned=12, vocabulary=280, encoder=make_tiny_encoder(folder / "encoder"),
    )  # fmt: skip
    run_choice.write_results(find(Trials(plan, folder / "cache", packages, print)), folder / "results")
    check_written(folder / "results", ("learning_choice",))
    found, kept = (read_rows("learning_choice", place) for place in (folder / "results", RESULTS))
    names = ("task", "best by", "chooser")
    assert [[row[name] for name in names] for row in found] == [[row[name] for name in names] for row in kept]


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """Three small studies by the names of real ones: good words are rated higher and preferred."""
    rng = np.random.default_rng(2)
    items, outputs, ratings, scores = [], [], [], []
    for item in range(90):
        items.append({"item": f"i{item}", "input": f"what is {WORDS[5 + item % 5]} {item}", "references": ["good cat"]})
        for number, system in enumerate(SYSTEMS):
            text = " ".join(["good" if rng.random() < number / 11 else "bad" for _ in range(3)] + [f"{item}"])
            place = {"item": f"i{item}", "system": system}
            outputs.append({**place, "text": text})
            for person in ("expert_0", "expert_1", "turker_0"):
                value = text.count("good") + int(rng.integers(0, 2))
                ratings.append({**place, "annotator": person, "criterion": "c", "value": value})
            scores += [{**place, "metric": judge, "value": text.count("good")} for judge in trainings.JUDGES]
    write_study(Study.from_tables(items=items, outputs=outputs, ratings=ratings, scores=scores), tmp_path / "summeval")
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
        write_study(Study.from_tables(outputs=pairs, preferences=votes), tmp_path / name)
    return tmp_path


def test_evaluator_people_goes_on_where_it_was(people: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (people / "encoder").mkdir()
    encoder = make_tiny_encoder(people / "encoder")
    metrics = ("bleu", "chrf")
    for module in (trainings, tables):
        monkeypatch.setattr(module, "METRICS", metrics)
    quick = {
        name: replace(one, settings=replace(one.settings, encoder=encoder, rate=3e-3, rounds=4.0, contexts_at_once=8))
        for name, one in trainings.EVERY.items()
    }
    quick["metrics"] = replace(quick["metrics"], run=trainings.metrics_of_summaries(metrics))
    monkeypatch.setattr(trainings, "EVERY", quick)
    command = arguments(people, "--quick", "--jobs", "1", "--write")
    assert evaluator_people.main(command) == 0
    check_written(people / "results", tuple(tables.HEADERS))
    made = sorted((people / "cache").glob("*.json"))
    assert len(made) == len(quick)
    assert evaluator_people.main(command) == 0
    assert sorted((people / "cache").glob("*.json")) == made


def test_evaluators_of_few_labels_are_made_once(people: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (people / "encoder").mkdir()
    settings = replace(evaluator_few.SETTINGS, encoder=make_tiny_encoder(people / "encoder"), rate=3e-3)
    monkeypatch.setattr(evaluator_few, "SETTINGS", settings)
    monkeypatch.setattr(evaluator_few, "ITEMS", {"summeval": (10,), "naturalness-v2": (12,)})
    command = arguments(people, "--quick", "--jobs", "1", "--write")
    assert evaluator_few.main(command) == 0
    check_written(people / "results", ("learning_few",))
    written = read_rows("learning_few", people / "results")
    assert all(0 <= float(row[way]) <= 1 for row in written for way in evaluator_few.WAYS)
    assert float(written[0]["frozen"]) > 0.6, "good words are rated higher"
    monkeypatch.setattr(evaluator_few, "run", None)
    assert evaluator_few.main(command) == 0


def test_p_of_texts_is_right_where_those_of_an_article_are_alike() -> None:
    """Of scores that know nothing but what articles have in common, .05 come below .05: twice as many, 200 of 2,000,
    would be found, and texts as if they were independent give 600 and more.
    """
    rng = np.random.default_rng(3)
    article = np.repeat(np.arange(18), 16)
    mine, independent = [], []
    for _ in range(2000):
        values, human = (rng.normal(size=18)[article] + rng.normal(size=article.size) for _ in ("values", "human"))
        mine.append(measures.p_by_context(values, human, article) < 0.05)
        independent.append(measures.correlations(values, human)["p"] < 0.05)
    assert 60 < sum(mine) < 130
    assert sum(independent) > 500
