"""A tiny evaluator learns, is kept, goes on after an interruption, and judges."""

from __future__ import annotations

import importlib.util
import json
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import torch
from tests.docs.documents import run_command

from tiebreak.auditing.audit import audit
from tiebreak.comparison.compare import compare
from tiebreak.data.readers import read_study
from tiebreak.data.study import Study
from tiebreak.data.writers import write_study
from tiebreak.errors import InputError, TiebreakError, UsageError
from tiebreak.estimation.estimate import estimate
from tiebreak.ranking.rank import rank
from tiebreak.scoring.evaluator.examples.hashes import text_hashes
from tiebreak.scoring.evaluator.examples.pairs import BETTER, TIE, Pairs
from tiebreak.scoring.evaluator.judging import judge_into
from tiebreak.scoring.evaluator.judging_settings import JudgingSettings
from tiebreak.scoring.evaluator.models.batches import by_length
from tiebreak.scoring.evaluator.models.cross import Cross
from tiebreak.scoring.evaluator.models.encoders import load_encoder, tokenize
from tiebreak.scoring.evaluator.models.siamese import Siamese
from tiebreak.scoring.evaluator.scores.score import score_into
from tiebreak.scoring.evaluator.scores.settings import SampleSettings
from tiebreak.scoring.evaluator.training import kept, run, train
from tiebreak.scoring.evaluator.training.examples import Examples, Parts
from tiebreak.scoring.evaluator.training.forms import guessing_of_pairs
from tiebreak.scoring.evaluator.training.kept import Evaluator, load_evaluator, make_model
from tiebreak.scoring.evaluator.training.run import train_evaluator
from tiebreak.scoring.evaluator.training.settings import TrainSettings


