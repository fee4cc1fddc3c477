"""What an evaluator says of itself: in its card, of texts that it cannot read, and what its answers are good for."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from benchmarks.worlds.small_campaigns import protocol_of, study_of
from tests.docs.documents import run_command
from tests.scoring.evaluator.conftest import settings

from tiebreak.campaign import LabelGiven, next_tasks
from tiebreak.data.readers import read_study
from tiebreak.data.study import Study
from tiebreak.data.writers import write_study
from tiebreak.live import create_campaign, open_campaign
from tiebreak.live.export import write_export
from tiebreak.places import result_at
from tiebreak.scoring.evaluator.examples.pairs import BETTER, TIE, Pairs
from tiebreak.scoring.evaluator.judging import judge_into
from tiebreak.scoring.evaluator.judging_settings import JudgingSettings
from tiebreak.scoring.evaluator.scores.score import score_into
from tiebreak.scoring.evaluator.scores.settings import SampleSettings
from tiebreak.scoring.evaluator.training.calibration import MOST_PROBABLE
from tiebreak.scoring.evaluator.training.forms import guessing_of_pairs
from tiebreak.scoring.evaluator.training.kept import Evaluator
from tiebreak.scoring.evaluator.training.run import train_evaluator
from tiebreak.settings.protocol import Budget, DecisionSettings

AT = "2026-05-01T09:30:00Z"


def test_the_loss_of_guessing() -> None:
    """ln 3 of better, tie and worse alike; ln 2 where nothing ties."""
    even = Pairs.of([0, 2, 4], [1, 3, 5], [BETTER, BETTER, TIE], np.zeros(6, int))
    assert guessing_of_pairs(even) == pytest.approx(np.log(3))
    assert guessing_of_pairs(even.only(np.array([0, 1]))) == pytest.approx(np.log(2))
<<<<<<< ours
    generator = np.random.default_rng(3)
    assert learned.ratings is not None
    noise = learned.ratings.with_columns(value=pl.Series(generator.integers(1, 3, learned.ratings.height) * 1.0))
    asked = settings(tiny, strong=False, weak=False, rounds=1.0, rate=1e-6)
    (about,) = train_evaluator([replace(learned, ratings=noise)], tmp_path / "noise", asked)
    (end,) = about["stages"]
    few = ", too few to be sure," if end["held_out"]["pairs"] < 30 else ""
    held_out = end["held_out"]
    assert (
        "The probabilities that it learned from people are no better than saying the same of every pair: on "
        f"{held_out['pairs']} pairs held out to say when to stop{few} the loss is {held_out['loss']:.2f}, "
    ) in about["notes"][0]
    (about,) = train_evaluator([replace(learned, ratings=noise)], tmp_path / "all", replace(asked, held_out=0.0))
    loss = f"{about['stages'][0]['loss']:.2f}"
    assert f"on the pairs that it was shown last the loss is {loss}, against" in about["notes"][0]
    assert any(note.startswith("Nothing was held out to be measured") for note in about["notes"])
    (about,) = train_evaluator(
        [learned], tmp_path / "e", settings(tiny, strong=False, weak=False, patience=50, rounds=8.0)
    )
    assert not [note for note in about["notes"] if "the loss is" in note]


def test_the_card_counts_what_was_learned_and_what_was_left_out(trained: Path, tiny: str, learned: Study) -> None:
    about = load_evaluator(trained).about
    examples = Examples.of([learned], settings(tiny))
    parts = Parts.of(examples.corpus, settings(tiny), None)
    counts = {source: len(parts.learn(pairs)) for source, pairs in examples.rows.items()}
    assert about["learned"]["rows"] == counts
    assert all(counts[source] < len(pairs) for source, pairs in examples.rows.items())
    card = (trained / "README.md").read_text(encoding="utf-8")
    strong, weak = examples.strong, examples.weak
    assert strong is not None
    assert weak is not None
    for said in (
        f"- To learn from: {int(parts.learned.sum()):,} of {len(examples.corpus.texts):,} texts, in ",
        f"checkpoints: {counts['weak']:,} pairs to learn from, of {len(examples.rows['weak']):,}",
        f"Contexts with a single reference, which makes no tie: {strong.lone_references:,}",
        f"outputs that equal a reference: {strong.identical:,}; pairs of equal references: 0",
        f"Left out: too near: {weak.near:,}; both almost converged: {weak.converged:,}; pairs of identical texts: "
        f"{weak.identical:,}",
        f"- Studies: learned ({learned.fingerprint[:12]})",
        "- Pairs of outputs with labels that are left out: identical texts: ",
        f"up to the weights that are kept: strong {about['learned']['rounds']['strong']:.1f}, weak ",
        "as many as are ties. They are held out for that, and are not those of the table.",
    ):
        assert said in card


@pytest.mark.parametrize(
    ("like", "bound", "by", "said"),
    [
        ("human", 0.33, (12, 114, 114, 12, 114, 0),
         "An answer is a tie where that has a probability of 0.33 or more: so it answers 12 of 114 labelled pairs by "
         "one, as many as are ties. They are held out for that, and are not those of the table."),
        ("human", 0.33, (12, 114, 114, 15, 114, 0),
         "An answer is a tie where that has a probability of 0.33 or more: so it answers 15 of 114 labelled pairs by "
         "one, and 12 are ties. They are held out for that, and are not those of the table."),
        ("human", NEVER, (0, 114, 114, 7, 114, 0),
         "An answer is no tie unless both texts score the same: none of 114 labelled pairs is a tie; 7 score the same. "
         "They are held out for that, and are not those of the table."),
        ("strong", NEVER, (0, 114, 114, 0, 114, 0),
         "An answer is no tie unless both texts score the same: none of 114 pairs of references and outputs is a tie. "
         "They are held out for that, and are not those of the table."),
        ("human", 0.4, (4, 39, 48, 5, 1, 0),
         "An answer is a tie where that has a probability of 0.40 or more. Only 1 labelled pair is held out to set "
         "that, so the labels learned from count, too: 4 of 39 pairs are ties, and 5 of 48 pairs (47 of them those of "
         "the table) are answered by one."),
        ("human", NEVER, (1, 2000, 48, 0, 8, 0),
         "An answer is no tie unless both texts score the same. Only 8 labelled pairs are held out to set that, so the "
         "labels learned from count, too: 1 of 2,000 pairs is a tie."),
        ("strong", NEVER, (0, 20, 20, 0, 0, 20),
         "An answer is no tie unless both texts score the same. No pair of references and outputs is held out to set "
         "that, so those learned from count, too: none of 20 pairs is a tie."),
    ],
)  # fmt: skip
def test_what_sets_ties_in_words(like: str, bound: float, by: tuple[int, ...], said: str) -> None:
    names = ("ties", "told", "set_on", "answered", "held_out", "learned")
    set_by = dict(zip(names, by, strict=True))
    assert ties_in_words({"tie_bound": bound, "ties_like": like, "ties_set_by": set_by}) == said
=======
>>>>>>> theirs


def test_few_labels_set_ties_with_those_learned_from(tiny: str, learned: Study, tmp_path: Path) -> None:
    """What is said of them is true of their numbers: none of the few held-out pairs is a tie, or there are none."""
    assert learned.ratings is not None
    few = replace(learned, ratings=learned.ratings.filter(pl.col("system").is_in(["run-0", "run-1"])))
    asked = settings(tiny, strong=False, weak=False, rounds=0.5, folds=2)
    for about in train_evaluator([few], tmp_path / "e", asked):
        by, of = about["ties_set_by"], about["measured"]["human"]
        assert by["held_out"] < 30
        assert 0 < by["ties"] < by["told"] == by["held_out"] + about["learned"]["rows"]["human"]
        assert by["answered"] == pytest.approx(by["set_on"] * by["ties"] / by["told"], abs=1)
        assert by["set_on"] == by["held_out"] + by["learned"] + of["pairs"]
<<<<<<< ours
        card = (tmp_path / "e" / f"fold-{about['fold']}" / "README.md").read_text(encoding="utf-8")
        assert f"{by['ties']} of {by['told']} pairs are ties, and {by['answered']} of {by['set_on']} pairs (" in card
        none = "No labelled pair is held out to set that, so the labels learned from count, too"
        assert (none in card) == (by["held_out"] == 0)
=======
>>>>>>> theirs


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
    found = judge_into(read_study(tmp_path / "study"), trained, JudgingSettings())
    assert found.notes == [
        "Only the start of 1 text is read: at most 62 tokens of each (--text-tokens of evaluator train).",
        "The middle of 1 context is not read: at most 62 tokens of each are (--context-tokens of evaluator train).",
    ]
    quiet = judge_into(read_study(tmp_path / "study"), trained, JudgingSettings(name="n", systems=["d", "f"]))
    assert len(quiet.notes) == 1, "the context alone"
    scored = score_into(read_study(tmp_path / "study"), trained, SampleSettings(by="rating", games=10))
    assert list(scored.notes) == found.notes
    (about,) = train_evaluator([long_references()], tmp_path / "e", settings(tiny, rounds=0.1))
    assert any(note.startswith("Only the start of 30 texts is read") for note in about["notes"])


def long_references() -> Study:
    """30 references of 5,000 words, each beside one output."""
    items = [{"item": str(k), "reference": f"good cat {'the dog ' * 2500} {'sun ' * k}"} for k in range(30)]
    return Study.from_tables(items=items, outputs=[{"item": str(k), "system": "s", "text": "bad"} for k in range(30)])


<<<<<<< ours
def test_what_is_left_out_or_misspelt_is_told(tiny: str, learned: Study, tmp_path: Path) -> None:
    """Ties, labels of outputs that are not there, systems that no table names, and few held-out pairs."""
    assert learned.ratings is not None
    assert learned.outputs is not None
    even = learned.ratings.with_columns(value=pl.when(pl.col("item") < "i20").then(3.0).otherwise(pl.col("value")))
    of = learned.settings.systems
    named = replace(learned.settings, systems={**of, "run-44": of["run-4"]})
    outputs = learned.outputs.filter((pl.col("item") > "i02") | (pl.col("system") != "run-0"))
    study = replace(learned, ratings=even, outputs=outputs, settings=named)
    (about,) = train_evaluator([study], tmp_path / "e", settings(tiny, ties=False, strong=False, rounds=0.3))
    notes = about["notes"]
    assert "study.toml names 1 system of which there are no outputs: run-44 (did you mean run-4?)." in notes
    assert "12 pairs of outputs with labels left out: there is no text of one of them." in notes
    left_out = about["examples"]["ties_left_out"]
    assert left_out > 100
    assert any(note.startswith(f"{left_out:,} pairs left out of which nothing but ties is said") for note in notes)
    assert about["tie_bound"] == NEVER
    card = (tmp_path / "e" / "README.md").read_text(encoding="utf-8")
    assert "It learned no ties: an answer is none unless both texts score the same." in card
    assert about["measured"]["human"]["ties_told"] == 0
    few = learned.ratings.filter(pl.col("item") < "i05")
    (about,) = train_evaluator(
        [replace(learned, ratings=few)], tmp_path / "few", settings(tiny, strong=False, weak=False, rounds=0.3, seed=1)
    )
    decided = about["measured"]["human"]["decided"]
    assert any(note.startswith("Two-way of people is a share of") for note in about["notes"]) == (0 < decided < 30)


def test_what_a_command_says_of_its_use(trained: Path, learned: Study, tmp_path: Path) -> None:
    """The next command where there are labels, where there are none, and where it learned from them."""
    write_study(learned, tmp_path / "its own")
    write_study(replace(learned, ratings=None), tmp_path / "unlabelled")
    assert learned.items is not None
    others = replace(learned, items=learned.items.with_columns(input=pl.lit("what is ") + pl.col("item")))
    write_study(others, tmp_path / "other study")
    for name, said in (
        ("its own", "The judge 'evaluator' is left out on 33 of 40 items that it covers"),
        ("unlabelled", "Next: labels of people, without which nothing is decided"),
        ("other study", f"Next: tiebreak compare '{tmp_path / 'other study'}' --judge evaluator"),
    ):
        code, output = run_command(f"tiebreak evaluator judge '{tmp_path / name}' '{trained}'")
        assert code == 0, output
        assert said in " ".join(output.replace("\\\n", " ").split())
    _, again = run_command(f"tiebreak evaluator judge '{tmp_path / 'unlabelled'}' '{trained}'")
    assert again.startswith("evaluator: nothing new to judge.")


def test_of_one_system_that_nobody_rated_nothing_is_to_be_estimated(trained: Path, tmp_path: Path) -> None:
    outputs = [{"item": str(k), "system": "only", "text": f"good cat {k}"} for k in range(5)]
    write_study(Study.from_tables(outputs=outputs), tmp_path / "one")
    code, output = run_command(f"tiebreak evaluator score '{tmp_path / 'one'}' '{trained}' --games 20")
    assert code == 0
    assert "tournament" not in output, "a single system plays against nobody"
    assert "order had not settled" not in output
    assert "Next: labels of people, without which nothing is decided" in " ".join(output.split())


=======
>>>>>>> theirs
def test_an_interruption_says_what_is_kept_and_how_to_go_on(
    trained: Path, learned: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> Evaluator:
        raise KeyboardInterrupt

    write_study(replace(learned, ratings=None), tmp_path / "study")
    monkeypatch.setattr("tiebreak.scoring.evaluator.judging._probabilities", interrupted)
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
            code, output = run_command(f"tiebreak evaluator {command} '{tmp_path / 'study'}' '{trained}' {options}")
            assert (code, words in " ".join(output.split())) == (130, True), output


def test_what_is_no_study_is_named(trained: Path, tmp_path: Path) -> None:
    """events.jsonl of a campaign was taken for a misspelt edits.jsonl."""
    create_campaign(tmp_path / "camp", protocol_of(), study_of(items=80), at=AT)
    export = "to make a study of its labels: tiebreak campaign export"
    for command in (
        f"train '{tmp_path / 'camp'}' --out '{tmp_path / 'e'}'",
        *(f"{name} '{tmp_path / 'camp'}' '{trained}'" for name in ("judge", "score", "choose", "follow")),
    ):
        code, output = run_command(f"tiebreak evaluator {command}")
        assert (code, export in " ".join(output.split())) == (1, True), output


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
    live.commit(lambda state, _: [LabelGiven(AT, task, "zoe", "a") for task in sorted(state.tasks)])
    write_export(live, tmp_path / "out")
    before = {path: path.read_bytes() for path in (tmp_path / "out").iterdir() if path.is_file()}
    for command in ("judge", "choose", "score"):
        code, output = run_command(f"tiebreak evaluator {command} '{tmp_path / 'out'}' '{trained}' --overwrite")
        assert (code, "whose verdict rests on evaluator" in " ".join(output.split())) == (2, True), output
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
        assert "pip install 'tiebreak[evaluator]'" in " ".join(output.split()), command
