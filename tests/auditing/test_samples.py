"""Several samples of a system: comparisons of single outputs, items as units, by hand."""

from __future__ import annotations

import pytest
from tests.auditing.judged_studies import check_of, only_source
from tests.auditing.judged_studies import judged as replies
from tests.small_studies import Row, pair_votes, rating, study_of

from tiebreak.data.study import Study
from tiebreak.evidence.rated_systems import SingleOutputs


def labelled(codes: dict[str, str]) -> list[Row]:
    """On i0, i1, ...: the samples of ant against the only output of bee."""
    return [row | {"sample_a": sample} for sample, of in codes.items() for row in pair_votes(of)]


def judged(codes: dict[str, str], left: str | None = None) -> list[Row]:
    """The same by the judge."""
    return [row | {"sample_a": sample} for sample, of in codes.items() for row in replies(of, left=left)]


def test_comparisons_are_of_single_outputs() -> None:
    """People: i0 w, l; i1 w; i2 -, t. The judge: i0 w, w; i1 w, l; i2 w, t; i3 w."""
    study = study_of(labelled({"1": "ww ", "2": "l t"}), judge_preferences=judged({"1": "wwww", "2": "wlt "}))
    found = only_source(study)
    assert found.confusion == ((2, 0, 1), (0, 1, 0), (0, 0, 0))
    assert (found.comparisons, found.items, found.unjudged) == (4, 3, 0)
    assert found.agreement.all.value == pytest.approx(3 / 4)
    assert found.agreement.all.units == 3
    (pair,) = found.pairs
    assert (pair.system_a, pair.system_b) == ("ant", "bee")
    assert (pair.outcomes.items, pair.outcomes.labels, pair.outcomes.judged) == (3, 4, 4)
    # Item by item: people 0, 1, 0; the judge on the same comparisons 1, 1, 0.
    assert pair.outcomes.by_people.value == pytest.approx((1 + 1 / 3) / 2)
    assert pair.outcomes.by_source.value == pytest.approx((1 + 2 / 3) / 2)
    assert pair.outcomes.difference.value == pytest.approx(1 / 6)
    assert [of.name for of in found.dependence if of.check == "system"] == ["ant"]


def test_the_names_of_samples_and_which_comes_first_do_not_matter() -> None:
    people, judge = {"1": "wwltwlwtlwlw", "2": "lwtw wltlwww"}, {"1": "wwlltlwtwwlw", "2": "lwtwwwltlwtw"}
    one = only_source(study_of(labelled(people), judge_preferences=judged(judge)))
    names = {"1": "z", "2": "a"}
    turned = [
        {**row, "sample_a": None, "sample_b": names[str(row["sample_a"])], "system_a": "bee", "system_b": "ant",
         "outcome": {"a": "b", "b": "a"}.get(str(row["outcome"]), "tie")}
        for row in judged(judge)
    ]  # fmt: skip
    renamed = labelled({names[sample]: codes for sample, codes in people.items()})
    assert only_source(study_of(renamed, judge_preferences=turned)) == one


def test_samples_of_one_item_say_no_more_than_the_item() -> None:
    """The same judgement of four samples: the intervals are those of one."""
    people, judge = "wlwtlwllwlwt" * 3, "wlwwlwwlwltt" * 3
    one = only_source(study_of(labelled({"1": people}), judge_preferences=judged({"1": judge})))
    four = only_source(
        study_of(labelled(dict.fromkeys("1234", people)), judge_preferences=judged(dict.fromkeys("1234", judge)))
    )
    assert four.comparisons == 4 * one.comparisons
    for single, several in ((one.agreement.all, four.agreement.all), (one.agreement.kappa, four.agreement.kappa)):
        assert several.units == single.units == 36
        assert (several.low, several.high) == pytest.approx((single.low, single.high), abs=0.002)
    single, several = one.pairs[0].outcomes.difference, four.pairs[0].outcomes.difference
    assert (several.low, several.high) == pytest.approx((single.low, single.high), abs=1e-6)


def test_what_was_shown_on_the_left_is_known_of_samples() -> None:
    both = judged({"1": "w" * 12, "2": "w" * 12}, left="ant") + judged({"1": "w" * 12, "2": "l" * 12}, left="bee")
    found = only_source(study_of(labelled({"1": "w" * 12}), judge_preferences=both))
    assert (found.orders.flips.value, found.orders.reversals) == (0.5, 12)
    assert found.orders.flips.units == 12
    assert check_of(found, "side").by_source == pytest.approx((1 + 0.5) / 2)


def test_ratings_of_samples_are_compared_output_by_output() -> None:
    """ant's samples have 5 and 1, bee's outputs 2 and 4: w w l l. compare would say: 3 against 3."""
    rows = [
        rating("i0", system, "ann", value) | {"sample": sample}
        for system, sample, value in (("ant", "1", 5), ("ant", "2", 1), ("bee", "1", 2), ("bee", "2", 4))
    ]
    scores = [{key: row[key] for key in ("item", "system", "sample", "value")} | {"metric": "bleu"} for row in rows]
    found = only_source(study_of(ratings=rows, scores=scores))
    assert found.confusion == ((2, 0, 0), (0, 0, 0), (0, 0, 2))
    assert found.comparisons == 4
    assert found.agreement.person.value is None


def test_a_sample_without_a_name_is_the_only_one_or_one_that_nobody_knows() -> None:
    alone = study_of(labelled({"1": "ww"}), judge_preferences=[row | {"sample_a": None} for row in judged({"1": "wl"})])
    assert only_source(alone).comparisons == 2
    several = study_of(
        labelled({"1": "ww", "2": "ww"}), judge_preferences=[row | {"sample_a": None} for row in judged({"1": "wl"})]
    )
    found = only_source(several)
    assert (found.validated, found.unjudged) == (False, 4)


def test_without_samples_the_study_stays_as_it_is() -> None:
    study = study_of(pair_votes("w"))
    found = SingleOutputs.of(study)
    assert found.study is study
    assert found.system_of == {"ant": "ant", "bee": "bee"}


def test_lengths_are_those_of_the_samples_compared() -> None:
    outputs: list[Row] = [
        {"item": f"i{k}", "system": "ant", "sample": sample, "text": "word " * words}
        for k in range(12)
        for sample, words in (("1", 9), ("2", 1))
    ]
    outputs += [{"item": f"i{k}", "system": "bee", "text": "word " * 5} for k in range(12)]
    study = Study.from_tables(
        outputs=outputs,
        preferences=labelled({"1": "wl" * 6, "2": "wl" * 6}),
        judge_preferences=judged({"1": "w" * 12, "2": "l" * 12}),
    )
    length = check_of(only_source(study), "length")
    assert (length.by_source, length.by_people) == (1.0, 0.5)
