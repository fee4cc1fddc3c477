"""Each option of `compare`, and what it refuses."""

from __future__ import annotations

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

from tiebreak.comparison.compare import compare
from tiebreak.data.study import Study, StudySettings
from tiebreak.errors import InputError, UsageError

FOUR = {"gpt-3": 0.0, "gpt-4": 0.3, "llama": -0.1, "opt": -0.3}


@pytest.fixture(scope="module")
def four() -> Study:
    return study_of(simulated_votes(FOUR, items=60, annotators=2))


def pairs_of(study: Study, **options: object) -> list[tuple[str, str]]:
    result = compare(study, **options)  # type: ignore[arg-type]
    return [(pair.system_a, pair.system_b) for found in result.results for pair in found.pairs]


def test_all_pairs_sorted_by_name(four: Study) -> None:
    assert pairs_of(four) == [
        ("gpt-3", "gpt-4"),
        ("gpt-3", "llama"),
        ("gpt-3", "opt"),
        ("gpt-4", "llama"),
        ("gpt-4", "opt"),
        ("llama", "opt"),
    ]


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
    families = {name: compare(four, multiplicity="bonferroni", **options).terms.family
                for name, options in (("all", {}), ("baseline", {"baseline": "opt"}),
                                      ("one", {"systems": ["opt", "gpt-4"]}))}  # fmt: skip
    assert families == {"all": 6, "baseline": 3, "one": 1}
    widths = [
        pair_of(compare(four, multiplicity="bonferroni", **options), "gpt-4", "opt").difference
        for options in ({}, {"baseline": "opt"}, {"systems": ["opt", "gpt-4"]})
    ]
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
    rows = [vote(f"i{k}", "ant", "bee", "expert_1", "a") for k in range(12)]
    rows += [vote(f"i{k}", "ant", "bee", "expert_2", "a") for k in range(12)]
    rows += [vote(f"i{k}", "ant", "bee", "turker_1", "b") for k in range(12)]
    study = study_of(rows)
    experts = compare(study, annotators=["expert_*"])
    assert experts.results[0].annotators == ("expert_1", "expert_2")
    assert (experts.results[0].labels, experts.results[0].pairs[0].verdict) == (24, "a")
    assert only_pair(study, annotators=["turker_*"]).verdict == "b"
    both = compare(study, annotators=["expert_1", "turker_1"]).results[0]
    assert (both.annotators, both.pairs[0].difference.estimate) == (("expert_1", "turker_1"), 0.0)


def test_the_family_counts_all_criteria() -> None:
    rows = [
        *simulated_votes({"ant": 0.2, "bee": 0.0, "cat": 0.0}, 30, criterion="fluency"),
        *simulated_votes({"ant": 0.2, "bee": 0.0, "cat": 0.0}, 30, seed=1, criterion="relevance"),
    ]
    study = study_of(rows)
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
    counts = [["wins", "ties", "losses", "items", "labels", "difference"]]
    for columns in counts:
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
    assert pair.labels_to_decision is not None
    assert pair.labels_to_decision == 2 * (pair.items_to_decision or 0)
    assert pair.cost_to_decision == pytest.approx(0.25 * pair.labels_to_decision, abs=0.005)
    assert only_pair(study_of(rows)).cost_to_decision is None
    assert compare(study_of(rows, settings=settings)).study["currency"] == "€"
