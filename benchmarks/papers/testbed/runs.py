"""What each network of the experiment wrote, made once and kept in a folder."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.papers.testbed.debian import pairs_of
from benchmarks.papers.testbed.design import Design
from benchmarks.papers.testbed.networks import NETWORKS
from benchmarks.papers.testbed.pairs import Split, split
from benchmarks.papers.testbed.studies import study_of
from benchmarks.papers.testbed.training import checkpoints
from benchmarks.papers.testbed.vocabulary import Vocabulary

import tiebreak

Say = Callable[[str], None]


@dataclass(frozen=True)
class Bench:
    """The design, where its files are kept, and where those of the task are."""

    design: Design
    cache: Path
    data: Path | None
    say: Say

    @cache  # noqa: B019  (a bench lives as long as the program)
    def split(self, seed: int) -> tuple[Split, Vocabulary]:
        """Pairs, and the vocabulary of those that are learned from."""
        pairs = pairs_of(self.data, self.cache)
        parts = split(pairs, seed, dev=self.design.dev, written=self.design.learned + self.design.judged)
        return parts, Vocabulary.of(parts.train, self.design.vocabulary)


@dataclass(frozen=True, slots=True)
class Run:
    """`learned`, `judged`: studies of different items by one network; the second has references as a system."""

    learned: tiebreak.Study
    judged: tiebreak.Study
    about: Mapping[str, Any]


def run_of(bench: Bench, network: str, seed: int) -> Run:
    """Trained, unless it was before."""
    folder = bench.cache / "runs" / bench.design.key_of_run(network, seed)
    if not folder.is_dir():
        fresh = folder.with_suffix(".new")
        shutil.rmtree(fresh, ignore_errors=True)
        about = _write(bench, network, seed, fresh)
        (fresh / "about.json").write_text(json.dumps(about), encoding="utf-8")
        fresh.rename(folder)  # whole or not at all
    about = json.loads((folder / "about.json").read_text(encoding="utf-8"))
    return Run(tiebreak.read_study(folder / "learned"), tiebreak.read_study(folder / "judged"), about)


def _write(bench: Bench, network: str, seed: int, folder: Path) -> dict[str, Any]:
    design, (parts, vocabulary) = bench.design, bench.split(seed)
    training = design.training(network, seed)
    began = time.process_time()

    def report(step: int, loss: float) -> None:
        if step % 100 == 0:
            bench.say(f"{network}, seed {seed}: step {step:,} of {training.steps:,}, loss {loss:.2f}")

    taken = list(checkpoints(training, parts, vocabulary, report))
    cpu = time.process_time() - began
    everything = len(parts.written)
    learned = study_of(training, parts.written, taken, range(design.learned), per_item=design.per_item)
    judged = study_of(training, parts.written, taken, range(design.learned, everything), people=True)
    tiebreak.write_study(learned, folder / "learned")
    tiebreak.write_study(judged, folder / "judged")
    weights = sum(of.numel() for of in NETWORKS[network](vocabulary.size, training.width, 0.0).parameters())
    return {"network": network, "seed": seed, "cpu": cpu, "weights": weights, "learned_from": len(parts.train),
            "dev_loss": [of.dev_loss for of in taken], "steps": [of.step for of in taken]}  # fmt: skip
