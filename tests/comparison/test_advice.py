"""What a reader is told when labels cannot decide."""

from __future__ import annotations

import math
import re

import pytest
from tests.small_studies import anytime, pair_votes, simulated_votes, study_of, texts

from tiebreak.comparison.compare import compare
from tiebreak.data.study import Study
from tiebreak.rules.anytime import Priors
from tiebreak.rules.projection import detectable_difference, units_to_detect

EQUAL = {"ant": 0.0, "bee": 0.0, "cat": 0.0, "dog": 0.0}


def advice(study: Study, **options: object) -> tuple[str, ...]:
    options = {"rule": "anytime"} | options
    return compare(study, **options).results[0].advice  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def equal() -> Study:
    return study_of(simulated_votes(EQUAL, 60, ties=0.25))


def test_decided_pairs_and_other_methods_need_none() -> None:
    assert advice(study_of(pair_votes("w" * 12))) == ()
    for method in ("hoeffding", "dirichlet"):
        assert advice(study_of(pair_votes("wl")), rule=method) == ()


def test_the_difference_that_could_have_been_found(equal: Study) -> None:
    result = anytime(equal)
    undecided = [pair for pair in result.results[0].pairs if pair.verdict == "undecided"]
    assert len(undecided) == result.terms.family == 6
    ties = sum(pair.ties for pair in undecided) / (60 * 6)
    thresholds = {pairs: math.log(2 * pairs / 0.05) for pairs in (6, 3, 1)}
    found = {n: detectable_difference(60, ties, t, Priors.default()) or 0 for n, t in thresholds.items()}
    first, smaller, baseline, one, margin = result.results[0].advice
    assert f"With 60 items per pair and {100 * ties:.0f}% ties, a difference of about {found[6]:.2f}"[:45] == first[:45]
    assert f"about {found[6]:.2f}" in first
    assert "--baseline (3 instead of 6)" in baseline
    assert f"about {found[3]:.2f}" in baseline
    assert "--systems A,B" in one
    assert f"about {found[1]:.2f}" in one
    assert "--margin" in margin
    needs = [int(text.replace(",", "")) for text in re.findall(r"about ([\d,]+) for", smaller)]
    sizes = [float(text) for text in re.findall(r"for (0\.\d+)", smaller)]
    assert len(needs) == len(sizes) == 2
    assert all(size < found[6] for size in sizes)
    for need, size in zip(needs, sizes, strict=True):
        exact = units_to_detect(size, ties, thresholds[6], Priors.default())
        assert need == pytest.approx(exact, rel=0.05)  # two digits


def test_what_was_chosen_already_is_not_advised(equal: Study) -> None:
    assert not any("--baseline" in text for text in advice(equal, baseline="ant"))
    assert not any("--margin" in text for text in advice(equal, margin=0.01))
    assert not any("--systems" in text for text in advice(equal, systems=["ant", "bee"]))
    assert not any("--baseline" in text for text in advice(equal, systems=["ant", "bee"]))
    assert not any("--systems" in text for text in advice(equal, multiplicity="none"))
    assert not any("--baseline" in text for text in advice(equal, multiplicity="none"))  # "1 instead of 1"


def test_fewer_pairs_are_those_that_the_options_leave() -> None:
    rows = [{**row, "criterion": name} for name in ("a b", "c") for row in pair_votes("wl" * 30)]
    for rule in ("fixed", "anytime"):
        texts = advice(study_of(rows), rule=rule)
        assert any(text.startswith("One criterion (--criterion 'a b'), chosen before looking") for text in texts)
        assert not any("--criterion" in text for text in advice(study_of(rows), rule=rule, criteria=["c"]))
    more = [*rows, *({**row, "system_b": "cat"} for row in rows)]
    assert any("One pair on one criterion (--systems A,B --criterion 'a b')" in text for text in advice(study_of(more)))


def test_too_few_labels_for_any_difference() -> None:
    first, *rest = advice(study_of(pair_votes("wl")))
    assert first == "With 2 items per pair and 0% ties, no difference, however large, could have been found."
    assert "would find a smaller one" in rest[0]
    assert advice(study_of(pair_votes("w")))[0].startswith("With 1 item per pair")


def test_only_ties_leave_no_difference_to_find() -> None:
    texts = advice(study_of(pair_votes("t" * 30)))
    assert texts[0] == "With 30 items per pair and 100% ties, no difference, however large, could have been found."
    assert len(texts) == 2
    assert "--margin" in texts[1]


def test_identical_outputs_do_not_sharpen_what_could_have_been_found() -> None:
    # Two of ten different items are labelled, thirty are known ties: no difference can be found with two labels.
    rows = texts({"ant": ["x"] * 40, "bee": ["y"] * 10 + ["x"] * 30})
    first = advice(study_of(pair_votes("ww"), outputs=rows), target="items")[0]
    assert first == "With 32 items per pair and 94% ties, no difference, however large, could have been found."


def test_clusters_are_the_units_of_what_could_have_been_found() -> None:
    votes = pair_votes("wwwlll" * 20)
    items = [{"item": row["item"], "cluster": f"d{k // 3}"} for k, row in enumerate(votes)]
    alone, clustered = advice(study_of(votes)), advice(study_of(votes, items=items))
    # Documents are won or lost whole: 40 units of 3 items, and as large a difference as 40 single items could show.
    for units, found in ((120, alone), (40, clustered)):
        could = detectable_difference(units, 0.0, math.log(2 / 0.05), Priors.default()) or 0
        assert f"a difference of about {could:.2f}" in found[0]
    first, second = (
        float(re.findall(r"about ([\d,]+) for 0.1", of[1])[0].replace(",", "")) for of in (alone, clustered)
    )
    assert second == pytest.approx(3 * first, rel=0.1)


def test_a_pool_cannot_be_made_larger() -> None:
    rows = texts({"ant": ["x"] * 60, "bee": ["y"] * 60})
    found = advice(study_of(pair_votes("wl" * 15), outputs=rows), target="items")
    assert any("would more often than not have been found" in text for text in found)
    assert not any("would find a smaller one" in text for text in found)
