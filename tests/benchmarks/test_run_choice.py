"""Choosing among trainings and stopping them: rules and scores by hand, and all of it on made-up packages."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from benchmarks.run_choice import OUR_STREAK, OURS, QUICK, page
from benchmarks.papers.testbed import drawn
from benchmarks.papers.testbed.comparing import reading_once
from benchmarks.papers.testbed.findings import RANDOM, Findings, choice_scores, stop_scores
from benchmarks.papers.testbed.judges import judge_key, judge_training
from benchmarks.papers.testbed.networks import NETWORKS
from benchmarks.papers.testbed.opinions import End, Opinion, by_patience
from benchmarks.papers.testbed.pairs import TextPair
from benchmarks.papers.testbed.pilots import pilot
from benchmarks.papers.testbed.training import Numbers, dev_loss
from benchmarks.papers.testbed.trials import Group, Plan, Trials, Written, group_of
from tests.tiny_encoder import make_tiny_encoder

from tiebreak.scoring.evaluator.during.compare import ComparingBy
from tiebreak.scoring.evaluator.training.kept import load_evaluator


def test_patience_keeps_the_best_and_stops_after_so_many_without_a_better_one() -> None:
    assert by_patience([1, 2, 3, 2, 3], patience=2) == End(5, 2)
    assert by_patience([1, 5, 4, 4, 6], patience=2) == End(4, 1)
    assert by_patience([1, 5, 4, 4, 6], patience=3) == End(5, 4)
    assert by_patience([3, 2, 1], patience=5) == End(3, 0)


def test_settings_are_drawn_from_their_values() -> None:
    like = Plan().training(40)
    every = [drawn.draw("recurrent", like, np.random.default_rng(k)) for k in range(200)]
    assert every[:20] == [drawn.draw("recurrent", like, np.random.default_rng(k)) for k in range(20)]
    rates = [one.rate for one in every]
    assert drawn.RATES[0] <= min(rates) < 0.004 < 0.015 < max(rates) <= drawn.RATES[1]
    assert {one.width for one in every} == set(drawn.WIDTHS)
    assert {one.dropout for one in every} == set(drawn.DROPOUTS)
    assert {one.batch for one in every} == set(drawn.BATCHES)
    assert len({one.seed for one in every}) == 200
    assert {(one.network, one.steps, one.checkpoints) for one in every} == {("recurrent", like.steps, 40)}


@pytest.mark.parametrize("network", NETWORKS)
def test_a_training_on_few_pairs_learns_them_by_heart(network: str) -> None:
    generator = np.random.default_rng(1)
    numbers = Numbers(*(generator.integers(3, 40, size=(6, 5)).tolist() for _ in range(2)))
    training = replace(
        Plan().training(4), network=network, steps=120, batch=6, rate=0.02, width=32, dropout=0.0, seed=5
    )
    losses = [(one.step, dev_loss(one.network, numbers)) for one in drawn.trained(training, numbers, 40)]
    assert [step for step, _ in losses] == [30, 60, 90, 120]
    assert losses[-1][1] < 0.5  # guessing: log 37 = 3.6
    assert losses == [(one.step, dev_loss(one.network, numbers)) for one in drawn.trained(training, numbers, 40)]


def written(loss: float, truth: float) -> Written:
    return Written(1, loss, ("a",), truth, {"loss": truth, "chrf": truth, "rougeL": truth})


@pytest.fixture
def findings() -> Findings:
    """Two groups of three candidates and four checkpoints. The dev loss is right in the first group alone."""
    candidates = [[(1.0, 9), (2.0, 5), (3.0, 1)], [(1.0, 2), (2.0, 8), (3.0, 4)]]
    followed = [[(4.0, 1), (3.0, 6), (2.0, 4), (1.0, 5)], [(4.0, 1), (3.0, 2), (2.0, 9), (5.0, 3)]]
    groups = tuple(
        Group("recurrent", k + 1, ({},) * 3, tuple(written(*of) for of in candidates[k]),
              tuple(written(*of) for of in followed[k]), ((1.0,),) * 3, 1.0)
        for k in range(2)
    )  # fmt: skip
    opinions = tuple(Opinion((0.0, 2.0, 1.0), {"streak": End(4, 1), "no-gain": End(3, 0)}, (1.0, 1.0)) for _ in groups)
    return Findings(groups, {OURS: opinions})


def test_scores_of_choosers_by_hand(findings: Findings) -> None:
    """The evaluator takes the second candidate of both, BLEU is the truth here."""
    scores = choice_scores(findings, "chrf")
    assert {name: (of.won.tolist(), of.regret.tolist()) for name, of in scores.items() if name != RANDOM} == {
        OURS: ([0, 1], [4, 0]), "BLEU": ([1, 1], [0, 0]), "dev loss": ([1, 0], [0, 6])
    }  # fmt: skip
    assert scores[RANDOM].won == pytest.approx([1 / 3, 1 / 3])
    assert scores[RANDOM].regret == pytest.approx([4, 8 - 14 / 3])


def test_scores_of_rules_by_hand(findings: Findings) -> None:
    """Of the second training no rule but those that look at the truth, or at the dev loss, keeps the best."""
    scores = stop_scores(findings, "loss")
    kept = {rule: [end.kept for end in every] for rule, every in findings.ends().items()}
    assert kept == {
        OUR_STREAK: [1, 1],
        f"{OURS}, no-gain": [0, 0],
        "dev loss": [3, 2],
        "BLEU": [1, 2],
        "the last": [3, 3],
    }
    assert scores[OUR_STREAK].won.tolist() == [1, 0]
    assert scores[OUR_STREAK].regret.tolist() == [0, 7]
    assert scores["the last"].won.tolist() == [0, 0]
    assert scores["the last"].regret.tolist() == [1, 6]
    assert scores[RANDOM].won.tolist() == [0.25, 0.25]
    assert scores[RANDOM].regret == pytest.approx([2, 9 - 15 / 4])


@pytest.fixture
def trials(tmp_path: Path) -> Trials:
    """120 made-up packages, networks of eight steps and a tiny encoder."""
    words = ["good", "bad", "cat", "dog", "sun", "rain"]
    blocks = [
        f"Package: p{k}\nDescription-en: {a} {b} {c}\n what is the {c} about {b} {a} {k}\n"
        for k, (a, b, c) in enumerate(itertools.islice(itertools.permutations(words, 3), 120))
    ]
    data = tmp_path / "data"
    data.mkdir()
    (data / "made_i18n_Translation-en").write_text("\n".join(blocks), encoding="utf-8")
    (tmp_path / "encoder").mkdir()
    plan = replace(
        QUICK, steps=8, checkpoints=8, chosen_from=4, settings=2, train=20, dev=5, judged=(6, 4), unseen=(8, 5),
        aside=60, learned=12, vocabulary=280, encoder=make_tiny_encoder(tmp_path / "encoder"),
    )  # fmt: skip
    return Trials(plan, tmp_path / "cache", data, print)


def test_the_page_of_a_tiny_experiment_is_made_once(trials: Trials, monkeypatch: pytest.MonkeyPatch) -> None:
    text = page(trials)
    assert "3 independent groups" in text
    group = group_of(trials, "recurrent", 1)
    assert [one.step for one in group.followed] == list(range(1, 9))
    assert [len(losses) for losses in group.dev_losses] == [4, 4]
    assert [one.dev_loss for one in group.candidates] == [min(losses) for losses in group.dev_losses]
    assert {len(one.texts) for one in group.candidates} == {6}
    assert {len(one.texts) for one in group.followed} == {4}
    assert all(one.truth["loss"] < 0 for one in group.followed)
    monkeypatch.setattr("benchmarks.papers.testbed.trials._group", None)
    monkeypatch.setattr("benchmarks.papers.testbed.judges.train_evaluator", None)
    assert page(trials) == text
    assert max(map(len, (line for line in text.splitlines() if not line.startswith("|")))) <= 120


def test_no_package_of_a_group_is_any_judges(trials: Trials) -> None:
    aside = {pair.unit for pair in trials.parts()[0].dev}
    parts = trials.material("transformer", 1)
    units = [{pair.unit for pair in part} for part in (parts.train, parts.dev, parts.written)]
    assert [len(of) for of in units] == [20, 5, 14]
    assert not aside & set.union(*units)
    assert sum(map(len, units)) == len(set.union(*units))
    assert set(pilot(trials, "recurrent", 1).items["item"]) <= {pair.name for pair in trials.parts()[0].dev}
    other = trials.material("transformer", 2)
    assert [pair.name for pair in other.written] != [pair.name for pair in parts.written]


def test_what_is_read_once_is_compared_as_the_package_compares(trials: Trials) -> None:
    judge_training(trials, OURS, "recurrent")
    judge = load_evaluator(trials.cache / "evaluators" / judge_key(trials, OURS, "recurrent"))
    pairs = [TextPair(f"p{k}", f"about the {word}", word, "") for k, word in enumerate(("cat", "dog", "rain"))]
    texts = [["cat sun", "dog dog", "good"], ["cat", "dog dog", "bad rain rain"], ["sun", "cat", "good"]]
    asked = [(pair.name, texts[a][k], texts[b][k]) for k, pair in enumerate(pairs) for a in range(3) for b in range(3)]
    found = reading_once(judge, pairs, texts)(*zip(*asked, strict=True))
    with torch.inference_mode():
        expected = ComparingBy(judge, {pair.name: pair.source for pair in pairs})(*zip(*asked, strict=True))
    assert found.tolist() == expected.tolist()
    assert len(set(found.tolist())) > 1


def test_what_another_plan_makes_has_another_name() -> None:
    plan = Plan()
    assert replace(plan, groups=2, rounds=1.0).key("recurrent", 1) == plan.key("recurrent", 1)
    assert replace(plan, steps=100).key("recurrent", 1) != plan.key("recurrent", 1)
    assert plan.key("recurrent", 1) != plan.key("recurrent", 2)
