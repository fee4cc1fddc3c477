"""The check that results stay the same: it sees a number that moved, and computes the same twice."""

from __future__ import annotations

import json
import math
from itertools import product

import pytest
from benchmarks.same_results.campaign_cells import RULES, played
from benchmarks.same_results.campaign_cells import cells as campaign_cells
from benchmarks.same_results.compare_cells import RULES as COMPARED
from benchmarks.same_results.compare_cells import TARGETS, made
from benchmarks.same_results.compare_cells import cells as compare_cells
from benchmarks.same_results.document_cells import cells as document_cells
from benchmarks.same_results.document_cells import on_made
from benchmarks.same_results.product.commands import without_sentences
from benchmarks.same_results.product.plain import RULES as RULE_NAMES
from benchmarks.same_results.real_studies import REAL_STUDIES
from benchmarks.same_results.records import Question
from benchmarks.same_results.simulation_cells import cells as simulation_cells
from benchmarks.same_results.tolerance import MISSING, Difference, Exceptions, differences, same

from tiebreak.rules import registry

RECORD = {"verdict": "a", "estimate": 0.25, "e_a": 3e9, "theta": None, "tiers": [["ant"], ["bee"]]}


def changed(**fields: object) -> list[tuple[str, object, object]]:
    return [(of.field, of.before, of.now) for of in differences("cell", {"pair": RECORD}, {"pair": RECORD | fields})]


@pytest.mark.parametrize(
    ("field", "now"),
    [("verdict", "b"), ("estimate", 0.25 + 1e-11), ("e_a", 3e9 + 0.01), ("theta", 0.0), ("estimate", math.nan)],
)
def test_a_field_that_moved(field: str, now: object) -> None:
    ((name, before, after),) = changed(**{field: now})
    assert (name, before) == (f"pair.{field}", RECORD[field])
    assert after is now


def test_what_is_the_same() -> None:
    assert changed(estimate=0.25 + 1e-13, e_a=3e9 * (1 + 1e-13)) == []
    assert same(math.nan, math.nan)
    assert same(math.inf, math.inf)
    assert not same(math.inf, 1e300)
    assert not same(True, 1)


def test_a_place_in_a_list_and_a_field_that_is_gone_or_new() -> None:
    assert changed(tiers=[["ant"], ["cat"]]) == [("pair.tiers[1][0]", "bee", "cat")]
    assert changed(tiers=[["ant"]]) == [("pair.tiers", [["ant"], ["bee"]], [["ant"]])]
    assert [*differences("cell", {"a": 1}, {"b": 1})] == [("cell", "a", 1, MISSING), ("cell", "b", MISSING, 1)]


def test_every_cell_has_a_name_of_its_own() -> None:
    names = [
        cell.name for cells in (compare_cells, campaign_cells, simulation_cells, document_cells) for cell in cells()
    ]
    assert len(set(names)) == len(names)


def test_every_rule_target_helper_and_seed_of_every_real_study() -> None:
    names = {cell.name for cell in compare_cells()}
    asked = product(REAL_STUDIES, TARGETS, (0, 1, 2))
    wanted = {
        f"compare/{study.name}/{rule}/{target}/{helper}/seed-{seed}"
        for study, target, seed in asked
        for rule, helper in product(COMPARED, study.helpers)
    }
    assert {RULE_NAMES[rule] for rule in COMPARED} == set(registry.pair_rules())
    assert wanted <= names


@pytest.mark.parametrize("number", range(len(RULES)))
def test_a_campaign_twice(number: int) -> None:
    one, two = played(number + 16, False), played(number + 16, False)
    assert json.dumps(one) == json.dumps(two)
    assert one["after_late_answers"]["labels"] > 0


def test_a_comparison_twice() -> None:
    one, two = (made(3, Question(metrics=("all",), margin=0.25)) for _ in range(2))
    assert json.dumps(one) == json.dumps(two)
    assert len(one["criteria"]["None"]["pairs"]) >= 1


def test_documents_and_tables_twice() -> None:
    commands = ("score study --metric rougeL", "compare study --metric rougeL")
    one, two = (on_made(1, commands) for _ in range(2))
    assert json.dumps(one) == json.dumps(two)
    assert one[f"1 {commands[1]}"]["document"]["terms"]["metrics"] == ["rougeL"]
    assert "rougeL" in str(one["0 " + commands[0]])
    assert one["written"]["study"]["scores"]["rows"] > 0


def test_sentences_of_a_document_may_change_and_keys_may_not() -> None:
    document = {"verdict": "a", "sentence": "ant is better than bee by far", "at": "2026-01-01", "p": [0.5, "GPT 4"]}
    assert without_sentences(document) == {"verdict": "a", "sentence": "(text)", "p": [0.5, "GPT 4"]}


def test_an_intended_change_is_covered_and_counted() -> None:
    exceptions = Exceptions.read(["# rank", "document/*/rank*  document.results*.glicko2*  # no longer by default", ""])
    gone = Difference("document/pandalm/rank", "document.results[0].glicko2", 1500.0, MISSING)
    assert exceptions.cover(gone)
    assert not exceptions.cover(gone._replace(cell="document/pandalm/compare"))
    assert exceptions.unused == []
    assert Exceptions.read(["a*  b*"]).unused == [("a*", "b*")]
    with pytest.raises(ValueError, match="line 1"):
        Exceptions.read(["only-a-cell"])