def settings(tiny: str, **others: object) -> TrainSettings:
    quick = {"encoder": tiny, "rounds": 3.0, "rate": 3e-3, "seed": 4, "contexts_at_once": 4} | others
    return TrainSettings(**quick)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def trained(tiny: str, learned: Study, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kept") / "evaluator"
    train_evaluator([learned], folder, settings(tiny))
    return folder


@pytest.mark.parametrize("form", ["siamese", "cross"])
def test_it_learns_all_three_kinds(form: str, tiny: str, learned: Study, tmp_path: Path) -> None:
    rounds = 8.0 if form == "cross" else 3.0
    (about,) = train_evaluator([learned], tmp_path / "e", settings(tiny, form=form, rounds=rounds, patience=20))
    assert [end["source"] for end in about["stages"]] == ["strong", "weak", "human"]
    assert about["measured"]["human"]["two_way"] > 0.75
    assert about["measured"]["weak"]["two_way"] > 0.6
    assert about["measured"]["human"]["pairs"] > 20
    card = (tmp_path / "e" / "README.md").read_text(encoding="utf-8")
    assert about["signature"] in card
    assert not (tmp_path / "e" / "training.pt").exists()


def test_kept_and_loaded_it_says_the_same(trained: Path, learned: Study) -> None:
    one, other = load_evaluator(trained), load_evaluator(trained)
    assert learned.outputs is not None
    texts = learned.outputs["text"].to_list()[:20]
    tokens = one.read(texts, ["what is cat 3"])
    a, b, context = np.arange(10), np.arange(10, 20), np.zeros(20, dtype=int)
    found = one.model.probabilities(tokens, context, a, b, 512)
    assert np.array_equal(found, other.model.probabilities(tokens, context, a, b, 512))
    assert np.allclose(found.sum(1), 1)
    assert np.allclose(found, one.model.probabilities(tokens, context, b, a, 64)[:, ::-1], atol=1e-6), "the other order"


def test_an_interrupted_training_ends_in_the_same_weights(
    tiny: str, learned: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "_SAVE_EVERY", 5)
    asked = settings(tiny, patience=1000)
    whole = train_evaluator([learned], tmp_path / "whole", asked)

    class StoppedError(Exception):
        pass

    for at in (("strong", 7), ("weak", 12), ("human", 3)):

        def stop(_fold: int, stage: object, step: int, _loss: float, at: tuple[str, int] = at) -> None:
            if (stage.source, step) == at:  # type: ignore[attr-defined]
                raise StoppedError

        with pytest.raises(StoppedError):
            train_evaluator([learned], tmp_path / "parts", asked, stop)
        with pytest.raises(InputError, match="its training has not ended"):
            load_evaluator(tmp_path / "parts")
    parts = train_evaluator([learned], tmp_path / "parts", asked)
    assert parts[0]["signature"] == whole[0]["signature"]
    assert parts == whole


_TRAINS = """
import sys
from pathlib import Path
from tiebreak.data.readers import read_study
from tiebreak.scoring.evaluator.training import run
from tiebreak.scoring.evaluator.training.settings import TrainSettings
run._SAVE_EVERY = 5
def step(_fold, stage, step, _loss):
    print(stage.source, step, flush=True)
asked = TrainSettings(encoder=sys.argv[3], rounds=3.0, rate=3e-3, seed=4, contexts_at_once=4, patience=1000)
run.train_evaluator([read_study(sys.argv[1])], Path(sys.argv[2]), asked, step)
"""


def test_a_training_that_was_killed_between_saves_ends_in_the_same_weights(
    tiny: str, learned: Study, tmp_path: Path
) -> None:
    """By SIGKILL, 2 steps after the last save: nothing of it can say goodbye."""
    write_study(learned, tmp_path / "study")
    study = read_study(tmp_path / "study")
    (whole,) = train_evaluator([study], tmp_path / "whole", settings(tiny, patience=1000))
    command = [sys.executable, "-c", _TRAINS, str(tmp_path / "study"), str(tmp_path / "parts"), tiny]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert "weak 12\n" in iter(process.stdout.readline, "")
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    assert (tmp_path / "parts" / "training.pt").exists()
    (parts,) = train_evaluator([study], tmp_path / "parts", settings(tiny, patience=1000))
    assert parts == whole


def test_the_cross_form_reads_equal_budgets_and_answers_alike_in_both_orders(tiny: str) -> None:
    encoder, tokenizer = load_encoder(tiny)
    model = make_model(encoder, settings(tiny, form="cross", text_tokens=500, context_tokens=500))
    texts = ["good cat " * 100, "bad", "the dog runs"]
    evaluator = Evaluator(tokenizer, {}, model)
    tokens = evaluator.read(texts, ["what is the sun " * 50, ""])
    assert isinstance(model, Cross)
    context, longest = np.zeros(3, dtype=int), 64
    for a, b, lengths in ((0, 0, [20, 20]), (0, 1, [20, 1]), (1, 0, [1, 20])):
        ids, kinds = model._row(tokens, context, a, b)
        ends = np.flatnonzero(np.array(ids) == tokens.end)
        assert [ends[1] - ends[0] - 1, ends[2] - ends[1] - 1] == lengths, "at most a third of 60 each"
        assert len(ids) == len(kinds) == longest
    without, _ = model._row(tokens, np.ones(3, dtype=int), 0, 0)
    assert len(without) == longest, "texts share what no context takes"
    a, b = np.array([0, 1, 2]), np.array([1, 2, 0])
    found = model.probabilities(tokens, context, a, b, 512)
    assert np.allclose(found, model.probabilities(tokens, context, b, a, 100)[:, ::-1], atol=1e-6)
    assert not np.allclose(found[:, 0], found[:, 2])


@pytest.mark.parametrize("form", ["siamese", "cross"])
def test_half_precision_learns_as_on_a_gpu(
    form: str, tiny: str, learned: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same passes in bfloat16, which processors have, too."""
    used: list[torch.dtype] = []

    def half(device: torch.device) -> object:
        used.append(torch.bfloat16)
        return torch.autocast(device.type, dtype=torch.bfloat16)

    monkeypatch.setattr(train, "_half", half)
    (about,) = train_evaluator([learned], tmp_path / "e", settings(tiny, form=form, rounds=1.0))
    assert len(used) == sum(end["steps"] for end in about["stages"])
    assert all(np.isfinite(end["loss"]) for end in about["stages"])


def test_it_judges_on_the_fastest_device(trained: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert load_evaluator(trained).model.device.type == ("cuda" if torch.cuda.is_available() else "cpu")
    monkeypatch.setattr(kept, "fastest_device", lambda: torch.device("meta"))
    assert load_evaluator(trained).model.device.type == "meta"


def test_a_folder_whose_training_never_began_may_be_used_for_another(tiny: str, learned: Study, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot load the encoder"):
        train_evaluator([learned], tmp_path / "e", settings(str(tmp_path)))
    assert [place.name for place in (tmp_path / "e").iterdir()] == ["training.json"]
    (about,) = train_evaluator([learned], tmp_path / "e", settings(tiny, rounds=0.5))
    assert about["settings"]["encoder"] == tiny


@pytest.mark.parametrize("form", ["siamese", "cross"])
def test_rates_of_stages_and_parts(
    form: str, tiny: str, learned: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What people say comes last, at a fifth, unless nothing came before; word embeddings are not learned."""
    seen: list[tuple[str, dict[str, float]]] = []
    make = train.Trainer._optimizer

    def made(self: train.Trainer, stage: train.Stage) -> torch.optim.Optimizer:
        optimizer = make(self, stage)
        names = {id(parameter): name for name, parameter in self.model.named_parameters()}
        groups = optimizer.param_groups
        rates = {names[id(parameter)]: group["peak"] for group in groups for parameter in group["params"]}
        seen.append((stage.source, rates))
        return optimizer

    monkeypatch.setattr(train.Trainer, "_optimizer", made)
    train_evaluator([learned], tmp_path / "a", settings(tiny, form=form, rate=1e-4, rounds=0.1))
    train_evaluator([learned], tmp_path / "b", settings(tiny, rate=1e-4, rounds=0.1, strong=False, weak=False))
    assert [source for source, _ in seen] == ["strong", "weak", "human", "human"]
    for (_, rates), share in zip(seen, (1.0, 1.0, 0.2, 1.0), strict=True):
        assert not [name for name in rates if "word_embeddings" in name]
        parts = {
            start: [rate for name, rate in rates.items() if name.startswith(start)]
            for start in ("encoder.", "head.", "log_nu")
        }
        assert parts["encoder."] == pytest.approx([share * 1e-4] * len(parts["encoder."]))
        assert parts["head."] == pytest.approx([share * 2e-3] * len(parts["head."]))
        assert parts["log_nu"] == pytest.approx([share * 1e-2] * len(parts["log_nu"]))
        assert parts["encoder."]
        assert parts["head."]
    assert ("log_nu" in seen[0][1]) == (form == "siamese")


def test_batches_are_sorted_by_length_and_hold_so_many_tokens() -> None:
    lengths = np.random.default_rng(0).integers(1, 40, 100).tolist()
    found = list(by_length([*lengths, 500], 200))
    assert found[0].tolist() == [100], "longer than a batch: alone"
    assert sorted(np.concatenate(found).tolist()) == list(range(101))
    read = [[lengths[number] for number in batch] for batch in found[1:]]
    assert all(max(batch) * len(batch) <= 200 for batch in read)
    assert sum(read, []) == sorted(lengths, reverse=True)  # noqa: RUF017


def test_a_folder_belongs_to_one_training(trained: Path, tiny: str, learned: Study, tmp_path: Path) -> None:
    (again,) = train_evaluator([learned], trained, settings(tiny))
    assert again["signature"] == load_evaluator(trained).signature, "it is not trained again"
    with pytest.raises(UsageError, match="holds a training with another rate"):
        train_evaluator([learned], trained, settings(tiny, rate=1e-4))
    assert learned.ratings is not None
    with pytest.raises(UsageError, match="with other texts or labels"):
        train_evaluator([replace(learned, ratings=learned.ratings.head(300))], trained, settings(tiny))
    (tmp_path / "other.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(UsageError, match="is not empty"):
        train_evaluator([learned], tmp_path, settings(tiny))


def test_damage_is_named(trained: Path, tmp_path: Path) -> None:
    import shutil

    with pytest.raises(InputError, match=r"no evaluator: it has no evaluator\.json"):
        load_evaluator(tmp_path)
    copy = tmp_path / "copy"
    shutil.copytree(trained, copy)
    (copy / "encoder").rename(tmp_path / "moved")
    with pytest.raises(InputError, match="the evaluator is damaged: its folder encoder is missing"):
        load_evaluator(copy)  # and no model hub is asked
    (tmp_path / "moved").rename(copy / "encoder")
    data = bytearray((copy / "model.safetensors").read_bytes())
    data[-3] ^= 0xFF
    (copy / "model.safetensors").write_bytes(bytes(data))
    with pytest.raises(InputError, match="the weights are not those"):
        load_evaluator(copy)
    (copy / "model.safetensors").write_bytes(b"")
    with pytest.raises(InputError, match="the evaluator is damaged"):
        load_evaluator(copy)
    (copy / "evaluator.json").write_text("{", encoding="utf-8")
    with pytest.raises(InputError, match=r"evaluator\.json"):
        load_evaluator(copy)


def test_a_loss_that_is_no_number(tiny: str, learned: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Siamese, "loss", lambda self, *_: self.log_nu * float("nan"))
    with pytest.raises(TiebreakError, match=r"the loss of the strong stage is nan at step 1: nothing can be learned"):
        train_evaluator([learned], tmp_path / "e", settings(tiny))


def test_nothing_to_learn(tiny: str, learned: Study, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is nothing to learn"):
        train_evaluator([learned], tmp_path / "b", settings(tiny, strong=False, weak=False, human=False))
    with pytest.raises(UsageError, match=r"no system 'run-9': did you mean run-"):
        train_evaluator([learned], tmp_path / "c", settings(tiny, held_out_systems=["run-9"]))
    with pytest.raises(UsageError, match="cannot load the encoder"):
        train_evaluator([learned], tmp_path / "d", settings(str(tmp_path)))


def test_ablations(tiny: str, learned: Study, tmp_path: Path) -> None:
    (about,) = train_evaluator([learned], tmp_path / "e", settings(tiny, weak=False, ties=False, pretrained=False))
    assert [end["source"] for end in about["stages"]] == ["strong", "human"]
    assert about["measured"]["human"]["ties_told"] == 0
    model = load_evaluator(tmp_path / "e")
    tokens = model.read(["good cat", "bad dog"], ["what"])
    found = model.model.probabilities(tokens, np.zeros(2, dtype=int), np.array([0]), np.array([1]), 512)
    assert found[0, 1] < 1e-9


def test_it_judges_once_and_its_answers_are_a_judges(trained: Path, tmp_path: Path) -> None:
    generator = np.random.default_rng(9)
    outputs = []
    for k in range(30):
        for system, share in (("new", 0.9), ("old", 0.3), ("copy", 0.9)):
            words = ["good" if generator.random() < share else "bad" for _ in range(3)]
            outputs.append({"item": f"n{k}", "system": system, "text": " ".join(words)})
    outputs.append({"item": "n99", "system": "new", "text": ""})
    outputs.append({"item": "n99", "system": "old", "text": "ждать 漢字 " * 100})
    items = [{"item": f"n{k}", "input": f"what is rain {k}"} for k in range(30)]
    write_study(Study.from_tables(items=items, outputs=outputs), tmp_path / "study")
    found = judge_into(read_study(tmp_path / "study"), trained, JudgingSettings(pairs=[("new", "old")]))
    assert found.to_dict()["judged"] == 31
    study = read_study(tmp_path / "study")
    assert study.judge_preferences is not None
    rows = study.judge_preferences
    decided = rows.filter(pl.col("item") != "n99")["outcome"].value_counts()
    assert dict(decided.iter_rows())["a"] > 20
    sums = rows.select(total=pl.sum_horizontal("p_a", "p_tie", "p_b"))["total"]
    assert sums.min() == pytest.approx(1) == sums.max()
    (meaning,) = study.signatures.values()
    assert meaning["kind"] == "evaluator"
    again = judge_into(study, trained, JudgingSettings())
    assert (again.known, again.preferences.height) == (31, 60)
    texts = {(row["item"], row["system"]): row["text"] for row in outputs}
    others = [(f"n{k}", a, "copy") for k in range(30) for a in ("new", "old")]
    assert again.identical == sum(texts[item, a] == texts[item, b] for item, a, b in others)
    third = judge_into(read_study(tmp_path / "study"), trained, JudgingSettings())
    assert (third.known, third.preferences.height) == (91, 0)


def test_labels_that_trained_it_prove_nothing_unless_it_was_trained_in_folds(
    tiny: str, trained: Path, learned: Study, tmp_path: Path
) -> None:
    write_study(learned, tmp_path / "study")
    judge_into(read_study(tmp_path / "study"), trained, JudgingSettings(systems=["run-0", "run-4"]))
    study = read_study(tmp_path / "study")
    assert [notice.code for notice in study.notices if notice.code == "trained-here"] == ["trained-here"]
    with pytest.raises(UsageError, match=r"learned from labels of .* of these items"):
        compare(study, judges=["evaluator"])
    with pytest.raises(UsageError, match=r"learned from labels of .* of these items"):
        estimate(study, metrics=["evaluator"])
    with pytest.raises(UsageError, match=r"learned from labels of .* of these items"):
        audit(study, judges=["evaluator"])
    with pytest.raises(InputError, match=r"nothing to audit but evaluator, which learned from labels of these items"):
        audit(study)
    made = train_evaluator([learned], tmp_path / "folds", settings(tiny, folds=3, rounds=1.0))
    with pytest.raises(UsageError, match=r"learned from labels of .* of these items"):
        rank(study, sources=["judge:evaluator"])
    with pytest.raises(InputError, match=r"it has 3 evaluators, one per fold: name one of them, such as .*fold-0"):
        load_evaluator(tmp_path / "folds")
    assert len({about["signature"] for about in made}) == 3
    judge_into(study, tmp_path / "folds", JudgingSettings(name="folded", systems=["run-0", "run-4"]))
    study = read_study(tmp_path / "study")
    assert study.judge_preferences is not None
    used = study.judge_preferences.filter(pl.col("judge") == "folded")["signature"].n_unique()
    assert used == 3
    assert list(study.trained_here) == ["evaluator"]
    result = compare(study, judges=["folded"], systems=["run-0", "run-4"])
    assert result.pairs.height == 1


def test_another_judge_of_that_name_is_not_overwritten(trained: Path, tmp_path: Path) -> None:
    outputs = [{"item": "1", "system": system, "text": f"good {system}"} for system in ("s", "t")]
    row = {"item": "1", "system_a": "s", "system_b": "t", "judge": "evaluator", "outcome": "a"}
    write_study(Study.from_tables(outputs=outputs, judge_preferences=[row, row | {"judge": "gpt"}]), tmp_path / "study")
    with pytest.raises(UsageError, match="take another --name, or --overwrite"):
        judge_into(read_study(tmp_path / "study"), trained, JudgingSettings())
    judge_into(read_study(tmp_path / "study"), trained, JudgingSettings(), overwrite=True)
    after = read_study(tmp_path / "study").judge_preferences
    assert after is not None
    assert sorted(after["judge"]) == ["evaluator", "gpt"]
    assert after.filter(pl.col("judge") == "evaluator")["signature"].null_count() == 0


def test_labels_that_said_when_to_stop_count_as_learned_from(trained: Path, tiny: str, learned: Study) -> None:
    """Those that are only measured do not."""
    trained_on = load_evaluator(trained).about["trained_on"]
    examples = Examples.of([learned], settings(tiny))
    parts = Parts.of(examples.corpus, settings(tiny), None)
    human = examples.rows["human"]
    looked, measured = (text_hashes(examples.corpus, [part]) for part in (parts.look(human), parts.measure(human)))
    assert looked
    assert set(looked) <= set(trained_on["texts_with_labels"])
    assert measured
    assert not set(measured) & set(trained_on["texts_with_labels"])


def test_guessing_is_told_from_learning(tiny: str, learned: Study, tmp_path: Path) -> None:
    """ln 3 of better, tie and worse alike; ln 2 where nothing ties."""
    even = Pairs.of([0, 2, 4], [1, 3, 5], [BETTER, BETTER, TIE], np.zeros(6, int))
    assert guessing_of_pairs(even) == pytest.approx(np.log(3))
    assert guessing_of_pairs(even.only(np.array([0, 1]))) == pytest.approx(np.log(2))
    generator = np.random.default_rng(3)
    assert learned.ratings is not None
    noise = learned.ratings.with_columns(value=pl.Series(generator.integers(1, 3, learned.ratings.height) * 1.0))
    asked = settings(tiny, strong=False, weak=False, rounds=1.0, rate=1e-6)
    (about,) = train_evaluator([replace(learned, ratings=noise)], tmp_path / "noise", asked)
    (end,) = about["stages"]
    assert f"The loss of the human stage ended at {end['loss']:.2f}, where the same answer" in about["notes"][0]
    (about,) = train_evaluator(
        [learned], tmp_path / "e", settings(tiny, strong=False, weak=False, patience=50, rounds=8.0)
    )
    assert not [note for note in about["notes"] if "The loss of" in note]


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
        f"- Learned from {int(parts.learned.sum()):,} of {len(examples.corpus.texts):,} texts, in ",
        f"checkpoints: {counts['weak']:,} pairs learned from, of {len(examples.rows['weak']):,}",
        f"{strong.lone_references:,} contexts have a single one, which makes no tie",
        f"left out are {weak.near:,} that are too near and {weak.converged:,} of two that had almost converged, and "
        f"{weak.identical:,} pairs of identical texts",
    ):
        assert said in card


def test_an_unknown_criterion_is_named(tiny: str, learned: Study, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no criterion 'qualty': did you mean quality"):
        train_evaluator([learned], tmp_path / "e", settings(tiny, criteria=["qualty"]))


def test_what_is_not_read_is_told(trained: Path, tiny: str, tmp_path: Path) -> None:
    """Overlong, empty and unknown: each a sentence, and no word where there is nothing to tell."""
    texts = {"a": "good " * 200, "b": "\u200b", "c": "ждать 漢字", "d": "good cat", "e": "", "f": "good ж"}
    outputs = [{"item": item, "system": system, "text": text} for item in "12" for system, text in texts.items()]
    items = [{"item": "1", "input": "what is " * 300}, {"item": "2", "input": "  "}]
    write_study(Study.from_tables(items=items, outputs=outputs), tmp_path / "study")
    found = judge_into(read_study(tmp_path / "study"), trained, JudgingSettings())
    assert found.notes == [
        "Of 1 text only the beginning is read: the evaluator reads at most 96 tokens of a text (--text-tokens of "
        "evaluator train).",
        "Of 1 context the middle is not read: the evaluator reads at most 384 tokens of a context (--context-tokens of "
        "evaluator train).",
        "2 distinct texts are empty to the encoder, such as ''.",
        "1 text is mostly of words or characters that the encoder does not know, such as 'ждать 漢字': it cannot tell "
        "such texts apart. Another --encoder of evaluator train may know their script.",
    ]
    quiet = judge_into(read_study(tmp_path / "study"), trained, JudgingSettings(name="n", systems=["d", "f"]))
    assert len(quiet.notes) == 1, "the context alone"
    scored = score_into(read_study(tmp_path / "study"), trained, SampleSettings(by="rating", games=10))
    assert list(scored.notes) == found.notes
    (about,) = train_evaluator([long_references()], tmp_path / "e", settings(tiny, rounds=0.1))
    assert any(note.startswith("Of 30 texts only the beginning is read") for note in about["notes"])


def long_references() -> Study:
    """30 references of 5,000 words, each beside one output."""
    items = [{"item": str(k), "reference": f"good cat {'the dog ' * 2500} {'sun ' * k}"} for k in range(30)]
    return Study.from_tables(items=items, outputs=[{"item": str(k), "system": "s", "text": "bad"} for k in range(30)])


def test_texts_of_which_nothing_can_be_read_are_refused(tiny: str) -> None:
    _, tokenizer = load_encoder(tiny)
    with pytest.raises(TiebreakError, match=r"reads nothing in .*: take another encoder"):
        tokenize(tokenizer, ["\u200b", ""], [], 64)
    assert tokenize(tokenizer, ["\u200b", "good"], [], 64).texts[0] == []
    assert tokenize(tokenizer, ["", " "], [], 64).texts == ([], [])


def test_what_a_command_says_of_its_use(trained: Path, learned: Study, tmp_path: Path) -> None:
    """The next command where there are labels, where there are none, and where it learned from them."""
    write_study(learned, tmp_path / "its own")
    write_study(replace(learned, ratings=None), tmp_path / "unlabelled")
    assert learned.items is not None
    others = replace(learned, items=learned.items.with_columns(input=pl.lit("what is ") + pl.col("item")))
    write_study(others, tmp_path / "other study")
    for name, said in (
        ("its own", "It was trained with labels of 33 items of this study, so that no result uses it here"),
        ("unlabelled", "Next: labels of people, without which nothing is decided"),
        ("other study", f"Next: tiebreak compare '{tmp_path / 'other study'}' --judge evaluator"),
    ):
        code, output = run_command(f"tiebreak evaluator judge '{tmp_path / name}' '{trained}'")
        assert code == 0, output
        assert said in " ".join(output.replace("\\\n", " ").split())


def test_the_extra_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "torch" else find(name))
    for command in ("train x --out y", "judge x y", "score x y", "follow x y", "choose x y", "probe y"):
        code, output = run_command(f"tiebreak evaluator {command}")
        assert code != 0
        assert "pip install 'tiebreak[evaluator]'" in " ".join(output.split()), command


def test_the_hashes_are_of_labels_only(trained: Path) -> None:
    about = json.loads((trained / "evaluator.json").read_text(encoding="utf-8"))
    trained_on = about["trained_on"]
    assert len(trained_on["texts_with_labels"]) > 100
    assert len(trained_on["labelled_pairs"]) > 200
