"""What to cite: an entry for each key that a rule, a test or a correction names."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.small_studies import pair_votes, rating, study_of

from tiebreak.comparison.compare import compare
from tiebreak.estimation.estimate import estimate
from tiebreak.messages.bibliography import ENTRIES, sources_of
from tiebreak.panel.annotators import annotators
from tiebreak.ranking.rank import rank
from tiebreak.report.formats import table_text, write_systems
from tiebreak.rules.finished import SOURCES
from tiebreak.rules.registry import RULES

THREE = study_of([*pair_votes("w" * 20 + "l" * 10), *pair_votes("w" * 20 + "l" * 10, "bee", "cat")])


def test_every_key_that_is_named_has_an_entry_of_that_name() -> None:
    named = [key for rule in RULES.values() for key in rule.sources] + [
        key for keys in SOURCES.values() for key in keys
    ]
    assert set(named) <= set(ENTRIES)
    for key, entry in ENTRIES.items():
        assert re.match(rf"@\w+\{{{key},\n", entry)
        assert entry.count("{") == entry.count("}")


@pytest.mark.parametrize(
    ("settings", "cited"),
    [
        ({}, ("suissa1991", "tango1998", "holm1979")),
        ({"margin": 0.1}, ("suissa1991", "tango1998")),  # Bonferroni
        ({"multiplicity": "fdr"}, ("suissa1991", "tango1998", "benjamini1995")),
        ({"multiplicity": "fdr-any"}, ("suissa1991", "tango1998", "benjamini2001")),
        ({"multiplicity": "none"}, ("suissa1991", "tango1998")),
        ({"rule": "anytime"}, ("waudbysmith2024", "holm1979")),
        ({"rule": "hoeffding"}, ("thorleiksdottir2022",)),
        ({"systems": ("ant", "bee")}, ("suissa1991", "tango1998")),  # one pair
    ],
)
def test_a_comparison_cites_its_tests_and_its_correction(settings: dict[str, object], cited: tuple[str, ...]) -> None:
    assert sources_of(compare(THREE, **settings)) == ("tiebreak", *cited)  # type: ignore[arg-type]


def test_other_results_cite_their_models() -> None:
    assert sources_of(rank(THREE)) == ("tiebreak", "davidson1970")
    assert sources_of(rank(THREE, glicko2="standard")) == ("tiebreak", "davidson1970", "glickman2012")
    rated = study_of(ratings=[rating(f"i{k}", "ant", "p", 1.0 + k % 5) for k in range(20)])
    assert sources_of(estimate(rated)) == ("tiebreak",)


def test_the_file_has_the_entries_that_the_table_cites(tmp_path: Path) -> None:
    found = compare(THREE)
    cited = re.search(r"\\citep\{(.*?)\}", table_text(found, ".tex"))
    assert cited is not None
    written = re.findall(r"^@\w+\{(\w+),$", table_text(found, ".bib"), re.MULTILINE)
    assert written == cited[1].split(",") == ["tiebreak", "suissa1991", "tango1998", "holm1979"]
    write_systems(found, tmp_path / "systems.bib")
    assert "@article{piepho2004," in (tmp_path / "systems.bib").read_text(encoding="utf-8")


def test_agreement_cites_its_coefficients() -> None:
    rated = [rating(f"i{k}", "ant", f"p{person}", 1 + (k + person) % 3) for k in range(30) for person in range(3)]
    found = annotators(study_of(ratings=rated))
    assert sources_of(found) == ("tiebreak", "fleiss1971", "krippendorff2004", "hovy2013")
