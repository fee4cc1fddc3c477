"""A protocol that cannot be, or cannot decide, is refused before the first label."""

from __future__ import annotations

from dataclasses import replace

import pytest
from benchmarks.worlds.small_campaigns import protocol_of

from tiebreak.campaign import Protocol, ProtocolError
from tiebreak.settings.protocol import (
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
    ({"decision": DecisionSettings(alpha=0.0)}, "decision.alpha"),
    ({"decision": DecisionSettings(alpha=1.0)}, "decision.alpha"),
    ({"decision": DecisionSettings("fixed", alpha=0.5, margin=0.3)}, "decision.alpha"),
    ({"decision": DecisionSettings(alpha=NAN)}, "decision.alpha"),
    ({"decision": DecisionSettings(alpha=1e-13)}, "decision.alpha"),
    ({"decision": DecisionSettings(margin=1.0)}, "decision.margin"),
    ({"decision": DecisionSettings(margin=1.5)}, "decision.margin"),
    ({"decision": DecisionSettings(margin=0.0)}, "decision.margin"),
    ({"decision": DecisionSettings(rule="anytme")}, "decision.rule"),
    ({"decision": DecisionSettings(multiplicity="holmes")}, "decision.multiplicity"),  # type: ignore[arg-type]
    ({"decision": DecisionSettings(target="item")}, "decision.target"),  # type: ignore[arg-type]
    ({"decision": DecisionSettings(rule="hoeffding", margin=0.1)}, "decision.margin"),
    ({"decision": DecisionSettings(rule="hoeffding", metrics=("bleu",))}, "decision.metrics"),
    ({"decision": DecisionSettings(rule="hoeffding", judges=("gpt",))}, "decision.judges"),
    ({"decision": DecisionSettings(rule="fixed")}, "budget.items_per_pair"),
    ({"labels": LabelSettings(labelling="most")}, "labels.labelling"),
    ({"labels": LabelSettings(labelling="majority", per_item=4)}, "labels.per_item"),
    ({"labels": LabelSettings(labelling="majority", per_item=1)}, "labels.per_item"),
    ({"labels": LabelSettings(labelling="one", per_item=3)}, "labels.per_item"),
    ({"labels": LabelSettings(labelling="majority", per_item=-3)}, "labels.per_item"),
    ({"labels": LabelSettings(price=-1.0)}, "labels.price"),
    ({"labels": LabelSettings(price=NAN)}, "labels.price"),
    ({"pairs": PairSettings(pair_policy="all")}, "pairs.pair_policy"),
    ({"pairs": PairSettings(batch=0)}, "pairs.batch"),
    ({"pairs": PairSettings(open=0)}, "pairs.open"),
    ({"budget": Budget(max_labels=0)}, "budget.max_labels"),
    ({"budget": Budget(max_labels=True)}, "budget.max_labels"),
    ({"budget": Budget(max_labels=9)}, "budget.max_labels"),
    ({"budget": Budget(items_per_pair=0)}, "budget.items_per_pair"),
    ({"budget": Budget(max_money=0.0)}, "budget.max_money"),
    ({"budget": Budget(max_money=50.0)}, "budget.max_money"),
    ({"budget": Budget(max_money=1.0), "labels": LabelSettings(price=0.2)}, "budget.max_money"),
    ({"budget": Budget(max_labels=29), "labels": LabelSettings("majority", 3)}, "budget.max_labels"),
    ({"budget": Budget(max_labels=29), "labels": LabelSettings("max-three")}, "budget.max_labels"),
    ({"order": OrderSettings(order="sorted")}, "order.order"),  # type: ignore[arg-type]
    ({"order": OrderSettings(seed=-1)}, "order.seed"),
    ({"people": PeopleSettings(labels_per_person=0)}, "people.labels_per_person"),
    ({"people": PeopleSettings(hours=0.0)}, "people.hours"),
    ({"people": PeopleSettings(hours=float("inf"))}, "people.hours"),
    ({"people": PeopleSettings(gold_every=1)}, "people.gold_every"),
    ({"people": PeopleSettings(gold_after=0)}, "people.gold_after"),
    ({"people": PeopleSettings(gold_share=1.1)}, "people.gold_share"),
    ({"people": PeopleSettings(gold=(GoldTask("i", "a", "b", "win"),))}, "people.gold"),
    ({"systems": ("ant",)}, "systems"),
    ({"systems": ("ant", "ant")}, "systems"),
    ({"systems": ("ant", "bee"), "baseline": "cat"}, "baseline"),
    ({"only_pairs": (("ant", "ant"),)}, "only_pairs"),
    ({"only_pairs": (("ant", "bee"), ("bee", "ant"))}, "only_pairs"),
    ({"only_pairs": (("ant", "bee"),), "systems": ("ant", "bee")}, "systems"),
    ({"only_pairs": (("ant", "bee"),), "baseline": "ant"}, "baseline"),
]


@pytest.mark.parametrize(("parts", "key"), REFUSED, ids=[f"{key}-{k}" for k, (_, key) in enumerate(REFUSED)])
def test_refusals(parts: dict[str, object], key: str) -> None:
    with pytest.raises(ProtocolError) as caught:
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
    with pytest.raises(ProtocolError, match=r"budget.max_money = 0.6: pays for 3 labels") as caught:
        protocol_of(budget=Budget(max_money=0.6, max_labels=500), labels=LabelSettings(price=0.2))
    assert caught.value.value == 0.6


def test_what_is_missing_has_no_value() -> None:
    with pytest.raises(ProtocolError, match=r"^budget.items_per_pair: the rule fixed needs"):
        protocol_of(decision=DecisionSettings(rule="fixed"))


def test_the_smaller_budget_counts() -> None:
    priced = LabelSettings(price=0.1)
    assert protocol_of(budget=Budget(max_labels=50, max_money=3.0), labels=priced).most_labels == 30
    assert protocol_of(budget=Budget(max_labels=20, max_money=3.0), labels=priced).most_labels == 20
    assert protocol_of(budget=Budget(max_money=1.1), labels=priced).most_labels == 11, (
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


def test_a_rule_that_needs_a_metric_says_so() -> None:
    with pytest.raises(ProtocolError, match="the rule posterior needs --metric or --judge"):
        Protocol(decision=DecisionSettings(rule="posterior"))
