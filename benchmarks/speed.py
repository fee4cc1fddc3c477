"""Whole-process times and peak memory of the command line, as ratios to named alternatives measured in the same run.

    python benchmarks/speed.py            prints the tables
    python benchmarks/speed.py --write    also writes docs/speed.md
    python benchmarks/speed.py --quick    leaves the large study out

Alternatives: an empty Python process; short scripts that read the same labels with polars and run one
scipy.stats.binomtest per pair (a fixed-sample test, without intervals, orders or warnings), one t interval per system,
or one share of agreement per pair; and the e-process of one pair written as plain Python loops, checked against
tiebreak's own values.
"""

from __future__ import annotations

import argparse
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from pages import REAL_STUDIES, machine, show

HERE = Path(__file__).resolve().parent
SUMMEVAL = REAL_STUDIES / "summeval"
RULES = {"`compare`": (), "`compare --rule anytime`": ("--rule", "anytime")}


@dataclass(frozen=True)
class Run:
    """One command: seconds of wall time and, of the same repeat (the median one), of CPU time over all threads; peak
    resident memory in MiB.
    """

    seconds: float
    cpu: float
    memory: float


@dataclass(frozen=True)
class Case:
    """One row of the table; `limit` in seconds is the target."""

    what: str
    run: Run
    limit: float
    other: str
    alternative: Run


