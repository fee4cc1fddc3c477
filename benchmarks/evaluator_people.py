"""An evaluator that learned from people, on texts that it has not seen: prints Markdown; `--write` saves it.

    python benchmarks/evaluator_people.py [--seeds 3] [--quick] [--cache FOLDER] [--data FOLDER] [--write]

Every training is kept in the cache folder, by its settings and seed: an interrupted run goes on. A training takes 6 to
20 minutes of one processor; `--quick` takes one seed and a quarter of the rounds, some minutes in all.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import numpy as np  # noqa: E402
import polars as pl  # noqa: E402
import torch  # noqa: E402
from numpy.typing import NDArray  # noqa: E402
from scipy.stats import spearmanr  # noqa: E402

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY))  # `benchmarks` is no installed package

from benchmarks.pages import REAL_STUDIES, machine, show, table  # noqa: E402

import tiebreak  # noqa: E402
from tiebreak.data.study import Study  # noqa: E402
from tiebreak.scoring.evaluator.examples.corpus import Corpus  # noqa: E402
from tiebreak.scoring.evaluator.examples.human import human_pairs  # noqa: E402
from tiebreak.scoring.evaluator.examples.pairs import Pairs  # noqa: E402
from tiebreak.scoring.evaluator.examples.splits import share_of  # noqa: E402
from tiebreak.scoring.evaluator.models.scorer import Scorer  # noqa: E402
from tiebreak.scoring.evaluator.training.kept import Evaluator, ScoresAlone, load_trained  # noqa: E402
from tiebreak.scoring.evaluator.training.run import train_evaluator  # noqa: E402
from tiebreak.scoring.evaluator.training.settings import Form, TrainSettings  # noqa: E402

Floats = NDArray[np.float64]

HELD_OUT = 0.2
SYSTEMS_HELD_OUT = 5
METRICS = ("bleu", "chrf", "rougeL", "meteor", "vecsim", "length")
JUDGES = ("gpt-4o", "gpt-4o-mini", "gemini_pro", "llama-31")

PAGE = """# What an evaluator learns from people

[Evaluators](evaluator.md) that learned from nothing but people's labels, asked about texts that they have not seen. A
fifth of the inputs is kept from each training, and of the summaries five systems as well; both are drawn by the seed.
Made by `python benchmarks/evaluator_people.py --seeds {seeds} --write` on {machine}. Figures are medians over {seeds}
seeds, with the least and the most, those of variants of one seed; trainings start from all-MiniLM-L6-v2.

- **Two-way**: of the pairs of which more people prefer one, the share where it stands higher here too. A coin: 50%.
- **Within an input**: Spearman's correlation with people's mean over the texts of one input, its mean over inputs.
- **Over all**: the same over all texts; evaluators learn from pairs about one input, and say nothing about inputs.
- **Time**: of one processor, for the training.

## News summaries (SummEval, three experts, four criteria)

80 articles with 11 systems to learn from; 20 articles with 16 systems to be measured.

{summaries}

