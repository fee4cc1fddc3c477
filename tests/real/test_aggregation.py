"""What models of annotators gain: agreement of their answers, and of majorities, with labels that none of them saw."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tiebreak.data.columns import one_way_round
from tiebreak.data.readers import read_study
from tiebreak.kernels.aggregation import dawid_skene, mace
from tiebreak.records import OUTCOME_CODES


def held_out_agreement(labels: pl.DataFrame, seed: int) -> tuple[float, float, float]:
    """Of MACE, of Dawid and Skene, and of the majority, with one label of every question that has three or more."""
    question = pl.struct("item", "system_a", "system_b").rank("dense").cast(pl.Int64) - 1
    several = labels.filter(pl.len().over("item", "system_a", "system_b") > 2).with_columns(question=question)
    draw = pl.Series("draw", np.random.default_rng(seed).random(several.height))
    several = several.with_columns(draw, answer=pl.col("outcome").replace_strict(OUTCOME_CODES) + 1)
    held = pl.col("draw") == pl.col("draw").min().over("question")
    kept, unseen = several.filter(~held), several.filter(held).sort("question")["answer"].to_numpy()
    codes = [kept[name].to_numpy().astype(np.intp) for name in ("question", "answer")]
    people = kept["annotator"].rank("dense").to_numpy().astype(np.intp) - 1
    models = (
        mace(codes[0], people, codes[1], 3, rng=np.random.default_rng(seed)).answers,
        dawid_skene(codes[0], people, codes[1], 3),
    )
    votes = np.stack([np.bincount(codes[0][codes[1] == answer], minlength=unseen.size) for answer in range(3)], axis=1)
    broken = votes + np.random.default_rng(seed).random(votes.shape) / 2  # ties of votes by chance
    by_mace, by_habits, by_votes = (float((of.argmax(axis=1) == unseen).mean()) for of in (*models, broken))
    return by_mace, by_habits, by_votes


@pytest.mark.parametrize("name", ["naturalness-v1", "naturalness-v2", "pandalm", "llmfao"])
def test_a_majority_agrees_with_unseen_labels_nearly_as_often_as_models_of_annotators(
    name: str, real_studies: Path
) -> None:
    preferences = read_study(real_studies / name).preferences
    assert preferences is not None
    found = np.array([held_out_agreement(one_way_round(preferences), seed) for seed in range(3)]).mean(axis=0)
    assert -0.03 < found[0] - found[2] < 0.03  # MACE: -.005, .004, -.005 and .025
    assert -0.05 < found[1] - found[2] < 0.03  # Dawid and Skene: -.035, -.024, .001 and .014
