"""The experiment on the order of checkpoints: its measures by hand, and all of it on a task made up of few words."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from benchmarks.checkpoint_order import by_chance, page
from benchmarks.papers.testbed import networks
from benchmarks.papers.testbed.design import LENGTHS, RATES, VARIANTS, WHOLE, Design
from benchmarks.papers.testbed.networks import NETWORKS
from benchmarks.papers.testbed.orders import order_of, rated, spearman
from benchmarks.papers.testbed.runs import Bench, run_of
from benchmarks.papers.testbed.studies import PEOPLE
from benchmarks.papers.testbed.tasks import TASKS
from tests.tiny_encoder import make_tiny_encoder

import tiebreak

NETWORKS_FOLDER = Path(networks.__file__).parent


def test_spearmans_correlation_with_and_without_ties() -> None:
    """1 - 6 sum d^2 / (n (n^2 - 1)): one swap among four is 1 - 12/60. Ties: Pearson's of 1.5, 1.5, 3 with 1, 2, 3."""
    assert spearman([1, 2, 3, 4], [10, 20, 30, 40]) == pytest.approx(1)
    assert spearman([2, 1, 3, 4], [1, 2, 3, 4]) == pytest.approx(0.8)
    assert spearman([4, 3, 2, 1], [1, 2, 3, 4]) == pytest.approx(-1)
    assert spearman([1, 1, 2], [1, 2, 3]) == pytest.approx(0.75**0.5)
    assert spearman([1, 1, 1], [1, 2, 3]) == 0


def test_chance_is_that_of_all_orders() -> None:
    """Of the 720 orders of six, those with a correlation of 0.9 or more are counted."""
    good = sum(spearman(order, range(6)) >= 0.9 - 1e-9 for order in itertools.permutations(range(6)))
    assert by_chance(6) == pytest.approx(good / 720, rel=1e-12)
    assert by_chance(10) == pytest.approx(1465 / 3_628_800, rel=1e-12), "once in 2,477"


def test_ratings_follow_the_answers() -> None:
    names = ["c1", "c2", PEOPLE]
    outputs = [{"item": str(k), "system": name, "text": f"{name} {k}"} for k in range(30) for name in names]
    answers = [
        {"item": str(k), "system_a": a, "system_b": b, "judge": "evaluator", "outcome": "b" if k % 5 else "a",
         "p_a": 0.2, "p_tie": 0.1, "p_b": 0.7}
        for k in range(30) for a, b in itertools.combinations(names, 2)
    ]  # fmt: skip
    study = tiebreak.Study.from_tables(outputs=outputs)
    ratings = rated(study, pl.DataFrame(answers))
    assert sorted(ratings, key=lambda name: ratings[name]) == names


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """60 made-up packages, networks of six steps and a tiny encoder."""
    words = ["good", "bad", "cat", "dog", "sun", "rain"]
    blocks = [
        f"Package: p{k}\nDescription-en: {a} {b} {c}\n what is the {c} about {b} {a} {k}\n"
        for k, (a, b, c) in enumerate(itertools.islice(itertools.permutations(words, 3), 60))
    ]
    data = tmp_path / "data"
    data.mkdir()
    (data / "made_i18n_Translation-en").write_text("\n".join(blocks), encoding="utf-8")
    (tmp_path / "encoder").mkdir()
    encoder = make_tiny_encoder(tmp_path / "encoder")
    design = Design(steps=10, learned=12, judged=10, dev=6, vocabulary=280, encoder=encoder)
    return Bench(design, tmp_path / "cache", data, print)


def test_the_page_of_a_tiny_experiment_is_made_once(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    text = page(bench, [1], (WHOLE, "without ties"))
    assert text.count("| without ties |") == 1
    order = order_of(bench, "recurrent", 1)
    assert order.steps == tuple(range(1, 11))
    assert set(order.measures) == {"evaluator", "dev loss", "BLEU", "ROUGE-L", "length"}
    assert 0 <= order.two_way <= 1
    for network in NETWORKS:
        run = run_of(bench, network, 1)
        assert f"| {network} | {run.about['weights']:,} |" in text
        assert PEOPLE in run.judged.systems
        assert PEOPLE not in run.learned.systems
        assert not set(run.judged.items["item"]) & set(run.learned.items["item"])
        assert len(run.judged.systems) == 11
    monkeypatch.setattr("benchmarks.papers.testbed.runs._write", None)
    monkeypatch.setattr("benchmarks.papers.testbed.orders._found", None)
    assert page(bench, [1], (WHOLE, "without ties")) == text


def test_what_another_design_makes_has_another_name() -> None:
    """What does not concern a network's texts leaves its name as it is."""
    design = Design()
    for change in ({"steps": 900}, {"learned": 300}, {"task": "daily-dialog"}):
        other = replace(design, **change)
        assert other.key_of_run("recurrent", 1) != design.key_of_run("recurrent", 1)
        assert other.key_of_order("recurrent", 1) != design.key_of_order("recurrent", 1)
    other = replace(design, rounds=2.0)
    assert other.key_of_run("recurrent", 1) == design.key_of_run("recurrent", 1)
    assert other.key_of_order("recurrent", 1) != design.key_of_order("recurrent", 1)
    assert len({design.key_of_run(network, seed) for network in RATES for seed in (1, 2)}) == 6


def test_every_variant_changes_the_evaluator_and_leaves_the_texts() -> None:
    design = Design()
    names = {design.key_of_order("recurrent", 1, variant) for variant in VARIANTS}
    assert len(names) == len(VARIANTS)
    assert design.key_of_order("recurrent", 1) in names
    assert design.evaluator(1, WHOLE) == design.evaluator(1)


def test_every_network_has_a_rate_and_every_task_lengths() -> None:
    assert set(RATES) == set(NETWORKS)
    assert set(LENGTHS) == set(TASKS)


def test_what_other_code_made_is_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is kept has the code in its name: a network that was changed is trained again, and its evaluators too."""
    design = Design()
    run, order = design.key_of_run("recurrent", 1), design.key_of_order("recurrent", 1)
    assert design.key_of_run("recurrent", 1) == run
    read = Path.read_bytes
    changed = NETWORKS_FOLDER / "recurrent.py"
    monkeypatch.setattr(Path, "read_bytes", lambda path: read(path) + (b"#" if path == changed else b""))
    assert design.key_of_run("recurrent", 1) != run
    assert design.key_of_order("recurrent", 1) != order