def measure(command: Sequence[str], repeats: int) -> Run:
    """Runs a command to its end, output thrown away; fails if it fails.

    This process must stay small: the kernel counts a child's memory from that of its parent. Compiled modules are
    kept, as pip keeps them, whatever the environment says.
    """
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    times: list[tuple[float, float]] = []
    memory = 0.0
    for _ in range(repeats):
        start = time.perf_counter()
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment)
        errors = b"" if child.stderr is None else child.stderr.read()
        _, status, usage = os.wait4(child.pid, 0)
        times.append((time.perf_counter() - start, usage.ru_utime + usage.ru_stime))
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            raise SystemExit(f"{' '.join(command)} failed:\n{errors.decode()}")
        memory = max(memory, usage.ru_maxrss / 1024)
    seconds, cpu = sorted(times)[len(times) // 2]
    return Run(seconds, cpu, memory)


def tiebreak(*arguments: str) -> list[str]:
    """The command line as the console script starts it."""
    return [sys.executable, "-c", "from tiebreak.cli.main import run; run()", *arguments]


def script(*arguments: str) -> list[str]:
    """This file, in one of its other roles."""
    return [sys.executable, str(HERE / "speed.py"), *arguments]


def cases(folder: Path, quick: bool) -> list[Case]:
    """All measurements; prints each as it comes."""
    found = []

    def add(what: str, command: list[str], limit: float, other: str, alternative: list[str], repeats: int) -> None:
        case = Case(what, measure(command, repeats), limit, other, measure(alternative, repeats))
        found.append(case)
        print(row(case), flush=True)

    demo, large = str(folder / "demo"), str(folder / "large")
    add("`tiebreak --help`", tiebreak("--help"), 0.8, "`python -c pass`", [sys.executable, "-c", "pass"], 5)
    measure(tiebreak("demo", demo), 1)
    binomial = "polars + `scipy.stats.binomtest` per pair"
    for name, rule in RULES.items():
        small = f"{name}, the demo: 6 pairs, 1,800 labels"
        add(small, tiebreak("compare", demo, *rule), 2.5, binomial, script("--binomtest", demo), 5)
    if SUMMEVAL.is_dir():
        summeval = str(SUMMEVAL)
        for name, rule in RULES.items():
            what = f"{name}, SummEval's experts: 4 criteria × 120 pairs, 100 items, 19,200 ratings"
            experts = tiebreak("compare", summeval, "--annotators", "expert_*", *rule)
            add(what, experts, 6.0, binomial, script("--binomtest", summeval), 3)
    else:
        print("SummEval left out: its study folder is not beside this repository.")
    if not quick:
        found += ratings_cases(folder)
        rated = str(folder / "rated")
        measure([sys.executable, str(HERE / "make_large_study.py"), rated, "--ratings"], 1)
        what = "`compare`, 100 systems: 4,950 pairs, 20,000 items, 2,000,000 ratings, 99,000,000 comparisons"
        add(what, tiebreak("compare", rated), 60.0, binomial, script("--binomtest", rated), 1)
        measure([sys.executable, str(HERE / "make_large_study.py"), large], 1)
        for name, rule in RULES.items():
            what = f"{name}, 100 systems: 4,950 pairs, 20,000 items, 2,475,000 labels"
            add(what, tiebreak("compare", large, *rule), 60.0, binomial, script("--binomtest", large), 1)
    return found


def ratings_cases(folder: Path) -> list[Case]:
    """A million ratings, with a metric that is known on all outputs."""
    found, million = [], str(folder / "million")
    making = ("--systems", "10", "--items", "50000", "--ratings", "--people", "2", "--metric", "fit")
    measure([sys.executable, str(HERE / "make_large_study.py"), million, *making], 1)
    size = "10 systems, 50,000 items, 1,000,000 ratings"
    means, agreement = "polars + `scipy.stats.t` per system", "polars + `scipy.stats.binomtest` per pair"
    for what, arguments, other, script_of in (
        (f"`estimate`, {size}", ("estimate", million), means, "--means"),
        (f"`estimate --metric`, {size}, 500,000 scores", ("estimate", million, "--metric", "fit"), means, "--means"),
        (
            f"`audit --metric`, {size}, 500,000 scores, 2,250,000 comparisons",
            ("audit", million, "--metric", "fit"),
            agreement,
            "--agreement",
        ),
    ):
        case = Case(what, measure(tiebreak(*arguments), 1), 60.0, other, measure(script(script_of, million), 1))
        found.append(case)
        print(row(case), flush=True)
    return found


def means_per_system(folder: Path) -> None:
    """The alternative to `estimate`: a mean and its t interval."""
    import polars as pl
    from scipy.stats import t

    outputs = pl.read_csv(folder / "ratings.csv").group_by("system", "item").agg(pl.col("value").mean())
    rows = outputs.group_by("system").agg(pl.col("value").mean(), sd=pl.col("value").std(), n=pl.len())
    for name, mean, sd, count in rows.sort("system").iter_rows():
        print(name, t.interval(0.95, count - 1, loc=mean, scale=sd / math.sqrt(count)))


def agreement_per_pair(folder: Path) -> None:
    """The alternative to `audit`: how often the sign of the metric's difference is that of people's, as one share."""
    import numpy as np
    import polars as pl
    from scipy.stats import binomtest

    people = pl.read_csv(folder / "ratings.csv").group_by("system", "item").agg(pl.col("value").mean())
    scores = pl.read_csv(folder / "scores.csv").select("system", "item", "value")
    tables = [of.pivot("system", index="item", values="value").sort("item") for of in (people, scores)]
    systems = sorted(tables[0].columns[1:])
    for first, second in combinations(systems, 2):
        signs = [np.sign(table[first].to_numpy() - table[second].to_numpy()) for table in tables]
        agrees = signs[0] == signs[1]
        print(first, second, binomtest(int(agrees.sum()), agrees.size).proportion_ci())


def binomtest_per_pair(folder: Path) -> None:
    """The alternative: what a short script does with the same labels."""
    import polars as pl
    from scipy.stats import binomtest

    preferences = folder / "preferences.csv"
    if preferences.is_file():
        frame = pl.read_csv(preferences, schema_overrides={"item": pl.String})
        counts = frame.group_by("system_a", "system_b").agg(
            wins=(pl.col("outcome") == "a").sum(), losses=(pl.col("outcome") == "b").sum()
        )
    else:
        ratings = pl.concat([pl.read_csv(path) for path in sorted(folder.glob("ratings*.csv"))])
        experts = pl.col("annotator").str.starts_with("expert_")
        means = (
            ratings.filter(experts | ~experts.any())
            .group_by("criterion", "item", "system")
            .agg(pl.col("value").mean())
            .pivot("system", index=["criterion", "item"], values="value")
        )
        systems = means.columns[2:]
        rows = []
        for of in means.partition_by("criterion"):
            for first, second in combinations(systems, 2):
                a, b = of[first].to_numpy(), of[second].to_numpy()
                rows.append({"wins": int((a > b).sum()), "losses": int((a < b).sum())})
        counts = pl.DataFrame(rows)
    for wins, losses in counts.select("wins", "losses").iter_rows():
        if wins + losses:
            print(binomtest(wins, wins + losses).pvalue)


def plain_log_e(outcomes: Sequence[float], bets: Sequence[float], log_weights: Sequence[float]) -> float:
    """Running maximum of log E against "not better", as loops over outcomes and bets."""
    log_wealth = list(log_weights)
    largest = 0.0
    for outcome in outcomes:
        for j, bet in enumerate(bets):
            log_wealth[j] += math.log1p(bet * outcome)
        top = max(log_wealth)
        largest = max(largest, top + math.log(sum(math.exp(wealth - top) for wealth in log_wealth)))
    return largest


def plain_python_per_pair(folder: Path, pairs_timed: int = 5) -> tuple[float, float]:
    """Seconds a pair for both directions: plain Python loops, and tiebreak's kernels on the same values.

    Fails where the two disagree.
    """
    from tiebreak import read_study
    from tiebreak.evidence.study_evidence import EvidenceSettings, study_evidence
    from tiebreak.rules.anytime import AnytimeProcess, Priors

    study = read_study(folder)
    evidence = study_evidence(study, study.criteria, EvidenceSettings())
    priors = Priors.default()
    bets = [min(bet, 0.98) for bet in priors.outcomes.bets.tolist()]  # the kernel's largest bet against a null of 0
    log_weights = priors.outcomes.log_weights.tolist()
    chosen = [pair.sequence for criterion in evidence.criteria for pair in criterion.pairs][:pairs_timed]
    start = time.perf_counter()
    slow = [
        (plain_log_e(s.for_a.tolist(), bets, log_weights), plain_log_e((-s.for_b).tolist(), bets, log_weights))
        for s in chosen
    ]
    between = time.perf_counter()
    fast: list[Any] = []
    for sequence in chosen:
        process = AnytimeProcess(sequence, priors)
        fast.append(tuple(max(0.0, float(process.log_e_path(side).max())) for side in (1, -1)))
    end = time.perf_counter()
    for pair, (mine, theirs) in enumerate(zip(fast, slow, strict=True)):
        if any(abs(x - y) > 1e-6 for x, y in zip(mine, theirs, strict=True)):
            raise SystemExit(f"pair {pair}: log E is {mine} by tiebreak and {theirs} by plain loops")
    return (between - start) / len(chosen), (end - between) / len(chosen)


def row(case: Case) -> str:
    """A row of the table."""
    ratio = case.run.cpu / case.alternative.cpu
    met = "yes" if case.run.cpu < case.limit else "no"
    return (
        f"| {case.what} | {case.run.seconds:.2f} s | {case.run.cpu:.2f} s | {case.run.memory:,.0f} MiB "
        f"| {case.limit:g} s: {met} | {case.other}: {case.alternative.cpu:.2f} s of CPU time, "
        f"{case.alternative.memory:,.0f} MiB | {ratio:.1f} |"
    )


def report(found: Sequence[Case], plain: float, kernels: float, labels: int, pairs: int, load: str) -> str:
    """The page."""
    rows = "\n".join(row(case) for case in found)
    loops = (
        f"The two e-processes of one pair with {labels:,} labels take {1000 * plain:.0f} ms as plain Python loops over "
        f"labels and bets, and {1000 * kernels:.2f} ms in tiebreak ({plain / kernels:,.0f} times less; same values to "
        f"1e-6, a mean over five pairs)."
    )
    if pairs:
        whole = found[-1].run.seconds
        loops += (
            f" For all {pairs:,} pairs the loops would take about {plain * pairs:,.0f} s (extrapolated from those "
            f"five), {plain * pairs / whole:.1f} times as long as the whole `compare`, which also reads and checks "
            "the files, and finds intervals, agreement, order and warnings."
        )
    return f"""# Speed

Whole processes, from the shell's call to the exit: start-up, reading, checking, deciding, printing. Made by
`python benchmarks/speed.py --write`; wall times are medians of several runs (the large studies: one run), memory is the
peak resident set. Targets and "ratio" are about CPU time, which other work on the machine stretches less; "ratio" is
tiebreak's over that of the alternative, both measured in the same run. The alternatives do much less: a fixed-sample
sign test per pair, an interval per mean or per share of agreement, without checks or warnings.

{machine()}; {load}.

| what | time | CPU time | memory | target | alternative | ratio |
| --- | --- | --- | --- | --- | --- | --- |
{rows}

{loops}

How time and memory grow with systems and items, with a metric: [scaling](scaling.md).
"""


def main() -> None:
    """Measure, print, and perhaps write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write docs/speed.md")
    parser.add_argument("--quick", action="store_true", help="leave the large study out")
    alternatives = {"binomtest": binomtest_per_pair, "means": means_per_system, "agreement": agreement_per_pair}
    for name in alternatives:
        parser.add_argument(f"--{name}", type=Path, metavar="STUDY", help="only be this alternative")
    options = parser.parse_args()
    for name, alternative in alternatives.items():
        if getattr(options, name) is not None:
            alternative(getattr(options, name))
            return
    if options.write and options.quick:
        parser.error("--write needs the large study too")
    before = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        found = cases(Path(folder), options.quick)
        study = "demo" if options.quick else "large"
        plain, kernels = plain_python_per_pair(Path(folder) / study)
    load = f"load average {before:.1f} before and {os.getloadavg()[0]:.1f} after (other work slows all times down)"
    text = report(found, plain, kernels, 300 if options.quick else 500, 0 if options.quick else 4950, load)
    show(text, "speed.md", options.write)


if __name__ == "__main__":
    main()
