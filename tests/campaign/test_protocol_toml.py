"""The protocol file: what is written reads back, and what is wrong is named with its line."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tiebreak.campaign import Protocol, protocol_from_toml, protocol_to_toml
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
    text = (
        '[decision]\nalpha = 0\nmargin = 1.2\n\n[labels]\nlabelling = "majority"\nper_item = 4\n\n[pairs]\nbatch = 0\n'
    )
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
