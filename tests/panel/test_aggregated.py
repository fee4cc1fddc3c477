"""A study with one label for each question: who is believed, what is kept, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import tiebreak
from tests.small_studies import rating, study_of, vote
from tiebreak.cli.commands import app
from tiebreak.errors import UsageError
from tiebreak.panel.aggregated import AGGREGATIONS, Aggregation

ANSWERS = ("a", "tie", "b")


def truth(items: int = 60) -> list[int]:
    return [item % 3 for item in range(items)]


def preferences() -> list[dict[str, object]]:
    """Three people who know the answer in nine of ten cases, and four who guess: of seven votes most are guesses."""
    rng, rows = np.random.default_rng(2), []
    for item, right in enumerate(truth()):
        for person in range(7):
            knows = person < 3 and rng.random() < 0.9
            said = right if knows else int(rng.integers(3))
            rows.append(vote(f"i{item:02}", "ant", "bee", f"p{person}", ANSWERS[said]))
    return rows


def ratings() -> list[dict[str, object]]:
    return [
        rating(str(row["item"]), "ant", str(row["annotator"]), ANSWERS.index(str(row["outcome"])))
        for row in preferences()
    ]


@pytest.mark.parametrize("model", AGGREGATIONS)
def test_those_who_know_outvote_those_who_guess(model: Aggregation) -> None:
    found = tiebreak.aggregated(study_of(preferences()), model).tables["preferences"]
    assert found["annotator"].unique().to_list() == [model]
    by_model = np.mean([ANSWERS.index(name) for name in found.sort("item")["outcome"]] == np.array(truth()))
    votes = pl.DataFrame(preferences()).group_by("item").agg(pl.col("outcome").mode().sort().first()).sort("item")
    by_votes = np.mean([ANSWERS.index(name) for name in votes["outcome"]] == np.array(truth()))
    assert by_model > max(by_votes, 0.9)


@pytest.mark.parametrize("model", AGGREGATIONS)
def test_grades_come_out_as_preferences_do(model: Aggregation) -> None:
    found = tiebreak.aggregated(study_of(ratings=ratings()), model).tables["ratings"]
    assert found.height == 60
    assert np.mean(found.sort("item")["value"].to_numpy() == np.array(truth())) > 0.9


def test_the_other_way_round_a_label_says_the_same() -> None:
    turned = [
        row | {"system_a": "bee", "system_b": "ant", "outcome": ANSWERS[2 - ANSWERS.index(str(row["outcome"]))]}
        if row["annotator"] == "p1" else row
        for row in preferences()
    ]  # fmt: skip
    one, other = (tiebreak.aggregated(study_of(rows)).tables["preferences"] for rows in (preferences(), turned))
    assert one.sort("item").equals(other.sort("item"))


def test_what_is_no_label_stays() -> None:
    study = study_of(preferences(), outputs=[{"item": "i00", "system": "ant", "text": "yes"}])
    assert tiebreak.aggregated(study).tables["outputs"]["text"].to_list() == ["yes"]


def test_what_a_model_cannot_take_is_refused() -> None:
    numbers = [row | {"value": place} for place, row in enumerate(ratings())]
    with pytest.raises(UsageError, match="420 different values"):
        tiebreak.aggregated(study_of(ratings=numbers))
    with pytest.raises(UsageError, match=r"no model 'mac'.*mace, dawid-skene"):
        tiebreak.aggregated(study_of(preferences()), "mac")  # type: ignore[arg-type]


def test_the_command_writes_a_study_that_others_read(tmp_path: Path) -> None:
    tiebreak.write_study(study_of(preferences()), tmp_path / "study")
    whole, made = str(tmp_path / "study"), str(tmp_path / "made")
    alone = CliRunner().invoke(app, ["annotators", whole, "--aggregate", "mace"])
    assert isinstance(alone.exception, UsageError)
    assert "--aggregate and --into go together" in str(alone.exception)
    assert CliRunner().invoke(app, ["annotators", whole, "--aggregate", "mace", "--into", made]).exit_code == 0
    (pair,) = tiebreak.compare(made).results[0].pairs
    assert pair.labels == pair.items == 60
