"""What a finished set could have shown: about 80% of such studies find the difference that is named."""

from __future__ import annotations

import re

import pytest
from tests.rules.test_one_look_power import power
from tests.small_studies import pair_votes, study_of

from tiebreak.comparison.compare import compare

NAMED = re.compile(r"a difference of about (0\.\d+) would have been found in 80% of studies")


def named(outcomes: str, cluster: int = 1) -> float:
    """The difference that the advice on an undecided pair names."""
    votes = pair_votes(outcomes)
    items = [{"item": row["item"], "cluster": f"d{k // cluster}"} for k, row in enumerate(votes)]
    (advice,) = compare(study_of(votes, items=items)).results[0].advice
    found = NAMED.search(advice)
    assert found is not None, advice
    return float(found[1])


@pytest.mark.parametrize(("items", "ties"), [(20, 0.2), (40, 0.5), (80, 0.2), (150, 0.5), (200, 0.3)])
def test_single_labels(items: int, ties: float) -> None:
    tied = round(items * ties)
    outcomes = "t" * tied + "wl" * ((items - tied) // 2) + "w" * ((items - tied) % 2)
    assert 0.76 < power(items, tied / items, named(outcomes), 0.025) < 0.9


def test_clusters_are_the_units() -> None:
    """Documents that are won or lost whole say as much as single items, one for each document."""
    alone, clustered = named("wl" * 20), named(("www" + "lll") * 20, cluster=3)
    assert clustered == pytest.approx(alone, abs=0.05)
