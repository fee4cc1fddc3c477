"""Which of several trainings is best, and when to stop one? Prints Markdown; `--write` saves docs/run_choice.md.

python benchmarks/run_choice.py [--data FOLDER] [--groups 17] [--cache FOLDER] [--quick] [--write]

About an hour and a quarter of one processor. Every training, evaluator and answer is kept in the cache folder: what
was interrupted goes on where it was. `--quick`: few and short trainings, some three minutes.
"""

from __future__ import annotations

import argparse
import itertools
import os
import sys
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS"):
    os.environ.setdefault(variable, "1")

import numpy as np  # noqa: E402

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY))  # `benchmarks` is no installed package

from benchmarks.pages import machine, show, table  # noqa: E402
from benchmarks.testbed import drawn, wins  # noqa: E402
from benchmarks.testbed.comparing import NO_GAIN, STREAK, STREAK_COMPARISONS  # noqa: E402
from benchmarks.testbed.findings import RANDOM, Findings, Score, choice_scores, find, stop_scores  # noqa: E402
from benchmarks.testbed.judges import JUDGES, judge_training  # noqa: E402
from benchmarks.testbed.networks import NETWORKS  # noqa: E402
from benchmarks.testbed.opinions import PATIENCE, PATIENT  # noqa: E402
from benchmarks.testbed.orders import spearman  # noqa: E402
from benchmarks.testbed.trials import LOSS, Plan, Trials  # noqa: E402

from tiebreak.scoring.evaluator.during.settings import FollowSettings  # noqa: E402

QUICK = Plan(
    groups=1, settings=3, steps=60, checkpoints=12, chosen_from=3, train=200, dev=60, judged=(20, 10), unseen=(30, 20),
    aside=1000, pilots=1, learned=40,
)  # fmt: skip
OURS = "evaluator"
OVERTRAINED = 1.02
PUBLISHED = {
    "comparative evaluator": (8, 9), "ADEM": (5, 6), "adversarial evaluator": (4, 4), "BLEU": (2, 3),
    "perplexity": (3, 3),
}  # fmt: skip
"""Wins of ten runs in choosing settings and in early stopping (learning-to-compare, Table 3)."""
PUBLISHED_RUNS = 10
FIRST = "comparative evaluator"
HERE = {FIRST: OURS, "adversarial evaluator": "discriminator", "BLEU": "BLEU", "perplexity": "dev loss"}
OUR_STREAK = f"{OURS}, {STREAK}"
STOPS = {**HERE, FIRST: OUR_STREAK, "adversarial evaluator": f"discriminator, {PATIENT}"}
"""What stands here for a chooser of the paper, in either task."""

MEASURES = {LOSS: ("loss", 3), "chrf": ("chrF", 2), "rougeL": ("ROUGE-L", 4)}
"""The truths by name, in words, and how many decimals their differences have."""

LEVEL = 0.05

