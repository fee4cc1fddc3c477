"""Labels that an evaluator saves in `compare` and in campaigns, trained in folds on the labels of the same studies.

    python benchmarks/evaluator_labels.py [--runs 100] [--cache FOLDER] [--data FOLDER] [--quick] [--write]

Prints Markdown; `--write` saves docs/evaluator_labels.md. Trainings (12 minutes of one processor) are kept in the cache
folder, and go on where they were. `--quick`: a quarter of the rounds and of the runs, some five minutes.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
import textwrap
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS"):
    os.environ.setdefault(variable, "1")

import numpy as np  # noqa: E402
import polars as pl  # noqa: E402
import torch  # noqa: E402
from numpy.typing import NDArray  # noqa: E402

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY))  # `benchmarks` is no installed package

from benchmarks.pages import REAL_STUDIES, machine, show, table  # noqa: E402
from benchmarks.people.splits import sentences, summaries  # noqa: E402
from benchmarks.people.trainings import SENTENCES, SUMMARIES  # noqa: E402
from benchmarks.worlds.simulation import wilson_interval  # noqa: E402

import tiebreak  # noqa: E402
from tiebreak.campaign import Plan, Protocol  # noqa: E402
from tiebreak.data.columns import completed  # noqa: E402
from tiebreak.data.study import Study  # noqa: E402
from tiebreak.scoring.evaluator.judging import judge_study  # noqa: E402
from tiebreak.scoring.evaluator.judging_settings import JudgingSettings  # noqa: E402
from tiebreak.scoring.evaluator.training.kept import load_evaluator  # noqa: E402
from tiebreak.scoring.evaluator.training.run import evaluators_in, train_evaluator  # noqa: E402
from tiebreak.scoring.evaluator.training.settings import TrainSettings  # noqa: E402
from tiebreak.scoring.evaluator.training.train import Stage  # noqa: E402
from tiebreak.settings.protocol import Budget, DecisionSettings  # noqa: E402
from tiebreak.simulate.people.answers import AnswerSource  # noqa: E402
from tiebreak.simulate.replay.study import OldLabels, Replay  # noqa: E402
from tiebreak.simulate.runs.repeat import Experiment, ReplayExperiment, repeat  # noqa: E402

Floats = NDArray[np.float64]

FOLDS = 2
JUDGE = "evaluator"
DIFFERENCES = (0.0, 0.1, 0.2, 0.4)
LABELLED = (100, 300)
MOST = 300
ARTICLES = (30, 60)
CRITERIA = ("coherence", "relevance")
SIX = ("M0", "M2", "M5", "M10", "M17", "M22")
_OUTCOMES = ("a", "tie", "b")
WHAT = ("labels", "right", "wrong")
WAYS = ("labels alone", "with the evaluator")

PAGE = """# Labels that an evaluator saves

An [evaluator](evaluator.md) as a judge beside people's labels, in [`compare`](compare.md) and in
[campaigns](campaign.md). It was trained on labels of the same studies in {folds} folds: what it says of an item comes
from an evaluator that has read no label of that item. It is a judge that was made from labels on other items like
these; those are not counted below. Made by `python benchmarks/evaluator_labels.py --write` on {machine}; {runs} runs a
row of `compare`, half as many campaigns, and a tenth on summaries. There are four evaluators, two for each task, of one
seed: {minutes:.0f} minutes of one processor. What others would save is not known from them.

## Which sentence is more natural

{pool:,} pairs of sentences, ten people each (two studies). In each run the two sentences of a pair are dealt to two
made-up systems, so that the mean difference of all labels is the one in the table. The difference is then known, and
the labels and the evaluator's answers are real ones.

**`compare`, one person per labelled item, the evaluator on all {pool:,}.** *Holds*: how often the 95% interval has the
true difference in it, in brackets the interval of that share; *saved*: of the labels, for an interval of the same
width.

{compared}

**Campaigns (`anytime`, alpha 0.05), until there is a verdict or {most} pairs of sentences are labelled.** *Wrong*: a
verdict for the worse system, or any where there is no difference.

{campaigns}

## News summaries (SummEval, three experts)

100 articles. Claims about these articles (`--target items`), whose truth is the mean over all of them; in each run
other articles are labelled, and the evaluator has judged them all. All 120 pairs of 16 systems, each interval for
itself.

{summaries}

**Campaigns on {six} pairs of six systems, coherence, claims about these articles.** *Labels*: until all pairs are
decided or no article is left.

