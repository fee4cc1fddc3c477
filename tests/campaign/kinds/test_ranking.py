"""Rankings of several outputs: one label tells of all pairs, in sheets, simulations and exports."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from benchmarks.worlds.simulation import largest_rate
from benchmarks.worlds.small_campaigns import NOW, open_campaign, opened, protocol_of, study_of, tally

from tiebreak.campaign import (
    EventError,
    LabelGiven,
    ProtocolError,
    Ranked,
    init_from_plan,
    make_plan,
    next_tasks,
    step,
    verdicts,
)
from tiebreak.campaign.kinds import ItemTexts, Tally, kind_of
from tiebreak.errors import UsageError
from tiebreak.live import create_campaign
from tiebreak.live import open_campaign as open_folder
from tiebreak.live.export import write_export
from tiebreak.live.result import result_of
from tiebreak.places.result import result_at
from tiebreak.settings.protocol import DecisionSettings, GoldTask, LabelSettings, PairSettings, PeopleSettings
from tiebreak.sheets.collecting import collect_sheet
from tiebreak.sheets.handing_out import hand_out
from tiebreak.simulate.engines.step_engine import run_campaign
from tiebreak.simulate.people.agents import Agents, World
from tiebreak.simulate.people.workers import Worker
from tiebreak.simulate.replay import OldLabels, Replay

THREE = ("ant", "bee", "cat")
RANKING = protocol_of(labels=LabelSettings(kind="ranking"))


def test_one_label_tells_of_all_pairs() -> None:
    # cat is the best, ant and bee are equal: ant-bee is a tie, ant and bee lose against cat.
    state = open_campaign(RANKING, study_of(THREE))
    assert [of.systems for of in state.plan.measures] == [("ant", "bee"), ("ant", "cat"), ("bee", "cat")]
    (task,) = next_tasks(state, "p", 1, NOW)
    state = step(step(state, task), LabelGiven(NOW, task.task, "p", Ranked({"ant": 2, "bee": 2, "cat": 1})))
    assert [tally(state, k) for k in range(3)] == [Tally(ties=1), Tally(losses=1), Tally(losses=1)]
    found = verdicts(state).results[0]
    assert found.labels == 1, "it costs one label, however many pairs it tells of"
    assert [(pair.items, pair.labels) for pair in found.pairs] == [(1, 1)] * 3


def test_several_people_rank_an_item() -> None:
    """ant beats bee for two of three; of ant and cat each says something else."""
    state = open_campaign(protocol_of(labels=LabelSettings("majority", 3, kind="ranking")), study_of(THREE))
    for person, ranks in (("p", (1, 2, 3)), ("q", (1, 2, 1)), ("r", (3, 2, 1))):
        (task,) = next_tasks(state, person, 1, NOW)
        response = Ranked(dict(zip(THREE, ranks, strict=True)))
        state = step(step(state, task), LabelGiven(NOW, task.task, person, response))
    assert [tally(state, k) for k in range(3)] == [Tally(wins=1), Tally(ties=1), Tally(losses=1)]


def test_the_pairs_of_a_baseline() -> None:
    plan = make_plan(replace(RANKING, baseline="bee"), study_of(THREE))
    assert plan.tracks[0].systems == ("ant", "cat", "bee")
    assert [of.systems for of in plan.measures] == [("ant", "bee"), ("cat", "bee")]


def test_items_with_the_same_text_of_all_are_ties() -> None:
    state = open_campaign(RANKING, study_of(THREE, identical=range(10)))
    asked = {task.item for task in next_tasks(state, "p", 100, NOW)}
    assert asked.isdisjoint({f"i{k:03d}" for k in range(10)})
    assert len(asked) == 50


@pytest.mark.parametrize(
    ("ranks", "message"),
    [
        ({"ant": 1, "bee": 2}, "needs a rank for each of ant, bee, cat"),
        ({"ant": 1, "bee": 2, "cat": 4}, "must be from 1 to 3"),
        ({"ant": 1, "bee": 1, "cat": 2}, "a tie, which this campaign does not allow"),
    ],
)
def test_ranks_that_are_refused(ranks: dict[str, int], message: str) -> None:
    state = open_campaign(protocol_of(labels=LabelSettings(kind="ranking", ties=False)), study_of(THREE))
    (task,) = next_tasks(state, "p", 1, NOW)
    with pytest.raises(EventError, match=message):
        step(step(state, task), LabelGiven(NOW, task.task, "p", Ranked(ranks)))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"pairs": PairSettings("winner")}, "is for single pairs"),
        ({"labels": LabelSettings("fixed", kind="ranking")}, "is for single pairs"),
        ({"labels": LabelSettings("mean", 3, kind="ranking")}, "several preferences take majority"),
        ({"decision": DecisionSettings(metrics=("bleu",))}, "is for single pairs"),
        ({"people": PeopleSettings(gold=(GoldTask("i000", "ant", "bee", "a"),))}, "is for single pairs"),
        ({"systems": ("ant", "bee")}, "people rank 3 to 5 outputs"),
    ],
)
def test_what_is_no_ranking(changes: dict[str, object], message: str) -> None:
    with pytest.raises(ProtocolError, match=message):
        replace(RANKING, **changes)  # type: ignore[arg-type]


def test_too_many_systems_for_a_ranking() -> None:
    with pytest.raises(ProtocolError, match="people rank the outputs of 3 to 5 systems; name which"):
        make_plan(RANKING, study_of(tuple("abcdefg")))


# ---- whole campaigns ---------------------------------------------------------------------------------------------


def filled(sheet: bytes, quality: dict[str, float], rng: np.random.Generator) -> bytes:
    """A CSV sheet with ranks by somebody who sees the quality of a text, which begins with its system, with noise."""
    rows = list(csv.DictReader(io.StringIO(sheet.decode("utf-8-sig"), newline="")))
    for row in rows:
        names = [name for name in row if name.startswith("text ")]
        seen = {name: quality[row[name].split()[0]] + rng.normal(0, 0.5) for name in names}
        for name in names:
            row[f"rank of {name}"] = str(1 + sum(other > seen[name] for other in seen.values()))
    stream = io.StringIO(newline="")
    writer = csv.DictWriter(stream, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue().encode()


def test_a_campaign_in_sheets_to_its_verdicts_and_its_export(tmp_path: Path) -> None:
    study = study_of(THREE, 120)
    create_campaign(tmp_path / "camp", RANKING, study, at=NOW)
    live, rng = open_folder(tmp_path / "camp"), np.random.default_rng(5)
    while live.state.ended is None:
        sheet = hand_out(live, "p", 20, now=NOW, ending=".csv").file
        assert not any(name in sheet.decode().split("question")[0] for name in THREE), "its header is blind"
        taken = collect_sheet(live, filled(sheet, {"ant": 1.0, "bee": 0.5, "cat": 0.0}, rng), "s.csv", at=NOW)
        assert not taken.content.bad
    result = result_of(live)
    pairs = {(pair.system_a, pair.system_b): pair for pair in result.results[0].pairs}
    assert [pair.verdict for pair in pairs.values()] == ["a", "a", "a"]
    assert result.campaign.labels == live.state.labels < 120, "one label an item, and the rest is not needed"
    write_export(live, tmp_path / "out")
    replayed = result_at(tmp_path / "out")
    assert [pair.verdict for pair in replayed.results[0].pairs] == ["a", "a", "a"]
    afresh = result_at(tmp_path / "out", own_analysis=True)
    for pair in afresh.results[0].pairs:
        of = pairs[pair.system_a, pair.system_b]
        assert (pair.wins, pair.ties, pair.losses) == (of.wins, of.ties, of.losses)


def test_a_replay_of_rankings_is_refused() -> None:
    with pytest.raises(UsageError, match="a replay has labels of pairs"):
        Replay(RANKING, study_of(THREE), OldLabels(None, {}))


def test_a_row_without_all_ranks_is_named() -> None:
    state = open_campaign(RANKING, study_of(THREE))
    (task,) = next_tasks(state, "p", 1, NOW)
    kind = kind_of(RANKING)
    with pytest.raises(Exception, match="rank of text 2: is empty; write a whole number from 1 to 3"):
        kind.read(RANKING, task, ItemTexts(), {"rank of text 1": "1", "rank of text 3": "2.0"})


def test_people_who_are_simulated_rank_by_what_they_prefer() -> None:
    world = World((0.5, 0.25, 0.0), items=150, spread=0.1)
    rng = np.random.default_rng(3)
    quality = world.draw(rng)
    workers = (Worker(1.0, 0.05, 0.0, 0.0, 10.0),) * 3
    plan = make_plan(RANKING, world.study(quality, rng))
    found = run_campaign(plan, Agents(plan, quality, workers, rng), rng)
    assert found.ended == "decided"
    assert [measure.verdict for measure in found.state.measures] == ["a", "a", "a"]


@pytest.mark.parametrize("runs", [40, pytest.param(500, marks=pytest.mark.full)])
def test_campaigns_of_equal_systems_err_at_most_at_alpha(runs: int) -> None:
    """By a person who ranks at random; any verdict is wrong. The outcomes of the three pairs of a ranking depend on
    each other; Holm holds whatever they do.
    """
    rng, wrong = np.random.default_rng(11), 0
    protocol = protocol_of(labels=LabelSettings(kind="ranking"), decision=DecisionSettings(alpha=0.1))
    plan = make_plan(protocol, study_of(THREE, 40))
    for _ in range(runs):
        state = opened(init_from_plan(plan))
        while state.ended is None:
            (task,) = next_tasks(state, "p", 1, NOW)
            ranks = dict(zip(THREE, (rng.permutation(3) + 1).tolist(), strict=True))
            state = step(step(state, task), LabelGiven(NOW, task.task, "p", Ranked(ranks)))
        wrong += any(measure.verdict in ("a", "b") for measure in state.measures)
    assert wrong / runs <= largest_rate(0.1, runs)
