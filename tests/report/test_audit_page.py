"""The page of an audit: its conclusions, pictures and pairs, without markup from names."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.auditing.judged_studies import judged
from tests.small_studies import pair_votes, study_of

from tiebreak.auditing.audit import audit
from tiebreak.errors import UsageError
from tiebreak.report.audit_page import audit_page
from tiebreak.report.figures import audits
from tiebreak.results.audits import Audit

NASTY = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def audited() -> Audit:
    """A judge that favours the second system: on 40 items people prefer the first on 24, the judge on 12."""
    people, judge = pair_votes("w" * 24 + "l" * 16), judged("w" * 12 + "l" * 28)
    found = audit(study_of(people, judge_preferences=judge))
    (source,) = found.results
    return replace(found, study=NASTY, results=(replace(source, name=NASTY),))


def test_the_page_shows_what_was_found(audited: Audit) -> None:
    page = audit_page(audited)
    assert audit_page(audited) == page
    assert NASTY not in page
    assert page.count("<svg") == 2
    assert "The pair" in page
    assert "60%" in page
    assert "30%" in page


def test_rates_stand_where_the_figures_are(audited: Audit) -> None:
    (source,) = audited.results
    (axes,) = audits.rates(source).axes
    shown = {
        (line.get_marker(), round(float(line.get_xdata()[0]), 6)) for line in axes.lines if line.get_marker() != "None"
    }
    (pair,) = (pair.winner_first() for pair in source.pairs)
    assert shown == {
        ("o", round(pair.outcomes.by_people.value or 0.0, 6)),
        ("D", round(pair.outcomes.by_source.value or 0.0, 6)),
    }


def test_what_a_source_lacks_is_not_drawn(audited: Audit) -> None:
    (source,) = audited.results
    with pytest.raises(UsageError, match="states no probabilities"):
        audits.probabilities(source)
    with pytest.raises(UsageError, match="no pair in common"):
        audits.rates(replace(source, pairs=()))
    with pytest.raises(UsageError, match="nothing could be checked"):
        audits.biases(replace(source, dependence=()))


def test_a_page_of_many_sources_draws_those_that_differ_most(audited: Audit) -> None:
    (wrong,) = audited.results
    (pair,) = wrong.pairs
    same = replace(pair, outcomes=replace(pair.outcomes, difference=replace(pair.outcomes.difference, value=0.0)))
    right = replace(wrong, name="right", pairs=(same,))
    page = audit_page(replace(audited, results=(right, *(replace(wrong, name=f"m{at:02}") for at in range(16)))))
    assert page.count("<svg") == 2 * 16
    assert page.count("tiebreak audit STUDY") == 1
    assert "tiebreak audit STUDY --judge right --out page.html" in page


def test_a_table_holds_the_pairs_that_the_picture_shows(audited: Audit) -> None:
    (source,) = audited.results
    pairs = tuple(replace(source.pairs[0], system_b=f"b{at:02}") for at in range(41))
    page = audit_page(replace(audited, results=(replace(source, pairs=pairs),)))
    assert "The 40 of 41 pairs on which it differs most from people" in page
    assert page.count('<tr><th scope="row">') == 40
