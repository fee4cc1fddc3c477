"""The HTML report: one file, nothing from outside, everything escaped, and the numbers of the result."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import polars as pl
import pytest

import tiebreak.report
from tiebreak.comparison.compare import compare
from tiebreak.data.study import Study
from tiebreak.errors import UsageError
from tiebreak.messages.verdicts import verdict_words
from tiebreak.numbers import signed, signed_interval
from tiebreak.report import render
from tiebreak.results.records import CompareResult

Compared = tuple[Study, CompareResult]


class Page(HTMLParser):
    """What a test asks of a page: its elements, the rows of its tables, its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.tables: list[tuple[str, list[list[str]]]] = []
        self.text = ""
        self._cell = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag == "table":
            self.tables.append((dict(attrs).get("class") or "", []))
        elif tag == "tr":
            self.tables[-1][1].append([])
        elif tag in ("td", "th") and self.tables[-1][1]:
            self.tables[-1][1][-1].append("")
        self._cell = tag in ("td", "th") or (self._cell and tag in ("a", "span", "b"))

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th", "tr"):
            self._cell = False

    def handle_data(self, data: str) -> None:
        self.text += data
        if self._cell:
            self.tables[-1][1][-1][-1] += data

    def rows(self, kind: str) -> list[list[str]]:
        """The body rows of the first table of this class."""
        return next(rows for name, rows in self.tables if name.split()[:1] == [kind])[1:]

    def identifiers(self) -> list[str]:
        return [str(attrs["id"]) for _, attrs in self.elements if "id" in attrs]


@pytest.mark.parametrize(("which", "limit"), [("four", 200_000), ("sixteen", 2_000_000), ("fifty", 8_000_000)])
def test_the_file_stays_small(which: str, limit: int, request: pytest.FixtureRequest) -> None:
    _study, result = request.getfixturevalue(which)
    assert 20_000 < len(render(result).encode()) < limit


@pytest.mark.full
def test_four_criteria_of_sixteen_systems_with_a_margin_stay_below_two_megabytes(real_studies: Path) -> None:
    study = tiebreak.read_study(real_studies / "summeval")
    result = compare(study, rule="anytime", annotators=["expert_*"], margin=0.1)
    assert result.terms.family == 480
    assert len(render(result).encode()) < 2_000_000


@pytest.mark.parametrize("which", ["four", "hostile", "sixteen"])
def test_it_asks_for_nothing_from_outside(which: str, request: pytest.FixtureRequest) -> None:
    _study, result = request.getfixturevalue(which)
    text = render(result)
    page = Page(text)
    for tag, attrs in page.elements:
        assert tag not in ("link", "img", "iframe", "object", "embed", "base")
        for name in ("src", "srcset", "data", "action", "poster"):
            assert name not in attrs
        for name in ("href", "xlink:href"):
            assert str(attrs.get(name, "#")).startswith("#")
    style = text[text.index("<style>") : text.index("</style>")]
    assert "url(" not in style
    assert "@import" not in style
    assert not re.search(r"fetch|XMLHttpRequest|WebSocket|import\(", text[text.rindex("<script>") :])


def test_names_with_markup_are_text(hostile: Compared) -> None:
    _study, result = hostile
    text = render(result)
    page = Page(text)
    assert text.count("<script>") == 1  # the page's own
    assert "<img" not in text
    assert not any(name.startswith("on") for _, attrs in page.elements for name in attrs)
    for pair in result.results[0].pairs:
        told = pair.winner_first()
        assert [told.system_a, told.system_b] in [row[:2] for row in page.rows("pairs")]
    assert "</title><img src=x onerror=alert(1)>" in page.text


