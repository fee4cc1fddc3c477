"""Times each named case beside an alternative in the same run: writes benchmarks/results/speed.csv.

    python benchmarks/speed.py --write             every case, half an hour of two processors
    python benchmarks/speed.py simulate label      some cases; with --write their rows replace those of before
    python benchmarks/speed.py --scale 0.1         a tenth of the work

Cases `help`, `compare`, `large`, `rank` and `scaling` are whole processes: CPU time of all threads, or wall time, and
peak resident memory. The others run in this process. The ratio is tiebreak's figure over that of the alternative.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # `benchmarks` is no installed package

from benchmarks.results import REPOSITORY, Value, machine, parser, read_rows, write_rows  # noqa: E402

HEADER = ("case", "what", "measure", "tiebreak", "alternative", "alternative figure", "ratio")
HEADER += ("memory MiB", "alternative memory MiB")
SIGN_TESTS = "polars, sign tests"

Row = tuple[Value, ...]


@dataclass(frozen=True)
class Scope:
    """Where studies are made, where the real ones are, and how much work is asked for."""

    folder: Path
    data: Path
    scale: float

    def count(self, whole: int, least: int = 2) -> int:
        """So many at this scale."""
        return max(least, round(whole * self.scale))


# ---- whole processes -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Run:
    """One command: wall and CPU seconds of the median repeat, and the peak resident memory in MiB."""

    seconds: float
    cpu: float
    memory: float


def measure(command: Sequence[str], repeats: int = 1) -> Run:
    """Runs a command to its end, output thrown away; fails if it fails.

    This process must stay small: the kernel counts a child's memory from that of its parent. Compiled modules are
    kept, as pip keeps them, whatever the environment says.
    """
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        environment.pop(name, None)
    times: list[tuple[float, float]] = []
    memory = 0.0
    for _ in range(repeats):
        start = time.perf_counter()
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment)
        with child.stderr as stream:  # type: ignore[union-attr]
            errors = stream.read()
        _, status, usage = os.wait4(child.pid, 0)
        times.append((time.perf_counter() - start, usage.ru_utime + usage.ru_stime))
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            raise SystemExit(f"{' '.join(command)} failed:\n{errors.decode()}")
        memory = max(memory, usage.ru_maxrss / 1024)
    seconds, cpu = sorted(times)[len(times) // 2]
    return Run(seconds, cpu, memory)


def tiebreak_command(*arguments: str) -> list[str]:
    """The command line as the console script starts it."""
    return [sys.executable, "-c", "from tiebreak.cli.main import run; run()", *arguments]


def own(script: str, *arguments: str) -> list[str]:
    """A script of this folder."""
    return [sys.executable, str(REPOSITORY / "benchmarks" / script), *arguments]


def beside(case: str, what: str, ours: Run, alternative: str, theirs: Run, *, wall: bool = False) -> Row:
    """A row of CPU seconds, or of wall time."""
    mine, other = (ours.seconds, theirs.seconds) if wall else (ours.cpu, theirs.cpu)
    measured = "wall s" if wall else "CPU s"
    return case, what, measured, mine, alternative, other, mine / other, ours.memory, theirs.memory


def help_case(_: Scope) -> Iterator[Row]:
    """Start-up."""
    empty = measure([sys.executable, "-c", "pass"], 5)
    yield beside("process", "tiebreak --help", measure(tiebreak_command("--help"), 5), "python -c pass", empty)


def compare_case(scope: Scope) -> Iterator[Row]:
    """Small studies."""
    demo, summeval = str(scope.folder / "demo"), scope.data / "summeval"
    measure(tiebreak_command("demo", demo))
    studies = {"the demo": (demo, ())}
    if summeval.is_dir():
        studies["SummEval: 480 pairs, 19,200 ratings"] = (str(summeval), ("--annotators", "expert_*"))
    for name, (study, chosen) in studies.items():
        other = measure(own("speed.py", "--binomtest", study), 3)
        for rule in ((), ("--rule", "anytime")):
            run = measure(tiebreak_command("compare", study, *chosen, *rule), 3)
            yield beside("process", f"{' '.join(('compare', *rule))}, {name}", run, SIGN_TESTS, other)


def large_case(scope: Scope) -> Iterator[Row]:
    """A hundred systems."""
    study, systems = str(scope.folder / "large"), scope.count(100)
    measure(own("make_large_study.py", study, "--systems", str(systems)))
    other = measure(own("speed.py", "--binomtest", study))
    for rule in ((), ("--rule", "anytime")):
        what = f"{' '.join(('compare', *rule))}, {systems} systems, 2,475,000 labels"
        yield beside("process", what, measure(tiebreak_command("compare", study, *rule)), SIGN_TESTS, other)


def rank_case(scope: Scope) -> Iterator[Row]:
    """A million labels of a hundred systems."""
    study, systems, labels = str(scope.folder / "games"), scope.count(100), scope.count(1_000_000)
    measure(own("make_large_study.py", study, "--systems", str(systems), "--labels", str(labels)))
    games = f"{systems} systems, {labels:,} labels"
    for command, other, alternative in (("rank", "evalica, one fit", "evalica"), ("compare", SIGN_TESTS, "binomtest")):
        ours = measure(tiebreak_command(command, study), 3)
        theirs = measure(own("speed.py", f"--{alternative}", study), 3)
        yield beside("process", f"{command}, {games}", ours, other, theirs, wall=True)


def scaling_case(scope: Scope) -> Iterator[Row]:
    """20,000 labels in all, and a score of one metric for every output."""
    study, systems, items = str(scope.folder / "scaling"), scope.count(100), scope.count(100_000)
    numbers = ("--systems", str(systems), "--items", str(items), "--labels", str(scope.count(20_000)))
    measure(own("make_large_study.py", study, *numbers, "--metric", "fit", "--format", "parquet"))
    ours = measure(tiebreak_command("compare", study, "--metric", "fit", "--json"))
    other = measure(own("speed.py", "--corrected", study))
    what = f"compare --metric, {systems} systems, {items:,} items"
    yield beside("scaling", what, ours, SIGN_TESTS, other, wall=True)


def binomtest_per_pair(folder: Path) -> None:
    """An alternative: what a short script does with the same labels, without intervals, checks or warnings."""
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
        rows = []
        for of in means.partition_by("criterion"):
            for first, second in combinations(means.columns[2:], 2):
                a, b = of[first].to_numpy(), of[second].to_numpy()
                rows.append({"wins": int((a > b).sum()), "losses": int((a < b).sum())})
        counts = pl.DataFrame(rows)
    for wins, losses in counts.select("wins", "losses").iter_rows():
        if wins + losses:
            print(binomtest(wins, wins + losses).pvalue)


def evalica_fit(folder: Path) -> None:
    """An alternative: a Bradley-Terry fit of the same labels, without intervals, places or checks."""
    import evalica
    import polars as pl

    frame = pl.read_csv(folder / "preferences.csv", columns=["system_a", "system_b", "outcome"])
    winners = {"a": evalica.Winner.X, "b": evalica.Winner.Y, "tie": evalica.Winner.Draw}
    names = (frame[f"system_{side}"].to_list() for side in ("a", "b"))
    print(evalica.bradley_terry(*names, [winners[outcome] for outcome in frame["outcome"]]).scores)


def corrected_per_pair(folder: Path) -> None:
    """An alternative: counts, a sign test and a mean corrected by the metric, per pair."""
    import numpy as np
    import polars as pl
    from scipy.stats import binomtest

    scores = pl.read_parquet(folder / "scores.parquet", columns=["item", "system", "value"])
    means = dict(scores.group_by("system").agg(pl.col("value").mean()).iter_rows())
    labels = pl.read_parquet(folder / "preferences.parquet", columns=["item", "system_a", "system_b", "outcome"])
    for side in ("a", "b"):
        keys = {"left_on": ["item", f"system_{side}"], "right_on": ["item", "system"]}
        labels = labels.join(scores.rename({"value": f"score_{side}"}), how="left", **keys)
    for (a, b), part in labels.group_by("system_a", "system_b"):
        human = part["outcome"].replace_strict({"a": 1.0, "tie": 0.0, "b": -1.0}).to_numpy()
        metric = (part["score_a"] - part["score_b"]).to_numpy()
        wins, losses = int((human > 0).sum()), int((human < 0).sum())
        spread = float(np.var(metric))
        slope = float(np.cov(human, metric, bias=True)[0, 1]) / spread if spread else 0.0
        corrected = human.mean() - slope * (metric.mean() - means[a] + means[b])
        print(a, b, binomtest(wins, wins + losses).pvalue if wins + losses else 1.0, corrected)


# ---- campaigns -------------------------------------------------------------------------------------------------


def simulate_case(scope: Scope) -> Iterator[Row]:
    """Simulated campaigns per CPU second by both engines on the same experiments; the true differences are in it."""
    import numpy as np

    from tiebreak.campaign import Protocol
    from tiebreak.simulate.people.agents import World
    from tiebreak.simulate.people.workers import Worker
    from tiebreak.simulate.runs.quick_engine import repeat_quickly
    from tiebreak.simulate.runs.repeat import AgentExperiment, repeat

    people = tuple(Worker(float(capability), 0.1, 0.0, 0.0, 30.0) for capability in np.linspace(0.8, 1.0, 10))
    for systems, (slow, fast) in {2: (40, 4_000), 4: (8, 2_000), 8: (2, 400), 16: (1, 300)}.items():
        world = World(tuple(np.linspace(0.6, 0.0, systems)), scope.count(200, 40))
        experiment = AgentExperiment(Protocol(), world, people)
        rates = []
        for run, count in ((repeat_quickly, scope.count(fast)), (repeat, scope.count(slow, 1))):
            start = time.process_time()
            run(experiment, count, 1)
            rates.append(count / (time.process_time() - start))
        what, measured = f"simulate, {systems} systems", "campaigns per CPU s"
        yield "engines", what, measured, rates[0], "step engine", rates[1], rates[0] / rates[1], None, None


def label_case(scope: Scope) -> Iterator[Row]:
    """A step of the campaign core at the end of a campaign of equal systems that stay undecided, beside the evidence of
    the pair computed anew from all its labels.
    """
    import numpy as np
    from benchmarks.worlds.small_campaigns import NOW, WORDS, open_campaign, protocol_of, study_of

    from tiebreak.campaign import LabelGiven, Preferred, assign_tasks, step
    from tiebreak.campaign.outcome_marks import outcome_counts
    from tiebreak.rules.family import Family
    from tiebreak.rules.planned_set import plan_set, scan
    from tiebreak.rules.rule import ValueSequence
    from tiebreak.settings.protocol import DecisionSettings

    for systems, labels in {2: 3_000, 6: 6_000, 16: 9_600, 50: 12_250}.items():
        pairs = systems * (systems - 1) // 2
        names = [f"system {k:02d}" for k in range(systems)]
        # At this alpha nothing is decided: all pairs stay in the round to the end.
        protocol = protocol_of(decision=DecisionSettings(alpha=1e-12))
        state, rng = open_campaign(protocol, study_of(names, 100 + labels // pairs * 2)), np.random.default_rng(1)
        left, spent = scope.count(labels, 20), 0.0
        timed = min(300, left // 3)
        while left > 0:
            tasks, state = assign_tasks(state, "ann", min(200, left), NOW)
            for task in tasks:
                label = LabelGiven(NOW, task.task, "ann", Preferred(WORDS[int(rng.integers(3)) - 1]))  # type: ignore[arg-type]
                start = time.process_time()
                state = step(state, label)
                spent += (time.process_time() - start) * (left <= timed)
                left -= 1
        pair = max(state.tracks, key=lambda track: track.done)
        values = np.repeat([1.0, 0.0, -1.0], outcome_counts(pair.marks, 0, 1)[:3])
        family = Family(0.05, "holm", pairs, margin=False)
        start = time.process_time()
        for _ in range(3):
            scan([plan_set(family, ValueSequence.complete(values), most=None, margin=None)])
        ours, anew = 1e6 * spent / timed, 1e6 * (time.process_time() - start) / 3
        what, other = f"a label, {systems} systems", "all labels of the pair anew"
        yield "campaign", what, "CPU microseconds", ours, other, anew, ours / anew, None, None


CASES: dict[str, Callable[[Scope], Iterator[Row]]] = {
    "help": help_case,
    "compare": compare_case,
    "large": large_case,
    "rank": rank_case,
    "scaling": scaling_case,
    "simulate": simulate_case,
    "label": label_case,
}
ALTERNATIVES = {"binomtest": binomtest_per_pair, "evalica": evalica_fit, "corrected": corrected_per_pair}


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status."""
    options_of = parser(__doc__, "benchmarks/results/speed.csv")
    options_of.add_argument("cases", nargs="*", metavar="CASE", help=f"{', '.join(CASES)} (all)")
    for name in ALTERNATIVES:
        options_of.add_argument(f"--{name}", type=Path, metavar="STUDY", help="only be this alternative")
    options = options_of.parse_args(arguments)
    for name, alternative in ALTERNATIVES.items():
        if getattr(options, name) is not None:
            alternative(getattr(options, name))
            return 0
    if unknown := [name for name in options.cases if name not in CASES]:
        options_of.error(f"no case is called {', '.join(unknown)}: {', '.join(CASES)}")
    with tempfile.TemporaryDirectory() as folder:
        scope = Scope(Path(folder), options.data, options.scale)
        rows = []
        for name in options.cases or CASES:
            for row in CASES[name](scope):
                rows.append(row)
                print(*row[:7], sep=" | ", flush=True)
    results = options.results if options.write else options.cache / "results"
    if options.write and options.cases:
        measured = {tuple(map(str, row[:2])) for row in rows}
        before = [tuple(row.values()) for row in read_rows("speed", results)]
        rows = [*(row for row in before if row[:2] not in measured), *rows]
    print(write_rows("speed", HEADER, rows, "python benchmarks/speed.py --write", machine(), results))
    return 0


if __name__ == "__main__":
    sys.exit(main())
