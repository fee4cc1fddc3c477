"""In which order an evaluator puts the checkpoints of a network that it has never seen."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl
from benchmarks.papers.testbed.networks import NETWORKS
from benchmarks.papers.testbed.runs import Bench, run_of
from benchmarks.papers.testbed.studies import PEOPLE
from scipy.stats import spearmanr

import tiebreak
from tiebreak.files import write_bytes
from tiebreak.scoring.evaluator.judging import judge_study
from tiebreak.scoring.evaluator.settings import EvaluatorJudgingSettings
from tiebreak.scoring.evaluator.training.kept import load_evaluator
from tiebreak.scoring.evaluator.training.run import train_evaluator
from tiebreak.scoring.evaluator.training.stages import Stage

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
    began = time.process_time()

    def report(_fold: int, stage: Stage, step: int, loss: float) -> None:
        if step % 20 == 0:
            bench.say(f"without {held_out}, seed {seed}, {stage.source}: {step:,} of {stage.steps:,}, loss {loss:.2f}")

    train_evaluator(seen, folder, bench.design.evaluator(seed), report)
    trained = time.process_time()
    new = run_of(bench, held_out, seed)
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
