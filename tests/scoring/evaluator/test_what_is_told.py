"""What an evaluator says of itself: in its card, of texts that it cannot read, and what its answers are good for."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from benchmarks.worlds.small_campaigns import protocol_of, study_of
from tests.cli.campaign_commands import refused
from tests.docs.documents import run_command
from tests.scoring.evaluator.conftest import settings

from tiebreak.campaign import LabelGiven, next_tasks
from tiebreak.campaign.kinds import Preferred
from tiebreak.data.readers import read_study
from tiebreak.data.study import Study
from tiebreak.data.writers import write_study
from tiebreak.live import create_campaign, open_campaign
from tiebreak.live.export import write_export
from tiebreak.places import result_at
from tiebreak.scoring.evaluator.examples.rows import BETTER, TIE, Pairs
from tiebreak.scoring.evaluator.judging import judge_into
from tiebreak.scoring.evaluator.scores import score_into
from tiebreak.scoring.evaluator.settings import EvaluatorJudgingSettings, SampleSettings
from tiebreak.scoring.evaluator.training.kept import Trained, load_evaluator
from tiebreak.scoring.evaluator.training.measures import MOST_PROBABLE, loss_of_guessing
from tiebreak.scoring.evaluator.training.run import train_evaluator
from tiebreak.settings.protocol import Budget, DecisionSettings

AT = "2026-05-01T09:30:00Z"


def test_the_loss_of_guessing() -> None:
    """ln 3 of better, tie and worse alike; ln 2 where nothing ties."""
    even = Pairs.of([0, 2, 4], [1, 3, 5], [BETTER, BETTER, TIE], np.zeros(6, int))
    assert loss_of_guessing(even, "siamese") == pytest.approx(np.log(3))
    assert loss_of_guessing(even.only(np.array([0, 1])), "siamese") == pytest.approx(np.log(2))


def test_few_labels_set_ties_with_those_learned_from(tiny: str, learned: Study, tmp_path: Path) -> None:
    """What is said of them is true of their numbers: none of the few held-out pairs is a tie, or there are none."""
    few = replace(learned, ratings=learned.ratings.filter(pl.col("system").is_in(["run-0", "run-1"])))
    asked = settings(tiny, strong=False, weak=False, rounds=0.5, folds=2)
    for about in train_evaluator([few], tmp_path / "e", asked):
        by, of = about["ties_set_by"], about["measured"]["human"]
        assert by["held_out"] < 30
        assert 0 < by["ties"] < by["told"] == by["held_out"] + about["learned"]["rows"]["human"]
        assert by["answered"] == pytest.approx(by["set_on"] * by["ties"] / by["told"], abs=1)
        assert by["set_on"] == by["held_out"] + by["learned"] + of["pairs"]


def test_without_ties_it_says_so_and_how_to_get_them(tiny: str, learned: Study, tmp_path: Path) -> None:
    """Checkpoints never tie; ratings do, where people gave the same."""
    asked = settings(tiny, strong=False, weak=False, rounds=0.1)
    votes = [
        {"item": f"i{k:02d}", "system_a": "run-4", "system_b": "run-0", "annotator": "ann", "outcome": "a"}
        for k in range(40)
    ]
    only_wins = Study.from_tables(outputs=learned.outputs, preferences=votes)
    told = "Nothing that it learns from is a tie, so that it answers by none. Ties come of two references or two"
    for study, is_told in ((only_wins, True), (learned, False)):
        (about,) = train_evaluator([study], tmp_path / str(is_told), asked)
        assert any(note.startswith(told) for note in about["notes"]) is is_told


def test_an_evaluator_is_doubted_where_a_coin_may_do_as_well(evaluator: Path) -> None:
    """By pairs of people where there are some, else by others: 24 of 38 may be less than half of many more."""
    one = load_evaluator(evaluator)
    good = {"decided": 200, "two_way": 0.7, "intervals": {"two_way": (0.63, 0.76)}}
    poor = {"decided": 38, "two_way": 24 / 38, "intervals": {"two_way": (0.473, 0.766)}}
    none = {"decided": 0, "two_way": None, "intervals": {}}
    for measured, is_doubted in (
        ({"strong": good, "human": poor}, True), ({"strong": poor, "human": good}, False),
        ({"strong": poor, "human": none}, True), ({"human": none}, False),
    ):  # fmt: skip
        doubts = replace(one, about={**one.about, "measured": measured}).doubts
        assert [doubt.startswith("The evaluator found the better text of 63% of 38 pairs") for doubt in doubts] == (
            [True] if is_doubted else []
        )


def test_where_nothing_is_held_out_nothing_sets_ties(tiny: str, learned: Study, tmp_path: Path) -> None:
    """It is surer of what it learned from than of anything else."""
    asked = settings(tiny, strong=False, weak=False, rounds=0.5, held_out=0.0)
    (about,) = train_evaluator([learned], tmp_path / "e", asked)
    assert about["tie_bound"] == MOST_PROBABLE


def test_what_is_not_read_is_told(trained: Path, tiny: str, tmp_path: Path) -> None:
    """Overlong, empty and unknown: each a sentence, and no word where there is nothing to tell."""
    texts = {"a": "good " * 200, "b": "\u200b", "c": "ждать 漢字", "d": "good cat", "e": "", "f": "good ж"}
    outputs = [{"item": item, "system": system, "text": text} for item in "12" for system, text in texts.items()]
    items = [{"item": "1", "input": "what is " * 300}, {"item": "2", "input": "  "}]
    write_study(Study.from_tables(items=items, outputs=outputs), tmp_path / "study")
    found = judge_into(read_study(tmp_path / "study"), trained, EvaluatorJudgingSettings())
    assert found.notes == [
        "Only the start of 1 text is read: at most 62 tokens of each (--text-tokens of evaluator train).",
        "The middle of 1 context is not read: at most 62 tokens of each are (--context-tokens of evaluator train).",
    ]
    quiet = judge_into(read_study(tmp_path / "study"), trained, EvaluatorJudgingSettings(name="n", systems=["d", "f"]))
    assert len(quiet.notes) == 1, "the context alone"
    scored = score_into(read_study(tmp_path / "study"), trained, SampleSettings(by="rating", games=10))
    assert list(scored.notes) == found.notes
    (about,) = train_evaluator([long_references()], tmp_path / "e", settings(tiny, rounds=0.1))
    assert any(note.startswith("Only the start of 30 texts is read") for note in about["notes"])


def long_references() -> Study:
    """30 references of 5,000 words, each beside one output."""
    items = [{"item": str(k), "reference": f"good cat {'the dog ' * 2500} {'sun ' * k}"} for k in range(30)]
    return Study.from_tables(items=items, outputs=[{"item": str(k), "system": "s", "text": "bad"} for k in range(30)])


def test_an_interruption_says_what_is_kept_and_how_to_go_on(
    trained: Path, learned: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> Trained:
        raise KeyboardInterrupt

    write_study(replace(learned, ratings=None), tmp_path / "study")
    monkeypatch.setattr("tiebreak.scoring.evaluator.judging.ReadTexts.of", interrupted)
    for command in ("judge", "choose"):
        if command == "choose":
            monkeypatch.setattr("tiebreak.scoring.evaluator.choosing.candidates_of", interrupted)
        for options, words in (
            ("", "Interrupted. The same command goes on from what is kept."),
            (
                "--overwrite",
                "Interrupted. --overwrite replaces answers when all new ones are there: until then the old ones stay.",
            ),
        ):
            assert words in refused(f"tiebreak evaluator {command} '{tmp_path / 'study'}' '{trained}' {options}", 130)


def test_what_is_no_study_is_named(trained: Path, tmp_path: Path) -> None:
    """events.jsonl of a campaign was taken for a misspelt edits.jsonl."""
    create_campaign(tmp_path / "camp", protocol_of(), study_of(items=80), at=AT)
    export = "to make a study of its labels: tiebreak campaign export"
    for command in (
        f"train '{tmp_path / 'camp'}' --out '{tmp_path / 'e'}'",
        *(f"{name} '{tmp_path / 'camp'}' '{trained}'" for name in ("judge", "score", "choose", "follow")),
    ):
        assert export in refused(f"tiebreak evaluator {command}", 1)


def test_what_the_verdict_of_an_export_rests_on_is_not_judged_again(
    trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is refused before anything is read or written."""
    monkeypatch.chdir(tmp_path)
    named = {"evaluator": {("ant", "bee"): ["a", "b"] * 40}}
    scores = {"ant": [0.5] * 80, "bee": [0.1] * 80}
    metrics = ("evaluator-rating", "evaluator-points")
    study = study_of(items=80, judges=named, scores=dict.fromkeys(metrics, scores))
    decision = DecisionSettings(judges=("evaluator",), metrics=metrics)
    create_campaign(tmp_path / "camp", protocol_of(decision=decision, budget=Budget(items_per_pair=20)), study, at=AT)
    live = open_campaign(tmp_path / "camp")
    live.commit(lambda state, _: list(next_tasks(state, "zoe", 1, AT)))
    live.commit(lambda state, _: [LabelGiven(AT, task, "zoe", Preferred("a")) for task in sorted(state.tasks)])
    write_export(live, tmp_path / "out")
    before = {path: path.read_bytes() for path in (tmp_path / "out").iterdir() if path.is_file()}
    for command in ("judge", "choose", "score"):
        assert "whose verdict rests on evaluator" in refused(
            f"tiebreak evaluator {command} '{tmp_path / 'out'}' '{trained}' --overwrite", 2
        )
    assert {path: path.read_bytes() for path in (tmp_path / "out").iterdir() if path.is_file()} == before
    code, output = run_command(f"tiebreak evaluator judge out '{trained}' --name other")
    said = output.splitlines()[-1]
    assert (code, said) == (0, "Next: tiebreak compare out --own-analysis --judge other")
    assert run_command(said.removeprefix("Next: "))[0] == 0
    assert result_at(tmp_path / "out").campaign is not None


def test_the_extra_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "torch" else find(name))
    for command in ("train x --out y", "judge x y", "score x y", "follow x y", "choose x y"):
        code, _ = run_command(f"tiebreak evaluator {command}")
        assert code != 0
