"""What is trained, and what metrics say beside it; each result is kept, by its settings and seed."""

from __future__ import annotations

import hashlib
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import torch
from benchmarks.papers import in_bf16
from benchmarks.papers.people.measures import Floats, Scores, keys_of, of_votes, split_of_sentences, split_of_summaries
from joblib import Parallel, delayed

import tiebreak
from tiebreak.data.study import Study
from tiebreak.scoring.evaluator.examples.corpus import Corpus
from tiebreak.scoring.evaluator.scores import score_into
from tiebreak.scoring.evaluator.settings import Form, SampleSettings, TrainSettings
from tiebreak.scoring.evaluator.training.kept import Trained, load_trained
from tiebreak.scoring.evaluator.training.run import train_evaluator

REFERENCE_SYSTEMS = 4
METRICS = ("bleu", "chrf", "rougeL", "meteor", "vecsim", "length")
JUDGES = ("gpt-4o", "gpt-4o-mini", "gemini_pro", "llama-31")

KEPT = 4
"""Counts what is kept of a run: another number makes all runs again."""

# Nothing more is held out: what they are measured on is kept from the studies that they learn from.
SUMMARIES = TrainSettings(strong=False, weak=False, across=True, held_out=0.0, rounds=5, contexts_at_once=2)
SENTENCES = TrainSettings(strong=False, weak=False, held_out=0.0, rounds=8, contexts_at_once=16, text_tokens=48,
                          context_tokens=0)  # fmt: skip
WITHIN = replace(SUMMARIES, across=False)

Result = dict[str, Any]
Run = Callable[[Path, int, TrainSettings], Result]


@dataclass(frozen=True, slots=True)
class Training:
    """`label`: what a table calls it. `is_variant`: made with fewer seeds."""

    label: str
    run: Run
    settings: TrainSettings
    is_variant: bool = True


def trained(studies: tuple[Study, ...], settings: TrainSettings, then: Callable[[Path], Result]) -> Result:
    """What `then` makes of the folder of the evaluator, with the seconds of the training."""
    torch.set_num_threads(1)
    start = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "evaluator"
        train_evaluator(studies, place, settings, lambda *_: None)
        seconds = time.process_time() - start
        return {**then(place), "seconds": seconds}


def scores_of(one: Trained, corpus: Corpus) -> Floats:
    """Of each text."""
    tokens = one.read(corpus.texts, corpus.contexts, corpus.reference)
    return one.model.scores(tokens, corpus.context, np.arange(len(corpus.texts)))


def rows_of_scores(frame: pl.DataFrame) -> Scores:
    """The mean of each output."""
    return frame.group_by("item", "system").agg(pl.col("value").mean()).sort("item", "system").rows()


def run_summaries(data: Path, seed: int, settings: TrainSettings) -> Result:
    """Scores of the held texts, as the evaluator gives them and in both ways of the paper."""
    parts = split_of_summaries(data, seed)
    (held,) = parts.held
    known = [name for name in held.systems if name not in parts.new]
    reference = np.random.default_rng([seed, 1]).choice(known, REFERENCE_SYSTEMS, replace=False).tolist()

    def score(place: Path) -> Result:
        corpus = Corpus.of(parts.held)
        found = load_trained(place)
        values = scores_of(found, corpus)
        alone = [(*key, float(value)) for key, value in zip(keys_of(corpus), values, strict=True)]
        if not found.compares:
            return {"scores": {"alone": alone}}
        tiebreak.write_study(replace(held, scores=None), place.parent / "held")
        study = tiebreak.read_study(place.parent / "held")
        asked = SampleSettings(references_from=reference, seed=seed)
        scored = score_into(study, place, asked)
        as_many = score_into(study, place, replace(asked, name="as-many", by="rating", equal_comparisons=True))
        ways = {
            name: rows_of_scores(rows)
            for (name,), rows in pl.concat([scored.scores, as_many.scores]).group_by("metric")
        }
        return {
            "scores": {"alone": alone, **ways},
            "ratings": {one.system: one.rating for one in scored.systems},
        }

    with in_bf16():
        return trained(parts.learn, settings, score)


def run_sentences(data: Path, seed: int, settings: TrainSettings) -> Result:
    """How the evaluator's scores go with the votes on held pairs."""
    parts = split_of_sentences(data, seed)
    return trained(
        parts.learn, settings, lambda place: of_votes(lambda corpus: scores_of(load_trained(place), corpus), parts)
    )


