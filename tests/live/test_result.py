"""What stands beside the verdict of a campaign is computed over the labels that the verdict rests on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from benchmarks.worlds.small_campaigns import protocol_of, study_of

from tiebreak.campaign import LabelGiven, TaskAssigned, next_tasks
from tiebreak.campaign.kinds import Preferred
from tiebreak.live import LiveCampaign, create_campaign, open_campaign, result_of
from tiebreak.live.export import write_export
from tiebreak.places import result_at
from tiebreak.settings.protocol import DecisionSettings

AT = "2026-05-01T09:30:00Z"


def handed_out(live: LiveCampaign, annotator: str, tasks: int) -> list[TaskAssigned]:
    events = live.commit(lambda state, _: next_tasks(state, annotator, tasks, AT))
    return [event for event in events if isinstance(event, TaskAssigned)]


def test_labels_that_wait_enter_neither_warnings_nor_agreement(tmp_path: Path) -> None:
    """The first item of the order is still out: nobody's answers to the fifty after it are evidence."""
    create_campaign(tmp_path / "camp", protocol_of(), study_of(items=80), at=AT)
    live = open_campaign(tmp_path / "camp")
    first, *others = handed_out(live, "zoe", 51)
    live.commit(lambda _, __: [LabelGiven(AT, task.task, "zoe", Preferred("tie")) for task in others])
    waiting = result_of(live)
    (found,) = waiting.results
    assert (found.labels, found.annotators, found.agreement, waiting.warnings) == (0, (), (), ())
    assert [(person.annotator, person.open, person.holds_up) for person in waiting.campaign.people] == [("zoe", 1, 1)]
    live.commit(lambda _, __: [LabelGiven(AT, first.task, "zoe", Preferred("tie"))])
    taken = result_of(live)
    (found,) = taken.results
    assert (found.labels, found.annotators) == (51, ("zoe",))
    behind = handed_out(live, "ann", 3)
    assert behind
    assert not any(person.holds_up for person in taken.campaign.people)


@pytest.mark.parametrize(("rule", "asked"), [("anytime", 40), ("anytime", 4), ("posterior", 40)])
def test_a_campaign_says_what_its_metric_did(rule: str, asked: int, tmp_path: Path) -> None:
    """The metric says of every item but each eighth what people say; its help begins when that is clear."""
    truth = np.random.default_rng(4).integers(-1, 2, size=80)
    said = np.where(np.arange(80) % 8 == 0, -truth, truth)
    scores = {"bleu": {"ant": said.tolist(), "bee": [0.0] * 80}}
    decision = DecisionSettings(rule, metrics=("bleu",), target="items", alpha=1e-9)
    create_campaign(tmp_path / "camp", protocol_of(decision=decision), study_of(items=80, scores=scores), at=AT)
    live = open_campaign(tmp_path / "camp")
    words = {1: "a", 0: "tie", -1: "b"}
    tasks = handed_out(live, "zoe", asked)
    live.commit(
        lambda _, __: [LabelGiven(AT, of.task, "zoe", Preferred(words[int(truth[int(of.item[1:])])])) for of in tasks]
    )  # type: ignore[arg-type]
    found = result_of(live)
    (pair,) = found.results[0].pairs
    use = pair.metric
    numbers = [int(of.item[1:]) for of in tasks]
    assert sum(map(sum, use.confusion)) == asked
    assert use.agreement == np.mean(said[numbers] == truth[numbers])
    assert (use.names, use.unlabelled, use.used) == (("bleu",), 80 - asked, asked == 40)
    sentence = found.results[0].sentence
    assert ("bleu" in sentence) == (rule == "posterior" or asked == 40)
    write_export(live, tmp_path / "export")
    assert result_at(tmp_path / "export").results[0].pairs[0].metric == use
