"""A discriminator and a regressor learn, are kept, go on after an interruption, and score outputs one by one."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from tests.cli.campaign_commands import ok, refused
from tests.scoring.evaluator.conftest import settings, text
from tests.signed_studies import left_out

from tiebreak.comparison.compare import compare
from tiebreak.data.provenance import LABELLED_ITEMS, keys_of_items
from tiebreak.data.readers import read_study
from tiebreak.data.settings import StudySettings, SystemSettings
from tiebreak.data.study import Study
from tiebreak.data.writers import write_study
from tiebreak.errors import InputError, UsageError
from tiebreak.scoring.evaluator.examples.corpus import Corpus
from tiebreak.scoring.evaluator.examples.sources import Scale, rated_texts
from tiebreak.scoring.evaluator.models.encoders import Tokens
from tiebreak.scoring.evaluator.scores import score_into
from tiebreak.scoring.evaluator.settings import SampleSettings, TrainSettings
from tiebreak.scoring.evaluator.training.kept import load_evaluator, load_trained
from tiebreak.scoring.evaluator.training.run import train_evaluator

FORMS = ("discriminator", "regressor")


def asked(tiny: str, form: str, **others: object) -> TrainSettings:
    return settings(tiny, **({"form": form, "rounds": 8.0, "patience": 20} | others))


@pytest.fixture(scope="module")
def trained(tiny: str, learned: Study, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what was trained, by the name of its form."""
    folder = tmp_path_factory.mktemp("alone")
    for form in FORMS:
        train_evaluator([learned], folder / form, asked(tiny, form, rounds=16.0))
    return folder


def new_study(folder: Path) -> Path:
    """30 inputs that nobody labelled, with a reference, good outputs and bad ones."""
    generator = np.random.default_rng(8)
    items = [
        {"item": f"n{k}", "input": f"what is {k}", "reference": text(1.0, generator) if k < 20 else None}
        for k in range(30)
    ]
    outputs = [
        {"item": f"n{k}", "system": name, "sample": sample, "text": text(quality, generator)}
        for k in range(30) for name, quality in (("bad", 0.1), ("good", 0.9)) for sample in ("x", "y")
    ]  # fmt: skip
    write_study(Study.from_tables(items=items, outputs=outputs), folder)
    return folder


def test_a_discriminator_tells_references_from_gibberish(trained: Path, tmp_path: Path) -> None:
    about = load_trained(trained / "discriminator").about
    found = about["measured"]["strong"]
    assert found["accuracy"] == pytest.approx((found["references_found"] + found["outputs_found"]) / 2)
    assert found["accuracy"] > 0.7
    assert found["outputs"] > 2 * found["references"] > 0
    assert about["trained_on"][LABELLED_ITEMS] == [], "no label was learned from"
    assert "tie_bound" not in about
    generator = np.random.default_rng(3)
    items = [{"item": str(k), "input": f"what is {k}"} for k in range(30)]
    outputs = [
        {"item": str(k), "system": name, "text": text(quality, generator)}
        for k in range(30) for name, quality in (("gibberish", 0.0), ("people", 1.0))
    ]  # fmt: skip
    write_study(Study.from_tables(items=items, outputs=outputs), tmp_path / "s")
    scores = score_into(read_study(tmp_path / "s"), trained / "discriminator", SampleSettings()).scores
    right = scores.filter((pl.col("value") > 0) == (pl.col("system") == "people"))
    assert right.height / scores.height > 0.9


def test_a_regressor_learns_what_texts_are_rated_by(trained: Path, learned: Study, tmp_path: Path) -> None:
    one = load_trained(trained / "regressor")
    found = one.about["measured"]["human"]
    assert found["spearman"] > 0.7
    assert one.about["scale"]["mean"] == pytest.approx(3.2, abs=0.3), "that of ratings, 1 + 2 for each good word"
    assert found["rmse"] == pytest.approx(np.sqrt(found["loss"]) * one.about["scale"]["deviation"])
    assert found["rmse"] < one.about["scale"]["deviation"]
    hashes = one.about["trained_on"][LABELLED_ITEMS]
    every = set().union(*keys_of_items(learned.outputs, learned.items).values())
    assert 20 < len(hashes) < len(every)
    assert set(hashes) < every
    study = new_study(tmp_path / "s")
    scores = score_into(read_study(study), trained / "regressor", SampleSettings()).scores
    outputs = read_study(study).outputs
    assert outputs is not None
    rows = scores.join(outputs, on=["item", "system", "sample"]).with_columns(
        rating=1 + 2 * pl.col("text").str.count_matches("good")
    )
    for has_reference in (True, False):
        mine = rows.filter((pl.col("item").str.slice(1).cast(pl.Int64) < 20) == has_reference)
        value, rating = mine["value"].to_numpy(), mine["rating"].to_numpy()
        assert np.corrcoef(value, rating)[0, 1] > 0.7, has_reference
        assert np.sqrt(np.mean((value - rating) ** 2)) < 1.3, "on the scale of the ratings"