def metrics_of_summaries(metrics: Sequence[str]) -> Run:
    """Metrics beside the first reference, on the same texts."""

    def run(data: Path, seed: int, _: TrainSettings) -> Result:
        torch.set_num_threads(1)
        (held,) = split_of_summaries(data, seed).held
        assert held.items is not None
        one = held.items.with_columns(reference=pl.col("references").list.first()).drop("references")
        scored = tiebreak.score(replace(held, items=one, scores=None), list(metrics)).scores
        return {"scores": {name: rows_of_scores(rows) for (name,), rows in scored.group_by("metric")}}

    return run


def judges_of_summaries(data: Path, seed: int, _: TrainSettings) -> Result:
    """Mean scores by language models that came with the data, on the same texts."""
    (held,) = split_of_summaries(data, seed).held
    assert held.scores is not None
    judged = held.scores.filter(pl.col("metric").is_in(JUDGES)).group_by("metric")
    return {"scores": {name: rows_of_scores(rows) for (name,), rows in judged}}


def alone(form: Form) -> TrainSettings:
    """A baseline with as many updates as the evaluator, from all labels of its kind."""
    return replace(WITHIN, form=form, strong=True, weak=True)


OF_SUMMARIES: Mapping[str, Training] = {
    "summaries": Training("evaluator", run_summaries, SUMMARIES, is_variant=False),
    "without ties": Training("without ties", run_summaries, replace(SUMMARIES, ties=False)),
    "from scratch": Training("from random weights", run_summaries, replace(SUMMARIES, weights="random")),
    "frozen": Training("frozen encoder", run_summaries, replace(SUMMARIES, weights="frozen")),
    "regressor": Training("regressor", run_summaries, alone("regressor")),
    "discriminator": Training("discriminator", run_summaries, alone("discriminator")),
    "references alone": Training(
        "references alone, no labels", run_summaries, replace(WITHIN, strong=True, human=False)
    ),
    "after references": Training("references first, then labels", run_summaries, replace(SUMMARIES, strong=True)),
}
OTHERS: Mapping[str, Training] = {
    "sentences": Training("evaluator", run_sentences, SENTENCES, is_variant=False),
    "metrics": Training("metrics", metrics_of_summaries(METRICS), SUMMARIES, is_variant=False),
    "judges": Training("judges", judges_of_summaries, SUMMARIES, is_variant=False),
}
EVERY: Mapping[str, Training] = OTHERS | OF_SUMMARIES
"""In the order in which they are made, but variants last."""


@dataclass(frozen=True, slots=True)
class Scale:
    """How much is trained. `rounds`: a share of each training's."""

    seeds: int
    variant_seeds: int
    rounds: float = 1.0


def results_of(data: Path, cache: Path, scale: Scale, jobs: int) -> dict[str, list[Result]]:
    """By training, of its seeds. What is not in the cache yet is made."""
    asked = [
        (name, seed)
        for name, one in EVERY.items()
        for seed in range(scale.variant_seeds if one.is_variant else scale.seeds)
    ]
    asked.sort(key=lambda of: EVERY[of[0]].is_variant)
    made = Parallel(n_jobs=jobs)(delayed(_kept)(data, cache, scale.rounds, name, seed) for name, seed in asked)
    results: dict[str, list[Result]] = {name: [] for name in EVERY}
    for (name, _), result in zip(asked, made, strict=True):
        results[name].append(result)
    return results


def _place(cache: Path, rounds: float, name: str, seed: int) -> tuple[Path, TrainSettings]:
    """Where a result is kept, and the settings of the run."""
    one = EVERY[name]
    settings = replace(one.settings, seed=seed, rounds=one.settings.rounds * rounds)
    usual = asdict(TrainSettings())
    chosen = {field: value for field, value in asdict(settings).items() if value != usual[field]}
    key = hashlib.sha256(json.dumps([name, seed, chosen, KEPT], default=str).encode()).hexdigest()[:20]
    return cache / f"evaluator-people-{key}.json", settings


def _kept(data: Path, cache: Path, rounds: float, name: str, seed: int) -> Result:
    """The result of one run, made where it is not in the cache."""
    file, settings = _place(cache, rounds, name, seed)
    if not file.is_file():
        found = EVERY[name].run(data, seed, settings)
        cache.mkdir(parents=True, exist_ok=True)
        part = file.with_suffix(f".{os.getpid()}.part")
        part.write_text(json.dumps(found), encoding="utf-8")
        part.replace(file)
        print(f"{name}, seed {seed}: done", file=sys.stderr, flush=True)
    result: Result = json.loads(file.read_text(encoding="utf-8"))
    return result
