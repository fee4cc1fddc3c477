"""A protocol that cannot be, or cannot decide, is refused before the first label; its file reads back as written."""

from __future__ import annotations

from dataclasses import replace

import pytest
from benchmarks.worlds.small_campaigns import protocol_of
from hypothesis import given, settings
from hypothesis import strategies as st

from tiebreak.campaign import Protocol, ProtocolError, protocol_from_toml, protocol_to_toml
from tiebreak.errors import InputError, Problem
from tiebreak.settings.protocol import (
    Budget,
    DecisionSettings,
    GoldTask,
    LabelSettings,
    OrderSettings,
    PairSettings,
    PeopleSettings,
)

# ---- settings ------------------------------------------------------------------------------------------------------
# A protocol that cannot be, or cannot decide, is refused before the first label.

REFUSED = [
    ({"decision": DecisionSettings(alpha=0.0)}, "decision.alpha"),
    ({"decision": DecisionSettings("fixed", alpha=0.5, margin=0.3)}, "decision.alpha"),
    ({"decision": DecisionSettings(margin=1.0)}, "decision.margin"),
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
    keys = [caught.value.key, *(other.key for other in caught.value.others)]
    assert keys == ["pairs.batch", "decision.alpha", "decision.margin"]
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
    rounded = protocol_of(budget=Budget(max_money=1.1), labels=priced)
    assert rounded.most_labels == 11, "1.1 / 0.1 is 11, in spite of rounding"
    assert Protocol().most_labels is None


def test_labels_per_item() -> None:
    for policy, annotators, most in (("one", 1, 1), ("fixed", 1, 1), ("majority", 5, 5), ("max-three", 1, 3)):
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


# ---- files ---------------------------------------------------------------------------------------------------------
# The protocol file: what is written reads back, and what is wrong is named with its line.

names = st.text(min_size=1, max_size=6)
whole = st.integers(1, 10**6)
positive = st.floats(1e-3, 80_000)
share = st.floats(1e-6, 1 - 1e-6)
below_half = st.floats(1e-6, 0.499)


@st.composite
def protocols(draw: st.DrawFn) -> Protocol:
    """Valid protocols with every setting drawn."""
    policy = draw(st.sampled_from(["one", "fixed", "majority", "max-three"]))
    rule = draw(st.sampled_from(["anytime", "hoeffding", "dirichlet", "fixed", "posterior"]))
    metrics = tuple(draw(st.lists(names, max_size=2))) if rule in ("anytime", "posterior") else ()
    systems = tuple(draw(st.lists(names, min_size=2, max_size=4, unique=True))) if draw(st.booleans()) else ()
    two = st.tuples(names, names).filter(lambda pair: pair[0] != pair[1])
    only_pairs = () if systems else tuple(draw(st.lists(two, max_size=3, unique_by=frozenset)))
    gold = draw(st.lists(st.builds(GoldTask, names, names, names, st.sampled_from(["a", "tie", "b"])), max_size=2))
    return Protocol(
        systems=systems,
        baseline=draw(st.sampled_from(systems)) if systems and draw(st.booleans()) else None,
        only_pairs=only_pairs,
        criterion=draw(st.none() | names),
        question=draw(names.filter(lambda text: bool(text.strip()))),
        instructions=draw(st.text(max_size=30)),
        labels=LabelSettings(
            policy,
            draw(st.sampled_from([3, 5, 7])) if policy == "majority" else 1,
            draw(st.booleans()),
            draw(positive),
            draw(names),
        ),
        pairs=PairSettings("batches", draw(st.integers(1, 50)), draw(st.none() | whole)),
        budget=Budget(
            draw(st.none() | st.integers(400, 10**6)),
            draw(st.none() | st.floats(4e8, 1e9)),
            draw(whole) if rule == "fixed" else draw(st.none() | whole),
        ),
        decision=DecisionSettings(
            rule,
            draw(below_half if rule == "fixed" else share),
            draw(st.sampled_from(["holm", "bonferroni", "fdr", "none"])),
            draw(st.none() | share) if rule == "anytime" else None,
            draw(st.sampled_from(["inputs", "items"])),
            metrics,
            ("judge",) if rule == "posterior" else (),
        ),
        order=OrderSettings(draw(st.sampled_from(["shuffled", "listed"])), draw(st.integers(0, 2**63 - 1))),
        people=PeopleSettings(
            draw(st.none() | whole),
            draw(positive),
            tuple(gold),
            draw(st.integers(2, 50)),
            draw(whole),
            draw(st.floats(0, 1)),
        ),
    )


@given(protocols())
@settings(max_examples=150, derandomize=True)
def test_what_is_written_reads_back(protocol: Protocol) -> None:
    again = protocol_from_toml(protocol_to_toml(protocol))
    assert again == protocol
    assert again.fingerprint == protocol.fingerprint


def test_an_empty_file_is_the_default_protocol() -> None:
    assert protocol_from_toml("") == Protocol()


def test_whole_numbers_serve_as_numbers() -> None:
    text = "[labels]\nprice = 1\n[people]\nhours = 24\n"
    read = protocol_from_toml(text)
    assert read.labels.price == 1.0
    assert read.fingerprint == protocol_from_toml(protocol_to_toml(read)).fingerprint


def problems_of(text: str) -> tuple[Problem, ...]:
    with pytest.raises(InputError) as caught:
        protocol_from_toml(text, "p.toml")
    return caught.value.problems


def test_all_keys_and_kinds_at_once() -> None:
    found = problems_of(
        """systems = "ant"
colour = "red"

[labels] # who
labelling = 3
anotators = 5

[decision]
alpha = "small"
metrics = [1]
[people]
hours = true
"""
    )
    assert [(problem.line, problem.column) for problem in found] == [
        (1, "systems"),
        (2, "colour"),
        (5, "labels.labelling"),
        (6, "labels.anotators"),
        (9, "decision.alpha"),
        (10, "decision.metrics"),
        (12, "people.hours"),
    ]


def test_all_impossible_values_at_once() -> None:
    text = '[decision]\nalpha = 0\nmargin = 1.2\n\n[labels]\nlabelling = "majority"\nper_item = 4\n\n[pairs]\nbatch = 0'
    assert {(problem.line, problem.column, problem.value) for problem in problems_of(text)} == {
        (2, "decision.alpha", "0.0"),
        (3, "decision.margin", "1.2"),
        (7, "labels.per_item", "4"),
        (10, "pairs.batch", "0"),
    }


def test_the_line_of_what_is_missing_is_its_table() -> None:
    (problem,) = problems_of('[budget]\nmax_labels = 500\n[decision]\nrule = "fixed"\n')
    assert (problem.line, problem.column) == (1, "budget.items_per_pair")


def test_gold_tasks_are_counted() -> None:
    gold = '[[people.gold]]\nitem = "i1"\nsystem_a = "a"\nsystem_b = "b"\noutcome = "a"\n'
    assert protocol_from_toml(gold).people.gold == (GoldTask("i1", "a", "b", "a"),)
    (problem,) = problems_of(gold + '[[people.gold]]\nitem = "i2"\nsystem_a = "a"\noutcome = "a"\n')
    assert (problem.line, problem.column) == (6, "people.gold[2].system_b")
    assert problem.message == "is missing"
    (problem,) = problems_of(gold + gold.replace('outcome = "a"', "outcome = 1"))
    assert (problem.line, problem.column) == (10, "people.gold[2].outcome")
    (problem,) = problems_of("[people]\ngold = [3]\n")
    assert (problem.line, problem.column) == (2, "people.gold[1]")


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("decision.alpha = 2.0\n", 1, "decision.alpha"),
        ('question = "a [b]"\n[pairs]\n  "batch"=0\n', 3, "pairs.batch"),
        ("# [pairs]\n\n[ pairs ]  # how many\nbatch\t= 0", 4, "pairs.batch"),
        ("pairs = 3\n", 1, "pairs"),
        ("budget = { max_labels = 0 }\n", 1, "budget.max_labels"),
        ('instructions = "one\\u2028two"\n[pairs]\nbatch = 0\n', 3, "pairs.batch"),
    ],
)
def test_lines(text: str, line: int | None, column: str) -> None:
    (problem,) = problems_of(text)
    assert (problem.line, problem.column) == (line, column)


def test_invalid_toml_says_where() -> None:
    (problem,) = problems_of("[labels\npolicy = 1")
    assert "invalid TOML" in problem.message
    assert problem.line == 1


def test_numbers_too_large_for_a_number() -> None:
    (problem,) = problems_of(f"[labels]\nprice = 1{'0' * 400}\n")
    assert (problem.line, problem.column) == (2, "labels.price")
