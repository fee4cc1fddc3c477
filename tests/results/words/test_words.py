from __future__ import annotations

import pytest
from tests.small_studies import pair_votes, study_of, vote

from tiebreak.comparison.compare import compare
from tiebreak.evidence.study_evidence import EvidenceSettings, study_evidence
from tiebreak.messages.claims import agreement_rows, claim_words


def test_items_that_are_all_alike_give_no_interval_of_agreement() -> None:
    rows = [vote(f"i{k}", "ant", "bee", p, o) for k in range(6) for p, o in (("p0", "a"), ("p1", "b"))]
    (found,) = compare(study_of(rows)).results[0].agreement
    assert [value.split(";")[0] for _, value in agreement_rows(found)] == [
        "-0.83 (no interval: all items are alike)",
        "0% (no interval: all items are alike)",
    ]
    for told in (found.to_dict()["krippendorff_alpha"], found.to_dict()["agreeing"]):
        assert isinstance(told, dict)
        assert (told["low"], told["high"]) == (None, None)


def test_with_clusters_every_look_and_one_look_are_about_items() -> None:
    """Six clusters of one item that a wins, and one of six that b wins: items are even, clusters are not."""
    votes = pair_votes("w" * 6 + "l" * 6)
    items = [{"item": row["item"], "cluster": f"d{min(k, 6)}"} for k, row in enumerate(votes)]
    study = study_of(votes, items=items)
    found = [compare(study, rule=rule) for rule in ("anytime", "fixed")]
    assert [claim_words(one.terms) for one in found] == ["inputs like these"] * 2
    sequence = study_evidence(study, (None,), EvidenceSettings()).pairs[0].sequence
    assert sequence.mean == pytest.approx(0.0)
    assert sequence.weights is not None
    assert sorted(sequence.weights) == pytest.approx([1 / 6] * 6 + [1.0])
