"""The report in a real browser: narrow and wide, light and dark, printed, and without a finding of axe."""

from __future__ import annotations

import itertools
from pathlib import Path

import polars as pl
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page
from tests.ranking.ranked_studies import played
from tests.report.conftest import Compared

import tiebreak.report
from tiebreak.comparison.compare import compare
from tiebreak.data.study import Study
from tiebreak.report.audit_page import audit_page
from tiebreak.report.leaderboard import write_leaderboard


@pytest.fixture(scope="module")
def pages(
    four: Compared, hostile: Compared, sixteen: Compared, fifty: Compared, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("reports")
    results = {"four": four, "hostile": hostile, "sixteen": sixteen, "fifty": fifty}
    texts = with_texts(four[0])
    results["fixed"] = (texts, compare(texts, rule="fixed"))
    found = {
        name: tiebreak.report.html(result, folder / f"{name}.html", study) for name, (study, result) in results.items()
    }
    ranked = {"leaderboard": tiebreak.rank(hostile[0]), "long leaderboard": tiebreak.rank(fifty[0], max_games=100)}
    found["audit"] = folder / "audit.html"
    found["audit"].write_text(audit_page(tiebreak.audit(judged(texts))), encoding="utf-8")
    return found | {name: write_leaderboard(result, folder / f"{name}.html") for name, result in ranked.items()}


def with_texts(study: Study) -> Study:
    """The study with an output of each system on each item, with markup and a long word."""
    outputs = [
        {
            "item": item,
            "system": name,
            "text": f"<script>alert(1)</script> of {name} <b>{'long' * 40}</b> on {item} again",
        }
        for item in study.preferences["item"].unique().sort().to_list()
        for name in study.systems
    ]
    return Study.from_tables(preferences=study.preferences, outputs=pl.DataFrame(outputs), name=study.name)


def judged(study: Study) -> Study:
    """The study with a judge that says what the people said, and states how sure it is."""
    said = study.preferences.unique(["item", "system_a", "system_b"], maintain_order=True)
    shares = {"p_a": "a", "p_tie": "tie", "p_b": "b"}
    answers = said.select(
        "item", "system_a", "system_b", "outcome", pl.lit("<b>judge</b>").alias("judge")
    ).with_columns(
        pl.when(pl.col("outcome") == outcome).then(0.8).otherwise(0.1).alias(name) for name, outcome in shares.items()
    )
    return Study.from_tables(
        preferences=study.preferences, outputs=study.outputs, judge_preferences=answers, name=study.name
    )


def opened(browser: Browser, path: Path, width: int, scheme: str = "light") -> tuple[Page, list[str]]:
    """The page, and what went wrong on it: script errors, and requests for anything but the file."""
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)  # type: ignore[arg-type]
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("dialog", lambda dialog: wrong.append(dialog.message))
    page.on("request", lambda request: wrong.append(request.url) if request.url != path.as_uri() else None)
    page.goto(path.as_uri())
    return page, wrong


_QUICK = (
    ("four", "light", 390), ("hostile", "light", 390), ("fixed", "dark", 900), ("sixteen", "dark", 900),
    ("leaderboard", "dark", 390), ("leaderboard", "light", 900), ("audit", "light", 390), ("audit", "dark", 900),
)  # fmt: skip
"""Every page once, on a telephone or a wide screen; all combinations are for the full tests."""


@pytest.mark.parametrize(
    "name", ["four", "hostile", "sixteen", "fifty", "fixed", "leaderboard", "long leaderboard", "audit"]
)
@pytest.mark.parametrize("width", [390, pytest.param(900, marks=pytest.mark.full), 1400])
def test_nothing_scrolls_sideways_or_goes_wrong(
    name: str, width: int, browser: Browser, pages: dict[str, Path]
) -> None:
    page, wrong = opened(browser, pages[name], width)
    page.evaluate("document.querySelectorAll('details').forEach((details, k) => { if (k < 60) details.open = true })")
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert wrong == []
    page.close()


@pytest.mark.parametrize(
    ("name", "scheme", "width"),
    [
        pytest.param(*case, marks=() if case in _QUICK else pytest.mark.full)
        for case in itertools.product(
            ("four", "hostile", "sixteen", "fixed", "leaderboard", "audit"), ("light", "dark"), (390, 900)
        )
    ],
)
def test_axe_finds_nothing(name: str, scheme: str, width: int, browser: Browser, pages: dict[str, Path]) -> None:
    page, _ = opened(browser, pages[name], width, scheme)
    page.evaluate("document.querySelectorAll('details').forEach((details, k) => { if (k < 12) details.open = true })")
    found = Axe().run(page).response
    assert [violation["id"] for violation in found["violations"]] == []
    assert len(found["passes"]) > 15
    page.close()


def test_words_in_a_figure_are_dark_on_its_white_ground(browser: Browser, pages: dict[str, Path]) -> None:
    page, _ = opened(browser, pages["audit"], 900, "dark")
    fills = "[...document.querySelectorAll('figure.drawn svg text')].map(one => getComputedStyle(one).fill)"
    assert set(page.evaluate(fills)) == {"rgb(22, 25, 31)"}
    page.close()


