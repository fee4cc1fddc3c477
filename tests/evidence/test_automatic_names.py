"""What is said of metrics and judges that are named where they cannot help, or left out as they learned from labels."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.signed_studies import JUDGE

from tiebreak.auditing.audit import audit_with
from tiebreak.campaign import Protocol, ProtocolError
from tiebreak.campaign.make_plan import make_plan
from tiebreak.comparison.compare import compare
from tiebreak.data.provenance import LABELLED_ITEMS, keys_of_items
from tiebreak.data.study import Study
from tiebreak.errors import TiebreakError, UsageError
from tiebreak.estimation.estimate import estimate
from tiebreak.live.folder import study_for
from tiebreak.messages.tables import LEARNED_FROM
from tiebreak.ranking.rank import rank
from tiebreak.results.audit_settings import AuditSettings
from tiebreak.settings.protocol import DecisionSettings

ITEMS = tuple(f"q{number}" for number in range(9))
FEW = ITEMS[:4]
"""The items with labels of B and C."""


def judged(
    judge: str, pair: str, items: tuple[str, ...] = ITEMS, signature: str | None = None
) -> list[dict[str, object]]:
    a, b = pair
    return [
        {"item": item, "system_a": a, "system_b": b, "judge": judge, "outcome": "a", "signature": signature}
        for item in items
    ]


@pytest.fixture
def study() -> Study:
    """People labelled A and B on nine items, and B and C on four. `other` judged both pairs, `far` A and B alone, as
    did `learned`; `seen` judged B and C. Both of these learned from all labels. The metric `m` scored all systems,
    `m-a` A alone.
    """
    votes = [("A", "B", item) for item in ITEMS] + [("B", "C", item) for item in FEW]
    made = Study.from_tables(
        items=[{"item": item, "input": f"What of {item}?"} for item in ITEMS],
        outputs=[{"item": item, "system": name, "text": f"{name} on {item}"} for item in ITEMS for name in "ABC"],
        preferences=[
            {"item": item, "system_a": a, "system_b": b, "annotator": "ann", "outcome": "a"} for a, b, item in votes
        ],
        judge_preferences=[
            *judged("other", "AB"), *judged("other", "BC"), *judged("far", "AB"),
            *judged("learned", "BA", ITEMS, JUDGE), *judged("seen", "BC", ITEMS, JUDGE),
        ],
        scores=[
            {"item": item, "system": name, "metric": metric, "value": k + len(metric)}
            for k, item in enumerate(ITEMS) for metric, names in (("m", "ABC"), ("m-a", "A")) for name in names
        ],
    )  # fmt: skip
    keys = keys_of_items(made.outputs, made.items)
    hashes = sorted(key for item in ITEMS for key in keys[item])
    return made.with_signatures({JUDGE: {"kind": "evaluator", LABELLED_ITEMS: hashes}})


def planned(study: Study, judge: str) -> object:
    protocol = Protocol(only_pairs=(("B", "C"),), decision=DecisionSettings(judges=(judge,)))
    return make_plan(protocol, study_for(protocol, study))


BC = ("B", "C")


@pytest.mark.parametrize(
    "ask",
    [
        lambda study: compare(study, systems=BC, judges=("far",), rule="anytime"),
        lambda study: audit_with(study, AuditSettings(systems=BC, judges=("far",))),
        lambda study: rank(study, systems=BC, sources=("judge:far",)),
        lambda study: planned(study, "far"),
    ],
)
def test_a_judge_of_other_pairs_is_said_to_be_one(study: Study, ask: Callable[[Study], object]) -> None:
    with pytest.raises(UsageError) as error:
        ask(study)
    assert "'far' judged none of these pairs" in str(error.value)
    assert isinstance(error.value, ProtocolError) == str(error.value).startswith("decision.judges")


@pytest.mark.parametrize(
    "ask",
    [
        lambda study: compare(study, systems=BC, metrics=("m-a",), rule="anytime"),
        lambda study: audit_with(study, AuditSettings(systems=BC, metrics=("m-a",))),
    ],
)
def test_a_metric_of_other_systems_is_said_to_be_one(study: Study, ask: Callable[[Study], object]) -> None:
    with pytest.raises(UsageError, match="'m-a' scored none of these systems"):
        ask(study)


def warned(found: object) -> list[str]:
    return [notice.text for notice in found.warnings if notice.code == LEARNED_FROM.code]  # type: ignore[attr-defined]


def test_only_what_was_asked_for_is_warned_of_with_the_items_compared(study: Study) -> None:
    assert [notice.details["name"] for notice in study.notices if notice.code == LEARNED_FROM.code] == [
        "learned",
        "seen",
    ]
    assert warned(compare(study)) == []
    assert warned(compare(study, judges=("other",), rule="anytime")) == []
    learned, seen = warned(compare(study, judges=("all",), rule="anytime"))
    assert ("'learned'" in learned, "'seen'" in seen) == (True, True)
    with pytest.raises(TiebreakError, match="the judge 'seen' is left out on all 9 items"):
        compare(study, systems=BC, judges=("seen",), rule="anytime")
    assert warned(rank(study)) == warned(rank(study, sources=("judge:other",))) == []
    assert warned(rank(study, sources=("judges",))) == [learned, seen]
    assert warned(audit_with(study, AuditSettings(judges=("other",)))) == []
    assert warned(audit_with(study, AuditSettings())) == [learned, seen]


def test_an_estimate_is_warned_of_metrics_that_it_would_show_and_of_no_judge(study: Study) -> None:
    ratings = [
        {"item": item, "system": name, "annotator": "ann", "criterion": "c", "value": k % 3}
        for k, item in enumerate(ITEMS) for name in "ABC"
    ]  # fmt: skip
    made = Study.from_tables(
        items=study.items,
        outputs=study.outputs,
        ratings=ratings,
        judge_preferences=study.judge_preferences,
        scores=[
            {"item": item, "system": name, "metric": metric, "value": k, "signature": signature}
            for k, item in enumerate(ITEMS) for name in "ABC" for metric, signature in (("m", None), ("points", JUDGE))
        ],
    ).with_signatures(study.signatures)  # fmt: skip
    (points,) = warned(estimate(made))
    assert warned(estimate(made, metrics=("all",))) == [points]
    assert warned(estimate(made, metrics=("m",))) == []
