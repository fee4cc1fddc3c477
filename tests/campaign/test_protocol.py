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
    ({"decision": DecisionSettings(alpha=0.0)}, "decision.alpha", "must be above 0 and below 1"),
    ({"decision": DecisionSettings(alpha=1.0)}, "decision.alpha", "must be above 0 and below 1"),
    (
        {"decision": DecisionSettings("fixed", alpha=0.5, margin=0.3)},
        "decision.alpha",
        "must be below 0.5 with a margin",
    ),
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
    ({"labels": LabelSettings(labelling="most")}, "labels.labelling", "must be one of one, fixed, majority, max-three"),
    ({"labels": LabelSettings(labelling="majority", per_item=4)}, "labels.per_item", "odd number"),
    ({"labels": LabelSettings(labelling="majority", per_item=1)}, "labels.per_item", "3 people or more"),
    ({"labels": LabelSettings(labelling="one", per_item=3)}, "labels.per_item", "one takes no number; use majority"),
    ({"labels": LabelSettings(labelling="majority", per_item=-3)}, "labels.per_item", "from 1 to"),
    ({"labels": LabelSettings(price=-1.0)}, "labels.price", "from 0 to"),
    ({"labels": LabelSettings(price=NAN)}, "labels.price", "from 0 to"),
    ({"pairs": PairSettings(pair_policy="all")}, "pairs.pair_policy", "must be one of batches"),
    ({"pairs": PairSettings(batch=0)}, "pairs.batch", "from 1 to"),
    ({"pairs": PairSettings(open=0)}, "pairs.open", "from 1 to"),
    ({"budget": Budget(max_labels=0)}, "budget.max_labels", "from 1 to"),
    ({"budget": Budget(max_labels=True)}, "budget.max_labels", "whole number"),
    (
        {"budget": Budget(max_labels=9)},
        "budget.max_labels",
        "9 labels, less than one batch of one pair",
    ),
    ({"budget": Budget(items_per_pair=0)}, "budget.items_per_pair", "from 1 to"),
    ({"budget": Budget(max_money=0.0)}, "budget.max_money", "above 0"),
    ({"budget": Budget(max_money=50.0)}, "budget.max_money", "needs labels.price"),
    (
        {"budget": Budget(max_money=1.0), "labels": LabelSettings(price=0.2)},
        "budget.max_money",
        "5 labels, less than one",
    ),
    (
        {"budget": Budget(max_labels=29), "labels": LabelSettings("majority", 3)},
        "budget.max_labels",
        "which may take 30",
    ),
    ({"budget": Budget(max_labels=29), "labels": LabelSettings("max-three")}, "budget.max_labels", "which may take 30"),
    ({"order": OrderSettings(order="sorted")}, "order.order", "must be one of shuffled, listed"),  # type: ignore[arg-type]
    ({"order": OrderSettings(seed=-1)}, "order.seed", "from 0 to"),
    ({"people": PeopleSettings(labels_per_person=0)}, "people.labels_per_person", "from 1 to"),
    ({"people": PeopleSettings(hours=0.0)}, "people.hours", "above 0"),
    ({"people": PeopleSettings(hours=float("inf"))}, "people.hours", "above 0"),
    ({"people": PeopleSettings(gold_every=1)}, "people.gold_every", "from 2 to"),
    ({"people": PeopleSettings(gold_after=0)}, "people.gold_after", "from 1 to"),
    ({"people": PeopleSettings(gold_share=1.1)}, "people.gold_share", "must be from 0 to 1"),
    ({"people": PeopleSettings(gold=(GoldTask("i", "a", "b", "win"),))}, "people.gold", "must be one of a, tie, b"),
    ({"systems": ("ant",)}, "systems", "at least two systems"),
    ({"systems": ("ant", "ant")}, "systems", "each once"),
    ({"systems": ("ant", "bee"), "baseline": "cat"}, "baseline", "not among the systems"),
    ({"only_pairs": (("ant", "ant"),)}, "only_pairs", "is a system with itself; name two"),
    ({"only_pairs": (("ant", "bee"), ("bee", "ant"))}, "only_pairs", "is named twice"),
    ({"only_pairs": (("ant", "bee"),), "systems": ("ant", "bee")}, "systems", "goes without only_pairs"),
    ({"only_pairs": (("ant", "bee"),), "baseline": "ant"}, "baseline", "goes without only_pairs"),
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
