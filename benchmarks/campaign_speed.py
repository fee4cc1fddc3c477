"""CPU time of a campaign's core per label and per task, by number of systems, at its beginning and at its end; and of
whole simulated campaigns per label.

    python benchmarks/campaign_speed.py            prints the table
    python benchmarks/campaign_speed.py --write    also writes docs/campaign_speed.md
    python benchmarks/campaign_speed.py --quick    with a tenth of the labels

Alternative, measured in the same run on the same labels: computing the evidence of the pair anew from its whole
sequence at each label, for the two directions only (`decisions.anytime`), without the interval.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY))  # `benchmarks` is no installed package

from benchmarks.worlds.small_campaigns import NOW, WORDS, open_campaign, protocol_of, study_of  # noqa: E402

from tiebreak.campaign import (  # noqa: E402
    LabelGiven,
    Plan,
    Protocol,
    State,
    assign_tasks,
    make_plan,
    next_tasks,
    step,
    verdicts,
)
from tiebreak.data.study import Study  # noqa: E402
from tiebreak.rules.anytime import AnytimeProcess, Priors, evidence_paths  # noqa: E402
from tiebreak.rules.sequence import ValueSequence  # noqa: E402
from tiebreak.settings.protocol import DecisionSettings, LabelSettings, PairSettings  # noqa: E402
from tiebreak.simulate.engines.step_engine import run_campaign  # noqa: E402
from tiebreak.simulate.people.answers import Answer, Habits  # noqa: E402

REPORT = REPOSITORY / "docs" / "campaign_speed.md"
TIMED = 300  # labels at the beginning, and at the end
TARGET = 1_000  # microseconds per label at 16 systems
SIZES = {2: 3_000, 6: 6_000, 16: 9_600, 50: 12_250}  # labels of a campaign, by systems
ROUNDS = 3  # whole campaigns are played this often; the fastest counts
PEOPLE = 5


@dataclass(frozen=True)
class Stretch:
    """CPU microseconds of some labels: per label (`step`), per task given out one by one, and for 50 at once."""

    label: float
    task: float
    task_of_50: float


@dataclass(frozen=True)
class Row:
    """One campaign of equal systems, which stays undecided. `again`: microseconds of the alternative at its end;
    `length`: labels of the pair then; `shown`: milliseconds of `verdicts` at the end. `deciding`: microseconds of a
    label in a campaign in which one system of each pair always wins.
    """

    systems: int
    labels: int
    beginning: Stretch
    end: Stretch
    again: float
    length: int
    shown: float
    deciding: float


@dataclass(frozen=True)
class Whole:
    """A kind of campaign, played from its opening to its end by the step engine. `hand`: tasks that a person takes."""

    name: str
    protocol: Protocol
    study: Study
    hand: int = 1


@dataclass(frozen=True)
class WholeRow:
    """Microseconds per label of a whole campaign, and its labels."""

    name: str
    hand: int
    labels: int
    label: float


class Coins:
    """People who answer at random, a fifth of the time with a tie, as fast as can be simulated."""

    people = PEOPLE

    def __init__(self) -> None:
        self._rng = np.random.default_rng(7)

    def answer(self, person: int, pair: int, item: int, a_on_left: bool) -> Answer:  # noqa: ARG002
        """Drawn, whatever is asked."""
        luck = self._rng.random()
        return Answer(1 if luck < 0.4 else -1 if luck >= 0.6 else 0, 10 * (1 + self._rng.random()), 0.1)


def whole_campaigns() -> list[Whole]:
    """What is simulated most."""
    two, four = names_of(2), names_of(4)
    rng = np.random.default_rng(3)
    scored = study_of(two, 800, scores={"m": {name: rng.normal(size=800).tolist() for name in two}})
    posterior = DecisionSettings(rule="posterior", multiplicity="none")
    metric = DecisionSettings(target="items", metrics=("m",))
    informative, thrice = PairSettings("most-informative"), LabelSettings("majority", 3)
    return [
        Whole("two systems, one person an item", protocol_of(), study_of(two, 800)),
        Whole("two systems, a majority of three", protocol_of(labels=thrice), study_of(two, 300)),
        Whole("two systems, a metric", protocol_of(decision=metric), scored),
        Whole("four systems, most informative pairs", protocol_of(pairs=informative), study_of(four, 100)),
        Whole("16 systems, Holm", protocol_of(), study_of(names_of(16), 30)),
        Whole("16 systems, Holm", protocol_of(), study_of(names_of(16), 30), 10),
        Whole("16 systems, the rule `posterior`", protocol_of(decision=posterior), study_of(names_of(16), 50), 10),
    ]


def play(whole: Whole, rounds: int) -> WholeRow:
    """The fastest of some runs of one campaign."""
    plan: Plan = make_plan(whole.protocol, whole.study)
    spent = []
    for _ in range(rounds):
        start = time.process_time()
        finished = run_campaign(plan, Coins(), np.random.default_rng(0), Habits(whole.hand))
        spent.append(time.process_time() - start)
    labels = finished.state.labels
    return WholeRow(whole.name, whole.hand, labels, 1e6 * min(spent) / labels)


def names_of(systems: int) -> list[str]:
    """Of so many systems."""
    return [f"system {k:02d}" for k in range(systems)]


def measure(systems: int, labels: int) -> Row:
    """A whole campaign; its first and last labels are timed."""
    pairs = systems * (systems - 1) // 2
    names = names_of(systems)
    # At this alpha nothing is decided: all pairs stay in the round to the end.
    protocol = protocol_of(decision=DecisionSettings(alpha=1e-12))
    state = open_campaign(protocol, study_of(names, 100 + labels // pairs * 2))
    rng = np.random.default_rng(1)
    state, beginning = stretch(state, rng, min(TIMED, labels // 3))
    state = unwatched(state, rng, labels - 2 * min(TIMED, labels // 3))
    state, end = stretch(state, rng, min(TIMED, labels // 3))
    again, length = from_scratch(state)
    start = time.process_time()
    verdicts(state)
    shown = 1e3 * (time.process_time() - start)
    return Row(systems, state.labels, beginning, end, again, length, shown, deciding(names))


def deciding(names: list[str]) -> float:
    """Microseconds per label where every pair is on its way to a verdict, as far as 4 x TIMED labels go."""
    state, spent, labels = open_campaign(protocol_of(), study_of(names, 60)), 0.0, 0
    while state.ended is None and labels < 4 * TIMED:
        (task,) = next_tasks(state, "ann", 1, NOW)
        state = step(state, task)
        start = time.process_time()
        state = step(state, LabelGiven(NOW, task.task, "ann", "a"))
        spent += time.process_time() - start
        labels += 1
    return 1e6 * spent / labels


def outcome(rng: np.random.Generator) -> str:
    """Of equal systems."""
    return WORDS[int(rng.integers(3)) - 1]


def stretch(state: State, rng: np.random.Generator, labels: int) -> tuple[State, Stretch]:
    """Task by task, timed."""
    asking = answering = 0.0
    for _ in range(labels):
        start = time.process_time()
        (task,) = next_tasks(state, "ann", 1, NOW)
        asking += time.process_time() - start
        state = step(state, task)
        label = LabelGiven(NOW, task.task, "ann", outcome(rng))  # type: ignore[arg-type]
        start = time.process_time()
        state = step(state, label)
        answering += time.process_time() - start
    start = time.process_time()
    for _ in range(5):
        sheet = next_tasks(state, "ann", 50, NOW)
    of_50 = (time.process_time() - start) / 5 / len(sheet)
    return state, Stretch(1e6 * answering / labels, 1e6 * asking / labels, 1e6 * of_50)


def unwatched(state: State, rng: np.random.Generator, labels: int) -> State:
    """Sheet by sheet."""
    while labels > 0:
        tasks, state = assign_tasks(state, "ann", min(200, labels), NOW)
        for task in tasks:
            state = step(state, LabelGiven(NOW, task.task, "ann", outcome(rng)))  # type: ignore[arg-type]
        labels -= len(tasks)
    return state


def from_scratch(state: State) -> tuple[float, int]:
    """Microseconds to compute the evidence of a pair from its whole sequence, checked against the state's."""
    number = max(range(len(state.tracks)), key=lambda k: state.tracks[k].done)
    pair, wealth = state.tracks[number], state.measures[number].evidence.wealth
    values = np.repeat([1.0, 0.0, -1.0], [pair.wins, pair.ties, pair.losses])
    priors = Priors.default()
    start = time.process_time()
    for _ in range(20):
        paths = evidence_paths(AnytimeProcess(ValueSequence.complete(values), priors), None)
    spent = (time.process_time() - start) / 20
    now = wealth.log_e[:, wealth.log_e.shape[1] // 2]
    np.testing.assert_allclose(now, [paths.for_a[-1], paths.for_b[-1]], atol=1e-6)
    return 1e6 * spent, values.size


def table(rows: list[Row]) -> str:
    """Markdown."""
    header = [
        "systems (pairs)",
        "labels",
        "a label: first, last",
        "a label, deciding",
        "a task: first, last",
        "a task of a sheet of 50",
        "the pair anew from all its labels",
        "that over a label",
        "`verdicts` at the end",
    ]
    cells = [header, ["---"] * len(header)]
    for row in rows:
        pairs = row.systems * (row.systems - 1) // 2
        cells.append(
            [
                f"{row.systems} ({pairs:,})",
                f"{row.labels:,}",
                f"{row.beginning.label:.0f}, {row.end.label:.0f}",
                f"{row.deciding:.0f}",
                f"{row.beginning.task:,.0f}, {row.end.task:,.0f}",
                f"{row.end.task_of_50:.0f}",
                f"{row.again:,.0f} ({row.length:,} labels)",
                f"{row.again / row.end.label:.1f}",
                f"{row.shown:,.0f} ms",
            ]
        )
    return markdown(cells)


def table_of_whole(rows: list[WholeRow]) -> str:
    """Markdown."""
    header = ["campaign", "tasks at a time", "labels", "microseconds per label"]
    cells = [header, ["---"] * len(header)]
    cells += [[row.name, str(row.hand), f"{row.labels:,}", f"{row.label:.0f}"] for row in rows]
    return markdown(cells)


def markdown(cells: list[list[str]]) -> str:
    """A table; the second line is that of the dashes."""
    return "\n".join("| " + " | ".join(line) + " |" for line in cells)


def report(rows: list[Row], whole: list[WholeRow], load: str) -> str:
    """The page."""
    machine = f"{platform.system()} on {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    target = next(row for row in rows if row.systems == 16)
    slowest = max(target.beginning.label, target.end.label, target.deciding)
    met = "met" if slowest < TARGET else "not met"
    return f"""# Speed of a campaign

Microseconds of CPU time in the core of a campaign: taking in a label (`step`, with verdicts and the check whether the
campaign is over), and giving out a task (`next_tasks`, one by one and in sheets of 50), in campaigns of equal systems
in which every pair stays undecided. "First" and "last" are means over the first and the last {TIMED} labels: a label
costs the same however many came before. "Deciding": in a campaign in which one system of each pair always wins, so that
labels bring verdicts, which move the thresholds of the other pairs. Reading files, writing the log and showing pages
are not in it. Made by `python benchmarks/campaign_speed.py --write`.

{machine}; load average {load} (other work slows all times down).

{table(rows)}

The alternative computes the two directions of one pair anew at each label; the core also keeps equivalence and the
interval. Its cost grows with the labels of the pair, that of the core with the number of pairs, at which it looks once.
Target at 16 systems: below {TARGET:,} microseconds a label; {met}, at most {slowest:.0f}.

## Whole simulated campaigns

Everything that a campaign of `tiebreak simulate --engine steps` takes from its opening to its end, divided by its
labels: handing out tasks, drawing answers, simulated time, evidence and verdicts. {PEOPLE} people answer at random at
the same time; the fastest of {ROUNDS} runs counts.

{table_of_whole(whole)}

With a metric, a regression is refitted after every label. The most informative pair is found by two fits of the
strengths of all systems each time that somebody asks for tasks, whatever number they take.
"""


def main() -> None:
    """Measures, prints, and perhaps writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--quick", action="store_true")
    given = parser.parse_args()
    before = os.getloadavg()[0]
    rows = [measure(systems, labels // 10 if given.quick else labels) for systems, labels in SIZES.items()]
    whole = [play(of, 1 if given.quick else ROUNDS) for of in whole_campaigns()]
    text = report(rows, whole, f"{before:.1f} before and {os.getloadavg()[0]:.1f} after")
    print(text)
    if given.write:
        REPORT.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
