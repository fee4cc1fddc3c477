from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from tests.cli.campaign_commands import ok, refused

from tiebreak.data.writers import write_study
from tiebreak.demo.study import demo_study

QUICK = "--labelling one"


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("plan") / "demo"
    write_study(demo_study(items=120).study, folder)
    return folder


def test_one_document_and_nothing_else() -> None:
    output = ok(f"tiebreak plan --difference 0.3 --price 0.5 --seconds 9 --max-labels 80 {QUICK} --json")
    document = json.loads(output)
    assert document["number_of_pairs"] == 1
    assert document["rows"][0]["policy"] == "one"
    assert document["rows"][0]["money"]["mean"] == pytest.approx(0.5 * document["rows"][0]["total"]["mean"])
    assert document["budget"]["labels"] == 80
    assert len(document["power"][0]["labels"]) == len(document["power"][0]["chances"])


def test_money_is_the_price_of_the_labels_beside_it() -> None:
    output = ok(f"tiebreak plan --difference 0.1 --price 0.1 {QUICK}")
    pattern = r"about ([\d,]+) \(.*?\) labels, about \$([\d,.]+) \("
    found = re.search(pattern, " ".join(output.split()))
    assert found is not None, output
    labels, cost = (float(text.replace(",", "")) for text in found.groups())
    assert labels >= 100  # else nothing is rounded
    assert cost == pytest.approx(0.1 * labels)


def test_items_that_decide_too_little_are_no_plan() -> None:
    output = ok("tiebreak plan --difference 0.02 --number-of-items 300")
    assert output.startswith("Too few items: 300 items on the pair (one label each) decide 5% of campaigns.")


def test_a_pilot_gives_price_seconds_and_pairs(demo: Path) -> None:
    output = ok(f"tiebreak plan '{demo}' --baseline aspen {QUICK} --json")
    document = json.loads(output)
    assert document["source"] == "demo"
    assert document["number_of_pairs"] == 3
    assert document["settings"]["price"] == 0.1
    assert document["settings"]["seconds"] > 3
    assert {pair["system_b"] for pair in document["pair_plans"]} == {"aspen"}
    output = ok(f"tiebreak plan '{demo}' --systems aspen,birch {QUICK} --max-money 5")
    assert "aspen" in output
    assert "cedar" not in output


def test_the_power_curve_is_drawn(tmp_path: Path) -> None:
    file = tmp_path / "power.svg"
    output = ok(f"tiebreak plan --difference 0.3 {QUICK} --max-labels 100 --plot '{file}'")
    assert f"Wrote {file}" in output
    assert "budget" in file.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("", "plan from what?"),
        ("--difference 0.3 --systems x,y", "--systems is for a pilot"),
        ("--difference 0.3 --labelling majority-3", "did you mean majority?"),
        ("--difference 0.3 --labelling one --per-item 5", "add --labelling majority"),
        ("--difference 0.3 --max-money 5", "add --price"),
        ("--difference 0.3 --plot power.doc", "must end in .svg, .png, .pdf"),
    ],
)
def test_wrong_uses_end_with_2(arguments: str, words: str) -> None:
    output = refused(f"tiebreak plan {arguments}", 2)
    assert words in output


def test_a_pilot_refuses_assumptions_and_its_own_folder(demo: Path) -> None:
    assert "leave --difference out" in refused(f"tiebreak plan '{demo}' --difference 0.1", 2)
    assert "lies in the study folder" in refused(f"tiebreak plan '{demo}' --plot '{demo}/power.svg'", 2)
