"""A protocol that cannot be, or cannot decide, is refused before the first label."""

from __future__ import annotations

from dataclasses import replace

import pytest
from benchmarks.worlds.small_campaigns import protocol_of

from tiebreak.campaign import Protocol, ProtocolError
from tiebreak.campaign.settings import (
    Budget,
    DecisionSettings,
    GoldTask,
    LabelSettings,
    OrderSettings,
    PairSettings,
    PeopleSettings,
)

NAN = float("nan")

REFUSED = [
    ({"decision": DecisionSettings(alpha=0.0)}, "decision.alpha", "must be above 0 and below 1"),
    ({"decision": DecisionSettings(alpha=1.0)}, "decision.alpha", "must be above 0 and below 1"),
    ({"decision": DecisionSettings(alpha=NAN)}, "decision.alpha", "must be above 0 and below 1"),
    ({"decision": DecisionSettings(alpha=1e-13)}, "decision.alpha", "at least 1e-12"),
    ({"decision": DecisionSettings(margin=1.0)}, "decision.margin", "must be above 0 and below 1"),
    ({"decision": DecisionSettings(margin=1.5)}, "decision.margin", "must be above 0 and below 1"),
    ({"decision": DecisionSettings(margin=0.0)}, "decision.margin", "must be above 0 and below 1"),
    ({"decision": DecisionSettings(rule="anytme")}, "decision.rule", "did you mean anytime"),
    ({"decision": DecisionSettings(multiplicity="holmes")}, "decision.multiplicity", "did you mean holm"),  # type: ignore[arg-type]
    ({"decision": DecisionSettings(target="item")}, "decision.target", "did you mean items"),  # type: ignore[arg-type]
    ({"decision": DecisionSettings(rule="hoeffding", margin=0.1)}, "decision.margin", "cannot find equivalence"),
    ({"decision": DecisionSettings(rule="hoeffding", metrics=("bleu",))}, "decision.metrics", "human labels only"),
    ({"decision": DecisionSettings(rule="hoeffding", judges=("gpt",))}, "decision.judges", "human labels only"),
    ({"decision": DecisionSettings(rule="fixed")}, "budget.items_per_pair", "needs the number of items per pair"),
    ({"labels": LabelSettings(policy="most")}, "labels.policy", "must be one of one, fixed, majority, max-three"),
    ({"labels": LabelSettings(policy="majority", annotators=4)}, "labels.annotators", "odd number"),
    ({"labels": LabelSettings(policy="majority", annotators=1)}, "labels.annotators", "3 people or more"),
    ({"labels": LabelSettings(policy="one", annotators=3)}, "labels.annotators", "one takes no number; use majority"),
    ({"labels": LabelSettings(policy="majority", annotators=-3)}, "labels.annotators", "at least 1"),
    ({"labels": LabelSettings(price=-1.0)}, "labels.price", "0 or more"),
    ({"labels": LabelSettings(price=NAN)}, "labels.price", "0 or more"),
    ({"pairs": PairSettings(policy="all")}, "pairs.policy", "must be one of batches"),
    ({"pairs": PairSettings(batch=0)}, "pairs.batch", "at least 1"),
    ({"pairs": PairSettings(open=0)}, "pairs.open", "at least 1"),
    ({"budget": Budget(labels=0)}, "budget.labels", "at least 1"),
    ({"budget": Budget(labels=True)}, "budget.labels", "whole number"),
    ({"budget": Budget(labels=9)}, "budget.labels", "9 labels, less than one batch of one pair, which may take 10"),
    ({"budget": Budget(items_per_pair=0)}, "budget.items_per_pair", "at least 1"),
    ({"budget": Budget(money=0.0)}, "budget.money", "above 0"),
    ({"budget": Budget(money=50.0)}, "budget.money", "needs labels.price"),
    ({"budget": Budget(money=1.0), "labels": LabelSettings(price=0.2)}, "budget.money", "5 labels, less than one"),
    (
        {"budget": Budget(labels=29), "labels": LabelSettings("majority", 3)},
        "budget.labels",
        "which may take 30",
    ),
    ({"budget": Budget(labels=29), "labels": LabelSettings("max-three")}, "budget.labels", "which may take 30"),
    ({"order": OrderSettings(items="sorted")}, "order.items", "must be one of random, listed"),  # type: ignore[arg-type]
    ({"order": OrderSettings(seed=-1)}, "order.seed", "at least 0"),
    ({"people": PeopleSettings(most_labels=0)}, "people.most_labels", "at least 1"),
    ({"people": PeopleSettings(hours=0.0)}, "people.hours", "above 0"),
    ({"people": PeopleSettings(hours=float("inf"))}, "people.hours", "above 0"),
    ({"people": PeopleSettings(gold_every=1)}, "people.gold_every", "at least 2"),
    ({"people": PeopleSettings(gold_after=0)}, "people.gold_after", "at least 1"),
    ({"people": PeopleSettings(gold_share=1.1)}, "people.gold_share", "between 0 and 1"),
    ({"people": PeopleSettings(gold=(GoldTask("i", "a", "b", "win"),))}, "people.gold", "must be one of a, tie, b"),
    ({"systems": ("ant",)}, "systems", "at least two systems"),
    ({"systems": ("ant", "ant")}, "systems", "each once"),
    ({"systems": ("ant", "bee"), "baseline": "cat"}, "baseline", "not among the systems"),
]


