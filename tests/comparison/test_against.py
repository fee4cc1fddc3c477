"""An evaluation against a reference: by hand, against itself, turned round, renamed, and with one side incomplete."""

from __future__ import annotations

import copy
import json
import math
from pathlib import Path

import pytest
from tests.small_studies import pair_votes, study_of

from tiebreak.comparison.against import evaluate_against, load_result
from tiebreak.comparison.compare import compare
from tiebreak.errors import InputError
from tiebreak.results.records import CompareResult

Document = dict[str, object]
Pair = tuple[str, str, str, tuple[int, int, int]]


def document(*criteria: tuple[str | None, list[Pair]], fingerprint: str = "f", **settings: object) -> Document:
    """A saved comparison with what the comparison of evaluations reads of it; two labels an item."""
    return {
        "tiebreak": "0.1.0",
        "study": {"name": "small", "fingerprint": fingerprint},
        "terms": {"rule": "fixed", "alpha": 0.05, **settings},
        "results": [{"criterion": name, "pairs": [pair(*each) for each in pairs]} for name, pairs in criteria],
    }


def pair(system_a: str, system_b: str, verdict: str, counts: tuple[int, int, int]) -> Document:
    named = {"system_a": system_a, "system_b": system_b, "verdict": verdict, "labels": 2 * sum(counts)}
    shares = dict(zip(("a", "tie", "b"), (count / max(sum(counts), 1) for count in counts), strict=True))
    return named | dict(zip(("wins", "ties", "losses"), counts, strict=True)) | {"p": shares}


# Six pairs of four systems, each with another story:
EVALUATION: list[Pair] = [
    ("w", "x", "a", (2, 1, 1)),  # correct, the same shares
    ("w", "y", "a", (2, 1, 1)),  # inversion
    ("w", "z", "undecided", (2, 1, 1)),  # omission
    ("x", "y", "b", (1, 1, 2)),  # insertion, although the reference names the pair the other way round
    ("x", "z", "equivalent", (1, 2, 1)),  # correct: "=" on both sides
    ("y", "z", "a", (3, 1, 0)),  # not in the reference
]
REFERENCE: list[Pair] = [
    ("w", "x", "a", (4, 2, 2)),
    ("w", "y", "b", (2, 2, 4)),
    ("w", "z", "a", (6, 0, 2)),
    ("y", "x", "equivalent", (3, 2, 3)),
    ("x", "z", "undecided", (2, 4, 2)),
    ("v", "w", "a", (8, 0, 0)),  # not in the evaluation
]


def test_error_types_divergences_and_totals_by_hand() -> None:
    found = evaluate_against(document(("fluency", EVALUATION)), document(("fluency", REFERENCE)))
    (criterion,) = found.criteria
    assert [each.error for each in criterion.pairs] == ["correct", "inversion", "omission", "insertion", "correct"]
    # (.5, .25, .25) against (.25, .25, .5): .5 ln 2 - .25 ln 2.
    # Against (6, 0, 2), whose posterior mean is (7, 1, 3) / 11: .5 ln(11/14) + .25 ln(11/4) + .25 ln(11/12).
    # (.25, .25, .5) against (3, 2, 3) / 8 turned round, which is the same: .25 ln(2/3) + 0 + .5 ln(4/3).
    expected = [
        0.0,
        0.25 * math.log(2),
        0.5 * math.log(11 / 14) + 0.25 * math.log(11 / 4) + 0.25 * math.log(11 / 12),
        0.25 * math.log(2 / 3) + 0.5 * math.log(4 / 3),
        0.0,
    ]
    assert [each.kld for each in criterion.pairs] == pytest.approx(expected, abs=1e-15)
    totals = found.totals
    assert (totals.pairs, totals.correct, totals.inversion, totals.omission, totals.insertion) == (5, 2, 1, 1, 1)
    assert totals.share("correct") == pytest.approx(0.4)
    assert totals.mean_kld == pytest.approx(sum(expected) / 5, abs=1e-15)
    assert (totals.labels, totals.reference_labels, totals.labels_share) == (40, 80, 0.5)  # 5 pairs of 4 and 8 items
    assert criterion.only_evaluation == (("y", "z"),)
    assert criterion.only_reference == (("v", "w"),)


