"""Campaigns of six people in sheets: how many labels are evidence at each look, how long it takes, and whether it errs.

python benchmarks/sheets.py [--campaigns 200] [--seed 1] [--write]

Four people return a sheet after some four hours (exponential) and a minute and a half for each task, one takes a day,
and one never comes back. They leave 10% of answers empty, and 30% of the others are ties. A look is whenever a sheet
comes back. The same people with one task at a time, as in a browser, stand beside them. With equal systems the share of
campaigns with any verdict is shown, which is an error. `--write` writes benchmarks/results/sheets.csv.
"""

from __future__ import annotations

import argparse
import heapq
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # `benchmarks` is no installed package

from benchmarks.results import machine, write_rows

from tiebreak.campaign import (
    CampaignOpened,
    LabelGiven,
    Protocol,
    State,
    TaskAssigned,
    TaskReturned,
    expired_tasks,
    next_tasks,
    sheet_size,
    step,
)
from tiebreak.campaign.kinds import Preferred
from tiebreak.campaign.make_plan import make_plan
from tiebreak.campaign.plan import CampaignPlan
from tiebreak.campaign.state import init_from_plan
from tiebreak.data.study import Study
from tiebreak.settings.protocol import LabelSettings, OrderSettings

HOURS = {"ann": 4.0, "bo": 4.0, "cy": 4.0, "di": 4.0, "eve": 24.0, "flo": None}
"""How long each person keeps a sheet on average; None: for good."""
HOURS_A_TASK = 0.025
EMPTY, TIES = 0.1, 0.3
LONGEST = 24 * 60  # hours
START = datetime(2026, 5, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Setting:
    """`gap`: the difference of neighbouring systems in preference shares; `sheet`: tasks of a sheet, "sized" for what
    the campaign says, or "one" for a task at a time of people who are all there; `people` per item, whose majority
    counts.
    """

    systems: int
    items: int
    gap: float
    sheet: int | str
    people: int = 1

    def plan(self) -> CampaignPlan:
        """The campaign's plan, which all its runs share."""
        names = "abcdefgh"[: self.systems]
        outputs = [
            {"item": f"i{k:03}", "system": name, "text": f"{name} on {k}"} for k in range(self.items) for name in names
        ]
        labels = LabelSettings(labelling="majority", per_item=self.people) if self.people > 1 else LabelSettings()
        return make_plan(Protocol(order=OrderSettings(seed=3), labels=labels), Study.from_tables(outputs=outputs))


SETTINGS = tuple(
    Setting(systems, items, gap, sheet)
    for systems, items, gap in ((2, 300, 0.2), (4, 150, 0.2), (2, 150, 0.0))
    for sheet in ("sized", 50, "one")
) + tuple(
    Setting(systems, items, 0.2, sheet, 3) for systems, items in ((2, 300), (4, 150)) for sheet in ("sized", "one")
)


@dataclass
class Ran:
    """One campaign: `evidence` share of labels at each look; `idle` hours of a person without a task."""

    state: State
    evidence: list[float] = field(default_factory=list)
    idle: float = 0.0
    hours: float = 0.0


def run(setting: Setting, plan: CampaignPlan, seed: int) -> Ran:
    """One campaign until it ends, by the clock of its people."""
    chance, one = np.random.default_rng(seed), setting.sheet == "one"
    ran = Ran(step(init_from_plan(plan), CampaignOpened(_time(0), plan.protocol.fingerprint, plan.study)))
    due: list[tuple[float, int, str, Sequence[TaskAssigned]]] = [(0.01 * k, k, who, ()) for k, who in enumerate(HOURS)]
    for turn in range(len(HOURS), 10**6):
        hour, _, who, sheet = heapq.heappop(due)
        ran.hours = hour
        if sheet:
            _bring_back(ran, setting, sheet, _time(hour), chance, empty=0.0 if one else EMPTY)
            ran.evidence.append(sum(track.done_labels for track in ran.state.tracks) / max(1, ran.state.labels))
        if ran.state.ended is not None or hour > LONGEST:
            break
        tasks = _hand_out(ran, setting, who, _time(hour))
        if not tasks:
            ran.idle += 1 / len(HOURS)
            heapq.heappush(due, (hour + 1, turn, who, ()))
        elif one:
            heapq.heappush(due, (hour + HOURS_A_TASK, turn, who, tasks))
        elif (usual := HOURS[who]) is not None:
            back = hour + chance.exponential(usual) + HOURS_A_TASK * len(tasks)
            heapq.heappush(due, (back, turn, who, tasks))
    return ran


def _hand_out(ran: Ran, setting: Setting, who: str, now: str) -> Sequence[TaskAssigned]:
    for expired in expired_tasks(ran.state, now):
        ran.state = step(ran.state, expired)
    sizes = {"one": 1, "sized": sheet_size(ran.state, who)}
    size = setting.sheet if isinstance(setting.sheet, int) else sizes[setting.sheet]
    tasks = [task for task in next_tasks(ran.state, who, size, now) if isinstance(task, TaskAssigned)]
    for task in tasks:
        ran.state = step(ran.state, task)
    return tasks


def _bring_back(
    ran: Ran, setting: Setting, sheet: Sequence[TaskAssigned], now: str, chance: np.random.Generator, *, empty: float
) -> None:
    for task in sheet:
        if chance.random() < empty:
            ran.state = step(ran.state, TaskReturned(now, task.task, "left empty"))
            continue
        gap = setting.gap * (ord(task.system_b) - ord(task.system_a))  # the later letter is better
        outcome = "tie" if chance.random() < TIES else "b" if chance.random() < 0.5 + gap / 2 else "a"
        ran.state = step(ran.state, LabelGiven(now, task.task, task.annotator, Preferred(outcome)))


def _time(hour: float) -> str:
    return (START + timedelta(hours=hour)).strftime("%Y-%m-%dT%H:%M:%SZ")


HEADER = (
    "systems",
    "gap",
    "sheet",
    "people",
    "campaigns",
    "evidence",
    "labels",
    "days",
    "idle_hours",
    "verdict",
    "decided",
)


def row_of(setting: Setting, runs: Sequence[Ran]) -> tuple[float | str, ...]:
    """Means over campaigns: evidence over looks, labels paid, days, idle hours; the share of campaigns with any
    verdict, and of pairs that are decided."""
    decided = [[measure.verdict != "undecided" for measure in ran.state.measures] for ran in runs]
    means = (
        [np.mean(ran.evidence) for ran in runs],
        [ran.state.labels for ran in runs],
        [ran.hours / 24 for ran in runs],
        [ran.idle for ran in runs],
        [any(of) for of in decided],
        [np.mean(of) for of in decided],
    )
    return (
        setting.systems,
        setting.gap,
        str(setting.sheet),
        setting.people,
        len(runs),
        *(float(np.mean(of)) for of in means),
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status: 1 where equal systems get a verdict more often than alpha allows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--campaigns", type=int, default=200, help="of each row (default 200)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true", help="write benchmarks/results/sheets.csv")
    asked = parser.parse_args(arguments)
    rows = []
    for setting in SETTINGS:
        plan = setting.plan()
        runs = [run(setting, plan, asked.seed * 10**6 + k) for k in range(asked.campaigns)]
        rows.append(row_of(setting, runs))
        print("  ".join(f"{value:.3g}" if isinstance(value, float) else str(value) for value in rows[-1]), flush=True)
    if asked.write:
        command = f"python benchmarks/sheets.py --campaigns {asked.campaigns} --seed {asked.seed} --write"
        write_rows("sheets", HEADER, rows, command, machine())
    limit = 0.05 + 3 * (0.05 * 0.95 / asked.campaigns) ** 0.5
    return int(any(row[1] == 0 and float(row[9]) > limit for row in rows))


if __name__ == "__main__":
    sys.exit(main())