@pytest.mark.parametrize(
    ("parts", "key", "message"), REFUSED, ids=[f"{key}-{k}" for k, (_, key, _) in enumerate(REFUSED)]
)
def test_refusals(parts: dict[str, object], key: str, message: str) -> None:
    with pytest.raises(ProtocolError, match=message) as caught:
        protocol_of(**parts)  # type: ignore[arg-type]
    assert key in {problem.key for problem in (caught.value, *caught.value.others)}
    assert str(caught.value).startswith(caught.value.key)


def test_an_empty_question() -> None:
    with pytest.raises(ProtocolError, match='question = " ": annotators need a question'):
        replace(Protocol(), question=" ")


def test_all_that_is_wrong_is_said_at_once() -> None:
    with pytest.raises(ProtocolError) as caught:
        protocol_of(decision=DecisionSettings(alpha=0.0, margin=2.0), pairs=PairSettings(batch=0))
    assert [caught.value.key, *(other.key for other in caught.value.others)] == [
        "pairs.batch",
        "decision.alpha",
        "decision.margin",
    ]
    assert len(str(caught.value).splitlines()) == 3


def test_the_money_is_shown_as_it_was_given() -> None:
    with pytest.raises(ProtocolError, match=r"budget.money = 0.6: pays for 3 labels") as caught:
        protocol_of(budget=Budget(money=0.6, labels=500), labels=LabelSettings(price=0.2))
    assert caught.value.value == 0.6


def test_what_is_missing_has_no_value() -> None:
    with pytest.raises(ProtocolError, match=r"^budget.items_per_pair: the rule fixed needs"):
        protocol_of(decision=DecisionSettings(rule="fixed"))


def test_the_smaller_budget_counts() -> None:
    priced = LabelSettings(price=0.1)
    assert protocol_of(budget=Budget(labels=50, money=3.0), labels=priced).most_labels == 30
    assert protocol_of(budget=Budget(labels=20, money=3.0), labels=priced).most_labels == 20
    assert protocol_of(budget=Budget(money=1.1), labels=priced).most_labels == 11, (
        "1.1 / 0.1 is 11, in spite of rounding"
    )
    assert Protocol().most_labels is None


@pytest.mark.parametrize(
    ("policy", "annotators", "most"), [("one", 1, 1), ("fixed", 1, 1), ("majority", 5, 5), ("max-three", 1, 3)]
)
def test_labels_per_item(policy: str, annotators: int, most: int) -> None:
    assert protocol_of(labels=LabelSettings(policy, annotators)).most_labels_per_item == most


def test_the_fingerprint_is_that_of_the_settings() -> None:
    first = protocol_of(labels=LabelSettings(price=1))
    assert first == protocol_of(labels=LabelSettings(price=1.0))
    assert first.fingerprint == protocol_of(labels=LabelSettings(price=1.0)).fingerprint
    different = [
        Protocol(),
        first,
        replace(Protocol(), question="Which is more fluent?"),
        protocol_of(order=OrderSettings(seed=1)),
        protocol_of(order=OrderSettings(seed=2**60)),
        protocol_of(order=OrderSettings(seed=2**60 + 1)),
        protocol_of(decision=DecisionSettings(alpha=0.01)),
        protocol_of(systems=("ant", "bee")),
    ]
    assert len({protocol.fingerprint for protocol in different}) == len(different)