PAGE = """# Choosing among trainings, and stopping them

Which settings of a training are best, and when should it stop? *Learning to Compare* lets an
[evaluator](evaluator.md) choose, beside BLEU and perplexity, in ten runs. Here are {groups} runs of each, with small
networks. Made by `python benchmarks/run_choice.py --write` on {machine}, one thread.

**A run** is a group of {settings} trainings of one network ({networks}) with settings drawn at random: the rate from
{rates}, the width from {widths}, the dropout from {dropouts}, the batch from {batches}. Each learns for {steps} steps
to write the synopses of {train} Debian packages, on the [testbed](checkpoint_order.md) of the order of checkpoints. Of
each training the checkpoint with the lowest dev loss of {chosen_from} is a candidate. Every group draws its own
packages, and groups share no training: {trainings} trainings, {groups} independent groups. **Early stopping** follows
the first training of each group over {checkpoints} checkpoints.

**No person judged anything here.** What is called best is what a measure says on packages that no chooser sees: the
loss of a token, chrF, or ROUGE-L against the synopses ({unseen} packages for a candidate, {few_unseen} for a checkpoint
that is followed). Each measure takes a side: the loss that of the dev loss, chrF and ROUGE-L that of BLEU, and none
that of the evaluator. All are measured with noise, so that the best by measure is partly luck, and no chooser can win
every run. The networks are small, learn from few texts and write badly. What people would say of their texts is not
known.

**The choosers.** All but the dev loss see what the candidates wrote for {judged} packages. {judges} They were trained
for each network from {pilots} pilot trainings of each of the other two, on packages that no group has, a fifth of which
said when to stop and from which probability on an answer is a tie; nobody labelled anything. There is one of them for
each network: the intervals below are over groups, and say nothing about other evaluators. BLEU is the mean of BLEU-2,
-3 and -4; the dev loss is measured on {dev} packages, and is the logarithm of perplexity.

## Choosing among {settings} settings

{choosing}

*Won*: no candidate is better. *Regret*: the measure of the best candidate minus that of the chosen one; *of spread*: as
a share of the mean distance between the best and the worst. In brackets 95% intervals, bootstrap over groups. *p*: of
the difference from the evaluator in wins and in regret, by flipping its sign within groups; two-sided, not adjusted.
*+*: the evaluator does better.

{choosing_words}

{agreement}

## When to stop

{stopping}

*Seen*: checkpoints until the rule stops, the mean, the 10% and the 90% quantile. *Stopped*: before the last. *Won*: no
rule kept a better checkpoint. *Regret*: against the best of all {checkpoints}; the *p* compares it with that of
`streak`.

- *evaluator, streak*: {streak_n:,} comparisons after each checkpoint with the two before it, drawn from the texts for
  {followed} packages, so that most come several times; stops after 5 lost checks in a row.
- *evaluator, no-gain*: comparisons with the best checkpoint so far on a fourth of the packages, for a gain of
  {gain}; a text of the best is evidence once, so that {followed} packages end little that is not clearly worse.
  *Later*: from a fourth of the checkpoints on.
- *dev loss*, *BLEU*{patient}: stop after {patience} checkpoints without a new best, keep the best.

{stopping_words}

## The published table

Wins of {published_runs} runs in the paper, with people as judges, and in percent of {groups} here.

{published}

{published_words}

## The trainings

{trainings_table}

*Overtrained*: the dev loss at the end is more than 2% above its lowest.

{costs}
"""


def scores_table(scores: Mapping[str, Score], spread: float, ours: str, head: str, decimals: int) -> str:
    rows = []
    for name, score in scores.items():
        p_wins, p_regret = p_values(scores, ours, name)
        mean = f"{score.regret.mean():.{decimals}f} {interval(score.regret, decimals)}"
        of_spread = share(float(score.regret.mean()) / spread) if spread else "-"
        count = f"{score.won.sum():.{0 if name != RANDOM else 1}f} of {score.won.size}"
        won = f"{count} {interval(score.won, 0, 100, '%')}"
        rows.append([name, won, mean, of_spread, p_wins, p_regret])
    return table((head, "won", "regret", "of spread", "p, wins", "p, regret"), rows)


def p_values(scores: Mapping[str, Score], ours: str, name: str) -> tuple[str, str]:
    """Of the difference between `ours` and another in wins and in regret, with a sign that says which is better."""
    if name == ours:
        return "", ""
    mine, other = scores[ours], scores[name]
    return signed(mine.won - other.won), signed(other.regret - mine.regret)


def signed(better: wins.Floats) -> str:
    sign = "+" if better.sum() > 0 else "-" if better.sum() < 0 else ""
    return f"{sign} {p_words(wins.sign_flip(better, seed=1))}".strip()