def test_the_verdict_of_the_reference_is_told_in_the_order_of_the_evaluation() -> None:
    # y beats x in both; each names the pair its own way round, with 1 win, 1 tie and 2 losses of x.
    found = evaluate_against(
        document((None, [("x", "y", "b", (1, 1, 2))])), document((None, [("y", "x", "a", (2, 1, 1))]))
    )
    (only,) = found.criteria[0].pairs
    assert (only.verdict, only.reference_verdict, only.error, only.kld) == ("b", "b", "correct", 0.0)


def turned(source: list[Pair]) -> list[Pair]:
    return [(b, a, {"a": "b", "b": "a"}.get(said, said), (n[2], n[1], n[0])) for a, b, said, n in source]


def test_turning_all_pairs_round_on_either_side_changes_nothing_else() -> None:
    there = document((None, REFERENCE))
    plain = evaluate_against(document((None, EVALUATION)), there)
    assert evaluate_against(document((None, EVALUATION)), document((None, turned(REFERENCE)))).totals == plain.totals
    other = evaluate_against(document((None, turned(EVALUATION))), there)
    assert [each.error for each in other.criteria[0].pairs] == [each.error for each in plain.criteria[0].pairs]
    assert other.totals.mean_kld == pytest.approx(plain.totals.mean_kld, abs=1e-15)


def test_renaming_the_systems_and_shuffling_the_pairs_changes_no_total() -> None:
    def renamed(source: list[Pair]) -> list[Pair]:
        return [(f"new {a}", f"new {b}", said, n) for a, b, said, n in reversed(source)]

    plain = evaluate_against(document((None, EVALUATION)), document((None, REFERENCE)))
    other = evaluate_against(document((None, renamed(EVALUATION))), document((None, renamed(REFERENCE))))
    assert other.totals.mean_kld == pytest.approx(plain.totals.mean_kld, abs=1e-15)
    assert other.to_dict()["totals"]["counts"] == plain.to_dict()["totals"]["counts"]  # type: ignore[index]


def test_criteria_are_matched_by_name_and_those_of_one_side_are_named() -> None:
    one, two = [EVALUATION[0]], [EVALUATION[1]]
    found = evaluate_against(
        document(("fluency", one), ("coherence", two), ("tone", one)),
        document(("relevance", one), ("coherence", [REFERENCE[1]]), ("fluency", [REFERENCE[0]])),
    )
    errors = [(each.criterion, each.pairs[0].error) for each in found.criteria]
    assert errors == [("fluency", "correct"), ("coherence", "inversion")]
    assert (found.totals.pairs, found.totals.correct, found.totals.inversion) == (2, 1, 1)
    assert found.criteria_only_evaluation == ("tone",)
    assert found.criteria_only_reference == ("relevance",)


def test_a_criterion_without_a_pair_in_common_has_no_shares() -> None:
    found = evaluate_against(
        document(("fluency", [EVALUATION[0]]), ("tone", [EVALUATION[5]])),
        document(("fluency", [REFERENCE[0]]), ("tone", [REFERENCE[5]])),
    )
    empty = found.criteria[1].totals
    assert (empty.pairs, empty.share("correct"), empty.mean_kld, empty.labels_share) == (0, None, None, None)
    assert found.totals.pairs == 1


def test_a_pair_without_evidence_on_one_side_has_an_error_type_but_no_divergence() -> None:
    nothing: Pair = ("w", "x", "undecided", (0, 0, 0))
    there = document((None, [REFERENCE[0], REFERENCE[1]]))
    found = evaluate_against(document((None, [nothing, EVALUATION[1]])), there)
    assert [(of.error, of.kld is None) for of in found.criteria[0].pairs] == [("omission", True), ("inversion", False)]
    assert found.totals.kld_pairs == 1
    assert found.totals.mean_kld == pytest.approx(0.25 * math.log(2))
    assert evaluate_against(there, document((None, [nothing]))).totals.mean_kld is None