def test_without_references_or_ratings(tiny: str, learned: Study, tmp_path: Path) -> None:
    without = replace(learned, items=learned.items.drop("reference", "references"))
    bare = Study.from_tables(items=without.items, outputs=learned.outputs, ratings=learned.ratings)
    with pytest.raises(UsageError, match="no item has a reference beside outputs"):
        train_evaluator([bare], tmp_path / "d", asked(tiny, "discriminator"))
    with pytest.raises(UsageError, match=r"a regressor learns mean ratings, and nobody rated outputs$"):
        train_evaluator([replace(learned, ratings=None)], tmp_path / "r", asked(tiny, "regressor"))
    with pytest.raises(UsageError, match="no criterion 'fluency'"):
        train_evaluator([learned], tmp_path / "c", asked(tiny, "regressor", criteria=["fluency"]))
    equal = replace(learned, ratings=learned.ratings.with_columns(value=pl.lit(3.0)))
    with pytest.raises(UsageError, match="no ratings that differ"):
        train_evaluator([equal], tmp_path / "e", asked(tiny, "regressor"))
    train_evaluator([bare], tmp_path / "context", asked(tiny, "regressor", rounds=0.5))
    for given, said in (
        ({"form": "discriminator", "weak": False}, "--no-weak cannot be given with --form discriminator"),
        ({"form": "discriminator", "criteria": ["quality"]}, "--criterion cannot be given with --form discriminator"),
        ({"form": "regressor", "tie_mix": 2.0, "curriculum": "none"}, "--curriculum, --tie-mix cannot be given with"),
    ):
        with pytest.raises(UsageError, match=said):
            TrainSettings(**given)  # type: ignore[arg-type]
    TrainSettings(form="regressor", criteria=["quality"])


def test_what_is_of_comparisons_is_refused_by_name(trained: Path, tmp_path: Path) -> None:
    """Also with its default: it was asked for, and nothing would come of it."""
    study = new_study(tmp_path / "s")
    for option in ("--by both", "--references 50", "--references-from bad", "--games 10000", "--equal-comparisons",
                   "--system-games 9", "--seed 0"):  # fmt: skip
        refused(f"tiebreak evaluator score '{study}' '{trained / 'regressor'}' {option}", 2)
    with pytest.raises(UsageError, match="--games cannot be given for a discriminator"):
        score_into(read_study(study), trained / "discriminator", SampleSettings(games=5))
    assert read_study(study).scores is None


@pytest.mark.parametrize("form", FORMS)
def test_it_compares_nothing(form: str, trained: Path, learned: Study, tmp_path: Path) -> None:
    systems = {f"run-{k}": SystemSettings(run=f"r{k % 2}", step=k) for k in range(5)}
    write_study(replace(learned, settings=StudySettings(systems=systems)), tmp_path / "s")
    study, folder = f"'{tmp_path / 's'}'", f"'{trained / form}'"
    for command in (f"judge {study} {folder}", f"follow {study} {folder} --run r0", f"choose {study} {folder}"):
        refused(f"tiebreak evaluator {command}", 2)


@pytest.mark.parametrize("form", FORMS)
def test_scores_are_a_metric_and_systems_are_told_by_their_means(form: str, trained: Path, tmp_path: Path) -> None:
    study = new_study(tmp_path / "s")
    output = ok(f"tiebreak evaluator score '{study}' '{trained / form}' --json")
    found = json.loads(output[output.index("{") :])
    assert (found["metrics"], found["outputs"], found["comparisons"]) == ([form], 120, {})
    means = [(one["system"], one["means"][form]) for one in found["systems"]]
    assert [name for name, _ in means] == ["good", "bad"]
    read = read_study(study)
    assert read.settings.higher_is_better[form]
    of = dict(read.scores.group_by("system").agg(pl.col("value").mean()).iter_rows())
    assert of["good"] == pytest.approx(means[0][1]) != of["bad"]
    (meaning,) = read.signatures.values()
    assert (meaning["kind"], meaning["scores"]) == ("evaluator", "alone")
    output = ok(f"tiebreak evaluator score '{study}' '{trained / form}' --name mine --systems good")
    assert "Mean mine" in output
    assert "Rating" not in output
    assert set(read_study(study).scores["metric"]) == {form, "mine"}  # type: ignore[index]


