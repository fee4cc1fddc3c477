"""A whole campaign of six systems by simulated people who see nothing but their sheets, from the first to its end.

The people hold several sheets at once, return them late, in parts, twice, sorted and as other formats; some sheets stay
away so long that their tasks are asked of others. The same labels are fed to the campaign's core directly, without any
sheet or file, and must give the same verdicts.
"""

from __future__ import annotations

import csv
import hashlib
import io
import itertools
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import openpyxl
import pytest
from tests.sheets.sheet_makers import fill_csv, fill_workbook, page_of, saved

from tiebreak.campaign import (
    CampaignOpened,
    LabelGiven,
    Protocol,
    State,
    TaskReturned,
    expired_tasks,
    init,
    next_tasks,
    replay,
    verdicts,
)
from tiebreak.campaign.kinds import Preferred
from tiebreak.comparison.compare import compare
from tiebreak.data.study import Study
from tiebreak.live import LiveCampaign, create_campaign, open_campaign
from tiebreak.live.export import exported
from tiebreak.settings.protocol import LabelSettings, PeopleSettings
from tiebreak.sheets.collecting import collect_sheet
from tiebreak.sheets.handing_out import hand_out

SYSTEMS = ("ash", "box", "cob", "dew", "elm", "fig")
ITEMS = 150
START = datetime(2026, 5, 1, tzinfo=UTC)


def study(systems: int) -> Study:
    """A text shows how good it is to whoever looks (the marks in it); ash is best. Some texts are the same."""
    outputs = []
    for item, (rank, system) in itertools.product(range(ITEMS), enumerate(SYSTEMS[:systems])):
        same = item % 25 == 0 and rank < 2
        text = f"text {item} " + ("same" if same else f"{'*' * (6 - rank)} {system[0]}")
        outputs.append({"item": f"i{item}", "system": system, "text": text})
    items = [{"item": f"i{item}", "input": f"=input {item}"} for item in range(ITEMS)]
    return Study.from_tables(items=items, outputs=outputs, name="six")


def preferred(one: str, other: str) -> str | None:
    """The text that people like better, None for no difference: mostly the one with more stars."""
    chance = int.from_bytes(hashlib.sha256("\0".join(sorted((one, other))).encode()).digest()[:4], "big") / 2**32
    if chance < 0.08:
        return None
    better = max(one, other, key=lambda text: text.count("*"))
    return better if chance < 0.94 else (other if better == one else one)


def answer(first: str, second: str) -> str:
    """What somebody writes into the sheet."""
    liked = preferred(first, second)
    return "No difference" if liked is None else "First text" if liked == first else "Second text"


def readable(file: bytes, ending: str) -> list[dict[str, str]]:
    """The rows of a sheet as a person sees them."""
    if ending == ".csv":
        return list(csv.DictReader(io.StringIO(file.decode("utf-8-sig"), newline="")))
    _, page = page_of(file)
    header = [str(cell.value) for cell in page[2]]
    return [dict(zip(header, [cell.value for cell in row], strict=True)) for row in page.iter_rows(min_row=3)]


def shuffled(file: bytes, rng: random.Random) -> bytes:
    """The page with the tasks in another order, in a workbook of its own."""
    _, page = page_of(file)
    rows = [[cell.value for cell in row] for row in page.iter_rows(min_row=3)]
    rng.shuffle(rows)
    other = openpyxl.Workbook()
    for row in [[cell.value for cell in page[2]], *rows]:
        other.active.append([None if isinstance(cell, str) and cell.startswith("=") else cell for cell in row])
    return saved(other)


@dataclass(frozen=True)
class Held:
    """A sheet with a person: `back` is when it comes back, in hours since the start."""

    who: str
    ending: str
    file: bytes
    tasks: tuple[str, ...]
    answers: dict[str, str]
    back: float


@dataclass
class Direct:
    """The same campaign fed by hand: no sheet, no file."""

    state: State
    texts: dict[tuple[str, str], str]

    def hand_out(self, who: str, n: int, now: str) -> None:
        self.state = replay(self.state, expired_tasks(self.state, now))
        self.state = replay(self.state, next_tasks(self.state, who, n, now))

    def label(self, known: Callable[[str], tuple[str, str, str, str]], tasks: list[str], at: str) -> None:
        for task in tasks:
            who, item, a, b = known(task)
            liked = preferred(self.texts[item, a], self.texts[item, b])
            outcome = "tie" if liked is None else "a" if liked == self.texts[item, a] else "b"
            self.state = replay(self.state, [LabelGiven(at, task, who, Preferred(outcome))])  # type: ignore[arg-type]

    def give_back(self, tasks: Sequence[str], at: str) -> None:
        self.state = replay(self.state, [TaskReturned(at, task, "left empty") for task in tasks])


def time(hours: float) -> str:
    return (START + timedelta(hours=hours)).strftime("%Y-%m-%dT%H:%M:%SZ")


