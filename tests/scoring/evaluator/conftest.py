"""A tiny encoder with random weights, and a small study in which good texts have one word and bad ones another."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.tiny_encoder import WORDS, make_tiny_encoder

from tiebreak.data.settings import StudySettings, SystemSettings
from tiebreak.data.study import Study
from tiebreak.scoring.evaluator.settings import TrainSettings
from tiebreak.scoring.evaluator.training.run import train_evaluator


def settings(tiny: str, **others: object) -> TrainSettings:
    """Those of a training of a few seconds."""
    quick = {"encoder": tiny, "rounds": 3.0, "rate": 3e-3, "seed": 4, "contexts_at_once": 4, "weights": "fine-tuned"}
    return TrainSettings(**(quick | others))  # type: ignore[arg-type]


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder with a BERT of two layers and its tokenizer."""
    return make_tiny_encoder(tmp_path_factory.mktemp("tiny"))


def text(quality: float, generator: np.random.Generator) -> str:
    """Four words, of which some are good or bad."""
    words = ["good" if generator.random() < quality else "bad" for _ in range(2)]
    words += [str(word) for word in generator.choice(WORDS[3:10], size=2)]
    return " ".join(generator.permutation(words))


@pytest.fixture(scope="session")
def learned() -> Study:
    """40 items; a reference; one run of five checkpoints that get better; ratings of all outputs."""
    generator = np.random.default_rng(5)
    items, outputs, ratings = [], [], []
    for item in range(40):
        items.append({"item": f"i{item:02d}", "input": f"what is {generator.choice(WORDS[5:9])} {item}",
                      "reference": text(1.0, generator)})  # fmt: skip
        for step in range(5):
            said = text(step / 4, generator)
            outputs.append({"item": f"i{item:02d}", "system": f"run-{step}", "text": said})
            ratings += [
                {"item": f"i{item:02d}", "system": f"run-{step}", "annotator": name, "criterion": "quality",
                 "value": float(1 + 2 * said.count("good") + (generator.random() < 0.2))}
                for name in ("ann", "bo")
            ]  # fmt: skip
    systems = {
        f"run-{step}": SystemSettings(run="run", step=100 * step, total_steps=400, dev_loss=3.0 - 0.5 * step)
        for step in range(5)
    }
    return Study.from_tables(
        items=items, outputs=outputs, ratings=ratings, settings=StudySettings(systems=systems), name="learned"
    )


@pytest.fixture(scope="session")
def trained(tiny: str, learned: Study, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an evaluator that learned all that there is, labels too."""
    folder = tmp_path_factory.mktemp("trained") / "evaluator"
    train_evaluator([learned], folder, settings(tiny))
    return folder


@pytest.fixture(scope="session")
def evaluator(tiny: str, learned: Study, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an evaluator that learned from no labels."""
    folder = tmp_path_factory.mktemp("kept") / "evaluator"
    train_evaluator([replace(learned, ratings=None)], folder, settings(tiny))
    return folder