def test_links_lead_somewhere_and_identifiers_are_unique(sixteen: Compared) -> None:
    _study, result = sixteen
    page = Page(render(result))
    identifiers = page.identifiers()
    assert len(identifiers) == len(set(identifiers))
    targets = [str(attrs["href"])[1:] for tag, attrs in page.elements if tag == "a"]
    assert len(targets) == 16 * 15
    assert set(targets) <= set(identifiers)
    for _, attrs in page.elements:
        for name in ("aria-labelledby", "for"):
            assert str(attrs.get(name, identifiers[0])) in identifiers


def test_the_same_result_gives_the_same_bytes(four: Compared) -> None:
    study, result = four
    assert render(result) == render(compare(study, rule="anytime", margin=0.25))


def test_the_table_of_pairs_has_the_numbers_of_the_result(four: Compared) -> None:
    _study, result = four
    rows = {(row[0], row[1]): row[2:] for row in Page(render(result)).rows("pairs")}
    assert len(rows) == 6
    for pair in (one.winner_first() for one in result.results[0].pairs):
        gap = pair.difference
        assert rows[pair.system_a, pair.system_b] == [
            verdict_words(pair, 0.25, anew=True),
            signed(gap.estimate),
            signed_interval(gap.low, gap.high),
            f"{pair.items:,}",
            f"{pair.labels:,}",
            f"{pair.wins:,}",
            f"{pair.ties:,}",
            f"{pair.losses:,}",
            "" if pair.stopped_at is None else f"after {pair.stopped_at:,} of {pair.items:,} items",
        ]


def test_the_matrix_agrees_with_the_verdicts(four: Compared) -> None:
    _study, result = four
    text = render(result)
    header, *rows = next(table for name, table in Page(text).tables if name.startswith("matrix"))
    names = header[1:]
    signs = {(row[0], column): sign for row in rows for column, sign in zip(names, row[1:], strict=True)}
    wanted = {"a": ("+", "−"), "b": ("−", "+"), "equivalent": ("=", "="), "undecided": ("?", "?")}
    assert {pair.verdict for pair in result.results[0].pairs} == {"a", "b", "equivalent", "undecided"}
    for pair in result.results[0].pairs:
        found = signs[pair.system_a, pair.system_b], signs[pair.system_b, pair.system_a]
        assert found == wanted[pair.verdict]
    assert all(signs[name, name] == "" for name in names)


def test_intervals_are_drawn_where_the_numbers_say(four: Compared) -> None:
    """With the axis from -limit to limit, a value v is at 50 + 50 v/limit percent."""
    _study, result = four
    text = render(result)
    limit = {"0.8": 0.8, "0.6": 0.6, "0.4": 0.4, "1": 1.0}[re.findall(r'class="tickmark"[^>]*>\+([.\d]+)<', text)[-1]]
    for pair in (one.winner_first() for one in result.results[0].pairs):
        start = text.index(f'data-a="{pair.system_a}" data-b="{pair.system_b}"')
        low, right = map(float, re.findall(r"left:([\d.]+)%;right:([\d.]+)%", text[start : start + 900])[0])
        assert low == pytest.approx(50 + 50 * pair.difference.low / limit, abs=0.051)
        assert 100 - right == pytest.approx(50 + 50 * pair.difference.high / limit, abs=0.051)


def test_every_picture_has_a_table(sixteen: Compared) -> None:
    _study, result = sixteen
    text = render(result)
    assert text.count("<svg") == text.count("came to a verdict. At 100% the rule decides.") == 1
    for summary in ("who beats whom", "all pairs", "preferences per system", "labels per annotator"):
        assert f"<summary>Table: {summary}" in text


def test_labels_per_annotator_and_preferences_per_system_are_those_of_the_study(four: Compared) -> None:
    study, result = four
    assert study.preferences is not None
    page = Page(render(result))
    flat = [row for _, rows in page.tables for row in rows]
    for annotator, count in study.preferences.group_by("annotator").len().iter_rows():
        assert [annotator, f"{count:,}"] in flat
    won = {"oak": 0}
    for a, b, outcome in study.preferences.select("system_a", "system_b", "outcome").iter_rows():
        won["oak"] += {a: "a", b: "b"}.get("oak", "") == outcome
    share = 100 * won["oak"] / (3 * 250)
    assert any(row[:2] == ["oak", f"{won['oak']:,} ({share:.0f}%)"] for row in flat)