@pytest.mark.parametrize("width", [390, 1100])
def test_a_leaderboard_shows_ratings_where_its_axis_has_them(width: int, browser: Browser, tmp_path: Path) -> None:
    names = "ant", "x" * 80, "a name of several words that goes on and on and on"
    result = tiebreak.rank(played({(names[i], names[j]): "wwtl" * 6 for i, j in ((0, 1), (1, 2), (0, 2))}))
    page, _ = opened(browser, write_leaderboard(result, tmp_path / "board.html"), width)
    middle = "one => { const box = one.getBoundingClientRect(); return (box.left + box.right) / 2 }"
    ticks, dots = (
        page.evaluate(f"[...document.querySelectorAll('.board {kind}')].map({middle})")
        for kind in (".tickmark", ".dot")
    )
    at = [float(text) for text in page.locator(".board .tickmark").all_text_contents()]
    ratings = [one.strength.rating for one in result.results[0].davidson.systems]
    per_point = (dots[0] - dots[2]) / (ratings[0] - ratings[2])
    assert len(ticks) >= 2
    assert ticks == pytest.approx([dots[2] + per_point * (tick - ratings[2]) for tick in at], abs=1.5)
    wide = "[...document.querySelectorAll('.board .row > span')].filter(one => one.scrollWidth > one.clientWidth + 1)"
    assert page.evaluate(f"{wide}.length") == 0
    heights = page.evaluate("[...document.querySelectorAll('.tickmark')].map(one => one.clientHeight)")
    assert len(set(heights)) == 1
    page.close()


def test_axe_would_find_something(browser: Browser, pages: dict[str, Path]) -> None:
    page, _ = opened(browser, pages["four"], 900)
    page.evaluate("document.querySelector('main').insertAdjacentHTML('beforeend', '<a href=\"#\"></a><h6>x</h6>')")
    assert "link-name" in [violation["id"] for violation in Axe().run(page).response["violations"]]
    page.close()


@pytest.mark.parametrize("name", ["sixteen", "fifty"])
def test_it_opens_without_much_work(name: str, browser: Browser, pages: dict[str, Path]) -> None:
    """In the page's own thread, so that waiting for other work does not count; the best of three.

    A quiet machine takes .4 s and .65 s, a busy one three times that: the limit finds work that grows out of hand.
    """
    taken = []
    for _ in range(3):
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        session = page.context.new_cdp_session(page)
        session.send("Performance.enable", {"timeDomain": "threadTicks"})
        page.goto(pages[name].as_uri())
        page.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done)))")  # one frame is drawn
        metrics = session.send("Performance.getMetrics")["metrics"]
        taken.append(next(metric["value"] for metric in metrics if metric["name"] == "TaskDuration"))
        page.close()
    assert 0.0 < min(taken) < 4.0


def test_no_words_are_cut_off_or_overlap(browser: Browser, pages: dict[str, Path]) -> None:
    """Axis labels and evidence labels do not touch each other, and names fit their boxes."""
    for width in (390, 1400):
        page, _ = opened(browser, pages["four"], width)
        page.evaluate("document.querySelectorAll('details.pair').forEach(details => { details.open = true })")
        touching = page.evaluate(
            """() => {
              const groups = [...document.querySelectorAll('.axis .plot, svg.evidence')];
              let count = 0;
              for (const group of groups) {
                const boxes = [...group.querySelectorAll('.tickmark, text')].map(e => e.getBoundingClientRect());
                boxes.forEach((a, i) => boxes.slice(i + 1).forEach(b => {
                  if (a.left < b.right && b.left < a.right && a.top + 3 < b.bottom && b.top + 3 < a.bottom) count += 1;
                }));
              }
              return count;
            }"""
        )
        assert touching == 0
        page.close()


def test_a_cell_opens_its_pair_and_the_filter_counts(browser: Browser, pages: dict[str, Path]) -> None:
    page, wrong = opened(browser, pages["sixteen"], 1400)
    assert page.locator("details.pair[open]").count() == 0
    page.locator(".matrix td a").first.click()
    page.locator("details.pair[open]").wait_for()
    assert page.locator("details.pair[open] .body").is_visible()
    page.locator("select[name=system]").select_option("system-03")
    assert page.locator("form.filter output").text_content() == "15 pairs"
    assert page.locator("details.pair:visible").count() == 15
    page.locator("select[name=system]").select_option("")
    page.locator("select[name=verdict]").select_option("open")
    shown = page.locator("details.pair:visible")
    assert shown.count() == page.locator("details.pair.open").count()
    assert wrong == []
    page.close()


def test_dark_pages_are_dark_and_print_on_white(browser: Browser, pages: dict[str, Path]) -> None:
    page, _ = opened(browser, pages["four"], 900, "dark")
    background = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(background) == "rgb(20, 23, 28)"
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate(background) == "rgb(255, 255, 255)"
    page.close()


def test_items_to_read_are_shown_with_their_words_marked(browser: Browser, pages: dict[str, Path]) -> None:
    page, wrong = opened(browser, pages["fixed"], 390)
    page.evaluate("document.querySelectorAll('details').forEach(details => { details.open = true })")
    (first, *_) = page.query_selector_all(".example dd")
    assert first.inner_text().startswith("<script>alert(1)</script> of ")
    marked = [mark.inner_text() for mark in page.query_selector_all(".example mark")]
    names = {heading.inner_text() for heading in page.query_selector_all(".example dt")}
    assert marked
    assert set(marked) <= names
    assert wrong == []


def test_it_prints(browser: Browser, pages: dict[str, Path]) -> None:
    page, _ = opened(browser, pages["sixteen"], 1400)
    document = page.pdf(format="A4")
    assert document.startswith(b"%PDF")
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 700, "height": 990})  # A4 between its margins
    assert page.evaluate("document.documentElement.scrollWidth") <= 700
    page.close()