{summary_campaigns}

{words}
"""


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """`votes`: by pair of texts (n,), of its people for the first (1), neither (0) or the second (-1); `judged` (n, 3):
    probabilities of the same.
    """

    votes: tuple[NDArray[np.int8], ...]
    judged: Floats

    @property
    def means(self) -> Floats:
        """Of the votes of each pair (n,)."""
        return np.array([of.mean() for of in self.votes])


def evaluators(options: argparse.Namespace, name: str, studies: Sequence[Study], settings: TrainSettings) -> list[Path]:
    settings = replace(settings, folds=FOLDS, rounds=settings.rounds / (4 if options.quick else 1))
    folder = options.cache / f"evaluator-labels-{name}-{hashlib.sha256(repr(settings).encode()).hexdigest()[:12]}"
    options.cache.mkdir(parents=True, exist_ok=True)
    start = time.process_time()

    def report(fold: int, stage: Stage, step: int, loss: float) -> None:
        if step % 50 == 0 or step == stage.steps:
            print(f"{name}, fold {fold}: step {step}, loss {loss:.2f}", file=sys.stderr, flush=True)

    train_evaluator(studies, folder, settings, report)
    took = folder.with_suffix(".seconds")
    if not took.is_file():
        took.write_text(f"{time.process_time() - start}", encoding="utf-8")
    return evaluators_in(folder)


def minutes_of(places: Sequence[Path]) -> float:
    """Of one processor, for the evaluators of folds; without what came before an interruption."""
    return float(places[0].parent.with_suffix(".seconds").read_text(encoding="utf-8")) / 60


def judgements(places: Sequence[Path], study: Study) -> pl.DataFrame:
    """Of each item, by an evaluator that has learned from no label of its texts."""
    evaluators = [load_evaluator(place) for place in places]
    found = judge_study(evaluators, study, JudgingSettings(name=JUDGE)).preferences
    meanings = {one.signature: one.meaning for one in evaluators}
    said = replace(study, judge_preferences=completed(found, "judge_preferences"), signatures=meanings)
    if said.trained_here:
        raise SystemExit(f"it learned from labels of items that it judges: {said.trained_here}")
    return found


def pool_of(studies: Sequence[Study], places: Sequence[Path]) -> Pool:
    votes, judged = [], []
    for study in studies:
        labels = OldLabels.of(study)
        for item, a, b, *said in judgements(places, study).select(
            "item", "system_a", "system_b", "p_a", "p_tie", "p_b").iter_rows():  # fmt: skip
            given = labels.pairs[min(a, b), max(a, b)].get(item, ())
            if given:
                sign = 1 if a < b else -1
                votes.append(np.array([sign * label.outcome for label in given], dtype=np.int8))
                judged.append(said)
    return Pool(tuple(votes), np.array(judged))


def signs(pool: Pool, difference: float, rng: np.random.Generator) -> NDArray[np.int8]:
    """Which text of each pair (n,) system a wrote: 1 the first. The mean of a's votes is `difference` on average."""
    means = pool.means
    better = rng.random(means.size) < (1 + difference / np.abs(means).mean()) / 2
    return np.where(better == (means > 0), 1, -1).astype(np.int8)


def dealt(pool: Pool, side: NDArray[np.int8], votes: Sequence[NDArray[np.int8]]) -> Study:
    """The pool as a study of two systems; `votes`: those that people gave, by pair."""
    rows = [
        (f"{number}", f"p{person}", _OUTCOMES[1 - int(side[number] * vote)])
        for number, of in enumerate(votes) for person, vote in enumerate(of)
    ]  # fmt: skip
    names = [f"{number}" for number in range(len(pool.votes))]
    preferences = pl.DataFrame(rows, schema=["item", "annotator", "outcome"], orient="row").with_columns(
        system_a=pl.lit("a"), system_b=pl.lit("b")
    )
    said = np.where(side[:, None] > 0, pool.judged, pool.judged[:, ::-1])
    judge = pl.DataFrame({"item": names, "system_a": "a", "system_b": "b", "judge": JUDGE,
                          "outcome": [_OUTCOMES[k] for k in said.argmax(1)],
                          "p_a": said[:, 0], "p_tie": said[:, 1], "p_b": said[:, 2]})  # fmt: skip
    texts = [(name, system, f"{name}{system}") for name in names for system in "ab"]
    outputs = pl.DataFrame(texts, schema=["item", "system", "text"], orient="row")
    return Study.from_tables(outputs=outputs, preferences=preferences, judge_preferences=judge)


