"""An evaluator that learned from people, on texts that it has not seen: prints Markdown; `--write` saves it.

    python benchmarks/evaluator_people.py [--seeds 3] [--quick] [--cache FOLDER] [--data FOLDER] [--kept] [--write]

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
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import numpy as np  # noqa: E402
import polars as pl  # noqa: E402
import torch  # noqa: E402
from numpy.typing import NDArray  # noqa: E402
from scipy.stats import pearsonr, spearmanr  # noqa: E402

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
from tiebreak.scoring.evaluator.scores.score import score_into  # noqa: E402
from tiebreak.scoring.evaluator.scores.settings import SampleSettings  # noqa: E402
from tiebreak.scoring.evaluator.training.kept import Evaluator, ScoresAlone, load_trained  # noqa: E402
from tiebreak.scoring.evaluator.training.run import train_evaluator  # noqa: E402
from tiebreak.scoring.evaluator.training.settings import Form, TrainSettings  # noqa: E402

Floats = NDArray[np.float64]

HELD_OUT = 0.2
SYSTEMS_HELD_OUT = 5
REFERENCE_SYSTEMS = 4
METRICS = ("bleu", "chrf", "rougeL", "meteor", "vecsim", "length")
JUDGES = ("gpt-4o", "gpt-4o-mini", "gemini_pro", "llama-31")

PAGE = """# What an evaluator learns from people

[Evaluators](evaluator.md) that learned from nothing but people's labels, asked about texts that they have not seen. A
fifth of the inputs is kept from each training, and of the summaries {systems_held_out} systems as well; the seed draws
both. Trainings start from all-MiniLM-L6-v2. Figures are medians over {seeds} seeds, with the least and the most;
those of variants come from one seed. Made by `python benchmarks/evaluator_people.py --seeds {seeds} --write` on
{machine}.

- **Two-way**: of the pairs of which more people prefer one, the share where it stands higher here too. A coin: 50%.
- **Within an input**: Spearman's correlation with people's mean over the texts of one input, its mean over inputs.
- **Over all**: Spearman's and Pearson's over all texts; evaluators learn from pairs about one input, and say nothing
  about inputs.
- **Time**: of one processor, for the training.

## News summaries (SummEval, three experts, four criteria)

About 80 articles with 11 systems to learn from; the other 20 articles with 16 systems to be measured.

{summaries}

{summary_words}

