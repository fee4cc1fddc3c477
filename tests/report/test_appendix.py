"""The appendix: a command that a shell reads back, and claims that fit the settings."""

from __future__ import annotations

import shlex
from dataclasses import fields, replace
from pathlib import Path

import pytest
from tests.report.conftest import Compared

from tiebreak.comparison.compare import compare
from tiebreak.data.readers import read_study
from tiebreak.data.writers import write_study
from tiebreak.errors import TiebreakError
from tiebreak.files import write_bytes
from tiebreak.report.appendix import claim_rows, command_line, data_rows, setting_rows, version_rows
from tiebreak.report.document import render
from tiebreak.results.settings import CompareSettings
from tiebreak.settings.setting import settings_of
from tiebreak.version import __version__


def test_only_what_differs_from_the_defaults_is_in_the_command(four: Compared) -> None:
    study, _ = four
    assert command_line(compare(study)) == "tiebreak compare study"
    chosen = compare(study, systems=["oak", "elm", "fir"], alpha=0.01, annotators=["ann[0-3]"], seed=7, target="items")
    words = shlex.split(command_line(chosen))
    assert words[:3] == ["tiebreak", "compare", "study"]
    pairs = dict(zip(words[3::2], words[4::2], strict=True))
    assert pairs == {
        "--systems": "oak,elm,fir",
        "--alpha": "0.01",
        "--annotators": "ann[0-3]",
        "--seed": "7",
        "--target": "items",
    }


def test_every_setting_can_be_given_on_the_command_line(four: Compared) -> None:
    study, _ = four
    chosen = compare(study, rule="anytime", items_per_pair=90, margin=0.2, multiplicity="none", tie_threshold=1.0)
    words = shlex.split(command_line(chosen))
    assert dict(zip(words[3::2], words[4::2], strict=True)) == {
        "--rule": "anytime",
        "--items-per-pair": "90",
        "--margin": "0.2",
        "--multiplicity": "none",
        "--tie-threshold": "1.0",
    }
    assert dict(claim_rows(chosen))["Budget"].startswith("at most 90 labelled items a pair")
    assert {named.name for named in settings_of(CompareSettings)} == {field.name for field in fields(CompareSettings)}


def test_names_survive_the_shell(hostile: Compared) -> None:
    study, result = hostile
    assert shlex.split(command_line(result))[2] == study.name


def test_claims_follow_the_settings(four: Compared) -> None:
    study, with_margin = four
    claims = dict(claim_rows(with_margin))
    assert "0.25" in claims["Margin"]
    assert "Bonferroni" in claims["Family of tests"]
    plain = dict(claim_rows(compare(study, target="items")))
    assert "Margin" not in plain
    assert plain["Order of items"] == "of no account: one look at all labels"
    assert "every look" not in plain["Method"]
    assert plain["Family of tests"] == "none: 6 pairs, all of whose items are counted"
    assert "Holm" in dict(claim_rows(compare(study)))["Family of tests"]
    assert plain["Estimand"].endswith("these items only (the pool of this study)")
    assert "each judged on its own" in dict(claim_rows(compare(study, rule="dirichlet")))["Family of tests"]


def test_data_settings_and_versions(four: Compared) -> None:
    _, result = four
    data = dict(data_rows(result))
    assert data["Fingerprint of the labels"] == f"SHA-256 {result.study['fingerprint']}"
    assert (data["Systems"], data["Items"], data["Human labels used"]) == ("4", "250", "1,500")
    settings = dict(setting_rows(result))
    assert settings["Smallest difference that matters"] == "0.25"
    assert settings["Only these systems"] == "all"
    assert settings["Metric to set beside the labels"] == "none"
    assert settings["What verdicts are about"] == "inputs (inputs like these)"
    assert dict(version_rows())["tiebreak"] == __version__


def test_the_command_names_the_folder_and_not_the_title(four: Compared, tmp_path: Path) -> None:
    study, result = four
    folder = tmp_path / "my folder"
    write_study(study, folder)
    assert command_line(compare(read_study(folder), margin=0.25)) == "tiebreak compare 'my folder' --margin 0.25"
    assert "tiebreak compare &#39;my folder&#39;" in render(compare(read_study(folder), margin=0.25))
    assert f"tiebreak compare {study.name}" in render(result)


@pytest.mark.parametrize(("price", "shown"), [(0.1, "$0.10"), (2.0, "$2.00"), (0.005, "$0.005"), (1200.5, "$1,200.50")])
def test_a_price_is_money(price: float, shown: str, four: Compared) -> None:
    _, result = four
    priced = replace(result, study={**result.study, "price_per_label": price})
    assert dict(data_rows(priced))["Price per label"] == shown


def test_a_folder_that_takes_no_file_is_named_without_the_temporary_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def denied(**_: object) -> None:
        raise PermissionError(13, "Permission denied", "/x/.r.html.writing-abc")

    monkeypatch.setattr("tiebreak.files.tempfile.mkdtemp", denied)
    with pytest.raises(TiebreakError) as caught:
        write_bytes(tmp_path / "r.html", b"")
    assert str(caught.value) == f"cannot write {tmp_path / 'r.html'}: Permission denied; name another folder"