@dataclass(frozen=True)
class Dealt(Experiment):
    """A campaign on the pool, dealt anew in each run."""

    pool: Pool
    difference: float
    protocol: Protocol

    def draw(self, rng: np.random.Generator) -> tuple[Plan, AnswerSource]:
        study = dealt(self.pool, signs(self.pool, self.difference, rng), self.pool.votes)
        return Replay(self.protocol, study, OldLabels.of(study)).plan(rng)

    def truth(self, plan: Plan) -> Floats:
        return np.full(len(plan.tracks), self.difference)


def protocols(protocol: Protocol) -> Iterator[tuple[str, Protocol]]:
    """Without and with the evaluator."""
    for name, judges in zip(WAYS, ((), (JUDGE,)), strict=True):
        yield name, replace(protocol, decision=replace(protocol.decision, judges=judges))


def share(count: int, of: int) -> str:
    low, high = wilson_interval(count, of)
    return f"{100 * count / of:.0f}% ({100 * low:.0f} to {100 * high:.0f})"


def saving(alone: Floats, judged: Floats) -> str:
    """Of the labels: widths fall with the root of their number."""
    saved = 1 - (judged / alone) ** 2
    low, high = np.quantile(saved, (0.1, 0.9))
    return f"{100 * saved.mean():.0f}% ({100 * low:.0f} to {100 * high:.0f} in 80% of runs)"


def ends(study: Study, judges: Sequence[str], **settings: object) -> list[tuple[str, str, Floats]]:
    """By pair: systems, and the ends of its 95% interval."""
    found = tiebreak.compare(study, judges=judges, multiplicity="none", **settings)  # type: ignore[arg-type]
    ((pairs),) = (of.pairs for of in found.results)
    return [(pair.system_a, pair.system_b, np.array([pair.difference.low, pair.difference.high])) for pair in pairs]


def compared_rows(pool: Pool, runs: int) -> list[list[str]]:
    rows = []
    for number, labelled in enumerate(LABELLED):
        for difference in DIFFERENCES[:3]:
            found = np.empty((runs, 2, 2))
            for run in range(runs):
                rng = np.random.default_rng([1, number, round(100 * difference), run])
                chosen = set(rng.choice(len(pool.votes), labelled, replace=False).tolist())
                one = [rng.choice(of, 1) if k in chosen else of[:0] for k, of in enumerate(pool.votes)]
                study = dealt(pool, signs(pool, difference, rng), one)
                for way, judges in enumerate(((), (JUDGE,))):
                    ((_, _, found[run, way]),) = ends(study, judges, seed=run)
            holds = ((found[:, :, 0] <= difference) & (difference <= found[:, :, 1])).sum(0)
            widths = found[:, :, 1] - found[:, :, 0]
            rows.append([f"{labelled}", f"{difference}", *(f"±{of / 2:.2f}" for of in widths.mean(0)),
                         saving(widths[:, 0], widths[:, 1]), *(share(int(of), runs) for of in holds)])  # fmt: skip
    return rows


def campaign_rows(pool: Pool, runs: int) -> list[list[str]]:
    rows = []
    for difference in DIFFERENCES:
        labels = []
        row = [f"{difference}"]
        for _, protocol in protocols(Protocol(budget=Budget(items_per_pair=MOST))):
            found = repeat(Dealt(pool, difference, protocol), runs, 1, workers=os.cpu_count() or 1)
            wrong = found.verdict[:, 0] == (-1 if difference else 1)
            wrong |= (found.verdict[:, 0] == -1) & (difference == 0)
            labels.append(float(found.labels.mean()))
            row += [f"{labels[-1]:,.0f}", share(int((found.verdict[:, 0] == 1).sum()), runs) if difference else "",
                    share(int(wrong.sum()), runs)]  # fmt: skip
        rows.append([*row, f"{100 * (1 - labels[1] / labels[0]):.0f}%"])
    return rows