Two [baselines](evaluator.md#baselines-that-compare-nothing) score each summary alone, with the encoder, the articles,
the rounds and the patience of the evaluator. The regressor learns mean ratings over criteria and experts, and reads the
first reference beside an article. The discriminator learns from no label: it tells the eleven references of an article,
which people wrote, from its summaries.

### Ways to score, and systems

Outputs scored by [`tiebreak evaluator score`](evaluator.md#scoring): 50 common references, which are outputs of
{reference_systems} systems that are not scored, and {games:,} games between outputs. *Texts*: over all outputs of the
other systems. *Systems*: means over the articles, with people's means; the last way rates the systems themselves, by
games. *Largest p*: of Spearman's over systems, over the seeds.

{ways}

The published figures are of other data. *Learning to Compare* has Spearman's/Pearson's
{paper_texts} for texts by rating,
and {paper_systems} for systems.

## Which sentence is more natural (two studies, ten people per pair)

*Correlation*: Spearman's of P(a) - P(b) with the difference of the votes' shares, pairs in both orders.

{sentences}

{words}
{left_out}
"""

PAPER_TEXTS = "0.392/0.387 in stories and 0.473/0.469 in dialogues"
PAPER_SYSTEMS = "0.612/0.631 and 0.764/0.783"


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


Key = tuple[str, str]
"""An item and a system."""


def keys_of(corpus: Corpus) -> list[Key]:
    """Of each text."""
    return [
        (corpus.items[context][1], corpus.writers[writer].name)
        for context, writer in zip(corpus.context, corpus.writer, strict=True)
    ]


def mean_ratings(study: Study) -> dict[Key, float]:
    assert study.ratings is not None
    rated = study.ratings.group_by("item", "system").agg(pl.col("value").mean())
    return {(item, system): value for item, system, value in rated.iter_rows()}


def trained(
    studies: tuple[Study, ...], settings: TrainSettings, then: Callable[[Path], dict[str, Any]]
) -> dict[str, Any]:
    """What `then` makes of the folder of the evaluator, with the seconds of the training."""
    torch.set_num_threads(1)
    start = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "evaluator"
        train_evaluator(studies, place, settings, lambda *_: None)
        seconds = time.process_time() - start
        return {**then(place), "seconds": seconds}


def scores_of(one: Evaluator | ScoresAlone, corpus: Corpus) -> Floats:
    tokens = one.read(corpus) if isinstance(one, ScoresAlone) else one.read(corpus.texts, corpus.contexts)
    assert isinstance(one.model, Scorer)
    return one.model.scores(tokens, corpus.context, np.arange(len(corpus.texts)), 16384)


def summaries(data: Path) -> Study:
    return tiebreak.read_study(data / "summeval").select(annotators=["expert_*"])


def rows_of_scores(frame: pl.DataFrame) -> list[tuple[str, str, float]]:
    return frame.group_by("item", "system").agg(pl.col("value").mean()).sort("item", "system").rows()


def run_summaries(data: Path, seed: int, settings: TrainSettings) -> dict[str, Any]:
    """Scores of the held texts (item, system, value), as the evaluator gives them and in both ways of the paper."""
    parts = split([summaries(data)], seed, SYSTEMS_HELD_OUT)
    (held,) = parts.held
    known = [name for name in held.systems if name not in parts.new]
    reference = np.random.default_rng([seed, 1]).choice(known, REFERENCE_SYSTEMS, replace=False).tolist()

    def score(place: Path) -> dict[str, Any]:
        corpus = Corpus.of(parts.held)
        found = load_trained(place)
        values = scores_of(found, corpus)
        alone = [(*key, float(value)) for key, value in zip(keys_of(corpus), values, strict=True)]
        if isinstance(found, ScoresAlone):
            return {"scores": {"alone": alone}}
        tiebreak.write_study(replace(held, scores=None), place.parent / "held")
        asked = SampleSettings(references_from=reference, seed=seed)
        scored = score_into(tiebreak.read_study(place.parent / "held"), place, asked)
        ways = {name: rows_of_scores(rows) for (name,), rows in scored.scores.group_by("metric")}
        return {"scores": {"alone": alone, **ways}, "ratings": {one.system: one.rating for one in scored.systems}}

    return trained(parts.learn, settings, score)


def baselines_of_summaries(data: Path, seed: int, _: TrainSettings) -> dict[str, Any]:
    """Metrics beside the first reference, and judges' mean scores, on the same texts."""
    (held,) = split([summaries(data)], seed, SYSTEMS_HELD_OUT).held
    assert held.items is not None
    one = held.items.with_columns(reference=pl.col("references").list.first()).drop("references")
    first = replace(held, items=one)
    scored = tiebreak.score(replace(first, scores=None), list(METRICS)).scores
    assert held.scores is not None
    judged = held.scores.filter(pl.col("metric").is_in(JUDGES))
    frames = [rows for frame in (scored, judged) for rows in frame.partition_by("metric")]
    return {"scores": {str(rows["metric"][0]): rows_of_scores(rows) for rows in frames}}


@dataclass(frozen=True, slots=True, eq=False)
class HeldOut:
    """What is measured of one seed: people's means, and pairs of which they say something."""

    corpus: Corpus
    pairs: Pairs
    human: Mapping[Key, float]
    new: tuple[str, ...]

    @classmethod
    @cache
    def of(cls, data: Path, seed: int) -> HeldOut:
        parts = split([summaries(data)], seed, SYSTEMS_HELD_OUT)
        corpus = Corpus.of(parts.held)
        return cls(corpus, human_pairs(corpus, parts.held), mean_ratings(parts.held[0]), parts.new)

    def texts(self, scores: list[tuple[str, str, float]]) -> dict[str, float]:
        """What scores of all texts are worth."""
        known = {(item, system): value for item, system, value in scores}
        values = np.array([known.get(key, np.nan) for key in keys_of(self.corpus)])
        human = np.array([self.human.get(key, np.nan) for key in keys_of(self.corpus)])
        there = ~np.isnan(human) & ~np.isnan(values)
        is_new = np.array([name in self.new for _, name in keys_of(self.corpus)])
        both = self.pairs.only(there[self.pairs.a] & there[self.pairs.b])
        found = {
            "within": within(values, human, self.corpus.context),
            "over_all": float(spearmanr(values[there], human[there])[0]),
            "pearson": float(pearsonr(values[there], human[there])[0]),
            "p": float(spearmanr(values[there], human[there])[1]),
        }
        if len(both):
            found["two_way"] = two_way(values, both)
            found["new"] = two_way(values, both.only(is_new[both.a] | is_new[both.b]))
        return found

    def systems(self, values: Mapping[str, float]) -> dict[str, float]:
        """What a number of each system is worth."""
        names = sorted(values)
        means = [np.mean([value for (_, system), value in self.human.items() if system == name]) for name in names]
        mine = [values[name] for name in names]
        rho, p = spearmanr(mine, means)
        return {"spearman": float(rho), "pearson": float(pearsonr(mine, means)[0]), "p": float(p)}


def means_of(scores: list[tuple[str, str, float]], systems: Collection[str]) -> dict[str, float]:
    """Of each of these systems."""
    return {name: float(np.mean([value for _, system, value in scores if system == name])) for name in systems}


def sentences(data: Path) -> list[Study]:
    return [tiebreak.read_study(data / name) for name in ("naturalness-v1", "naturalness-v2")]


def run_sentences(data: Path, seed: int, settings: TrainSettings) -> dict[str, Any]:
    parts = split(sentences(data), seed, 0)
    return trained(
        parts.learn, settings,
        lambda place: dict(of_votes(lambda corpus: scores_of(load_trained(place), corpus), parts)),
    )  # fmt: skip


def of_votes(values_of: Callable[[Corpus], Floats], parts: Split) -> dict[str, float]:
    corpus = Corpus.of(parts.held)
    pairs, values = human_pairs(corpus, parts.held), values_of(corpus)
    difference, votes = values[pairs.a] - values[pairs.b], pairs.shares[:, 0] - pairs.shares[:, 2]
    both = spearmanr(np.concatenate([difference, -difference]), np.concatenate([votes, -votes]))[0]
    return {"two_way": two_way(values, pairs), "correlation": float(both)}


def baselines_of_sentences(data: Path, seed: int, _: TrainSettings) -> dict[str, Any]:
    parts = split(sentences(data), seed, 0)
    return {"length": of_votes(lambda corpus: np.array([float(len(text)) for text in corpus.texts]), parts)}


KEPT = 2
"""Counts what is kept of a run: another number makes all runs again."""
VARIANTS = ("from scratch", "without ties", "after references", "references alone", "discriminator", "regressor")
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
    "summaries after references": (run_summaries, replace(SUMMARIES, strong=True)),
    "summaries, references alone": (run_summaries, replace(SUMMARIES, strong=True, human=False)),
    "sentences from scratch": (run_sentences, replace(SENTENCES, pretrained=False)),
    "sentences without ties": (run_sentences, replace(SENTENCES, ties=False)),
}


def place_of(options: argparse.Namespace, name: str, seed: int) -> tuple[Path, TrainSettings]:
    """Where the result of a run is kept, and its settings."""
    settings = RUNS[name][1]
    settings = replace(settings, seed=seed, rounds=settings.rounds / (4 if options.quick else 1))
    usual = asdict(TrainSettings())
    chosen = {field: value for field, value in asdict(settings).items() if value != usual[field]}
    key = json.dumps([name, seed, chosen, KEPT], default=str)
    place = options.cache / f"evaluator-people-{hashlib.sha256(key.encode()).hexdigest()[:20]}.json"
    return place, settings


def kept(options: argparse.Namespace, name: str, seed: int) -> dict[str, Any]:
    """The result of one run, made where it is not in the cache."""
    file, settings = place_of(options, name, seed)
    if not file.is_file():
        found = RUNS[name][0](options.data, seed, settings)
        options.cache.mkdir(parents=True, exist_ok=True)
        part = file.with_suffix(".part")
        part.write_text(json.dumps(found), encoding="utf-8")
        part.replace(file)
        print(f"{name}, seed {seed}: done", file=sys.stderr, flush=True)
    return json.loads(file.read_text(encoding="utf-8"))


def seeds_of(name: str, seeds: int) -> range:
    """Variants are trained once."""
    return range(1 if name.endswith(VARIANTS) else seeds)


def cell(values: list[float], form: str = "{:.0f}%", times: float = 100.0) -> str:
    middle, least, most = (form.format(times * value) for value in (np.median(values), min(values), max(values)))
    return f"{middle} ({least} to {most})" if len(values) > 1 else middle


def rows_of(found: list[dict[str, float]], names: tuple[tuple[str, str], ...]) -> list[str]:
    return [
        cell([one[name] for one in found]) if kind == "share" else cell([one[name] for one in found], "{:.2f}", 1.0)
        for name, kind in names
    ]


def minutes(found: list[dict[str, Any]]) -> str:
    return cell([one["seconds"] / 60 for one in found], "{:.0f} min", 1.0)


LABELS = {
    "summaries": "evaluator",
    "summaries from scratch": "evaluator from random weights",
    "summaries without ties": "evaluator without ties",
    "summaries after references": "evaluator that learned references first",
    "summaries, references alone": "evaluator of references alone, no labels",
    "discriminator": "discriminator",
    "regressor": "regressor",
}
COLUMNS = (("two_way", "share"), ("within", "number"), ("over_all", "number"), ("pearson", "number"), ("new", "share"))


def summaries_table(results: Mapping[str, list[dict[str, Any]]], data: Path) -> str:
    rows = []
    for name, label in LABELS.items():
        if name not in results:
            continue
        found = [HeldOut.of(data, seed).texts(one["scores"]["alone"]) for seed, one in enumerate(results[name])]
        rows.append([label, *rows_of(found, COLUMNS), minutes(results[name])])
    for name in (*METRICS, *JUDGES):
        of = [(seed, one["scores"].get(name)) for seed, one in enumerate(results["summaries, metrics"])]
        known = [HeldOut.of(data, seed).texts(scores) for seed, scores in of if scores]
        rows.append([f"`{name}`", *rows_of(known, COLUMNS), ""])
    return table(
        (
            "by",
            "two-way",
            "within an input",
            "over all, Spearman",
            "Pearson",
            "two-way, pairs with a new system",
            "time",
        ),
        rows,
    )


WAYS = {
    "alone": "its score of a text alone",
    "evaluator-points": "points against references",
    "evaluator-rating": "rating of each text by games",
}


def ways_table(results: Mapping[str, list[dict[str, Any]]], data: Path) -> str:
    rows = []
    mine = results["summaries"]

    def row(label: str, texts: list[dict[str, float]], systems: list[dict[str, float]]) -> None:
        told = rows_of(texts, (("over_all", "number"), ("pearson", "number"))) if texts else ["", ""]
        of = rows_of(systems, (("spearman", "number"), ("pearson", "number")))
        rows.append([label, *told, *of, f"{max(one['p'] for one in systems):.2g}"])

    for way, label in WAYS.items():
        texts, systems = [], []
        for seed, one in enumerate(mine):
            scored = [score for score in one["scores"][way] if score[1] in one["ratings"]]
            texts.append(HeldOut.of(data, seed).texts(scored))
            systems.append(HeldOut.of(data, seed).systems(means_of(scored, one["ratings"])))
        row(label, texts, systems)
    row("rating of each system", [], [HeldOut.of(data, k).systems(one["ratings"]) for k, one in enumerate(mine)])
    for name in (*METRICS, *JUDGES):
        texts, systems = [], []
        for seed, one in enumerate(results["summaries, metrics"]):
            scored = [score for score in one["scores"].get(name, ()) if score[1] in mine[seed]["ratings"]]
            if scored:
                texts.append(HeldOut.of(data, seed).texts(scored))
                systems.append(HeldOut.of(data, seed).systems(means_of(scored, {of[1] for of in scored})))
        row(f"`{name}`", texts, systems)
    return table(("by", "texts, Spearman", "Pearson", "systems, Spearman", "Pearson", "largest p"), rows)


def summary_words(results: Mapping[str, list[dict[str, Any]]], data: Path) -> str:
    """What the table shows, in words that follow its numbers."""

    def median(name: str, of: str, column: str) -> float:
        found = [HeldOut.of(data, k).texts(one["scores"][of])[column] for k, one in enumerate(results[name])]
        return float(np.median(found))

    mine = median("summaries", "alone", "over_all")
    metrics = {name: median("summaries, metrics", name, "over_all") for name in METRICS}
    judges = {name: median("summaries, metrics", name, "over_all") for name in JUDGES}
    below = [name for name in METRICS if metrics[name] < mine]
    above = [f"`{name}`" for name in METRICS if metrics[name] >= mine]
    better = [f"`{name}`" for name in JUDGES if judges[name] > mine]
    own = [HeldOut.of(data, seed).texts(one["scores"]["alone"])["p"] for seed, one in enumerate(results["summaries"])]
    largest = max(own)
    said = [
        f"Over all texts the evaluator has the higher median than {len(below)} of {len(METRICS)} metrics"
        + (f" (not than {', '.join(above)})." if above else "."),
        f"Higher than the evaluator: the large language models {', '.join(better)}." if better else "",
        f"The largest p of the evaluator's Spearman correlation over all texts is {largest:.1g}.",
    ]
    return textwrap.fill(" ".join(one for one in said if one), 120)


def sentences_table(results: Mapping[str, list[dict[str, Any]]]) -> str:
    told = (("two_way", "share"), ("correlation", "number"))
    rows = []
    for name, label in (("sentences", "evaluator"), ("sentences from scratch", "evaluator from random weights"),
                        ("sentences without ties", "evaluator without ties")):  # fmt: skip
        if name in results:
            rows.append([label, *rows_of(results[name], told), minutes(results[name])])
    rows.append(["the longer one", *rows_of([one["length"] for one in results["sentences, metrics"]], told), ""])
    return table(("by", "two-way", "correlation", "time"), rows)


def results_of(options: argparse.Namespace) -> dict[str, list[dict[str, Any]]]:
    """By run, of its seeds; with `--kept` variants that are not in the cache are left out."""
    return {
        name: [kept(options, name, seed) for seed in seeds_of(name, options.seeds)]
        for name in RUNS
        if not (options.kept and name.endswith(VARIANTS) and not place_of(options, name, 0)[0].is_file())
    }


def page(options: argparse.Namespace) -> str:
    results = results_of(options)
    left_out = [name for name in RUNS if name not in results]
    return PAGE.format(
        seeds=options.seeds,
        machine=machine(),
        systems_held_out=SYSTEMS_HELD_OUT,
        reference_systems=REFERENCE_SYSTEMS,
        games=SampleSettings().games,
        paper_texts=PAPER_TEXTS,
        paper_systems=PAPER_SYSTEMS,
        summaries=summaries_table(results, options.data),
        summary_words=summary_words(results, options.data),
        ways=ways_table(results, options.data),
        sentences=sentences_table(results),
        left_out=textwrap.fill(f"Not run for this page: {', '.join(left_out)}.", 120) if left_out else "",
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
    parser.add_argument("--kept", action="store_true", help="leave out variants that are not in the cache")
    parser.add_argument("--write", action="store_true", help="save docs/evaluator_people.md")
    options = parser.parse_args()
    if not options.data.is_dir():
        print(f"skipped: the real studies are not at {options.data}")
        return
    show(page(options), "evaluator_people.md", options.write)


if __name__ == "__main__":
    main()
