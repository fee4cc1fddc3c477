"""What each network of the experiment wrote, made once and kept in a folder.

In which order an evaluator puts the checkpoints of a network that it has never seen.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl
from benchmarks.papers import in_bf16
from benchmarks.papers.testbed.design import Design
from benchmarks.papers.testbed.networks import NETWORKS
from benchmarks.papers.testbed.studies import PEOPLE, study_of
from benchmarks.papers.testbed.texts import Split, Vocabulary, pairs_of, split
from benchmarks.papers.testbed.training import checkpoints
from scipy.stats import spearmanr

import tiebreak
from tiebreak.files import write_bytes
from tiebreak.scoring.evaluator.judging import judge_study
from tiebreak.scoring.evaluator.settings import EvaluatorJudgingSettings
from tiebreak.scoring.evaluator.training.kept import load_evaluator
from tiebreak.scoring.evaluator.training.run import train_evaluator
from tiebreak.scoring.evaluator.training.stages import Stage

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


METRICS = {"bleu-234": "BLEU", "rougeL": "ROUGE-L", "length": "length"}


@dataclass(frozen=True, slots=True)
class Order:
    """Of the checkpoints (k,) of a network in the order of their steps: what each measure makes of them, higher for
    better. `people_first`: references have the highest rating of all; `two_way`: the share of pairs of texts of which
    the evaluator prefers that of the later checkpoint; CPU time in seconds.
    """

    held_out: str
    seed: int
    steps: tuple[int, ...]
    measures: Mapping[str, tuple[float, ...]]
    people_first: bool
    two_way: float
    cpu_training: float
    cpu_judging: float

    def correlation(self, measure: str) -> float:
        """Spearman's, of the measure with the step."""
        return spearman(self.measures[measure], self.steps)


def order_of(bench: Bench, held_out: str, seed: int) -> Order:
    """Trained on what the other networks wrote, and asked about this one's; kept, and not done again."""
    place = bench.cache / "orders" / f"{bench.design.key_of_order(held_out, seed)}.json"
    if not place.is_file():
        found = _found(bench, held_out, seed)
        place.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(place, json.dumps(found).encode())
    known = json.loads(place.read_text(encoding="utf-8"))
    measures = {name: tuple(values) for name, values in known.pop("measures").items()}
    return Order(measures=measures, steps=tuple(known.pop("steps")), **known)


def _found(bench: Bench, held_out: str, seed: int) -> dict[str, Any]:
    folder = bench.cache / "evaluators" / bench.design.key_of_order(held_out, seed)
    seen = [run_of(bench, network, seed).learned for network in NETWORKS if network != held_out]
    new = run_of(bench, held_out, seed)
    began = time.process_time()

    def report(_fold: int, stage: Stage, step: int, loss: float) -> None:
        if step % 20 == 0:
            bench.say(f"without {held_out}, seed {seed}, {stage.source}: {step:,} of {stage.steps:,}, loss {loss:.2f}")

    with in_bf16():
        train_evaluator(seen, folder, bench.design.evaluator(seed), report)
        trained = time.process_time()
        judged = judge_study([load_evaluator(folder)], new.judged, EvaluatorJudgingSettings()).preferences
    done = time.process_time()
    ratings = rated(new.judged, judged)
    names = _in_order(new.judged)
    about = [new.judged.settings.systems[name] for name in names]
    return {
        "held_out": held_out,
        "seed": seed,
        "steps": [one.step for one in about],
        "measures": {
            "evaluator": [ratings[name] for name in names],
            "dev loss": [-(one.dev_loss or 0.0) for one in about],
            **_by_metrics(new.judged, names),
        },
        "people_first": max(ratings, key=lambda name: ratings[name]) == PEOPLE,
        "two_way": _two_way(judged),
        "cpu_training": trained - began,
        "cpu_judging": done - trained,
    }


def rated(study: tiebreak.Study, judged: pl.DataFrame) -> dict[str, float]:
    """The rating of each system, as `tiebreak rank` makes it of these answers."""
    whole = tiebreak.Study.from_tables(
        items=study.items, outputs=study.outputs, judge_preferences=judged, settings=study.settings
    )
    (board,) = tiebreak.rank(whole, sources=["judge:evaluator"]).results
    return {one.system: one.strength.rating for one in board.davidson.systems}


def spearman(values: Sequence[float], others: Sequence[float]) -> float:
    """Spearman's correlation; 0 where all values are the same."""
    return 0.0 if len({*values}) == 1 or len({*others}) == 1 else float(spearmanr(values, others).statistic)


def _in_order(study: tiebreak.Study) -> list[str]:
    systems = study.settings.systems
    return sorted((name for name in systems if name != PEOPLE), key=lambda name: systems[name].step or 0)


def _by_metrics(study: tiebreak.Study, names: Sequence[str]) -> dict[str, list[float]]:
    scores = tiebreak.score(study, metrics=list(METRICS), workers=1).study.scores
    assert scores is not None
    means = {(metric, system): value for metric, system, value in
             scores.group_by("metric", "system").agg(pl.col("value").mean()).iter_rows()}  # fmt: skip
    return {words: [means[metric, name] for name in names] for metric, words in METRICS.items()}


def _two_way(judged: pl.DataFrame) -> float:
    """Pairs come in the order of names, and of two checkpoints the later one has the later name."""
    between = judged.filter((pl.col("system_a") != PEOPLE) & (pl.col("system_b") != PEOPLE))
    return float((between["p_b"] > between["p_a"]).mean())  # type: ignore[arg-type]
