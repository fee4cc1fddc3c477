"""Scores of single outputs and of systems by a tiny evaluator."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from tests.cli.campaign_commands import ok
from tests.docs.documents import run_command
from tests.scoring.evaluator.conftest import settings as asked
from tests.scoring.evaluator.conftest import text
from tests.signed_studies import left_out

from tiebreak.comparison.compare import compare
from tiebreak.data.provenance import LABELLED_ITEMS, SEEN_ITEMS, item_keys
from tiebreak.data.readers import read_study
from tiebreak.data.settings import StudySettings, SystemSettings
from tiebreak.data.study import Study
from tiebreak.data.writers import write_study
from tiebreak.errors import TiebreakError, UsageError
from tiebreak.scoring.evaluator.panel import Outcomes, Sample
from tiebreak.scoring.evaluator.scores import score_into
from tiebreak.scoring.evaluator.settings import SampleSettings
from tiebreak.scoring.evaluator.training.kept import Trained, load_evaluator, trained_for
from tiebreak.scoring.evaluator.training.run import train_evaluator

QUALITY = {"bad": 0.1, "middle": 0.5, "good": 0.9, "other": 0.5}


def written() -> Study:
    """30 inputs, and two outputs for each by four systems; what people wrote besides."""
    generator = np.random.default_rng(8)
    outputs = [
        {"item": f"n{item}", "system": name, "sample": sample, "text": text(quality, generator)}
        for item in range(30) for name, quality in QUALITY.items() for sample in ("x", "y")
    ]  # fmt: skip
    outputs += [{"item": f"n{item}", "system": "people", "text": text(1.0, generator)} for item in range(30)]
    items = [{"item": f"n{item}", "input": f"what is {item}"} for item in range(30)]
    systems = {"people": SystemSettings(reference=True)}
    return Study.from_tables(items=items, outputs=outputs, settings=StudySettings(systems=systems))


@pytest.fixture
def study(tmp_path: Path) -> Path:
    write_study(written(), tmp_path / "study")
    return tmp_path / "study"


SCORED = ("bad", "middle", "good")


def test_points_ratings_and_systems_stand_side_by_side(evaluator: Path, study: Path) -> None:
    command = f"tiebreak evaluator score '{study}' '{evaluator}' --systems bad,middle,good --references 20"
    output = ok(f"{command} --games 4000 --json")
    found = json.loads(output)
    assert found["metrics"] == ["evaluator-points", "evaluator-rating"]
    assert found["outputs"] == 180
    assert found["comparisons"]["evaluator-points"] == 180 * 20
    assert found["comparisons"]["evaluator-rating"] == 4000
    assert [one["system"] for one in found["systems"]] == ["good", "middle", "bad"]
    for metric in found["metrics"]:
        means = [one["means"][metric] for one in found["systems"]]
        assert means == sorted(means, reverse=True)
    assert found["converged"] is True
    read = read_study(study)
    assert read.scores.height == 360
    points = read.scores.filter(pl.col("metric") == "evaluator-points")["value"]
    assert points.is_between(0, 60).all()
    assert read.settings.higher_is_better == {"evaluator-points": True, "evaluator-rating": True}
    assert {meaning["scores"].split("|")[0] for meaning in read.signatures.values()} == {"points", "rating"}  # type: ignore[attr-defined]

    code, output = run_command(f"{command} --games 4000")  # the same again: nothing changes
    assert code == 0
    said = " ".join(output.split())
    assert "evaluator-points: 3,600 comparisons with 20 common references." in said
    again = read_study(study).scores
    assert again.sort(again.columns).equals(read.scores.sort(again.columns))


def test_scores_are_what_comparisons_say(evaluator: Path, study: Path) -> None:
    """Points of one output, by asking about each reference; its rating and points come from the same outcomes."""
    settings = SampleSettings(systems=["good"], references_from=["bad"], references=60, by="points")
    found = score_into(read_study(study), evaluator, settings)
    one = load_evaluator(evaluator)
    outputs = written().outputs
    texts = {row["item"] + row["system"] + (row["sample"] or ""): row for row in outputs.iter_rows(named=True)}
    mine = texts["n7goody"]
    others = [row for row in texts.values() if row["system"] == "bad"]
    contexts = {f"n{item}": f"what is {item}" for item in range(30)}
    pairs = [Sample(row["item"], row["system"], row["sample"], row["text"]) for row in (mine, *others)]
    compare_them = Outcomes(one, pairs, contexts, lambda _: None)
    outcomes = compare_them(np.zeros(60, dtype=np.intp), np.arange(1, 61))
    assert np.array_equal(-outcomes, compare_them(np.arange(1, 61), np.zeros(60, dtype=np.intp))), "the other order"
    row = found.scores.filter((pl.col("item") == "n7") & (pl.col("sample") == "y"))
    assert row["value"].item() == 3 * (outcomes == 1).sum() + (outcomes == 0).sum()


@pytest.mark.parametrize("form", ["siamese", "cross"])
def test_outcomes_are_read_once_and_in_both_orders(form: str, tiny: str) -> None:
    from tiebreak.scoring.evaluator.models.encoders import load_encoder
    from tiebreak.scoring.evaluator.models.model import make_model

    encoder, tokenizer = load_encoder(tiny)
    model = make_model(encoder, asked(tiny, form=form))
    model.eval()
    read: list[int] = []
    said = [Sample("1", "s", None, "good cat"), Sample("1", "t", None, "good cat"), Sample("2", "s", None, "bad sun .")]
    compare_them = Outcomes(
        Trained(tokenizer, {"tie_bound": -1.0}, model), said, {"1": "what", "2": "the rain"}, read.append
    )
    first, second = np.array([0, 2, 0, 1, 2]), np.array([2, 0, 1, 2, 1])
    outcomes = compare_them(first, second)
    assert outcomes[2] == 0, "equal texts about one input"
    assert outcomes.tolist() == (-compare_them(second, first)).tolist()
    assert outcomes[0] == outcomes[3] == -outcomes[1] == -outcomes[4]
    assert sum(read) == 1, "one pair of different texts"


def test_equal_numbers_of_comparisons(evaluator: Path, study: Path) -> None:
    settings = SampleSettings(systems=SCORED, references=3, games=50, equal_comparisons=True)
    found = score_into(read_study(study), evaluator, settings)
    assert found.comparisons["evaluator-points"] == found.comparisons["evaluator-rating"] == 180 * 3


def test_the_tournament_of_systems_is_saved_as_a_metric(evaluator: Path, study: Path) -> None:
    settings = SampleSettings(systems=SCORED, by="rating", games=50, save_tournament=True)
    found = score_into(read_study(study), evaluator, settings)
    assert found.metrics == ("evaluator-rating", "evaluator-tournament")
    ratings = {one.system: one.rating for one in found.systems}
    saved = read_study(study).scores
    rows = saved.filter(pl.col("metric") == "evaluator-tournament")
    assert rows.height == 180
    assert {(system, value) for system, value in rows.select("system", "value").iter_rows()} == set(ratings.items())


def test_points_are_given_as_far_as_there_are_references(evaluator: Path, study: Path) -> None:
    """Nobody asked for points, or for so many references: what there is, and a sentence."""
    found = score_into(read_study(study), evaluator, SampleSettings(games=50))
    assert found.metrics == ("evaluator-rating",)
    found = score_into(
        read_study(study), evaluator, SampleSettings(name="few", systems=SCORED, references=61, games=50)
    )
    assert (found.references, found.comparisons["few-points"]) == (60, 180 * 60)
    assert found.notes[0] == "Points are against 60 common references: there are no more outputs to draw from."


def test_what_is_missing_is_named(evaluator: Path, study: Path) -> None:
    read = read_study(study)
    for settings, said in (
        (SampleSettings(by="points"), "none is left: name such systems with --references-from"),
        (SampleSettings(systems=SCORED, references_from=["people"]), "people is what people wrote"),
        (SampleSettings(systems=["goood"]), "no system 'goood': did you mean good"),
    ):
        with pytest.raises(UsageError, match=said):
            score_into(read, evaluator, settings)
    with pytest.raises(UsageError, match="take --references 60"):
        score_into(read, evaluator, SampleSettings(systems=SCORED, references=61), given=["references"])
    with pytest.raises(UsageError, match="good cannot be scored and give references"):
        SampleSettings(systems=SCORED, references_from=["good"])
    with pytest.raises(UsageError, match="a metric needs a name"):
        SampleSettings(name=" ")
    one = Study.from_tables(outputs=[{"item": "1", "system": "s", "text": "good"}])
    with pytest.raises(UsageError, match="two outputs at least"):
        score_into(one, evaluator, SampleSettings(by="rating"))
    with pytest.raises(UsageError, match="the study has none"):
        score_into(replace(one, outputs=None), evaluator, SampleSettings())
    with pytest.raises(TiebreakError, match="written into a study folder"):
        score_into(written(), evaluator, SampleSettings(by="rating", games=10))
    assert read_study(study).scores is None


def test_of_two_at_once_by_one_name_the_second_is_refused(evaluator: Path, study: Path) -> None:
    """It has read the study before the first wrote, and asks again when it writes."""
    quick = SampleSettings(systems=SCORED, references=5, games=100)
    early = read_study(study)
    score_into(read_study(study), evaluator, quick)
    before = read_study(study).scores
    with pytest.raises(UsageError, match="or give the new ones another --name"):
        score_into(early, evaluator, replace(quick, seed=1))
    after = read_study(study).scores
    assert before is not None
    assert after.equals(before)


def test_scores_that_came_about_otherwise_are_not_mixed(evaluator: Path, study: Path) -> None:
    quick = SampleSettings(systems=SCORED, references=5, games=100)
    score_into(read_study(study), evaluator, quick)
    for other in (replace(quick, references=6), replace(quick, seed=1), replace(quick, games=99, by="rating")):
        with pytest.raises(UsageError, match="or give the new ones another --name"):
            score_into(read_study(study), evaluator, other)
    score_into(read_study(study), evaluator, replace(quick, seed=1, systems=SCORED[:2]), overwrite=True)
    scores = read_study(study).scores
    assert set(scores["system"]) == {"bad", "middle"}, "none of the old ones is left"
    assert scores.height == 240


def test_systems_without_a_common_item_have_no_rating_of_their_own(evaluator: Path, tmp_path: Path) -> None:
    outputs = [{"item": f"{k}{name}", "system": name, "text": "good cat"} for k in range(3) for name in ("s", "t")]
    write_study(Study.from_tables(outputs=outputs), tmp_path / "apart")
    found = score_into(read_study(tmp_path / "apart"), evaluator, SampleSettings(by="rating", games=20))
    assert [one.rating for one in found.systems] == [None, None]
    assert found.converged is None


def test_labels_that_trained_it_prove_nothing_unless_it_was_trained_in_folds(
    tiny: str, learned: Study, tmp_path: Path
) -> None:
    write_study(learned, tmp_path / "study")
    settings = SampleSettings(systems=["run-0", "run-4"], references=10, games=200)
    train_evaluator([learned], tmp_path / "whole", asked(tiny, rounds=0.5))
    train_evaluator([learned], tmp_path / "folds", asked(tiny, folds=2, rounds=0.5))
    score_into(read_study(tmp_path / "study"), tmp_path / "whole", settings)
    score_into(read_study(tmp_path / "study"), tmp_path / "folds", replace(settings, name="folded"))
    study = read_study(tmp_path / "study")
    assert left_out(study).keys() == {"evaluator-points", "evaluator-rating"}
    for metric in ("folded-points", "folded-rating"):
        mine = study.scores.filter(pl.col("metric") == metric)
        assert mine["signature"].n_unique() == 2
        assert mine.group_by("item").agg(pl.col("signature").n_unique())["signature"].max() == 1
        assert compare(study, metrics=[metric], systems=["run-0", "run-4"]).pairs.height == 1


def test_an_item_goes_to_whoever_learned_from_none_of_its_outputs() -> None:
    """Whichever of its outputs is scored: the first learned from s of half of the items, the second from the rest."""
    outputs = [{"item": str(k), "system": name, "text": f"{name} {k}"} for k in range(20) for name in ("s", "t")]
    hashes = [min(item_keys("", (f"s {k}",))) for k in range(20)]
    study, items = Study.from_tables(outputs=outputs), [str(k) for k in range(20)]

    def evaluators(what: str) -> list[Trained]:
        parts = (hashes[:10], hashes[10:])

        def about(part: list[str]) -> dict[str, object]:
            return {"trained_on": {LABELLED_ITEMS: [], SEEN_ITEMS: part} | {what: part}}

        return [Trained(None, about(part), None) for part in parts]

    assert list(trained_for(study, items, evaluators(LABELLED_ITEMS)).values()) == [1] * 10 + [0] * 10
    assert list(trained_for(study, items, evaluators(SEEN_ITEMS)).values()) == [1] * 10 + [0] * 10, (
        "without labels, too"
    )
