"""The HTML report: one file, nothing from outside, everything escaped, and the numbers of the result."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import polars as pl
import pytest
from tests.report.conftest import Compared
from tests.small_studies import pair_votes, study_of, vote

import tiebreak.report
from tiebreak.comparison.compare import compare
from tiebreak.data.study import Study
from tiebreak.messages.metric_use import metrics_of_criterion, metrics_of_pair, pooled_metrics
from tiebreak.messages.verdicts import verdict_words
from tiebreak.numbers import signed, signed_interval
from tiebreak.report import render, view
from tiebreak.results.records import CompareResult, MetricUse, PairResult, Saving


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
    for words in (">tiebreak compare study --rule anytime --margin 0.25</pre>", "Bonferroni", "numpy", "seed 0"):
        assert words in text


def test_several_criteria_have_a_summary_and_a_section_each(four: Compared) -> None:
    study, _ = four
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
    text = render(compare(study_of(pair_votes("w" * 30, "x", "y"))))
    assert "x is better than y" in text
    assert 'class="matrix' not in text
    assert 'class="tiers"' not in text


def test_html_writes_the_file_or_nothing(four: Compared, tmp_path: Path) -> None:
    _study, result = four
    target = tmp_path / "out.html"
    assert tiebreak.report.html(result, target) == target
    assert target.read_text(encoding="utf-8") == render(result)
    assert [path.name for path in tmp_path.iterdir()] == ["out.html"]


def test_warnings_are_listed_with_their_codes(four: Compared) -> None:
    from tiebreak.records import Notice

    _, result = four
    text = render(replace(result, warnings=(Notice("odd-thing", "a <b>bold</b> claim"),)))
    assert "a &lt;b&gt;bold&lt;/b&gt; claim <code>odd-thing</code>" in text
    assert "None: nothing in the data" in render(replace(result, warnings=()))


def test_verdicts_in_a_circle_share_a_tier_of_which_nothing_false_is_said() -> None:
    circle = [("ant", "bee"), ("bee", "cat"), ("cat", "ant")]
    rows = [row for pair in circle for row in pair_votes("w" * 20, *pair)]
    text = " ".join(Page(render(compare(study_of(rows)))).text.split())
    assert "ant beats bee beats cat beats ant. No ranking can honour all of these verdicts." in text
    assert "Systems of a contradiction share a tier, as if they were one system." in text
    assert "within a tier no system is shown to be better" not in text


# ---- A page stays small however much there is to show, and says what it leaves out and where that is. --------------


MOST_BYTES_A_PAIR = 3_000  # with its drawing, under the default rule
MOST_BYTES_A_ROW = 400
MOST_BYTES_A_CELL = 80


def result_of(systems: int, people: int) -> CompareResult:
    """A few labels of every pair."""
    names = [f"system-number-{number:03d}" for number in range(systems)]
    rows = [
        vote(f"i{k}", a, b, f"p{(k + n) % people}", "ab"[k % 3 == 0])
        for n, a in enumerate(names) for b in names[n + 1 :] for k in range(4)
    ]  # fmt: skip
    return compare(Study.from_tables(preferences=rows))


def test_what_is_left_out_is_said_with_the_way_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    result = result_of(12, 15)
    whole = render(result)
    assert whole.count('<details class="pair') == 66
    assert "are drawn" not in whole
    for name, most in (("_PAIRS_DRAWN", 20), ("_PAIRS_LISTED", 40), ("_CELLS_WITH_WORDS", 20), ("_PEOPLE_LISTED", 7)):
        monkeypatch.setattr(view, name, most)
    page = " ".join(render(result).split())
    assert page.count('<details class="pair') == 20
    words = (
        "The first 20 of 66 pairs are drawn, decided ones with the largest differences first, and the first 40 are in"
    )
    assert words in page
    assert "<code>tiebreak compare study --out pairs.csv</code> writes" in page
    assert "All 14 are in what <code>tiebreak compare study --json</code> prints" in page
    assert "the 7 who labelled most" in page
    targets = set(re.findall(r'href="#([^"]+)"', page))
    assert targets <= set(re.findall(r'id="([^"]+)"', page)), "every link leads somewhere"


def test_the_bounds_make_less_than_ten_megabytes() -> None:
    """Bytes of a page grow by this much with a pair and a person: the bounds of what is shown bound the page."""
    small, large = result_of(12, 12), result_of(24, 12)
    size, pairs = len(render(small).encode()), len(large.results[0].pairs)
    each = (len(render(large).encode()) - size) / (pairs - 66)
    assert each < MOST_BYTES_A_PAIR + MOST_BYTES_A_ROW + 2 * 2 * MOST_BYTES_A_CELL + 200
    drawn, listed = view._PAIRS_DRAWN * MOST_BYTES_A_PAIR, view._PAIRS_LISTED * MOST_BYTES_A_ROW
    assert drawn + listed + 200**2 * MOST_BYTES_A_CELL < 10_000_000


# ---- What metrics and judges did, in words. ------------------------------------------------------------------------


USE = MetricUse(
    ("bleu",), ((2, 1, 0), (0, 1, 1), (1, 1, 3)), 0.6, 4, saved=Saving(0.2, 0.1, 0.3), stopped_at_without=50
)


def with_uses(result: CompareResult, *uses: MetricUse | None) -> tuple[PairResult, ...]:
    return tuple(replace(pair, metric=use) for pair, use in zip(result.results[0].pairs, uses, strict=False))


def test_counts_are_summed_and_agreement_is_that_of_the_sum(four: Compared) -> None:
    other = replace(USE, confusion=((10, 0, 0), (0, 0, 0), (0, 0, 0)), agreement=1.0, unlabelled=1)
    (pooled,) = pooled_metrics(with_uses(four[1], USE, other, None))
    assert pooled.confusion == ((12, 1, 0), (0, 1, 1), (1, 1, 3))
    assert pooled.agreement == 16 / 20
    assert pooled.unlabelled == 5
    assert pooled_metrics(with_uses(four[1], None, None)) == ()


def test_words_for_a_pair(four: Compared) -> None:
    used, unused, unseen = with_uses(
        four[1],
        USE,
        replace(USE, used=False, saved=None, unlabelled=0),
        replace(USE, confusion=((0, 0, 0),) * 3, agreement=None, saved=None, stopped_at_without=None),
    )
    view = metrics_of_pair(used)
    assert view.sentences == (
        "Agrees with people on 60% of 10 comparisons; 4 more comparisons judged by no person.",
        "Saves about 20% of the labels (about 95%: 10% to 30%).",
        "Human labels alone: a verdict after 50 items.",
    )
    alone = metrics_of_pair(unused)
    assert alone is not None
    nothing = metrics_of_pair(unseen)
    assert nothing.sentences == (
        "Unvalidated: judged no comparison with human labels; 4 more comparisons judged by no person.",
    )


def test_words_for_all_pairs(four: Compared) -> None:
    more = replace(USE, saved=Saving(0.4, 0.3, 0.5))
    (view,) = metrics_of_criterion(with_uses(four[1], USE, more, replace(USE, used=False, saved=None)))
    assert view.sentences[1] == (
        "Saves about 20% of the labels (about 95%: 10% to 30%), in the median pair; 40% at most."
    )
    assert view.sentences[2].startswith("Did not help 1 of 3 pairs")


def test_the_report_shows_the_confusion(four: Compared) -> None:
    _, result = four
    pairs = with_uses(result, *[USE] * 6)
    text = render(replace(result, results=(replace(result.results[0], pairs=pairs),)))
    assert '<td class="num agree">12</td>' in text  # 6 pairs x 2
