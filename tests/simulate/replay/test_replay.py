"""Campaigns that give the labels of a study again."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from benchmarks.worlds.small_campaigns import tally
from tests.small_studies import pair_votes, rating, study_of, vote

from tiebreak.campaign import Protocol
from tiebreak.data.study import Study
from tiebreak.errors import UsageError
from tiebreak.settings.protocol import Budget, DecisionSettings, GoldTask, LabelSettings, OrderSettings, PeopleSettings
from tiebreak.simulate.engines.step_engine import run_campaign
from tiebreak.simulate.replay import OldLabels, Replay, votes_of

# ---- studies -------------------------------------------------------------------------------------------------------

ITEMS = 40


def voted(seconds: float | None = 12.0, people: int = 4) -> Study:
    """x against y; person k says a on item i where i + k is not divisible by 4. Rows name them in both orders."""
    rows = []
    for i, k in product(range(ITEMS), range(people)):
        systems, said = ("yx", "ba") if k % 2 else ("xy", "ab")
        rows.append(vote(f"i{i:02d}", *systems, f"w{k}", said[(i + k) % 4 == 0]) | {"seconds": seconds})
    return Study.from_tables(preferences=rows, items=[{"item": f"i{i:02d}"} for i in range(ITEMS)][::-1])


def rated() -> Study:
    """Two annotators; item 0: 5 4 | 3 4, means 4.5 and 3.5; item 1: equal means, each annotator differs; item 2: one
    annotator rated one system only.
    """
    x, y = {"0": (5, 4), "1": (5, 1), "2": (2,)}, {"0": (3, 4), "1": (1, 5), "2": (4, 4)}
    rows = []
    for system, given in (("x", x), ("y", y)):
        rows += [rating(item, system, f"e{k}", value, "c") for item, of in given.items() for k, value in enumerate(of)]
    return study_of(ratings=rows)


def run(study: Study, protocol: Protocol, seed: int = 0, **settings: object):  # type: ignore[no-untyped-def]
    replay = Replay(protocol, study, OldLabels.of(study), **settings)  # type: ignore[arg-type]
    plan, source = replay.plan(np.random.default_rng(seed))
    return run_campaign(plan, source, np.random.default_rng(seed), keep_events=True)


ALL = Protocol(decision=DecisionSettings(rule="fixed"), budget=Budget(items_per_pair=ITEMS))


def test_means_of_ratings_are_compared() -> None:
    labels = OldLabels.of(rated(), "c").pairs[("x", "y")]
    found = {item: [label.outcome for label in given] for item, given in labels.items()}
    assert found == {"0": [1], "1": [0], "2": [-1]}
    wide = OldLabels.of(rated(), "c", tie_threshold=1.0).pairs[("x", "y")]
    assert [given[0].outcome for given in wide.values()] == [0, 0, -1]


def test_ratings_of_each_annotator_are_compared() -> None:
    labels = OldLabels.of(rated(), ratings="each").pairs[("x", "y")]
    found = {item: [(label.annotator, label.outcome) for label in given] for item, given in labels.items()}
    assert found == {"0": [("e0", 1), ("e1", 0)], "1": [("e0", 1), ("e1", -1)], "2": [("e0", -1)]}


def test_preferences_are_turned_to_one_side() -> None:
    # 4 people x 40 items, a quarter for y.
    assert OldLabels.of(voted()).totals("x", "y") == (120, 0, 40)
    assert OldLabels.of(voted()).totals("y", "x") == (40, 0, 120)


def test_a_panel_of_all_gives_every_label_once() -> None:
    found = run(voted(people=3), replace(ALL, labels=LabelSettings("majority", 3)))
    # 3 labels an item, w0 to w2: y where i, i+1 or i+2 is divisible by 4, so never by a majority.
    assert found.state.labels == 3 * ITEMS
    assert (tally(found.state).wins, tally(found.state).losses) == (ITEMS, 0)
    given = Counter(event.response.outcome for event in found.events if type(event).__name__ == "LabelGiven")
    assert given == {"a": 90, "b": 30}


def test_annotators_are_drawn_evenly() -> None:
    # One label an item of four, three of them for x: binomial(40 runs x 40 items, 3/4).
    wins = sum(tally(run(voted(), ALL, seed).state).wins for seed in range(20))
    assert abs(wins / (20 * ITEMS) - 0.75) < 4 * (0.75 * 0.25 / (20 * ITEMS)) ** 0.5


def test_a_fixed_worker_is_one_person() -> None:
    for seed in range(4):
        found = run(voted(), replace(ALL, labels=LabelSettings("fixed")), seed)
        given = {e.item: e for e in found.events if type(e).__name__ == "TaskAssigned"}
        lost = {
            int(item[1:]) % 4
            for item, task in given.items()
            for e in found.events
            if type(e).__name__ == "LabelGiven" and e.task == task.task and e.response.outcome == "b"
        }
        assert len(lost) == 1  # person k says y exactly where i + k is divisible by 4


def test_items_come_as_listed_or_in_an_order_of_each_run() -> None:
    def order(protocol: Protocol, seed: int) -> list[str]:
        return [event.item for event in run(voted(), protocol, seed).events if type(event).__name__ == "TaskAssigned"]

    listed = replace(ALL, order=OrderSettings("listed"))
    assert order(listed, 1) == [f"i{i:02d}" for i in range(ITEMS)][::-1]
    assert order(ALL, 1) != order(ALL, 2)
    assert order(ALL, 1) == order(ALL, 1)
    assert sorted(order(ALL, 1)) == sorted(order(ALL, 2))


def test_time_and_price() -> None:
    priced = replace(ALL, labels=LabelSettings(price=0.25))
    found = run(voted(), priced)
    assert (found.seconds, found.cost) == (12.0 * ITEMS, 0.25 * ITEMS)
    unknown = run(voted(seconds=None), priced, seconds=7.0, people=2)
    assert (unknown.seconds, unknown.work) == (7.0 * ITEMS / 2, 7.0 * ITEMS)


def test_items_without_enough_labels_are_out_of_the_pool() -> None:
    votes = voted(people=3).preferences
    fewer = Study.from_tables(preferences=votes.filter((votes["item"] > "i09") | (votes["annotator"] < "w2")))
    protocol = Protocol(labels=LabelSettings("max-three"))
    found = run(fewer, protocol)
    assert found.state.plan.tracks[0].order.size == 30
    assert run(fewer, Protocol()).state.plan.tracks[0].order.size == ITEMS


def test_what_cannot_be_replayed_is_refused() -> None:
    with pytest.raises(UsageError, match="no human labels to replay"):
        OldLabels.of(Study.from_tables(outputs=[{"item": "1", "system": "x", "text": "t"}]))
    with pytest.raises(UsageError, match="no labels on the criterion 'd'"):
        OldLabels.of(rated(), "d")
    with pytest.raises(UsageError, match="no item has as many labels as the labelling policy may need"):
        run(voted(), Protocol(labels=LabelSettings("majority", 5)))
    with pytest.raises(UsageError, match="only 2 work"):
        run(voted(), Protocol(labels=LabelSettings("majority", 3)), people=2)
    with pytest.raises(UsageError, match="seconds of a label"):
        run(voted(), ALL, seconds=0.0)
    gold = Protocol(people=PeopleSettings(gold=(GoldTask("i00", "x", "y", "a"),)))
    with pytest.raises(UsageError, match="check tasks"):
        run(voted(), gold)


def test_pairs_without_labels_are_left_out_and_named() -> None:
    """A star: two systems were compared with a third one only."""
    study = study_of(pair_votes("w" * 20, "hub", "x") + pair_votes("w" * 20, "hub", "y"))
    replay = Replay(Protocol(), study, OldLabels.of(study))
    (pair,) = replay.left_out()
    assert pair.systems == ("x", "y")
    assert "no item has as many labels" in pair.why
    plan, _ = replay.plan(np.random.default_rng(1))
    assert [(pair.system_a, pair.system_b) for pair in plan.tracks] == [("hub", "x"), ("hub", "y")]


# ---- votes ---------------------------------------------------------------------------------------------------------

SMALL = study_of(
    [
        vote("10", "x", "y", "p", "a"),
        vote("10", "x", "y", "q", "b"),
        vote("2", "x", "y", "p", "tie"),
        vote("2", "y", "x", "q", "a"),  # for y
        vote("2", "x", "y", "r", "a"),
    ]
)


def test_votes_are_in_natural_order_and_seen_from_one_side() -> None:
    votes = votes_of(SMALL, "x", "y")
    assert votes.items == ("2", "10")
    assert votes.counts.tolist() == [3, 2]
    assert sorted(votes.outcomes[0].tolist()) == [-1, 0, 1]
    assert sorted(votes.outcomes[1, :2].tolist()) == [-1, 1]
    turned = votes_of(SMALL, "y", "x")
    assert (turned.system_a, turned.outcomes.tolist()) == ("y", (-votes.outcomes).tolist())


def test_every_choice_of_annotators_is_as_likely_as_any_other() -> None:
    drawn = votes_of(SMALL, "x", "y").draw(12_000, 2, np.random.default_rng(1))
    assert drawn.shape == (12_000, 2, 2)
    orders = Counter(map(tuple, drawn[:, 0].tolist()))
    assert set(orders) == {(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if a != b}
    assert all(abs(count / 12_000 - 1 / 6) < 0.016 for count in orders.values())
    second = Counter(map(tuple, drawn[:, 1].tolist()))
    assert set(second) == {(1, -1), (-1, 1)}  # never the cell that holds no label


def test_too_few_annotators_are_named() -> None:
    with pytest.raises(UsageError, match="3 people an item cannot be replayed: item '10' has 2 labels, and 1 items"):
        votes_of(SMALL, "x", "y").draw(5, 3, np.random.default_rng(1))
    with pytest.raises(UsageError, match="no preferences between x and z"):
        votes_of(SMALL, "x", "z")
