"""Which of several trainings is best, and when to stop one? Writes learning_choice.csv.

python benchmarks/papers/run_choice.py [--data FOLDER] [--groups 17] [--cache FOLDER] [--quick] [--write]

A little more than an hour of one processor. Every training, evaluator and answer is kept in the cache folder: what
was interrupted goes on where it was. `--quick`: few and short trainings, some three minutes. `--data`: Translation-en
files; without them apt fetches those of Debian.

A run is a group of trainings of one network with settings drawn at random; of each training the checkpoint with the
lowest dev loss is a candidate. Groups share no training. What is called best is what a measure says on packages that
no chooser sees. No person judges anything.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS"):
    os.environ.setdefault(variable, "1")

import numpy as np  # noqa: E402

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # `benchmarks` is no installed package

from benchmarks.papers.testbed import wins  # noqa: E402
from benchmarks.papers.testbed.findings import Findings, Score, choice_scores, find, stop_scores  # noqa: E402
from benchmarks.papers.testbed.judges import STREAK  # noqa: E402
from benchmarks.papers.testbed.trials import TRUTHS, Plan, Trials  # noqa: E402
from benchmarks.results import REPOSITORY, Value, machine, parser, write_rows  # noqa: E402

QUICK = Plan(
    groups=1, settings=3, steps=60, checkpoints=12, chosen_from=3, train=200, dev=60, judged=(20, 10), unseen=(30, 20),
    aside=1000, pilots=1, learned=40,
)  # fmt: skip
OURS = "evaluator"
OUR_STREAK = f"{OURS}, {STREAK}"
CHOICE_HEADER = (
    *("task", "best by", "chooser", "won", "groups", "won low", "won high", "regret", "regret low", "regret high"),
    *("of spread", "sign wins", "p wins", "sign regret", "p regret"),
)


def choice_rows(found: Findings) -> Iterator[tuple[Value, ...]]:
    """Wins and regret of each chooser by each truth, in both tasks."""
    for measure, words in TRUTHS.items():
        spread = float(np.mean([wins.spread(truth) for truth in found.truths(measure)]))
        for row in score_rows(choice_scores(found, measure), spread, OURS):
            yield "settings", words, *row
    for measure, words in TRUTHS.items():
        spread = float(np.mean([wins.spread(truth) for truth in found.followed_truths(measure)]))
        for row in score_rows(stop_scores(found, measure), spread, OUR_STREAK):
            yield "stopping", words, *row


def score_rows(scores: Mapping[str, Score], spread: float, ours: str) -> Iterator[tuple[Value, ...]]:
    """Means with 95% intervals (bootstrap over groups); p of the difference from `ours`, by sign flips within groups.
    The sign is + where `ours` does better.
    """
    mine = scores[ours]
    for name, score in scores.items():
        of_wins, of_regret = ("", None), ("", None)
        if name != ours:
            of_wins, of_regret = signed(mine.won - score.won), signed(score.regret - mine.regret)
        mean = float(score.regret.mean())
        won = (float(score.won.sum()), score.won.size, *wins.interval(score.won, seed=1))
        regret = (mean, *wins.interval(score.regret, seed=1), mean / spread if spread else None)
        yield name, *won, *regret, *of_wins, *of_regret


def signed(better: wins.Floats) -> tuple[str, float]:
    """Which of two is better, and p."""
    return "+" if better.sum() > 0 else "-" if better.sum() < 0 else "", wins.sign_flip(better, seed=1)


def write_results(found: Findings, folder: Path) -> None:
    """The file."""
    command, made_on = "python benchmarks/papers/run_choice.py --write", machine("torch")
    print(write_rows("learning_choice", CHOICE_HEADER, choice_rows(found), command, made_on, folder))


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status."""
    options_of = parser(__doc__, "benchmarks/results/learning_choice.csv")
    options_of.add_argument("--groups", type=int, default=Plan().groups, help=f"of each network ({Plan().groups})")
    options_of.add_argument("--quick", action="store_true", help="a small one, to see that it works")
    options_of.set_defaults(data=None, cache=REPOSITORY / ".testbed")
    options = options_of.parse_args(arguments)
    if options.write and options.quick:
        options_of.error("the results are those of the whole experiment")
    if options.groups < 2:
        options_of.error(f"--groups must be at least 2, not {options.groups}")
    import torch

    torch.set_num_threads(1)
    plan = QUICK if options.quick else replace(Plan(), groups=options.groups)
    trials = Trials(plan, options.cache, options.data, lambda line: print(line, file=sys.stderr, flush=True))
    write_results(find(trials), options.results if options.write else options.cache / "results")
    return 0


if __name__ == "__main__":
    sys.exit(main())