def test_ratings_that_trained_it_prove_nothing_unless_it_was_trained_in_folds(
    tiny: str, trained: Path, learned: Study, tmp_path: Path
) -> None:
    write_study(learned, tmp_path / "study")
    train_evaluator([learned], tmp_path / "folds", asked(tiny, "regressor", folds=2, rounds=0.5))
    with pytest.raises(UsageError, match="folds is a regressor: it compares no texts"):
        load_evaluator(tmp_path / "folds")
    with pytest.raises(InputError, match="one per fold: name one of them"):
        load_trained(tmp_path / "folds")
    score_into(read_study(tmp_path / "study"), trained / "regressor", SampleSettings())
    score_into(read_study(tmp_path / "study"), trained / "discriminator", SampleSettings())
    score_into(read_study(tmp_path / "study"), tmp_path / "folds", SampleSettings(name="folded"))
    study = read_study(tmp_path / "study")
    assert left_out(study).keys() == {"regressor"}
    for metric in ("folded", "discriminator"):
        assert compare(study, metrics=[metric], systems=["run-0", "run-4"]).pairs.height == 1
    folded = study.scores.filter(pl.col("metric") == "folded")
    assert folded["signature"].n_unique() == 2
    assert folded.group_by("item").agg(pl.col("signature").n_unique())["signature"].max() == 1


def ratings(values: dict[tuple[str, str, str], float]) -> Study:
    """By output, annotator and criterion."""
    outputs = [{"item": "1", "system": name, "text": f"text of {name}"} for name in "stuv"]
    return Study.from_tables(
        outputs=outputs,
        ratings=[
            {"item": "1", "system": system, "annotator": person, "criterion": criterion, "value": value}
            for (system, person, criterion), value in values.items()
        ],
    )


def test_criteria_count_alike_on_one_scale() -> None:
    """Fluency 1 and 3 (mean 2, deviation 1), length 0 and 80 (40 and 40): standardised -1 and 1 each.

    s has both at -1: (2 + 40)/2 - (1 + 40)/2 = 0.5; t 1 and -1: 21; u only length at 1: 21 + 20.5 = 41.5.
    """
    given = {("s", "ann", "fluency"): 0.0, ("s", "bo", "fluency"): 2.0, ("t", "ann", "fluency"): 3.0}
    given |= {("s", "ann", "length"): 0.0, ("t", "ann", "length"): 0.0, ("u", "ann", "length"): 80.0}
    given |= {("v", "ann", "length"): 80.0, ("s", "ann", "same"): 4.0, ("t", "ann", "same"): 4.0}
    study = ratings(given)
    corpus = Corpus.of([study])
    rated = rated_texts(corpus, [study])
    assert rated.criteria == ("fluency", "length", "same")
    scale = Scale.of(rated)
    assert dict(scale.criteria) == {"fluency": (2.0, 1.0), "length": (40.0, 40.0)}
    values = dict(zip([corpus.texts[k][-1] for k in scale.of_texts(rated).text], scale.of_texts(rated).values[:, 0],
                      strict=True))  # fmt: skip
    assert values == pytest.approx({"s": 0.5, "t": 21.0, "u": 41.5, "v": 41.5})
    assert (scale.mean, scale.deviation) == pytest.approx((26.125, np.std([0.5, 21.0, 41.5, 41.5])))
    alone = rated_texts(corpus, [study], ["fluency"])
    assert sorted(Scale.of(alone).of_texts(alone).values[:, 0]) == pytest.approx([1.0, 3.0]), "the mean ratings"
    only_s = rated.only(rated.text == rated.text[0])
    with pytest.raises(UsageError, match="no ratings that differ"):
        Scale.of(only_s)


def test_a_text_is_set_beside_the_first_reference_that_is_another() -> None:
    study = Study.from_tables(
        items=[{"item": "1", "references": ["good cat", "the sun"]}, {"item": "2", "input": "what"}],
        outputs=[{"item": item, "system": system, "text": said} for item, system, said in (
            ("1", "s", "bad dog"), ("1", "t", "good cat"), ("1", "people", "good cat"), ("2", "s", "rain"),
        )],
        settings=StudySettings(systems={"people": SystemSettings(reference=True)}),
    )  # fmt: skip
    corpus = Corpus.of([study])
    beside = {
        (corpus.items[context][1], corpus.writers[writer].name, said): corpus.texts[number] if number >= 0 else None
        for context, writer, said, number in zip(
            corpus.context, corpus.writer, corpus.texts, corpus.reference, strict=True
        )
    }
    assert beside == {
        ("1", "reference", "good cat"): "the sun", ("1", "reference", "the sun"): "good cat",
        ("1", "s", "bad dog"): "good cat", ("1", "t", "good cat"): "good cat", ("1", "people", "good cat"): "the sun",
        ("2", "s", "rain"): None,
    }  # fmt: skip


def test_a_regressor_reads_the_reference_and_a_discriminator_does_not(trained: Path, learned: Study) -> None:
    corpus = Corpus.of([learned])
    texts = np.flatnonzero(~corpus.is_reference)[:8]
    for form, changes in (("regressor", True), ("discriminator", False)):
        one = load_trained(trained / form)
        assert not one.compares
        assert one.model.form == form
        tokens = one.read(corpus.texts, corpus.contexts, corpus.reference)
        none = Tokens(tokens.texts, tokens.contexts, tokens.padding, tokens.first, tokens.end, tokens.longest)
        with_it, without = (one.model.scores(each, corpus.context, texts, 512) for each in (tokens, none))
        assert (np.abs(with_it - without).max() > 1e-4) == changes