def test_the_appendix_makes_the_result_again(four: Compared) -> None:
    _study, result = four
    text = render(result)
    assert ">tiebreak compare study --rule anytime --margin 0.25</pre>" in text
    assert str(result.study["fingerprint"]) in text
    for words in (
        "P(A preferred) - P(B preferred)",
        "6 pairs, both directions of each",
        "Bonferroni",
        "numpy",
        "seed 0",
    ):
        assert words in text


def test_several_criteria_have_a_summary_and_a_section_each(four: Compared) -> None:
    study, _ = four
    assert study.preferences is not None
    frames = [study.preferences.with_columns(criterion=pl.lit(name)) for name in ("style", "fact")]
    both = Study.from_tables(preferences=pl.concat(frames), name="both")
    text = render(compare(both))
    page = Page(text)
    assert [row[0] for row in page.rows("summary")] == ["fact", "style"]
    assert text.count('class="headline"') == 2
    assert len(page.identifiers()) == len(set(page.identifiers()))


def test_methods_without_the_promise_say_so(four: Compared) -> None:
    study, result = four
    assert "Read with care" not in render(result)
    once = render(compare(study))
    assert "Read with care" not in once
    assert "<svg" not in once
    fixed = render(compare(study, rule="hoeffding"))
    assert "Read with care" in fixed
    assert "<svg" not in fixed


def test_two_systems_need_no_matrix_and_no_order() -> None:
    rows = [{"item": f"i{k}", "system_a": "x", "system_b": "y", "annotator": "p", "outcome": "a"} for k in range(30)]
    study = Study.from_tables(preferences=rows, name="pair")
    text = render(compare(study))
    assert "x is better than y" in text
    assert 'class="matrix' not in text
    assert 'class="tiers"' not in text


def test_html_writes_the_file_or_nothing(four: Compared, tmp_path: Path) -> None:
    _study, result = four
    target = tmp_path / "out.html"
    assert tiebreak.report.html(result, target) == target
    assert target.read_text(encoding="utf-8") == render(result)
    assert [path.name for path in tmp_path.iterdir()] == ["out.html"]


@pytest.mark.parametrize(
    ("name", "message"),
    [("out.pdf", "must end in .html"), ("none/out.html", "does not exist"), ("folder.html", "it is a folder")],
)
def test_bad_file_names(name: str, message: str, four: Compared, tmp_path: Path) -> None:
    (tmp_path / "folder.html").mkdir()
    with pytest.raises(UsageError, match=message):
        tiebreak.report.html(four[1], tmp_path / name)


def test_warnings_are_listed_with_their_codes(four: Compared) -> None:
    from tiebreak.records import Notice

    _, result = four
    text = render(replace(result, warnings=(Notice("odd-thing", "a <b>bold</b> claim"),)))
    assert "a &lt;b&gt;bold&lt;/b&gt; claim <code>odd-thing</code>" in text
    assert "None: nothing in the data" in render(replace(result, warnings=()))


def test_verdicts_in_a_circle_share_a_tier_of_which_nothing_false_is_said() -> None:
    circle = [("ant", "bee"), ("bee", "cat"), ("cat", "ant")]
    rows = [
        {"item": f"i{k}", "system_a": a, "system_b": b, "annotator": "ann", "outcome": "a"}
        for a, b in circle
        for k in range(20)
    ]
    text = " ".join(Page(render(compare(Study.from_tables(preferences=rows)))).text.split())
    assert "ant beats bee beats cat beats ant. No ranking can honour all of these verdicts." in text
    assert "Systems of a contradiction share a tier, as if they were one system." in text
    assert "within a tier no system is shown to be better" not in text
