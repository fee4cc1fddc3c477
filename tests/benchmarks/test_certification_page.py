"""The page of the certification says what the simulated campaigns came to, and nothing else."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest
from benchmarks.certification import lengths, page, prose, real_data, real_page, shares
from benchmarks.certification.campaigns import ALPHAS, LOOKS, Outcome, Tally, play
from benchmarks.certification.figure import rates_figure
from benchmarks.certification.grid import ERRORS, LENGTHS, RULES, Task
from benchmarks.certification.page import Real
from benchmarks.certification.real_data import Replay, Setting
from benchmarks.certification.runner import Results
from benchmarks.certification.worlds import World
from tests.docs import documents
from tests.docs.documents import REPOSITORY

SMALL = [
    Task(ERRORS, World("inputs", 200, 200, 0.0), ("outcomes", "sign", "hoeffding", "hoeffding-last"), 1_000),
    Task(ERRORS, World("items", 100, 80, 0.3, metric="rho .5"), ("regression",), 40),
    Task(LENGTHS, World("inputs", 200, 200, 0.3, 0.3), ("outcomes", "hoeffding-last"), 60),
    Task(LENGTHS, World("items", 100, 80, 0.3, 0.3, "rho .9"), ("regression",), 40),
    Task(LENGTHS, World("items", 300, 300, 0.6), ("bounded-equivalence",), 20),
]


@pytest.fixture(scope="module")
def results() -> Results:
    outcomes = {}
    for task in SMALL:
        played = play(task.world, [RULES[name] for name in task.rules], task.runs, [1])
        outcomes |= {(task, name): outcome for name, outcome in played.items()}
    return Results(outcomes)


@pytest.fixture(scope="module")
def text(results: Results) -> str:
    return page.page(results, Real({}, "there are none"), "make it so")


def test_the_page_tells_who_fails(text: str, results: Results) -> None:
    found = shares.shares_of(results)
    assert "`make it so`\nmakes this page" in text
    (kept,) = [s for s in found if (s.rule, s.alpha, s.look) == ("outcomes", 0.05, shares.EVERY)]
    assert f"| anytime, outcomes (mixture of bets) | every label | 1 | 1,000 | {kept.text} | {kept.text} |" in text
    for rule, look, promise in [
        ("anytime, outcomes (mixture of bets)", "every label", "holds"),
        ("anytime with a metric, regression", "every label", "holds"),
        ("sign test", "once, at the end", "holds"),
        ("sign test", "every label", "not promised"),
        ("Hoeffding rule, first crossing", "every label", r"\*\*fails\*\*"),
        ("Hoeffding rule, last crossing", "once, at the end", "holds"),
    ]:
        assert re.search(rf"^\| {re.escape(rule)} \| {look} \| 1 \| .* \| {promise} \|$", text, re.MULTILINE), rule
    assert "it is no stopping rule" in text
    assert "Not run: there are none." in text
    (of_sign,) = [s for s in found if (s.rule, s.alpha, s.look) == ("sign", 0.05, shares.EVERY)]
    assert of_sign.tally.runs == 1_000
    assert f"**{100 * of_sign.rate:.1f}**" in text  # in bold: far above 5%
    assert of_sign.text in text
    assert "{" not in documents.without_blocks(text)
    (example,) = [block.body for block in documents.blocks(text) if block.kind == "python"]
    assert documents.run_python(example, {}) == (["0.5 0", "0.7 25"], ["0.5 0", "0.7 25"])


def test_every_share_of_the_grid_is_on_the_page(text: str, results: Results) -> None:
    found = shares.shares_of(results)
    assert len(found) == 2 * (3 * 4 + 1 + 4)  # levels x (three rules with four ways of looking, one with one, one more)
    for share in found:
        assert share.text in text


def test_too_high_is_what_luck_would_hardly_do() -> None:
    task = SMALL[0]

    def share(wrong: int) -> shares.Share:
        return shares.Share(task, "sign", 0.05, shares.EVERY, Tally(runs=1_000, wrong=wrong))

    # Binomial(1000, 0.05): P(X >= 67) = 0.0105, P(X >= 72) = 0.0016; a hundred shares ask for 0.0005: 76.
    assert not share(0).too_high(1)
    assert share(67).too_high(1)
    assert not share(72).too_high(100)
    assert share(80).too_high(100)


def test_a_little_too_high_everywhere_is_too_high() -> None:
    # 60 of 1,000 in one world is luck (P = 0.09), 600 of 10,000 in ten worlds together is not (P < 1e-5).
    found = [
        shares.Share(
            Task(ERRORS, World("inputs", size, size, 0.0), ("sign",), 1_000), "sign", 0.05, "every label", tally
        )
        for size in range(100, 110)
        for tally in [Tally(runs=1_000, wrong=60)]
    ]
    assert not page.any_too_high(found[:1], "sign", "every label")
    assert not any(share.too_high(len(found)) for share in found)
    assert page.any_too_high(found, "sign", "every label")


def test_per_cent_shows_its_interval() -> None:
    assert shares.per_cent(50, 1_000) == "5.0 (3.8 to 6.5)"  # Wilson


def test_results_add_up() -> None:
    one = Outcome(1.0, {"0.05": {"every label": Tally(10, 1, 2, 1, 50.0, 300.0)}})
    both = one + one
    assert both == Outcome(2.0, {"0.05": {"every label": Tally(20, 2, 4, 2, 100.0, 600.0)}})
    assert Outcome.from_json(both.to_json()) == both


def test_the_bound_is_that_of_the_other_pages() -> None:
    # docs/power.md: 598 non-ties at a difference of 0.1 and 5%; with 30% ties 418 labels.
    assert lengths.bound(World("inputs", 300, 300, 0.3, 0.1), 0.05) == pytest.approx(418, abs=0.6)
    alone = lengths.bound(World("inputs", 300, 300, 0.3, 0.1), 0.01)
    assert alone == pytest.approx(418 * math.log(100) / math.log(20), rel=2e-3)
    # A pool of 300: 1/(1/418 + 1/300).
    assert lengths.bound(World("items", 300, 300, 0.3, 0.1), 0.05) == pytest.approx(1 / (1 / 418 + 1 / 300), rel=2e-3)
    # docs/metric_power.md: 78 at rho 0.9 and N = 20,000.
    with_metric = lengths.bound(World("items", 20_000, 1_000, 0.3, 0.1, "rho .9"), 0.05)
    assert with_metric == pytest.approx(78, abs=1)


def test_the_picture_has_a_dot_for_every_share(results: Results) -> None:
    found = shares.shares_of(results)
    panels = rates_figure(found).axes
    drawn = [len(line.get_xdata()) for panel in panels for line in panel.get_lines() if line.get_marker() == "o"]
    assert sum(drawn) == len(found)
    titles = [label.get_text() for label in panels[0].get_yticklabels()]
    assert titles == [rule.title for rule in page.rules_of(found)]


def test_real_replays_become_rows() -> None:
    one = Replay("relevance", 4, 4, 400, 90, 100, 3, 2, 2, 0)
    two = Replay("relevance", 4, 4, 400, 100, 100, 3, 2, 2, 1)
    setting = Setting("summeval", "gpt-4o", "items", "none")
    section = real_page.real_section({setting: [[one], [two]]}, None)
    place = "| summeval | items | 100% | one pair | gpt-4o | relevance |"
    assert f"{place} 4 | 2 | 3 | 25.0 | 23.8 | 5.0% (0.0% to 10.0%) | 2 | 1 |" in section
    assert "1 verdicts oppose" in section


def test_absent_studies_are_named(tmp_path: Path) -> None:
    assert real_data.missing_studies(tmp_path) == ["summeval", "wmt21-en-de"]


def test_the_page_in_the_docs_is_of_the_present_rules() -> None:
    written = (REPOSITORY / "docs" / "certification.md").read_text(encoding="utf-8")
    for rule in RULES.values():
        assert f"| {rule.title} |" in written
        assert f"<summary>{rule.title}</summary>" in written
    for look in LOOKS:
        for alpha in ALPHAS:
            assert f"{look}, {alpha:.0%}" in written
    (looks,) = [paragraph for paragraph in prose.HOW.split("\n\n") if paragraph.startswith("**Looks.**")]
    assert looks in written
    assert (REPOSITORY / "docs" / page.PICTURE).is_file()