def summary_rows(study: Study, runs: int) -> list[list[str]]:
    rows = []
    assert study.items is not None
    assert study.ratings is not None
    items = study.items["item"].to_list()
    settings = {"target": "items", "raters": "any"}
    for criterion in CRITERIA:
        whole = {(a, b): float(of.mean()) for a, b, of in ends(study, (), criteria=[criterion], **settings)}
        for articles in ARTICLES:
            holds, widths = np.zeros(2, dtype=int), []
            for run in range(runs):
                rng = np.random.default_rng([2, articles, run])
                chosen = rng.choice(items, articles, replace=False).tolist()
                part = replace(study, ratings=study.ratings.filter(pl.col("item").is_in(chosen)))
                found = [ends(part, judges, criteria=[criterion], seed=run, **settings) for judges in ((), (JUDGE,))]
                for way, pairs in enumerate(found):
                    holds[way] += sum(of[0] - 1e-9 <= whole[a, b] <= of[1] + 1e-9 for a, b, of in pairs)
                widths.append([[of[1] - of[0] for _, _, of in pairs] for pairs in found])
            width = np.array(widths)
            rows.append([criterion, f"{articles}", *(f"±{width[:, k].mean() / 2:.2f}" for k in (0, 1)),
                         saving(width[:, 0].mean(1), width[:, 1].mean(1)),
                         *(f"{100 * of / (runs * len(whole)):.0f}%" for of in holds)])  # fmt: skip
    return rows


def summary_campaigns(study: Study, runs: int) -> list[list[str]]:
    six = study.select(systems=SIX)
    labels = OldLabels.of(six, CRITERIA[0])
    asked = Protocol(criterion=CRITERIA[0], decision=DecisionSettings(target="items"))
    rows = []
    for name, protocol in protocols(asked):
        found = repeat(ReplayExperiment(Replay(protocol, six, labels)), runs, 1, workers=os.cpu_count() or 1)
        decided = (found.verdict != 0).sum(1)
        rows.append(
            [name, f"{found.labels.mean():,.0f}", f"{decided.mean():.1f}", share(int(found.wrong.any(1).sum()), runs)]
        )
    return rows


def page(options: argparse.Namespace) -> str:
    runs = options.runs // (4 if options.quick else 1)
    two, articles = sentences(options.data), summaries(options.data)
    of_sentences = evaluators(options, "sentences", two, SENTENCES)
    of_summaries = evaluators(options, "summaries", [articles], replace(SUMMARIES, rounds=3))
    pool, said = pool_of(two, of_sentences), judgements(of_summaries, articles)
    said = said.drop("signature")  # whose labels it learned from was looked up when it judged
    judged = replace(articles, judge_preferences=completed(said, "judge_preferences"))
    return PAGE.format(
        folds=FOLDS, machine=machine(), runs=runs, minutes=minutes_of(of_sentences) + minutes_of(of_summaries),
        pool=len(pool.votes), most=MOST, six=len(SIX) * (len(SIX) - 1) // 2,
        compared=table(("labelled", "true difference", *(f"interval, {way}" for way in WAYS), "saved",
                        *(f"holds, {way}" for way in WAYS)), compared_rows(pool, runs)),
        campaigns=table(("true difference", *(f"{what}, {way}" for way in WAYS for what in WHAT), "saved"),
                        campaign_rows(pool, runs // 2)),
        summaries=table(("criterion", "articles labelled", *(f"interval, {way}" for way in WAYS), "saved",
                         *(f"holds, {way}" for way in WAYS)), summary_rows(judged, max(runs // 10, 2))),
        summary_campaigns=table(("", "labels", f"decided of {len(SIX) * (len(SIX) - 1) // 2}",
                                 "with a wrong verdict"), summary_campaigns(judged, max(runs // 10, 2))),
        words=textwrap.fill(
            "An evaluator that is wrong costs labels and no verdict: how often a verdict is wrong does not depend on it"
            " ([measured](validity.md)).", 120),
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--runs", type=int, default=100, help="runs a row; half of them of campaigns, a tenth on summaries"
    )
    parser.add_argument("--quick", action="store_true", help="a quarter of the rounds and runs")
    parser.add_argument("--cache", type=Path, default=REPOSITORY / ".certification", help="where evaluators are kept")
    parser.add_argument("--data", type=Path, default=REAL_STUDIES, help="the real studies")
    parser.add_argument("--write", action="store_true", help="save docs/evaluator_labels.md")
    options = parser.parse_args()
    if not options.data.is_dir():
        print(f"skipped: the real studies are not at {options.data}")
        return
    torch.set_num_threads(1)
    show(page(options), "evaluator_labels.md", options.write)


if __name__ == "__main__":
    main()