def test_settings_that_change_the_meaning_are_told_where_both_state_them() -> None:
    here = document((None, EVALUATION), alpha=0.1, tie_threshold=0.5, seed=3, margin=0.1)
    there = document((None, REFERENCE), fingerprint="g", tie_threshold=0.0, seed=4)
    found = evaluate_against(here, there)
    assert found.terms_that_differ == (("alpha", 0.1, 0.05), ("tie_threshold", 0.5, 0.0))
    assert not found.same_labels
    assert evaluate_against(here, here).same_labels


def test_a_reference_without_human_labels_is_refused() -> None:
    alone = document((None, REFERENCE), human=False)
    assert evaluate_against(alone, document((None, REFERENCE))).totals.correct == len(REFERENCE)
    with pytest.raises(InputError, match=r"ref\.json: key terms\.human is false: it was decided without human"):
        evaluate_against(document((None, REFERENCE)), alone, reference_name="ref.json")


def test_documents_with_nothing_in_common_are_refused_with_what_each_has() -> None:
    here = document(("fluency", [EVALUATION[0]]))
    with pytest.raises(InputError, match=r"ref\.json: cannot be compared, no criterion in common: it has \(unnamed\)"):
        evaluate_against(here, document((None, REFERENCE)), reference_name="ref.json")
    with pytest.raises(InputError, match="no pair of systems in common: it has p, q; here are w, x"):
        evaluate_against(here, document(("fluency", [("p", "q", "a", (1, 0, 0))])))
    with pytest.raises(InputError, match="it has none"):
        evaluate_against(here, document())


def test_a_document_that_is_none_is_refused_by_the_side_it_is_on() -> None:
    good = document((None, REFERENCE))
    broken = copy.deepcopy(good)
    del broken["results"][0]["pairs"][2]["p"]  # type: ignore[index]
    with pytest.raises(InputError, match=r"the evaluation: key results\[0\]\.pairs\[2\]\.p is missing"):
        evaluate_against(broken, good)
    with pytest.raises(InputError, match=r"ref\.json: key results\[0\]\.pairs\[2\]\.p is missing"):
        evaluate_against(good, broken, reference_name="ref.json")


def forced_choices(wins: int, losses: int) -> CompareResult:
    return compare(study_of(pair_votes("w" * wins + "l" * losses)), rule="fixed")


def test_a_result_without_ties_is_at_distance_zero_from_its_own_saved_document(tmp_path: Path) -> None:
    result = forced_choices(18, 2)
    file = tmp_path / "saved.json"
    file.write_text(json.dumps(result.to_dict(), allow_nan=False), encoding="utf-8")
    found = evaluate_against(result, load_result(file))
    assert found.to_dict()["terms_that_differ"] == {}
    assert (found.totals.correct, found.totals.pairs, found.totals.mean_kld) == (1, 1, 0.0)
    assert found.same_labels
    assert evaluate_against(load_result(file), load_result(file)) == found


def test_half_of_the_labels_miss_a_difference_that_all_of_them_show() -> None:
    # 6 of 7 wins: p = 2 * 8 / 128 = .125, undecided; 18 of 20: decided.
    found = evaluate_against(forced_choices(6, 1), forced_choices(18, 2).to_dict())
    assert found.totals.omission == 1
    assert found.totals.labels_share == pytest.approx(7 / 20)
    expected = 6 / 7 * math.log(6 / 7 / 0.9) + 1 / 7 * math.log(1 / 7 / 0.1)
    assert found.totals.mean_kld == pytest.approx(expected, abs=1e-14)


def test_the_document_for_programs_is_json_and_adds_up() -> None:
    found = evaluate_against(document((None, EVALUATION)), document((None, REFERENCE)))
    text = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert sum(text["totals"]["counts"].values()) == text["totals"]["pairs"] == len(text["criteria"][0]["pairs"])
    assert sum(text["totals"]["shares"].values()) == pytest.approx(1.0)
    assert text["criteria"][0]["only_evaluation"] == [["y", "z"]]
