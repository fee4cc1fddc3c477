"""Campaigns of ratings, event by event: who gets which output, what an answer must be, and what counts."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from benchmarks.worlds.rating_campaigns import (
    EVEN,
    drawn,
    open_ratings,
    rate,
    rated_study,
    rating_protocol,
    ratings_run,
)
from benchmarks.worlds.small_campaigns import NOW, protocol_of

from tiebreak.campaign import (
    EventError,
    Judged,
    LabelGiven,
    Protocol,
    ProtocolError,
    Rated,
    RatedWithEdit,
    Span,
    State,
    TaskReturned,
    event_from_json,
    event_to_json,
    init,
    next_tasks,
    protocol_from_toml,
    protocol_to_toml,
    replay,
    step,
)
from tiebreak.campaign.estimates import estimates
from tiebreak.campaign.events import CampaignOpened, Event, ItemAbandoned, ItemWithdrawn, TaskAssigned
from tiebreak.campaign.kinds import Tally, kind_of
from tiebreak.data.study import Study
from tiebreak.errors import InputError
from tiebreak.records import UnitValue
from tiebreak.settings.protocol import (
    Budget,
    DecisionSettings,
    GoldTask,
    LabelSettings,
    PeopleSettings,
    RatedCriterion,
    RatingSettings,
)

CRITERIA = (RatedCriterion("clear", 1, 5), RatedCriterion("short", 1, 5))


def handed(state: State, person: str = "ann", n: int = 1) -> tuple[State, list[TaskAssigned]]:
    tasks = next_tasks(state, person, n, NOW)
    for task in tasks:
        state = step(state, task)
    return state, [task for task in tasks if isinstance(task, TaskAssigned)]


def values(state: State, measure: int = 0) -> list[UnitValue]:
    kind, plan = kind_of(state.protocol), state.plan
    return [
        kind.unit_value(plan, state.tracks, plan.measures[measure], unit)
        for unit in range(state.measures[measure].done)
    ]


def tally(state: State) -> Tally:
    return kind_of(state.protocol).tally(state.plan, state.tracks[0], state.plan.measures[0])


# ---- who gets what ---------------------------------------------------------------------------------------------


def test_everybody_gets_each_system_equally_often_in_one_order_of_items() -> None:
    state = open_ratings(study=rated_study(("ant", "bee", "cat")))
    order: dict[str, list[str]] = {}
    for person in ("ann", "bo"):
        state, tasks = handed(state, person, 9)
        assert Counter(task.system_a for task in tasks) == {"ant": 3, "bee": 3, "cat": 3}
        for task in tasks:
            order.setdefault(task.system_a, []).append(task.item)
    assert order["ant"] == order["bee"] == order["cat"]
    assert order["ant"] != sorted(order["ant"]), "a sealed order, and not that of the list"


def test_for_differences_people_get_whole_items() -> None:
    state = open_ratings(rating_protocol(until="differences"), rated_study(("ant", "bee", "cat")))
    for person in ("ann", "bo", "cy"):
        state, tasks = handed(state, person, 8)
        assert len(tasks) == 6
        assert set(Counter(task.item for task in tasks).values()) == {3}
    _, few = handed(state, "dee", 2)
    assert len(few) == 2, "who wants less than an item gets what they want"


def test_the_widest_goes_first() -> None:
    """Ratings of ant are all alike, those of bee are not."""
    state = open_ratings(rating_protocol(allocation="widest", half_width=0.4), rated_study(items=400))
    noisy = drawn(EVEN, 4)
    state = ratings_run(state, lambda task: {"clear": 3.0} if task.system_a == "ant" else noisy(task), at_once=1)
    assert state.ended == "decided"
    assert state.tracks[0].done < 0.6 * state.tracks[1].done
    assert state.tracks[0].done == pytest.approx(state.measures[0].decided_at, abs=3)


def test_several_people_rate_an_output() -> None:
    labels = LabelSettings("mean", 3, kind="rating")
    state = open_ratings(rating_protocol(labels=labels))
    for person, value in (("ann", 1.0), ("bo", 5.0), ("cy", 4.0)):
        state, tasks = handed(state, person, 2)
        for task in tasks:
            state = rate(state, task, {"clear": value})
    assert values(state) == [UnitValue.labelled(pytest.approx(((1 + 5 + 4) / 3 - 3) / 2))]
    assert (state.tracks[0].done_labels, tally(state).rated) == (3, 1)


def test_nobody_rates_an_output_twice() -> None:
    state, tasks = handed(open_ratings(), "ann", 500)
    assert len({(task.system_a, task.item) for task in tasks}) == len(tasks) == 120
    assert handed(state, "ann", 5)[1] == []


# ---- answers ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ({}, "does not rate clear"),
        ({"clear": 3.0}, "does not rate short"),
        ({"clear": 3.0, "short": 6.0}, "rates short 6, which is not 1 to 5"),
        ({"clear": 3.5, "short": 1.0}, "whole numbers"),
        ({"clear": 3.0, "short": 1.0, "long": 2.0}, "rates 'long', which is not asked"),
    ],
)
def test_ratings_that_are_refused(answer: dict[str, float], message: str) -> None:
    state, (task,) = handed(open_ratings(rating_protocol(criteria=CRITERIA)))
    with pytest.raises(EventError, match=message):
        rate(state, task, answer)


def test_other_answers_and_repeated_ones() -> None:
    state, (task,) = handed(open_ratings())
    with pytest.raises(EventError, match="asks for a rating, and was answered with another kind of label"):
        step(state, LabelGiven(NOW, task.task, "ann", RatedWithEdit({"clear": 3.0}, "better")))
    with pytest.raises(EventError, match="not a system that this campaign rates"):
        step(state, ItemAbandoned(NOW, ("cow",), "i000"))
    assert rate(rate(state, task, {"clear": 3.0}), task, {"clear": 5.0}).repeated == 1, "the first answer stands"


def test_a_low_rating_demands_an_edit() -> None:
    labels = LabelSettings(kind="rating+edit")
    state, (task,) = handed(open_ratings(rating_protocol(labels=labels, edit_below=3)))
    with pytest.raises(EventError, match="rates clear below 3: it needs an edit"):
        rate(state, task, {"clear": 2.0})
    assert rate(state, task, {"clear": 2.0}, edit="a better text").labels == 1
    assert rate(state, task, {"clear": 3.0}).labels == 1


def test_a_campaign_may_ask_for_the_share_of_words_that_edits_keep() -> None:
    protocol = rating_protocol(labels=LabelSettings(kind="rating+edit"), edit_below=3, edit_half_width=0.3)
    state, tasks = handed(open_ratings(protocol), n=6)
    assert [found.criterion for found in estimates(state).results] == ["clear", "EditWords"]
    ants = [task for task in tasks if task.system_a == "ant"]
    state = rate(state, ants[0], {"clear": 2.0}, edit="better", words=0.25)
    assert values(state, 2) == [UnitValue.labelled(-0.5)]
    with pytest.raises(EventError, match="does not say which share of words"):
        rate(state, ants[1], {"clear": 5.0})
    with pytest.raises(EventError, match=r"keeps 1\.5 of the words"):
        rate(state, ants[1], {"clear": 5.0}, words=1.5)
    edits = {"labels": LabelSettings(kind="rating+edit"), "edit_below": 1, "edit_half_width": 0.3}
    for changed, message in (
        ({"labels": LabelSettings(kind="rating"), "edit_below": None}, "is about edits"),
        ({"criteria": (RatedCriterion("EditWords", 0, 1),)}, "give what people rate another name"),
    ):
        with pytest.raises(ProtocolError, match=message):
            rating_protocol(**edits | changed)


def test_correctness_is_what_passages_say() -> None:
    study = rated_study()
    rows = [{"item": f"i{k:03d}", "passage": name, "text": name} for k in range(60) for name in ("p", "q", "r", "s")]
    study = type(study).from_tables(items=study.items, outputs=study.outputs, passages=rows)
    decision, ratings = DecisionSettings(rule="width"), RatingSettings(half_width=0.2)
    protocol = Protocol(labels=LabelSettings(kind="correctness"), decision=decision, ratings=ratings)
    with pytest.raises(ProtocolError, match="needs passages"):
        init(protocol, rated_study())
    state, tasks = handed(open_ratings(protocol, study), n=6)
    yes = {"sensible": 1.0, "plausible": 1.0, "sure": 1.0}
    spans = (Span("p", "supports", 0, 1), Span("q", "contradicts"), Span("r", "neither"), Span("s", "neither"))
    state = rate(state, tasks[0], yes, spans=spans)
    state = rate(state, tasks[2], yes | {"plausible": 0.0})
    assert [value.for_a for value in values(state, 0)] == [1.0, -1.0], "AnyCorrect of ant: yes, no"
    assert [value.for_a for value in values(state, 2)] == [-0.5, -1.0], "AvgCorrect of ant: 1 of 4, none"
    for answer, more, message in (
        (yes, {}, "no passage was judged"),
        (yes | {"sure": 0.0}, {"spans": spans}, "not checked again"),
        ({"sensible": 1.0}, {}, "needs yes"),
        (yes, {"spans": (*spans, Span("p", "neither"))}, "judges a passage twice"),
    ):
        with pytest.raises(EventError, match=message):
            rate(state, tasks[4], answer, **more)


def test_labels_that_are_set_aside_are_asked_of_others() -> None:
    protocol = rating_protocol(people=PeopleSettings(least_seconds=5))
    state, (task,) = handed(open_ratings(protocol))
    state = rate(state, task, {"clear": 5.0}, seconds=2.0)
    assert (state.labels, state.set_aside, state.tracks[0].done) == (1, 1, 0)
    assert (task.system_a, task.item) not in {(of.system_a, of.item) for of in handed(state, "ann", 200)[1]}
    state, both = handed(state, "bo", 2)
    (again,) = [of for of in both if of.system_a == task.system_a]
    assert again.item == task.item
    state = rate(state, again, {"clear": 1.0}, seconds=5.0)
    assert values(state) == [UnitValue.labelled(-1.0)]
    progress = estimates(state).campaign
    assert (progress.labels, progress.labels_in_evidence, progress.labels_set_aside) == (2, 1, 1)


def test_small_edits_and_missing_spans_are_set_aside() -> None:
    labels, people = LabelSettings(kind="rating+edit"), PeopleSettings(least_edit=5)
    state, (task,) = handed(open_ratings(rating_protocol(labels=labels, edit_below=3, people=people)))
    assert rate(state, task, {"clear": 2.0}, edit="x", edit_size=2).set_aside == 1
    assert rate(state, task, {"clear": 2.0}, edit="x y z", edit_size=5).set_aside == 0


# ---- evidence --------------------------------------------------------------------------------------------------


def test_evidence_waits_for_what_comes_earlier_in_the_order() -> None:
    state, tasks = handed(open_ratings(), n=6)
    ants = [task for task in tasks if task.system_a == "ant"]
    state = rate(rate(state, ants[1], {"clear": 5.0}), ants[2], {"clear": 4.0})
    assert state.tracks[0].done == 0
    state = rate(state, ants[0], {"clear": 1.0})
    assert values(state) == [UnitValue.labelled(value) for value in (-1.0, 1.0, 0.5)]


def test_a_difference_needs_both_ratings() -> None:
    state, tasks = handed(open_ratings(rating_protocol(until="differences")), n=4)
    by_system = {(task.system_a, place // 2): task for place, task in enumerate(tasks)}
    state = rate(rate(state, by_system["ant", 0], {"clear": 5.0}), by_system["ant", 1], {"clear": 2.0})
    assert (state.tracks[0].done, state.measures[0].done) == (2, 0)
    state = rate(state, by_system["bee", 0], {"clear": 2.0})
    assert values(state) == [UnitValue.labelled(pytest.approx(0.75))], "half of 1 - (-.5)"
    (of,) = estimates(state).measures
    assert (of.items, of.ratings, of.waiting) == (1, 2, 0)


def test_an_abandoned_output_is_the_worst_for_either_side() -> None:
    state, tasks = handed(open_ratings(rating_protocol(until="differences")), n=2)
    ant, bee = sorted(tasks, key=lambda task: task.system_a)
    state = step(state, ItemAbandoned(NOW, ("ant",), ant.item, "unreadable"))
    state = rate(state, bee, {"clear": 5.0})
    assert values(state) == [UnitValue(-1.0, 0.0, None)]
    assert tally(state) == Tally(rated=0, abandoned=1)


def test_a_withdrawn_output_lowers_evidence_for_good() -> None:
    state, tasks = handed(open_ratings(), n=20)
    for task in tasks:
        state = rate(state, task, {"clear": 4.0})
    before = estimates(state).measures[0].mean
    first = tasks[0]
    gone = step(state, ItemWithdrawn(NOW, first.task, first.systems, first.item, "a slip"))
    assert values(gone)[0] == UnitValue(-1.0, 1.0, 0.5)
    assert (tally(gone), gone.labels_withdrawn) == (Tally(rated=9, abandoned=1), 1)
    after = estimates(gone).measures[0].mean
    assert (after.low, after.high) == (before.low, before.high), "what no look has rejected"
    assert step(gone, ItemWithdrawn(NOW, first.task, first.systems, first.item)) is gone, "again"
    waiting = step(state, ItemWithdrawn(NOW, first.task, first.systems, first.item))
    both = [of.measures[0].evidence.wealth[0].log_e for of in (waiting, gone)]
    np.testing.assert_array_equal(*both)


def test_a_task_that_came_back_is_asked_at_its_place() -> None:
    state, (task,) = handed(open_ratings())
    state = step(state, TaskReturned(NOW, task.task))
    _, both = handed(state, "bo", 2)
    assert (task.system_a, task.item) in {(of.system_a, of.item) for of in both}


def test_a_budget_ends_it() -> None:
    protocol = replace(rating_protocol(half_width=0.3), budget=Budget(max_labels=200))
    state = ratings_run(open_ratings(protocol, rated_study(items=500)), drawn(EVEN, 9))
    assert (state.ended, state.labels) == ("budget", 200)
    assert estimates(state).undecided == 2


def test_the_log_in_a_fresh_process_gives_the_same() -> None:
    log: list[Event] = []
    base = init(rating_protocol(half_width=0.6), rated_study(items=200))
    log.append(CampaignOpened(NOW, base.plan.fingerprint, base.plan.study))
    state, rater = step(base, log[0]), drawn(EVEN, 5)
    while state.ended is None:
        tasks = next_tasks(state, "ann", 7, NOW)
        answers = [LabelGiven(NOW, task.task, "ann", Rated(rater(task)), seconds=3.0) for task in tasks]  # type: ignore[arg-type]
        for event in (*tasks, *answers):
            log.append(event)
            state = step(state, event)
    documents = json.loads(json.dumps([event_to_json(event) for event in log]))
    again = replay(init(state.protocol, rated_study(items=200)), [event_from_json(of, Rated) for of in documents])
    assert estimates(again) == estimates(state)
    assert again.tracks == state.tracks


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"values": {"clear": "4"}}, 'key values.clear is "4", but must be a number'),
        ({"values": 4}, "key values is 4, but must be an object of numbers"),
        ({"values": {}, "spans": "p"}, 'key spans is "p", but must be a list'),
        ({"values": {}, "spans": [{"passage": "p", "support": "perhaps"}]}, "but must be one of supports, contradicts"),
        ({"values": {}, "spans": [{"passage": "p", "support": "neither", "start": -1}]}, r"key spans.0..start is -1"),
        ({"values": {}, "edit_size": 1.5}, "key edit_size is 1.5, but must be a whole"),
    ],
)
def test_events_that_cannot_be_read(document: dict[str, object], message: str) -> None:
    whole = {"type": "label-given", "at": NOW, "task": "t", "annotator": "ann", "response": document}
    response = RatedWithEdit if "edit_size" in document else Judged
    with pytest.raises(EventError, match=message):
        event_from_json(whole, response)


# ---- protocols -------------------------------------------------------------------------------------------------


def test_a_protocol_of_ratings_reads_back() -> None:
    protocol = rating_protocol(criteria=(RatedCriterion("clear", 1, 5, 0.3, "How clear?"), CRITERIA[1]), half_width=0.5)
    assert protocol_from_toml(protocol_to_toml(protocol)) == protocol
    assert protocol_from_toml(protocol_to_toml(protocol)).fingerprint == protocol.fingerprint


def test_protocols_that_compare_keep_their_fingerprint() -> None:
    """As it was before there were ratings, so that campaigns which have begun go on."""
    assert protocol_of().fingerprint == Protocol().fingerprint
    assert Protocol().fingerprint == "33899920556ac7716865ff5f6836e966693ec39808b092537f23e33af8105631"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"criteria": ()}, "name what is rated"),
        ({"criteria": (RatedCriterion("a", 1, 5), RatedCriterion("A", 1, 5))}, "named twice"),
        ({"criteria": (RatedCriterion("a", 5, 1),)}, "needs a lowest and a highest rating"),
        ({"criteria": (RatedCriterion("a", 0.5, 5),)}, "whole numbers at its ends"),
        ({"half_width": None}, "say how well means must be known"),
        ({"half_width": 2.0}, "below 2, which needs no labels on a scale of 1 to 5"),
        ({"criteria": (RatedCriterion("a", 1, 5), RatedCriterion("b", 0, 1))}, "differ in length"),
        ({"decision": DecisionSettings()}, "is for comparisons; ratings take width or bernstein"),
        ({"decision": DecisionSettings(rule="width", multiplicity="fdr")}, "is about verdicts"),
        ({"decision": DecisionSettings(rule="width", metrics=("bleu",))}, "metrics"),
        ({"labels": LabelSettings("majority", 3, kind="rating")}, "several ratings of an output take mean"),
        ({"labels": LabelSettings("one", 3, kind="rating")}, "one takes no number; use mean"),
        ({"labels": LabelSettings(kind="rating+edit")}, "say below which rating"),
        ({"labels": LabelSettings(kind="rating+edit"), "edit_below": 1}, "or nothing is edited"),
        ({"criteria": (RatedCriterion("clear", 1, 5, cues=("poor", "good")),)}, "needs a cue for each whole number"),
        ({"criteria": (RatedCriterion("clear", 1, 12, cues=("x",) * 12),)}, "at most 11 in all"),
        ({"edit_below": 3}, "asks for edits"),
        ({"people": PeopleSettings(gold=(GoldTask("i", "a", "b", "a"),))}, "outcomes of comparisons"),
        ({"people": PeopleSettings(spans=True)}, "judgements of passages"),
    ],
)
def test_what_cannot_be_a_protocol(changes: dict[str, object], message: str) -> None:
    with pytest.raises(ProtocolError, match=message):
        rating_protocol(**changes)  # type: ignore[arg-type]


def test_ratings_in_a_campaign_that_compares() -> None:
    with pytest.raises(ProtocolError, match="is a rule for ratings"):
        Protocol(decision=DecisionSettings(rule="width"))
    with pytest.raises(ProtocolError, match="campaigns of ratings only"):
        Protocol(ratings=rating_protocol().ratings)
    with pytest.raises(ProtocolError, match="take majority"):
        Protocol(labels=LabelSettings("mean", 3))
    with pytest.raises(InputError, match="must be a table with name, low, high"):
        protocol_from_toml('[labels]\nkind = "rating"\n[ratings]\ncriteria = ["clear"]\n')


def test_what_cannot_be_rated_is_left_out_and_named() -> None:
    """dog has no item in common with the others, and elk has no outputs at all."""
    outputs = [{"item": f"i{k}", "system": name, "text": f"{name} {k}"} for k in range(60) for name in ("ant", "bee")]
    outputs += [{"item": f"j{k}", "system": "dog", "text": f"dog {k}"} for k in range(60)]
    vote = {"item": "i1", "system_a": "ant", "system_b": "elk", "annotator": "x", "outcome": "a"}
    study = Study.from_tables(outputs=outputs, preferences=[vote])
    means = init(rating_protocol(half_width=0.5), study)
    assert means.plan.systems == ("ant", "bee", "dog")
    assert [(of.systems, of.why) for of in means.plan.left_out] == [(("elk",), "it has no outputs")]
    differences = init(rating_protocol(half_width=0.5, until="differences"), study)
    assert differences.plan.systems == ("ant", "bee")
    assert {of.systems for of in differences.plan.left_out} == {("elk",), ("ant", "dog"), ("bee", "dog")}
    (notice,) = estimates(differences).warnings
    assert notice.text.startswith("1 system and 2 pairs left out: elk (it has no outputs); ant and dog, bee and dog")
    with pytest.raises(ProtocolError, match="have no item with outputs of both"):
        init(rating_protocol(half_width=0.5, until="differences"), study.select(systems=["ant", "dog"]))
