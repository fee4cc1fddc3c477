"""The page of estimates, and its pictures."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from tests.cli.campaign_commands import ok, refused

from tiebreak.data.study import Study
from tiebreak.data.writers import write_study
from tiebreak.estimation.estimate import estimate_with, metric_points
from tiebreak.places.pictures import page_of_estimates
from tiebreak.report.estimate_page import LONGEST_EXAMPLE, shortened
from tiebreak.report.figures.metrics import correlations
from tiebreak.report.style import svg_of
from tiebreak.results.settings import EstimateSettings

NASTY = '<script>alert("x")</script> $1 & more'


@pytest.fixture
def rated(tmp_path: Path) -> Path:
    """Three systems, one with a nasty name, two metrics, one of which is people's own mean."""
    rng = np.random.default_rng(3)
    outputs, ratings, scores = [], [], []
    for system in ("ant", "bee", NASTY):
        for k in range(30):
            item = f"i{k:02d}"
            outputs.append({"item": item, "system": system, "text": f"{NASTY} " * 20})
            given = [float(value) for value in rng.integers(1, 6, size=2)]
            ratings += [
                {"item": item, "system": system, "annotator": f"p{n}", "criterion": "good", "value": value}
                for n, value in enumerate(given)
            ]
            scores += [
                {"item": item, "system": system, "metric": name, "value": value}
                for name, value in (("perfect", sum(given) / 2), ("noise", float(rng.normal())))
            ]
    write_study(Study.from_tables(outputs=outputs, ratings=ratings, scores=scores), tmp_path / "study")
    return tmp_path / "study"


class Tags(HTMLParser):
    """Which elements a page opens and closes."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        self.seen.append(tag)
        if tag not in ("meta", "link", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_whole_safe_and_the_same_again(rated: Path) -> None:
    from tiebreak.data.readers import read_study

    found = estimate_with(read_study(rated), EstimateSettings(metrics=("perfect",)))
    page = page_of_estimates(rated, found)
    assert page == page_of_estimates(rated, found)
    tags = Tags()
    tags.feed(re.sub(r"<svg.*?</svg>", "", page, flags=re.DOTALL))
    assert tags.open == []
    assert "script" not in tags.seen
    assert page.count("<svg") == 3
    assert "<script" not in page
    assert "&lt;script&gt;" in page


def test_the_heat_map_has_what_estimate_says(rated: Path) -> None:
    from tiebreak.data.readers import read_study

    study = read_study(rated)
    (found,) = estimate_with(study, EstimateSettings()).results
    points = metric_points(study, "good", EstimateSettings())
    axes = correlations(found, points).axes[0]
    numbers = {(round(text.get_position()[0]), round(text.get_position()[1])): text.get_text() for text in axes.texts}
    assert [label.get_text() for label in axes.get_yticklabels()] == ["perfect", "noise"]
    assert {numbers[column, 0] for column in range(4)} == {"1.00"}
    noise = next(of for name, of in found.correlations if name == "noise")
    assert numbers[3, 1] == f"{noise.systems.estimate:.2f}"
    assert svg_of(correlations(found, points)).startswith("<svg")


def test_texts_are_cut_at_words() -> None:
    assert shortened("short\n text") == "short text"
    long = shortened("word " * 200)
    assert len(long) <= LONGEST_EXAMPLE + 2
    assert long.endswith("word …")


def test_by_the_commands(rated: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(rated.parent)
    monkeypatch.setenv("COLUMNS", "120")
    output = ok("tiebreak estimate study --metric perfect --examples --out page.html")
    assert "Wrote page.html" in output
    assert "people high, metric low: 0 outputs" in output
    assert (rated.parent / "page.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    for kind in ("means", "correlations", "ratings --metric perfect"):
        ok(f"tiebreak plot {kind} study -o drawn.svg")
        assert (rated.parent / "drawn.svg").stat().st_size > 1000
    assert "name it with --metric (noise, perfect)" in refused("tiebreak plot ratings study -o drawn.svg", 2)
    refused("tiebreak estimate study --out page.pdf", 2)
