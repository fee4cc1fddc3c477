"""Small random campaigns of all kinds, with everything that may happen in one."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.worlds.small_campaigns import protocol_of, study_of

from tiebreak.campaign import (
    AnnotatorExcluded,
    CampaignOpened,
    CampaignStopped,
    EventError,
    ItemAbandoned,
    ItemWithdrawn,
    LabelGiven,
    Protocol,
    ProtocolError,
    State,
    TaskAssigned,
    TaskReturned,
    event_to_json,
    init,
    next_tasks,
    protocol_to_toml,
    step,
)
from tiebreak.campaign.events import Event
from tiebreak.campaign.kinds import Preferred
from tiebreak.data.study import Study
from tiebreak.data.writers import write_study
from tiebreak.live import LiveCampaign
from tiebreak.live.folder import EVENTS_FILE, PROTOCOL_FILE, STUDY_FOLDER
from tiebreak.settings.protocol import Budget, DecisionSettings, LabelSettings, PairSettings
from tiebreak.store import SqliteStore

START = "2026-05-01T09:30:00Z"
PEOPLE = ("zoe", "ann", "Ümit", "bo")
SYSTEMS = ("ant", "bee", "cat")


@cache
def small_study(systems: int, items: int, cluster_size: int, identical: bool) -> Study:
    """One of few studies, made once."""
    same = range(0, items, 7) if identical else ()
    study = study_of(SYSTEMS[:systems], items, identical=same, cluster_size=cluster_size)
    return study if cluster_size > 1 else replace(study, items=None)


def random_protocol(rng: np.random.Generator) -> tuple[Protocol, Study]:
    """A protocol and a study; most of them fit each other."""
    rule = str(rng.choice(["anytime", "anytime", "anytime", "fixed", "hoeffding", "dirichlet"]))
    labelling = str(rng.choice(["one", "one", "majority", "max-three", "fixed"]))
    clusters = int(rng.choice([1, 1, 1, 2])) if rule != "dirichlet" else 1
    items = int(rng.choice([16, 24, 36])) * clusters
    study = small_study(int(rng.choice([2, 2, 3])), items, clusters, bool(rng.random() < 0.3))
    decision: dict[str, Any] = {"rule": rule, "alpha": float(rng.choice([0.05, 0.2, 0.3]))}
    if rule in ("anytime", "fixed"):
        decision["margin"] = 0.5 if rng.random() < 0.3 else None
        decision["target"] = str(rng.choice(["inputs", "items"]))
        decision["multiplicity"] = str(rng.choice(["holm", "holm", "bonferroni", "fdr", "fdr-any", "none"]))
    protocol = protocol_of(
        baseline="bee" if rng.random() < 0.2 else None,
        decision=DecisionSettings(**decision),
        labels=LabelSettings(labelling, 3 if labelling == "majority" else 1, price=0.1 if rng.random() < 0.5 else None),
        budget=Budget(
            max_labels=int(rng.integers(40, 120)) if rng.random() < 0.2 and rule != "fixed" else None,
            items_per_pair=int(rng.integers(10, 16)) if rule == "fixed" or rng.random() < 0.2 else None,
        ),
        pairs=PairSettings(batch=int(rng.integers(2, 11))),
    )
    if protocol.baseline is None and len(study.systems) > 2 and rng.random() < 0.4:
        protocol = replace(protocol, only_pairs=(("cat", "bee"), ("ant", "cat")))
    return protocol, study


def random_campaign(seed: int, folder: Path, studies: Path) -> LiveCampaign:
    """A campaign in a new folder, somewhere between its first label and long after its end.

    The folder is put together from a study that was written once to `studies`: 300 of them take a minute otherwise.
    """
    rng = np.random.default_rng(seed)
    while True:
        protocol, study = random_protocol(rng)
        try:
            beginning = init(protocol, study)
            break
        except ProtocolError:
            continue
    written = studies / study.fingerprint
    if not written.exists():
        write_study(study, written)
    shutil.copytree(written, folder / STUDY_FOLDER)
    (folder / PROTOCOL_FILE).write_text(protocol_to_toml(protocol), encoding="utf-8")
    events: list[Event] = [CampaignOpened(START, protocol.fingerprint, study.fingerprint)]
    state = step(beginning, events[0])
    events += random_events(state, rng)
    SqliteStore.create(folder / EVENTS_FILE).append([event_to_json(event) for event in events], expected_length=0)
    own = replace(study, name=folder.name, path=folder / STUDY_FOLDER)
    return LiveCampaign(folder, protocol, own, SqliteStore(folder / EVENTS_FILE))


def random_events(state: State, rng: np.random.Generator) -> Sequence[Event]:
    """What happens: people take sheets, fill in parts of them, late or never; somebody is excluded or stops it all."""
    people = PEOPLE[: int(rng.integers(1, 5))]
    events: list[Event] = []
    handed_out: list[TaskAssigned] = []
    strength = dict(zip(SYSTEMS, rng.choice([0.0, 0.8, 2.0], 3), strict=True))
    turns, stops = int(rng.integers(0, 14)), rng.random() < 0.25
    for turn in range(turns):
        at = f"2026-05-{1 + turn // 20:02d}T{10 + turn % 10:02d}:00:00Z"
        fresh: list[Event] = []
        person = str(rng.choice(people))
        asked = next_tasks(state, person, int(rng.integers(1, 16)), at)
        fresh += asked
        out = [task for task in handed_out if task.task in state.tasks]
        handed_out += asked
        for task in rng.permutation(np.array([*asked, *out], dtype=object)).tolist():
            chance = rng.random()
            if chance < 0.6:
                fresh.append(answer(task, at, strength, rng))
            elif chance < 0.65:
                fresh.append(TaskReturned(at, task.task, "expired"))
        if rng.random() < 0.03 and asked:
            task = asked[0]
            fresh.append(ItemAbandoned(at, task.systems, task.item, "unreadable"))
        if rng.random() < 0.04 and handed_out:
            task = handed_out[int(rng.integers(len(handed_out)))]
            fresh.append(ItemWithdrawn(at, task.task, task.systems, task.item, "a wrong key"))
        if rng.random() < 0.03:
            fresh.append(AnnotatorExcluded(at, person, "has left"))
        if stops and turn > turns / 2 and rng.random() < 0.3:
            fresh.append(CampaignStopped(at, "no more money"))
        for event in fresh:
            try:
                state = step(state, event)
            except EventError as error:  # an item is answered before it is withdrawn
                if "collect its answer first" not in str(error):
                    raise
            else:
                events.append(event)
    return events


def answer(task: TaskAssigned, at: str, strength: dict[str, float], rng: np.random.Generator) -> LabelGiven:
    """By the strengths of the two systems, with 20 % ties; sometimes with a remark."""
    for_a = 1 / (1 + np.exp(strength[task.system_b] - strength[task.system_a]))
    outcome = "tie" if rng.random() < 0.2 else "a" if rng.random() < for_a else "b"
    seconds, comment = (float(rng.integers(3, 90)), None) if rng.random() < 0.5 else (None, "hm, zoe?")
    return LabelGiven(at, task.task, task.annotator, Preferred(outcome), seconds, comment)  # type: ignore[arg-type]
