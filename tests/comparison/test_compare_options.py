"""Each option of `compare`, and what it refuses."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import pytest
from tests.small_studies import (
    anytime,
    only_pair,
    pair_of,
    pair_votes,
    rating,
    simulated_ratings,
    simulated_votes,
    study_of,
    vote,
)
from typer.testing import CliRunner

import tiebreak
from tiebreak.cli.commands import app
from tiebreak.comparison.compare import compare
from tiebreak.comparison.condition import Condition, condition_from
from tiebreak.data.study import Study, StudySettings
from tiebreak.errors import InputError, UsageError

# ---- options -------------------------------------------------------------------------------------------------------

FOUR = {"gpt-3": 0.0, "gpt-4": 0.3, "llama": -0.1, "opt": -0.3}


@pytest.fixture(scope="module")
def four() -> Study:
    return study_of(simulated_votes(FOUR, items=60, annotators=2))


def pairs_of(study: Study, **options: object) -> list[tuple[str, str]]:
    result = compare(study, **options)  # type: ignore[arg-type]
    return [(pair.system_a, pair.system_b) for found in result.results for pair in found.pairs]


def test_all_pairs_sorted_by_name(four: Study) -> None:
    assert pairs_of(four) == list(combinations(sorted(FOUR), 2))


@pytest.mark.parametrize("alpha", [0.499, 0.9])
@pytest.mark.parametrize("multiplicity", ["holm", "bonferroni", "fdr", "fdr-any", "none"])
@pytest.mark.parametrize("margin", [None, 0.3])
def test_every_level_that_is_taken_has_intervals(
    four: Study, alpha: float, multiplicity: str, margin: float | None
) -> None:
    options = {"alpha": alpha, "multiplicity": multiplicity, "margin": margin, "systems": ("gpt-3", "llama")}
    if alpha > 0.5 and (margin is not None or multiplicity.startswith("fdr")):
        with pytest.raises(UsageError, match=r"alpha is 0\.9, but must be below 0\.5"):
            compare(four, **options)  # type: ignore[arg-type]
        return
    (pair,) = compare(four, **options).results[0].pairs  # type: ignore[arg-type]
    assert -1 <= pair.difference.low <= pair.difference.high <= 1


def test_systems_and_baseline(four: Study) -> None:
    assert pairs_of(four, systems=["opt", "gpt-4"]) == [("gpt-4", "opt")]
    assert pairs_of(four, baseline="gpt-4") == [("gpt-3", "gpt-4"), ("llama", "gpt-4"), ("opt", "gpt-4")]
    assert pairs_of(four, baseline="opt", systems=["opt", "gpt-3", "llama"]) == [("gpt-3", "opt"), ("llama", "opt")]


def test_fewer_pairs_are_a_smaller_family(four: Study) -> None:
    # Bonferroni over six pairs needs 240, over the three of a baseline 120, alone 40.
    asked = ({}, {"baseline": "opt"}, {"systems": ["opt", "gpt-4"]})
    found = [compare(four, multiplicity="bonferroni", **options) for options in asked]  # type: ignore[arg-type]
    assert [result.terms.family for result in found] == [6, 3, 1]
    widths = [pair_of(result, "gpt-4", "opt").difference for result in found]
    assert widths[0].low < widths[1].low < widths[2].low
    assert widths[0].high > widths[1].high > widths[2].high


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"systems": ["gpt4", "opt"]}, "no system 'gpt4'.*did you mean gpt-4"),
        ({"baseline": "gpt4"}, "no system 'gpt4': did you mean gpt-4"),
        ({"baseline": "qqq"}, "no system 'qqq'; the study has gpt-3, gpt-4, llama, opt"),
        ({"systems": ["opt"]}, "at least two systems"),
        ({"systems": ["opt", "opt"]}, "at least two systems"),
        ({"systems": []}, "at least two systems"),
        ({"systems": ["opt", "llama"], "baseline": "gpt-4"}, "the baseline 'gpt-4' is not among the systems"),
        ({"annotators": ["p7"]}, "no annotator matches 'p7'"),
        ({"criteria": ["fluency"]}, "no criterion 'fluency'"),
    ],
)
def test_names_that_the_study_does_not_have(four: Study, options: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        compare(four, **options)  # type: ignore[arg-type]


def test_annotators_by_glob() -> None:
    people = (("expert_1", "a"), ("expert_2", "a"), ("turker_1", "b"))
    study = study_of([vote(f"i{k}", "ant", "bee", person, said) for person, said in people for k in range(12)])
    experts = compare(study, annotators=["expert_*"])
    assert experts.results[0].annotators == ("expert_1", "expert_2")
    assert (experts.results[0].labels, experts.results[0].pairs[0].verdict) == (24, "a")
    assert only_pair(study, annotators=["turker_*"]).verdict == "b"
    both = compare(study, annotators=["expert_1", "turker_1"]).results[0]
    assert (both.annotators, both.pairs[0].difference.estimate) == (("expert_1", "turker_1"), 0.0)


def test_the_family_counts_all_criteria() -> None:
    strengths = {"ant": 0.2, "bee": 0.0, "cat": 0.0}
    rows = simulated_votes(strengths, 30, criterion="fluency")
    study = study_of(rows + simulated_votes(strengths, 30, seed=1, criterion="relevance"))
    both = compare(study, multiplicity="bonferroni")
    one = compare(study, multiplicity="bonferroni", criteria=["relevance"])
    assert (both.terms.family, one.terms.family) == (6, 3)
    assert [found.criterion for found in both.results] == ["fluency", "relevance"]
    assert [found.criterion for found in one.results] == ["relevance"]
    turned = compare(study, criteria=["relevance", "fluency", "relevance"])
    assert [found.criterion for found in turned.results] == ["relevance", "fluency"]
    assert turned.terms.family == 6
    wide = pair_of(both, "ant", "bee", "relevance").difference
    narrow = pair_of(one, "ant", "bee", "relevance").difference
    assert wide.low < narrow.low < narrow.high < wide.high


def test_a_criterion_without_a_pair_stays_in_the_document() -> None:
    study = study_of(pair_votes("w" * 12), [rating("x", "ant", "p", 1)])
    result = compare(study)
    assert [(found.criterion, len(found.pairs)) for found in result.results] == [(None, 1), ("overall", 0)]
    with pytest.raises(InputError, match="no item on which two"):
        compare(study, criteria=["overall"])


def test_the_seed_moves_the_order_and_nothing_else(four: Study) -> None:
    one, other = anytime(four, seed=0), anytime(four, seed=1)
    columns = ["wins", "ties", "losses", "items", "labels", "difference"]
    assert one.pairs.select(columns).equals(other.pairs.select(columns))
    assert one.pairs["e_a"].to_list() != other.pairs["e_a"].to_list()
    assert anytime(four, seed=1).results == other.results
    once, again = (compare(four, seed=seed).results[0].pairs for seed in (0, 1))  # one look has no order
    assert [pair.verdict for pair in once] == [pair.verdict for pair in again]
    assert [pair.p_value for pair in once] == pytest.approx([pair.p_value for pair in again])


def test_alpha_and_margin(four: Study) -> None:
    strict, loose = compare(four, alpha=0.001), compare(four, alpha=0.2)
    decided = [sum(pair.verdict != "undecided" for pair in result.results[0].pairs) for result in (strict, loose)]
    assert decided[0] < decided[1]
    for one, other in zip(strict.results[0].pairs, loose.results[0].pairs, strict=True):
        assert one.difference.low < other.difference.low + 1e-9
        assert one.verdict in (other.verdict, "undecided")
    assert all(pair.equivalence_interval is None for pair in loose.results[0].pairs)
    with_margin = compare(four, margin=0.3)
    assert all(pair.equivalence_interval is not None for pair in with_margin.results[0].pairs)
    assert all(pair.e_equivalent is None for pair in anytime(four).results[0].pairs)
    assert all(pair.e_equivalent is not None for pair in anytime(four, margin=0.3).results[0].pairs)
    ties = study_of(pair_votes("t" * 80))
    assert only_pair(ties).verdict == "undecided"
    assert only_pair(ties, margin=0.2).verdict == "equivalent"


def test_target_items_is_tighter_and_knows_the_pool() -> None:
    items = [{"item": f"i{k:03d}"} for k in range(100)]
    study = study_of(simulated_votes({"ant": 0.2, "bee": 0.0}, 90), items=items)
    inputs, these = only_pair(study), only_pair(study, target="items")
    assert these.difference.high - these.difference.low < 0.5 * (inputs.difference.high - inputs.difference.low)
    assert these.items_to_decision is None or these.items_to_decision <= 10


def test_the_tie_threshold_makes_ties_of_near_ratings() -> None:
    study = study_of(ratings=simulated_ratings({"ant": 0.5, "bee": 0.0}, 60))
    ties = [only_pair(study, tie_threshold=threshold).ties for threshold in (0.0, 0.5, 1.0, 4.0)]
    assert ties == sorted(ties)
    assert ties[0] < ties[1] < ties[2] < ties[3] == 60


def test_price_and_currency_come_from_the_study() -> None:
    settings = StudySettings(price_per_label=0.25, currency="€")
    rows = simulated_votes({"ant": 0.12, "bee": 0.0}, 40, annotators=2)
    pair = only_pair(study_of(rows, settings=settings))
    assert pair.verdict == "undecided"
    assert pair.labels_to_decision == 2 * (pair.items_to_decision or 0)
    assert pair.cost_to_decision == pytest.approx(0.25 * pair.labels_to_decision, abs=0.005)
    assert only_pair(study_of(rows)).cost_to_decision is None
    assert compare(study_of(rows, settings=settings)).study["currency"] == "€"


# ---- condition -----------------------------------------------------------------------------------------------------
# What a comparison has to show.

VOTES = pair_votes("l" * 40, "old", "new", "style") + pair_votes("wl" * 20, "old", "new", "truth")


@pytest.mark.parametrize(
    ("text", "condition"),
    [("new > old", Condition("new", "old")), ("a>=b", Condition("a", "b", or_equal=True))],
)
def test_conditions(text: str, condition: Condition) -> None:
    assert condition_from(text) == condition
    assert condition_from(str(condition)) == condition


@pytest.mark.parametrize("text", ["new", "> old", "new >", "x > x", "new = old", ""])
def test_what_is_no_condition(text: str) -> None:
    with pytest.raises(UsageError, match="write 'A > B'"):
        condition_from(text)


def test_every_criterion_has_to_show_it() -> None:
    study = tiebreak.Study.from_tables(preferences=VOTES)
    style = tiebreak.compare(study, criteria=("style",))
    assert condition_from("new > old").unmet(style) == []
    assert condition_from("old > new").unmet(style) == ["new > old on style"]
    assert condition_from("new > old").unmet(tiebreak.compare(study)) == ["new ? old on truth"]
    with pytest.raises(UsageError, match="no system 'newer': did you mean new"):
        condition_from("newer > old").unmet(style)


def test_or_equivalent() -> None:
    ties = [vote | {"outcome": "tie"} for vote in VOTES]
    same = tiebreak.compare(tiebreak.Study.from_tables(preferences=ties), margin=0.3)
    assert condition_from("new >= old").unmet(same) == []
    assert condition_from("new > old").unmet(same)


def test_the_command_exits_with_3(tmp_path: Path) -> None:
    folder = str(tmp_path / "study")
    tiebreak.write_study(tiebreak.Study.from_tables(preferences=VOTES), folder)
    run = CliRunner().invoke
    held = run(app, ["compare", folder, "--criterion", "style", "--fail-unless", "new > old"])
    assert held.exit_code == 0, held.output
    failed = run(app, ["compare", folder, "--fail-unless", "new > old", "--json"])
    assert failed.exit_code == 3
    assert json.loads(failed.stdout)["unmet"] == {"new > old": ["new ? old on truth"]}
    assert "Not shown: new > old (new ? old on truth)" in failed.stderr
    wrong = run(app, ["compare", folder, "--fail-unless", "new"])
    assert isinstance(wrong.exception, UsageError)