def p_words(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"{p:.3f}" if p < 0.1 else f"{p:.2f}"


def interval(values: wins.Floats, decimals: int, scale: float = 1, unit: str = "") -> str:
    low, high = wins.interval(values, seed=1)
    return f"({scale * low:.{decimals}f}{unit} to {scale * high:.{decimals}f}{unit})"


def share(value: float) -> str:
    return f"{100 * value:.0f}%"


def choosing(found: Findings) -> str:
    """A table for each truth."""
    parts = []
    for measure, (words, decimals) in MEASURES.items():
        spread = float(np.mean([wins.spread(truth) for truth in found.truths(measure)]))
        head = f"best by {words}"
        parts.append(scores_table(choice_scores(found, measure), spread, OURS, head, decimals))
    return "\n\n".join(parts)


def stopping(found: Findings) -> str:
    """When each rule stops, and a table for each truth."""
    rows = []
    for rule, every in found.ends().items():
        seen = np.array([end.seen for end in every])
        few, many = np.quantile(seen, [0.1, 0.9])
        stopped = np.mean([end.seen < len(group.followed) for end, group in zip(every, found.groups, strict=True)])
        kept = float(np.mean([end.kept + 1 for end in every]))
        rows.append([rule, f"{seen.mean():.0f} ({few:.0f} to {many:.0f})", share(float(stopped)), f"{kept:.0f}"])
    parts = [table(("rule", "seen", "stopped", "kept, on average"), rows)]
    for measure, (words, decimals) in MEASURES.items():
        spread = float(np.mean([wins.spread(truth) for truth in found.followed_truths(measure)]))
        head = f"best by {words}"
        parts.append(scores_table(stop_scores(found, measure), spread, OUR_STREAK, head, decimals))
    return "\n\n".join(parts)


def compared(scores: Mapping[str, Mapping[str, Score]], ours: str) -> str:
    """Whether the regrets of `ours` differ from the others' by more than chance, over all truths at once."""
    tests = [
        (name, MEASURES[measure][0], of[name].regret - of[ours].regret)
        for measure, of in scores.items() for name in of if name != ours
    ]  # fmt: skip
    adjusted = wins.holm([wins.sign_flip(better, seed=1) for *_, better in tests])
    sure = [(name, words, better) for (name, words, better), p in zip(tests, adjusted, strict=True) if p < LEVEL]
    less = [f"{name} ({words})" for name, words, better in sure if better.sum() > 0]
    more = [f"{name} ({words})" for name, words, better in sure if better.sum() < 0]
    told = (
        f"Of {len(tests)} differences in regret, {len(sure)} remain below 5% after Holm's adjustment for their number. "
    )
    if less:
        told += f"*{ours}* has less regret than {listed(less)}. "
    if more:
        told += f"*{ours}* has more regret than {listed(more)}. "
    return told


def listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def choosing_words(found: Findings) -> str:
    scores = {measure: choice_scores(found, measure) for measure in MEASURES}
    picks = {pick.name: pick.chosen for pick in found.picks()}
    same = {name: np.mean(np.array(chosen) == picks[OURS]) for name, chosen in picks.items() if name != OURS}
    alike = listed([f"{name} in {share(float(of))}" for name, of in same.items()])
    return filled(compared(scores, OURS) + f"The evaluator picks the same candidate as {alike} of the groups.")


def agreement(found: Findings) -> str:
    """How far the truths say the same of candidates."""
    pairs = [
        (f"{MEASURES[one][0]} and {MEASURES[other][0]}", found.truths(one), found.truths(other))
        for one, other in itertools.combinations(MEASURES, 2)
    ]
    means = [
        f"{words} {np.mean([spearman(*both) for both in zip(first, second, strict=True)]):.2f}"
        for words, first, second in pairs
    ]
    return filled(
        "How far the measures say the same: within a group, their ranks of the candidates correlate by "
        f"{listed(means)} on average (Spearman)."
    )


def stopping_words(found: Findings) -> str:
    scores = {measure: stop_scores(found, measure) for measure in MEASURES}
    first = {
        measure: np.mean([int(np.argmax(truth)) == 0 for truth in found.followed_truths(measure)])
        for measure in MEASURES
    }  # fmt: skip
    begun = float(np.mean([end.kept == 0 for end in found.ends()[f"{OURS}, {NO_GAIN}"]]))
    told = compared(scores, OUR_STREAK)
    if first["chrf"] > 0:
        told += (
            f"By chrF the first checkpoint is the best of all in {share(float(first['chrf']))} of the trainings: it "
            "writes pieces of words at random, which share more characters with a synopsis than the repetitions that "
            "follow. For when to stop, chrF is no good truth here. "
        )
    if begun > 0:
        told += (
            f"The rule no-gain keeps that first checkpoint in {share(begun)} of the trainings: it compares with the "
            "best so far from the start, and to the evaluator repetitions are no better than noise."
        )
    return filled(told)


def published(found: Findings) -> str:
    """Table 3 of the paper, and the same choosers here."""
    choice = {measure: choice_scores(found, measure) for measure in MEASURES}
    stop = {measure: stop_scores(found, measure) for measure in MEASURES}
    rows = []
    for name, (tuned, stopped) in PUBLISHED.items():
        rows.append([
            name, str(tuned), " / ".join(percent(choice[m], HERE.get(name)) for m in MEASURES),
            p_words(wins.same_share(PUBLISHED[FIRST][0], tuned, PUBLISHED_RUNS)) if name != FIRST else "",
            str(stopped), " / ".join(percent(stop[m], STOPS.get(name)) for m in MEASURES),
            p_words(wins.same_share(PUBLISHED[FIRST][1], stopped, PUBLISHED_RUNS)) if name != FIRST else "",
        ])  # fmt: skip
    rows.append([
        RANDOM, "-", " / ".join(percent(choice[m], RANDOM) for m in MEASURES), "",
        "-", " / ".join(percent(stop[m], RANDOM) for m in MEASURES), "",
    ])  # fmt: skip
    names = " / ".join(words for words, _ in MEASURES.values())
    return table(
        (
            "chooser",
            "settings, paper",
            f"here, by {names}",
            "p, paper",
            "stopping, paper",
            f"here, by {names}",
            "p, paper",
        ),
        rows,
    )


def percent(scores: Mapping[str, Score], name: str | None) -> str:
    return share(float(scores[name].won.mean())) if name in scores else "-"


def published_words() -> str:
    (tuned, stopped), runs = PUBLISHED[FIRST], PUBLISHED_RUNS
    second = max(of[0] for name, of in PUBLISHED.items() if name != FIRST)
    bounds = [max(k for k in range(of) if wins.same_share(of, k, runs) < LEVEL) for of in (tuned, stopped)]
    return filled(
        "*p, paper*: of the difference from the comparative evaluator's wins, by Fisher's exact test of two sets of "
        "runs; the paper does not say which runs were won, so that no paired test can be made. "
        f"{tuned} of {runs} against {second} has p = {p_words(wins.same_share(tuned, second, runs))}. Beside {tuned} "
        f"wins of {runs}, a rival needs {bounds[0]} or fewer for p < 0.05, beside {stopped} {bounds[1]} or fewer. The "
        "paper's best of 4 was named by people, ours by measures, of other models: the percentages stand beside its "
        "counts, and are no repetition of them."
    )


def trainings_table(found: Findings) -> str:
    rows = []
    for network in NETWORKS:
        mine = [losses for group in found.groups if group.network == network for losses in group.dev_losses]
        lowest, last = (np.array([pick(losses) for losses in mine]) for pick in (min, lambda every: every[-1]))
        low, high = np.quantile(lowest, [0.1, 0.9])
        rows.append([
            network, str(len(mine)), f"{lowest.mean():.2f} ({low:.2f} to {high:.2f})", f"{last.mean():.2f}",
            share(float((last > OVERTRAINED * lowest).mean())),
        ])  # fmt: skip
    return table(("network", "trainings", "lowest dev loss", "last dev loss", "overtrained"), rows)


def costs(trials: Trials, found: Findings) -> str:
    trainings = sum(group.cpu for group in found.groups)
    learning = {name: sum(judge_training(trials, name, network) for network in NETWORKS) for name in JUDGES}
    choice = {name: sum(of.cpu[0] for of in every) for name, every in found.opinions.items()}
    follow = {name: sum(of.cpu[1] for of in every) for name, every in found.opinions.items()}
    total = trainings + sum(sum(of.values()) for of in (learning, choice, follow))
    each = listed([
        f"the {name}'s {len(NETWORKS)} trainings {minutes(learning[name])}, its choices {minutes(choice[name])}, its "
        f"stops {minutes(follow[name])}" for name in JUDGES
    ])  # fmt: skip
    return filled(
        f"What it took, in minutes of one processor that others shared: the trainings of all networks, with what they "
        f"wrote and its scores, {minutes(trainings)}; {each}; {minutes(total)} in all. The judges read in bfloat16."
    )


def minutes(seconds: float) -> str:
    return f"{seconds / 60:.0f}"


def filled(words: str) -> str:
    return textwrap.fill(" ".join(words.split()), 120, break_on_hyphens=False)


def page(trials: Trials) -> str:
    plan, found = trials.plan, find(trials)
    text = PAGE.format(
        judges=" ".join(f"The {name} {judge.words}" for name, judge in JUDGES.items()),
        patient="".join(f", *{rule}*" for rule in found.ends() if rule.endswith(PATIENT)),
        machine=machine(), groups=len(found.groups), settings=plan.settings, networks=listed(list(NETWORKS)),
        rates=" to ".join(map(str, drawn.RATES)), widths=listed(list(map(str, drawn.WIDTHS))),
        dropouts=listed(list(map(str, drawn.DROPOUTS))), batches=listed(list(map(str, drawn.BATCHES))),
        steps=plan.steps, train=plan.train, chosen_from=plan.chosen_from,
        trainings=sum(len(group.candidates) for group in found.groups), checkpoints=plan.checkpoints,
        unseen=plan.unseen[0], few_unseen=plan.unseen[1], pilots=plan.pilots, judged=plan.judged[0], dev=plan.dev,
        choosing=choosing(found), choosing_words=choosing_words(found), agreement=agreement(found),
        stopping=stopping(found), streak_n=STREAK_COMPARISONS, followed=plan.judged[1], patience=PATIENCE,
        gain=FollowSettings().gain,
        stopping_words=stopping_words(found), published_runs=PUBLISHED_RUNS, published=published(found),
        published_words=published_words(), trainings_table=trainings_table(found), costs=costs(trials, found),
    )  # fmt: skip
    return (
        "\n\n".join(part if part.startswith(("#", "|", "- ")) else filled(part) for part in text.strip().split("\n\n"))
        + "\n"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="Translation-en files; without them apt fetches those of Debian")
    parser.add_argument("--groups", type=int, default=Plan().groups, help=f"of each network ({Plan().groups})")
    parser.add_argument("--cache", type=Path, default=REPOSITORY / ".testbed", help="where everything is kept")
    parser.add_argument("--quick", action="store_true", help="a small one, to see that it works")
    parser.add_argument("--write", action="store_true", help="save docs/run_choice.md")
    options = parser.parse_args()
    if options.write and options.quick:
        parser.error("the page is that of the whole experiment")
    if options.groups < 2:
        parser.error(f"--groups must be at least 2, not {options.groups}")
    import torch

    torch.set_num_threads(1)
    plan = QUICK if options.quick else replace(Plan(), groups=options.groups)
    trials = Trials(plan, options.cache, options.data, lambda line: print(line, file=sys.stderr, flush=True))
    show(page(trials), "run_choice.md", options.write)


if __name__ == "__main__":
    main()