Two [baselines](evaluator.md#baselines-that-compare-nothing) score each summary alone, with the encoder, the articles,
the rounds and the patience of the evaluator. The regressor learns mean ratings over criteria and experts, and reads the
first reference beside an article. The discriminator learns from no label: it tells the eleven references of an article,
which people wrote, from its summaries.

## Which sentence is more natural (two studies, ten people per pair)

*Correlation*: Spearman's of P(a) - P(b) with the difference of the votes' shares, pairs in both orders.

{sentences}

{words}
"""


@dataclass(frozen=True)
class Split:
    """`learn`: what an evaluator is trained on; `held`: the studies of the inputs that are kept; `new`: systems of
    which it has read nothing."""

    learn: tuple[Study, ...]
    held: tuple[Study, ...]
    new: tuple[str, ...]


def of_items(study: Study, items: set[str]) -> Study:
    """The rows of these items."""
    tables = {
        name: frame.filter(pl.col("item").is_in(list(items)))
        for name, frame in study.tables.items()
        if "item" in frame.columns
    }
    return replace(study, **tables, with_repeats={})


def split(studies: list[Study], seed: int, new_systems: int) -> Split:
    generator = np.random.default_rng(seed)
    new = tuple(generator.choice(sorted(studies[0].systems), new_systems, replace=False).tolist())
    learn, held = [], []
    for study in studies:
        assert study.items is not None
        names = study.items["item"].to_list()
        kept = {name for name in names if share_of(name, seed) < HELD_OUT}
        known = [name for name in study.systems if name not in new]
        learn.append(of_items(study, set(names) - kept).select(systems=known))
        held.append(of_items(study, kept))
    return Split(tuple(learn), tuple(held), new)


def two_way(values: Floats, pairs: Pairs) -> float:
    """Share of the decided pairs whose better text has the higher value; equal values count half."""
    decided = pairs.better != 0
    said = np.sign(values[pairs.a] - values[pairs.b])[decided]
    return float(np.mean((1 + said * pairs.better[decided]) / 2))


def within(values: Floats, human: Floats, context: NDArray[np.intp]) -> float:
    found = []
    for number in np.unique(context):
        own = (context == number) & ~np.isnan(human) & ~np.isnan(values)
        if own.sum() > 2 and np.ptp(human[own]) > 0 and np.ptp(values[own]) > 0:
            found.append(float(spearmanr(values[own], human[own])[0]))
    return float(np.mean(found))


def mean_ratings(study: Study, corpus: Corpus) -> Floats:
    assert study.ratings is not None
    rated = study.ratings.group_by("item", "system").agg(pl.col("value").mean())
    known = {(item, system): value for item, system, value in rated.iter_rows()}
    keys = [
        (corpus.items[context][1], corpus.writers[writer].name)
        for context, writer in zip(corpus.context, corpus.writer, strict=True)
    ]
    return np.array([known.get(key, np.nan) for key in keys])


def of_texts(values: Floats, human: Floats, corpus: Corpus, pairs: Pairs) -> dict[str, float]:
    there = ~np.isnan(human) & ~np.isnan(values)
    return {
        "two_way": two_way(np.nan_to_num(values), pairs),
        "within": within(values, human, corpus.context),
        "over_all": float(spearmanr(values[there], human[there])[0]),
    }


def trained(studies: tuple[Study, ...], settings: TrainSettings) -> tuple[Evaluator | ScoresAlone, float]:
    torch.set_num_threads(1)
    start = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        train_evaluator(studies, Path(folder) / "evaluator", settings, lambda *_: None)
        seconds = time.process_time() - start
        return load_trained(Path(folder) / "evaluator"), seconds


def scores_of(one: Evaluator | ScoresAlone, corpus: Corpus) -> Floats:
    tokens = one.read(corpus) if isinstance(one, ScoresAlone) else one.read(corpus.texts, corpus.contexts)
    assert isinstance(one.model, Scorer)
    return one.model.scores(tokens, corpus.context, np.arange(len(corpus.texts)), 16384)


def summaries(data: Path) -> Study:
    return tiebreak.read_study(data / "summeval").select(annotators=["expert_*"])


def run_summaries(data: Path, seed: int, settings: TrainSettings) -> dict[str, Any]:
    parts = split([summaries(data)], seed, SYSTEMS_HELD_OUT)
    evaluator, seconds = trained(parts.learn, settings)
    (held,) = parts.held
    corpus = Corpus.of(parts.held)
    human, pairs = mean_ratings(held, corpus), human_pairs(corpus, parts.held)
    values = scores_of(evaluator, corpus)
    new = np.array([writer.name in parts.new for writer in corpus.writers])[corpus.writer]
    with_new = pairs.only(new[pairs.a] | new[pairs.b])
    found: dict[str, Any] = {"all": of_texts(values, human, corpus, pairs), "seconds": seconds}
    found["new"] = {"two_way": two_way(values, with_new)}
    return found


def baselines_of_summaries(data: Path, seed: int, _: TrainSettings) -> dict[str, Any]:
    """Metrics beside the first reference, and judges' mean scores, on the same texts."""
    (held,) = split([summaries(data)], seed, SYSTEMS_HELD_OUT).held
    assert held.items is not None
    one = held.items.with_columns(reference=pl.col("references").list.first()).drop("references")
    first = replace(held, items=one)
    scored = tiebreak.score(replace(first, scores=None), list(METRICS)).scores
    assert held.scores is not None
    judged = held.scores.filter(pl.col("metric").is_in(JUDGES))
    corpus = Corpus.of([held])
    human, pairs = mean_ratings(held, corpus), human_pairs(corpus, [held])
    found = {}
    for frame in (scored, judged):
        for (name,), rows in frame.group_by("metric"):
            of = {(item, system): value for item, system, value in rows.group_by("item", "system").agg(
                pl.col("value").mean()).iter_rows()}  # fmt: skip
            values = np.array([
                of.get((corpus.items[context][1], corpus.writers[writer].name), np.nan)
                for context, writer in zip(corpus.context, corpus.writer, strict=True)
            ])  # fmt: skip
            found[str(name)] = of_texts(values, human, corpus, pairs)
    return found


def sentences(data: Path) -> list[Study]:
    return [tiebreak.read_study(data / name) for name in ("naturalness-v1", "naturalness-v2")]


def run_sentences(data: Path, seed: int, settings: TrainSettings) -> dict[str, Any]:
    parts = split(sentences(data), seed, 0)
    evaluator, seconds = trained(parts.learn, settings)
    return {**of_votes(lambda corpus: scores_of(evaluator, corpus), parts), "seconds": seconds}


def of_votes(values_of: Callable[[Corpus], Floats], parts: Split) -> dict[str, float]:
    corpus = Corpus.of(parts.held)
    pairs, values = human_pairs(corpus, parts.held), values_of(corpus)
    difference, votes = values[pairs.a] - values[pairs.b], pairs.shares[:, 0] - pairs.shares[:, 2]
    both = spearmanr(np.concatenate([difference, -difference]), np.concatenate([votes, -votes]))[0]
    return {"two_way": two_way(values, pairs), "correlation": float(both)}


def baselines_of_sentences(data: Path, seed: int, _: TrainSettings) -> dict[str, Any]:
    parts = split(sentences(data), seed, 0)
    return {"length": of_votes(lambda corpus: np.array([float(len(text)) for text in corpus.texts]), parts)}


VARIANTS = ("from scratch", "without ties")
Run = Callable[[Path, int, TrainSettings], dict[str, Any]]
SUMMARIES = TrainSettings(strong=False, weak=False, held_out=0.1, rounds=5, contexts_at_once=1, patience=6)
SENTENCES = TrainSettings(strong=False, weak=False, held_out=0.1, rounds=8, contexts_at_once=16, patience=6,
                          text_tokens=48, context_tokens=16)  # fmt: skip


def alone(form: Form) -> TrainSettings:
    """A baseline with as many updates as the evaluator, from all labels of its kind."""
    return replace(SUMMARIES, form=form, strong=True, weak=True)


RUNS: Mapping[str, tuple[Run, TrainSettings]] = {
    "summaries": (run_summaries, SUMMARIES),
    "summaries, metrics": (baselines_of_summaries, SUMMARIES),
    "sentences": (run_sentences, SENTENCES),
    "sentences, metrics": (baselines_of_sentences, SENTENCES),
    "discriminator": (run_summaries, alone("discriminator")),
    "regressor": (run_summaries, alone("regressor")),
    "summaries from scratch": (run_summaries, replace(SUMMARIES, pretrained=False)),
    "summaries without ties": (run_summaries, replace(SUMMARIES, ties=False)),
    "sentences from scratch": (run_sentences, replace(SENTENCES, pretrained=False)),
    "sentences without ties": (run_sentences, replace(SENTENCES, ties=False)),
}


def kept(options: argparse.Namespace, name: str, seed: int) -> dict[str, Any]:
    """The result of one run, made where it is not in the cache."""
    run, settings = RUNS[name]
    settings = replace(settings, seed=seed, rounds=settings.rounds / (4 if options.quick else 1))
    key = json.dumps([name, seed, asdict(settings)], default=str)
    file = options.cache / f"evaluator-people-{hashlib.sha256(key.encode()).hexdigest()[:20]}.json"
    if not file.is_file():
        found = run(options.data, seed, settings)
        options.cache.mkdir(parents=True, exist_ok=True)
        part = file.with_suffix(".part")
        part.write_text(json.dumps(found), encoding="utf-8")
        part.replace(file)
        print(name, seed, found, file=sys.stderr, flush=True)
    return json.loads(file.read_text(encoding="utf-8"))


def seeds_of(name: str, seeds: int) -> range:
    """Variants are trained once."""
    return range(1 if name.endswith(VARIANTS) else seeds)


def cell(values: list[float], form: str = "{:.0f}%", times: float = 100.0) -> str:
    middle, least, most = (form.format(times * value) for value in (np.median(values), min(values), max(values)))
    return f"{middle} ({least} to {most})" if len(values) > 1 else middle


def rows_of(found: list[dict[str, Any]], names: tuple[tuple[str, str], ...]) -> list[str]:
    return [
        cell([one[name] for one in found]) if kind == "share" else cell([one[name] for one in found], "{:.2f}", 1.0)
        for name, kind in names
    ]


def page(options: argparse.Namespace) -> str:
    results = {name: [kept(options, name, seed) for seed in seeds_of(name, options.seeds)] for name in RUNS}
    columns = (("two_way", "share"), ("within", "number"), ("over_all", "number"))
    rows = []
    for name, label in (("summaries", "evaluator"), ("summaries from scratch", "evaluator from random weights"),
                        ("summaries without ties", "evaluator without ties"), ("regressor", "regressor"),
                        ("discriminator", "discriminator")):  # fmt: skip
        of = results[name]
        new = cell([one["new"]["two_way"] for one in of])
        minutes = cell([one["seconds"] / 60 for one in of], "{:.0f} min", 1.0)
        rows.append([label, *rows_of([one["all"] for one in of], columns), new, minutes])
    metrics = results["summaries, metrics"]
    rows += [
        [f"`{name}`", *rows_of([one[name] for one in metrics], columns), "", ""]
        for name in (*METRICS, *JUDGES)
        if all(name in one for one in metrics)
    ]
    header = ("by", "two-way", "within an input", "over all", "two-way, pairs with a new system", "time")
    told = (("two_way", "share"), ("correlation", "number"))
    short = []
    for name, label in (("sentences", "evaluator"), ("sentences from scratch", "evaluator from random weights"),
                        ("sentences without ties", "evaluator without ties")):  # fmt: skip
        minutes = cell([one["seconds"] / 60 for one in results[name]], "{:.0f} min", 1.0)
        short.append([label, *rows_of(results[name], told), minutes])
    short.append(["the longer one", *rows_of([one["length"] for one in results["sentences, metrics"]], told), ""])
    return PAGE.format(
        seeds=options.seeds,
        machine=machine(),
        summaries=table(header, rows),
        sentences=table(("by", "two-way", "correlation", "time"), short),
        words=textwrap.fill(
            "Metrics are held against the first reference. Judges are large language models whose scores on four "
            "criteria came with the data, here their mean; they have read neither people's labels nor other summaries.",
            120,
        ),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=3, help="trainings of each kind")
    parser.add_argument("--quick", action="store_true", help="a quarter of the rounds")
    parser.add_argument("--cache", type=Path, default=REPOSITORY / ".certification", help="where results are kept")
    parser.add_argument("--data", type=Path, default=REAL_STUDIES, help="the real studies")
    parser.add_argument("--write", action="store_true", help="save docs/evaluator_people.md")
    options = parser.parse_args()
    if not options.data.is_dir():
        print(f"skipped: the real studies are not at {options.data}")
        return
    show(page(options), "evaluator_people.md", options.write)


if __name__ == "__main__":
    main()