@pytest.mark.parametrize(("policy", "systems"), [("one", 6), ("max-three", 3)])
def test_a_campaign_through_sheets_ends_as_the_same_labels_by_hand(policy: str, systems: int, tmp_path: Path) -> None:
    rng, folder = random.Random(f"sheets {policy}"), tmp_path / "campaign"
    protocol = Protocol(labels=LabelSettings(labelling=policy, price=0.1), people=PeopleSettings(hours=48))
    create_campaign(folder, protocol, study(systems), at=time(0))
    opened = open_campaign(folder)
    protocol, outputs = opened.protocol, opened.study.outputs
    desks = [opened, open_campaign(folder)]  # two processes on one campaign, one of them started anew now and then

    def desk() -> LiveCampaign:
        if rng.random() < 0.03:
            desks[1] = open_campaign(folder)
        return rng.choice(desks)

    texts = {(item, system): text for item, system, text in outputs.select("item", "system", "text").iter_rows()}
    first = CampaignOpened(time(0), protocol.fingerprint, opened.study.fingerprint)
    direct = Direct(replay(init(protocol, opened.study), [first]), texts)

    held: list[Held] = []
    kept: list[tuple[Held, bytes]] = []
    hour, late, again, expired = 0.0, 0, 0, 0
    while desk().refresh().ended is None:
        hour += 1.0
        assert hour < 2_000, "the campaign does not end"
        # Anybody with fewer than three sheets asks for another.
        who = rng.choice(("ann", "bo", "cy", "di"))
        if sum(sheet.who == who for sheet in held) < 3:
            ending = rng.choice((".xlsx", ".csv", ".csv"))
            made = hand_out(desk(), who, 12, now=time(hour), ending=ending)
            direct.hand_out(who, 12, time(hour))
            expired += made.expired
            if made.fresh:
                seen = readable(made.file, ending)
                answers = {row["task"]: answer(row["first text"], row["second text"]) for row in seen}
                stays = hour + rng.uniform(1, 12) + (200 if rng.random() < 0.12 else 0)
                held.append(Held(who, ending, made.file, tuple(answers), answers, stays))
        for sheet in [sheet for sheet in held if sheet.back <= hour]:
            held.remove(sheet)
            # Sometimes a part of it first.
            answered = sheet.tasks if rng.random() < 0.7 else tuple(rng.sample(sheet.tasks, len(sheet.tasks) // 2))
            part = {task: sheet.answers[task] for task in answered}
            fill = fill_workbook if sheet.ending == ".xlsx" else fill_csv
            file = fill(sheet.file, part)
            if sheet.ending == ".xlsx" and rng.random() < 0.5:
                file = shuffled(file, rng)
            live = desk()
            found = collect_sheet(live, file, f"{sheet.who}{sheet.ending}", at=time(hour))
            assert found.content.changed == ()
            late += found.late
            collected = [label.task for label in found.content.labels]
            assert set(collected) <= set(answered)
            assert len(collected) + found.content.known == len(answered)  # known: answered in another sheet meanwhile
            records = live.ledger.tasks
            direct.label(
                lambda task, records=records: (  # type: ignore[misc]
                    records[task].assigned.annotator,
                    records[task].assigned.item,
                    records[task].assigned.system_a,
                    records[task].assigned.system_b,
                ),
                collected,
                time(hour),
            )
            direct.give_back(found.content.empty, time(hour))
            kept.append((sheet, file))
            if len(answered) < len(sheet.tasks):
                rest = {task: sheet.answers[task] for task in sheet.tasks if task not in answered}
                held.append(Held(sheet.who, sheet.ending, sheet.file, tuple(rest), rest, hour + rng.uniform(1, 9)))
        if kept and rng.random() < 0.3:  # an old sheet once more
            sheet, file = rng.choice(kept)
            live = desk()
            before = (verdicts(live.refresh()), live.state.labels)
            found = collect_sheet(live, file, "again", at=time(hour))
            assert (found.content.labels, found.content.changed) == ((), ())
            assert (verdicts(live.state), live.state.labels) == before
            again += 1

    live = open_campaign(folder)
    found = verdicts(live.state)
    assert found == verdicts(direct.state)
    assert found.campaign.ended == "decided"
    assert found.order.tiers == tuple((system,) for system in SYSTEMS[:systems])
    assert all(
        pair.verdict == "a" for pair in found.results[0].pairs
    )  # pairs are in alphabetical order, and so is quality
    assert min(again, expired, late if policy == "one" else 1) > 0, "the simulation no longer does what its title says"
    # Each label is there once, and says what the person meant.
    labels = exported(live).preferences
    assert labels.height == live.state.labels == found.campaign.labels
    assert not labels.select("item", "system_a", "system_b", "annotator", "task").is_duplicated().any()
    for item, a, b, outcome in labels.select("item", "system_a", "system_b", "outcome").iter_rows():
        liked = preferred(texts[item, a], texts[item, b])
        assert outcome == ("tie" if liked is None else "a" if liked == texts[item, a] else "b")
    assert compare(exported(live)).order.tiers == found.order.tiers
