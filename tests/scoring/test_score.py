"""Outputs in, scores out: each text once, names with one signature, missing texts counted, directions recorded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from tests.scoring.word_studies import study_of_words
from tests.small_studies import rating

import tiebreak
from tiebreak.data.provenance import read_signatures
from tiebreak.data.readers import read_study
from tiebreak.data.study import Study, StudySettings
from tiebreak.data.writers import stamps_of, write_study
from tiebreak.errors import TiebreakError, UsageError
from tiebreak.scoring.metrics.function import metric_of
from tiebreak.scoring.registry import NamedMetric
from tiebreak.scoring.score import score_with, write_scores
from tiebreak.scoring.settings import ScoreSettings


def counting(seen: list[str]) -> NamedMetric:
    """A metric that notes what it scores; the list itself would be a value that it uses, and in its signature."""
    note = seen.append

    def words(output: str) -> float:
        note(output)
        return float(len(output.split()))

    return NamedMetric("words", replace(metric_of(words), higher_is_better=None))


def run(study: Study, *metrics: str, own: Sequence[NamedMetric] = (), **settings: object) -> tiebreak.ScoreResult:
    return score_with(study, ScoreSettings(metrics=metrics, workers=1, **settings), own)  # type: ignore[arg-type]


def value_of(study: Study, item: str, system: str, metric: str) -> float:
    (found,) = study.scores.filter(item=item, system=system, metric=metric)["value"].to_list()
    return float(found)


def small(*texts: tuple[str, str, str], **rest: object) -> Study:
    items = [{"item": name, "reference": f"text {name}"} for name in dict.fromkeys(item for item, *_ in texts)]
    rows = [{"item": item, "system": system, "text": text} for item, system, text in texts]
    return Study.from_tables(items=items, outputs=rows, **rest)  # type: ignore[arg-type]


def test_identical_texts_are_scored_once() -> None:
    seen: list[str] = []
    study = small(("1", "a", "one two"), ("1", "b", "one two"), ("2", "a", "one two"), ("2", "b", "three"))
    result = run(study, own=[counting(seen)])
    assert seen == ["one two", "three"]
    (account,) = result.metrics
    assert (account.outputs, account.scored, account.distinct, account.computed) == (4, 4, 2, 2)
    assert [value_of(result.study, item, system, "words") for item, system in (("2", "a"), ("2", "b"))] == [2, 1]
    assert result.directions == {}


def test_several_samples_have_scores_of_their_own() -> None:
    texts = {"s": "it rains", "t": "snow"}
    rows = [{"item": "1", "system": "a", "text": text, "sample": name} for name, text in texts.items()]
    study = Study.from_tables(items=[{"item": "1", "reference": "it rains"}], outputs=rows)
    found = dict(run(study, "rougeL").scores.select("sample", "value").iter_rows())
    assert found == {"s": 1.0, "t": 0.0}


def test_a_missing_text_is_a_missing_score_and_never_0() -> None:
    study = small(("1", "a", ""), ("1", "b", "text 1"), ("2", "a", " \n"), ("2", "b", "猫"))
    result = run(study, "chrf", "rougeL")
    chrf, rouge = result.metrics
    assert chrf.missing == {"empty output": 2}
    assert rouge.missing == {"empty output": 2, "no value": 1}
    assert (chrf.scored, rouge.scored) == (2, 1)
    assert result.scores["value"].null_count() == 0
    assert value_of(result.study, "1", "b", "rougeL") == 1


def test_scores_of_one_name_are_made_in_one_way() -> None:
    study = run(study_of_words(6), "chrf").study
    with pytest.raises(UsageError, match=r"has 6 scores called chrf made by chrf\|case:mixed.*--metric NAME=chrf\+\+"):
        run(study, "chrf=chrf++")
    replaced = run(study, "chrf=chrf++", overwrite=True)
    assert replaced.metrics[0].replaced == 6
    assert replaced.study.scores.height == 6
    assert set(replaced.scores["signature"]) == {replaced.metrics[0].signature}
    beside = run(study, "other=chrf++").study
    assert beside.scores.height == 12


def test_scores_from_elsewhere_are_not_replaced_unasked() -> None:
    foreign = [{"item": "i0", "system": "ant", "metric": "chrf", "value": 12.5}]
    study = study_of_words(4, scores=foreign)
    with pytest.raises(UsageError, match="1 score called chrf without a signature"):
        run(study, "chrf")
    assert run(study, "chrf", overwrite=True).metrics[0].replaced == 1


def test_a_second_run_changes_nothing() -> None:
    once = run(study_of_words(6), "chrf", "ter")
    assert once.scores_changed
    again = run(once.study, "chrf", "ter")
    assert not again.scores_changed
    assert [of.replaced for of in again.metrics] == [0, 0]
    assert once.directions == {"chrf": True, "ter": False}
    assert again.directions == {}


def test_a_text_that_was_changed_has_its_own_score_afterwards() -> None:
    seen: list[str] = []
    study = run(small(("1", "a", "one two"), ("2", "a", "three")), own=[counting(seen)]).study
    changed = replace(study, outputs=study.outputs.with_columns(text=pl.Series(["one two", "now four words long"])))
    result = run(changed, own=[counting(seen)])
    assert result.metrics[0].replaced == 1
    assert value_of(result.study, "2", "a", "words") == 4
    emptied = replace(study, outputs=study.outputs.with_columns(text=pl.Series(["one two", ""])))
    result = run(emptied, own=[counting(seen)])
    assert result.study.scores.height == 1  # no text, no score


def test_where_no_output_has_a_score_any_more() -> None:
    study = run(study_of_words(2), "chrf").study
    lost = study.scores.with_columns(item=pl.lit("i77"))
    study = replace(study, scores=pl.concat([study.scores, lost]))
    emptied = replace(study, outputs=study.outputs.with_columns(text=pl.lit("")))
    result = run(emptied, "chrf")
    assert result.metrics[0].missing == {"empty output": 2}
    assert result.metrics[0].replaced == 2
    assert set(result.study.scores["item"]) == {"i77"}  # of outputs that the study does not have


def test_scores_of_other_metrics_and_of_lost_outputs_stay() -> None:
    rows = [
        {"item": "i0", "system": "ant", "metric": "mine", "value": 1.0, "criterion": "c"},
        {"item": "i77", "system": "ant", "metric": "chrf", "value": 5.0},
    ]
    study = study_of_words(2, scores=rows)
    signature = run(study_of_words(2), "chrf").metrics[0].signature
    study = replace(study, scores=study.scores.with_columns(signature=pl.Series([None, signature])))
    result = run(study, "chrf")
    assert value_of(result.study, "i77", "ant", "chrf") == 5
    assert value_of(result.study, "i0", "ant", "mine") == 1
    assert result.study.scores.height == 4


def test_references_from_elsewhere_have_names_of_their_own() -> None:
    study = study_of_words(4)
    result = run(run(study, "rougeL").study, "rougeL", "length", reference_from="input")
    assert [of.name for of in result.metrics] == ["rougeL-input", "length"]
    assert result.metrics[0].signature.endswith("|from:input")
    assert "from:" not in result.metrics[1].signature
    named = run(study, "mine=rougeL", reference_from="input")
    assert [of.name for of in named.metrics] == ["mine"]


@pytest.mark.parametrize(
    ("metrics", "settings", "words"),
    [
        (["chrf"], {"reference_from": "context"}, r"no item has one \(table items, the column context\)"),
        (["chrf", "chrf=chrf++"], {}, "two metrics would give scores called chrf"),
        ([], {}, "name a metric, such as --metric chrf"),
        (["cider"], {}, "1 item with references cannot say that"),
    ],
)
def test_what_cannot_be_done_is_said_before_any_work(metrics: list[str], settings: dict[str, str], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        run(study_of_words(2), *metrics, **settings)


def test_without_references_or_inputs() -> None:
    study = Study.from_tables(items=[{"item": "1"}], outputs=[{"item": "1", "system": "a", "text": "x"}])
    with pytest.raises(UsageError, match="the metric chrf holds outputs against references, and no item has one"):
        run(study, "chrf")
    with pytest.raises(UsageError, match="needs inputs, and no item has one"):
        run(study, "perplexity-given-input")


@pytest.mark.full
def test_several_processes_give_the_same_scores() -> None:
    study = study_of_words(30_000)
    one, two = (
        score_with(study, ScoreSettings(metrics=["chrf"], workers=workers)).scores.sort("item", "system")
        for workers in (1, 2)
    )
    assert one.equals(two)


def test_what_the_study_says_of_a_metric_stands() -> None:
    study = study_of_words(4, settings=StudySettings(higher_is_better={"chrf": False}))
    result = run(study, "chrf", "rouge1")
    assert result.directions == {"rouge1": True}
    assert result.study.settings.higher_is_better == {"chrf": False, "rouge1": True}


def test_a_function_and_a_metric_in_python() -> None:
    def same(output: str, references: tuple[str, ...]) -> float:
        return float(output in references)

    study = small(("1", "a", "text 1"), ("1", "b", "no"))
    result = tiebreak.score(study, ["length", same, metric_of(lambda output: len(output), "size")], workers=1)
    assert [of.name for of in result.metrics] == ["length", "same", "size"]
    assert dict(result.scores.filter(metric="same").select("system", "value").iter_rows()) == {"a": 1, "b": 0}
    assert study.scores is None


def test_a_path_gets_the_scores_with_what_they_stand_for(tmp_path: Path) -> None:
    write_study(study_of_words(6, ratings=[rating("i0", "ant", "p", 2)]), tmp_path / "study")
    result = tiebreak.score(tmp_path / "study", ["ter", "length"])
    read = read_study(tmp_path / "study")
    assert read.scores.sort("item", "system", "metric").equals(result.study.scores.sort("item", "system", "metric"))  # type: ignore[union-attr]
    assert read.settings.higher_is_better == {"ter": False}
    meanings = read_signatures(tmp_path / "study")
    assert set(meanings) == set(read.scores["signature"])
    assert meanings[result.metrics[0].signature]["metric"] == "ter"
    stamps = stamps_of(tmp_path / "study")
    assert tiebreak.score(tmp_path / "study", ["ter"]).metrics[0].computed == 0
    assert stamps_of(tmp_path / "study") == stamps


def test_no_score_of_texts_that_are_gone_stays_in_the_folder(tmp_path: Path) -> None:
    # A table without any row is no table, and one of old scores would be wrong.
    folder = tmp_path / "study"
    write_study(study_of_words(2), folder)
    tiebreak.score(folder, ["chrf"], workers=1)
    study = tiebreak.read_study(folder)
    study.outputs.select("item", "system", text=pl.lit("")).write_csv(folder / "outputs.csv")
    assert tiebreak.score(folder, ["chrf"], workers=1).metrics[0].replaced == 2
    assert tiebreak.read_study(folder).scores is None


def test_a_folder_that_somebody_changed_meanwhile_is_left_alone_and_the_work_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "study"
    write_study(study_of_words(6), path)
    stamps = stamps_of(path)
    settings = ScoreSettings(metrics=["chrf"], workers=1)
    result = score_with(read_study(path), settings, folder=path)
    (path / "items.csv").write_text((path / "items.csv").read_text() + "i99,say,more\n", encoding="utf-8")
    with pytest.raises(TiebreakError, match="was changed"):
        write_scores(result, path, stamps)
    assert not (path / "scores.csv").exists()
    assert score_with(read_study(path), settings, folder=path).metrics[0].computed == 0


def test_scores_go_into_what_others_wrote_meanwhile(tmp_path: Path) -> None:
    # Two runs of an hour each: the one that ends second would have been told to run again.
    path, seen = tmp_path / "study", list[str]()
    write_study(study_of_words(6), path)
    note = seen.append

    def busy(output: str) -> float:
        note(output)
        if len(seen) == 2:
            tiebreak.score(path, ["length"], workers=1)
        return 1.0

    result = tiebreak.score(path, [metric_of(busy)], workers=1)
    assert (result.metrics[0].computed, result.metrics[0].scored) == (6, 6)
    found = read_study(path).scores
    assert dict(found["metric"].value_counts().iter_rows()) == {"busy": 6, "length": 6}
    assert len(seen) == 6


def test_with_repeats_in_the_table_of_scores(tmp_path: Path) -> None:
    write_study(study_of_words(2), tmp_path / "study")
    (tmp_path / "study" / "scores.csv").write_text("item,system,metric,value\ni0,ant,mine,1\ni0,ant,mine,1\n")
    tiebreak.score(tmp_path / "study", ["chrf"])
    lines = (tmp_path / "study" / "scores.csv").read_text().splitlines()
    assert sum(line.startswith("i0,ant,mine,1") for line in lines) == 2
    assert len(lines) == 5
