"""A campaign in a few sentences."""

from __future__ import annotations

from dataclasses import replace

from tiebreak.results.progress import Account, CampaignProgress
from tiebreak.results.words.campaign import (
    exclusion_words,
    headline_words,
    spending_words,
    standing_words,
    withdrawn_notice,
)

RUNNING = CampaignProgress(
    labels=16,
    labels_in_evidence=12,
    labels_waiting=1,
    labels_withdrawn=0,
    late=2,
    checks=1,
    labels_out=8,
    labels_left=1_188,
    cost=1.6,
    labels_to_decision=1_234,
    cost_to_decision=123.4,
    beyond=None,
    currency="$",
    ended=None,
    ended_because=None,
    ended_at=None,
    protocol={},
)
OVER = replace(
    RUNNING, ended="stopped", ended_because="somebody stopped it", stop_reason="no money", labels=18, labels_waiting=3
)


def test_where_it_stands() -> None:
    assert standing_words(RUNNING) == (
        "The campaign is running: 16 labels (12 in evidence, 1 waiting, 2 too late to count, 1 on check tasks) so far, "
        "8 tasks out with people."
    )
    assert standing_words(OVER) == (
        "The campaign is over: somebody stopped it (no money). 18 labels (12 in evidence, 3 still waiting at the end, "
        "2 too late to count, 1 on check tasks)."
    )
    plain = replace(OVER, labels=12, labels_waiting=0, late=0, checks=0)
    assert headline_words(plain, 3, 1) == (
        "The campaign is over: somebody stopped it (no money). 12 labels; 2 of 3 pairs decided."
    )


def test_what_was_spent_and_what_is_to_come() -> None:
    assert spending_words(RUNNING, 2) == [
        "Spent: 16 labels, $1.60, the budget leaves 1,188 labels.",
        "1 label waits for other answers, which come earlier in the order or on the same item or cluster: it becomes "
        "evidence with those.",
        "To go: about 1,200 labels, $120, if the shares stay as they are (a projection, not a promise).",
    ]
    ann = Account("ann", 3, 2, 2, 0.0, None, None, 0, 0, False, "", None, "$")
    held = replace(RUNNING, people=(ann, replace(ann, annotator="bo", open=5, holds_up=0)))
    assert spending_words(held, 2)[2] == (
        "What holds them up: ann with 2 open tasks. Collect that sheet, or write the open tasks again (campaign sheet "
        "--again)."
    )
    nobody = replace(held, people=(replace(ann, open=0, holds_up=0),))
    assert spending_words(nobody, 2)[2] == "Nobody has those before them now: the next sheets ask for them."
    assert spending_words(OVER, 2)[1:] == ["3 labels still waited for others at the end, and are no evidence."]
    assert len(spending_words(replace(RUNNING, labels_waiting=0, labels_to_decision=None), 2)) == 1
    assert len(spending_words(replace(RUNNING, labels_waiting=0), 0)) == 1


def test_who_gets_no_more_tasks() -> None:
    ann = Account("ann", 3, 0, 0, 0.0, None, None, 0, 0, True, "", None, "$")
    people = (
        ann,
        replace(ann, annotator="bo", labels=0, why_excluded="in a hurry"),
        replace(ann, annotator="cy", excluded=False),
    )
    assert exclusion_words(replace(RUNNING, people=people)) == [
        "ann gets no more tasks; the labels that they gave stay and count",
        "bo gets no more tasks: in a hurry",
    ]


def test_what_was_withdrawn() -> None:
    assert withdrawn_notice([]) == ()
    (one,) = withdrawn_notice([(("ant", "bee"), "i1", "decided", "")])
    assert one.text == (
        "1 item (ant and bee 1) was withdrawn: it counts against either side, and no label of it counts. That was "
        "after the verdict on its pair, which stands."
    )
    items = [(("ant", "bee"), f"i{k}", "running", "a wrong key") for k in range(3)]
    (many,) = withdrawn_notice(
        [*items, (("ant", "cat"), "i1", "decided", "a typo"), (("ant", "cat"), "i2", "over", "a typo")]
    )
    assert many.text == (
        "4 items (ant and bee 3, ant and cat 1) were withdrawn: they count against either side, and no label of them "
        "counts. 1 of them was after the verdict on its pair, which stands. 1 item (ant and cat 1) was withdrawn after "
        "the end of the campaign: what was evidence then still counts, and no verdict changes. Reasons: a wrong key, "
        "a typo."
    )
    assert many.details["items"][-1] == {  # type: ignore[index]
        "system_a": "ant", "system_b": "cat", "item": "i2", "when": "over", "reason": "a typo",
    }  # fmt: skip
