"""Nothing is wider than the terminal, nothing is cut, and what matters comes first."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.text import Text
from tests.small_studies import answer, pair_votes, scored, study_of, texts

from tiebreak.auditing.audit import Audit, audit
from tiebreak.checks.study_check import StudyCheck
from tiebreak.checks.study_check import check as check_study
from tiebreak.cli.audit import show_audit
from tiebreak.cli.check import show_check
from tiebreak.cli.compare import show_comparison
from tiebreak.cli.import_ import show_plans
from tiebreak.cli.rank import show_ranks
from tiebreak.cli.show_plan import show_plan
from tiebreak.cli.show_scores import show_known_metrics, show_scores
from tiebreak.cli.terminal import Name, Terminal, Words
from tiebreak.comparison.compare import compare
from tiebreak.data.readers import read_study
from tiebreak.demo.study import demo_study
from tiebreak.importers.plans import plan_files
from tiebreak.messages.headline import message_of
from tiebreak.planning.assumptions import Assumptions, PlanSettings
from tiebreak.planning.plan import plan
from tiebreak.planning.records import PlanResult
from tiebreak.ranking.rank import RankResult, rank
from tiebreak.results.records import CompareResult
from tiebreak.scoring.registry import known_metrics
from tiebreak.scoring.score import score_with
from tiebreak.scoring.settings import ScoreSettings

WIDTHS = (42, 60, 80, 120)
NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?%?")


def printed(show: Callable[[Terminal], None], width: int) -> str:
    """What a pipe of this width gets."""
    out = io.StringIO()
    show(Terminal(file=out, width=width, highlight=False))
    return out.getvalue()


def check(show: Callable[[Terminal], None], width: int) -> str:
    text = printed(show, width)
    for line in text.splitlines():
        assert cell_len(line) <= width, line
        assert line == line.rstrip(), repr(line)
    # Numbers are never cut: those of a terminal without end are all there.
    assert set(NUMBER.findall(printed(show, 10_000))) <= set(NUMBER.findall(text))
    return text


@cache
def demo_result() -> CompareResult:
    return compare(demo_study().study)


@cache
def real_result(folder: Path) -> CompareResult:
    return compare(read_study(folder))


def names_whole(result: CompareResult, text: str) -> None:
    """Names of the shown pairs may be folded at blanks, but all of their characters are there."""
    flat = " ".join(text.split())
    for found in result.results:
        for tier in found.order.tiers if found.order.edges else ():
            assert all(" ".join(name.split()) in flat for name in tier)


@pytest.mark.parametrize("width", WIDTHS)
def test_the_demo(width: int) -> None:
    result = demo_result()
    text = check(lambda console: show_comparison(result, console), width)
    first = " ".join(text.split("\n\n")[0].split())
    assert first.startswith(
        "demo: cedar is best. It is better than all 3 other systems. One look: 5 of 6 pairs are decided, "
    )
    message = message_of(result.results[0], result.terms, "$")
    assert f"Next: {message.next_step}" in first
    names_whole(result, text)
    assert "…" not in text
    order = [text.index(f"\n{pair}") for pair in ("cedar > aspen", "cedar > maple", "cedar > birch", "maple ? aspen")]
    assert order == sorted(order)


@pytest.mark.parametrize("width", WIDTHS)
def test_summeval(real_studies: Path, width: int) -> None:
    result = real_result(real_studies / "summeval")
    text = check(lambda console: show_comparison(result, console), width)
    names_whole(result, text)
    if width >= 80:
        assert len(text.splitlines()) <= 90
    assert "M8, M9, M10" in " ".join(text.split())  # as people count


@cache
def odd_audit() -> Audit:
    """Two judges and a metric on systems with names that are hard to fit, in both orders, with texts."""
    names = ("a_system_with_a_name_longer_than_a_narrow_terminal", "ta\tb, c", "張三 gpt-4")
    pairs = [(first, second) for k, first in enumerate(names) for second in names[k + 1 :]]
    votes = [row for k, pair in enumerate(pairs) for row in pair_votes(("wlt" * 20)[k : k + 40], *pair)]
    replies = [
        answer(f"i{k}", *pair, "ab"[(k + place + len(judge)) % 2], left, judge)
        for place, pair in enumerate(pairs)
        for judge in ("gpt-4o [x]", "an_llm_judge_with_a_very_long_name_of_its_own")
        for left in pair
        for k in range(45)
    ]
    scores = scored({name: [(k + place) % 3 for k in range(45)] for place, name in enumerate(names)})
    outputs = texts(
        {name: ["word " * (1 + (7 * k + place) % 5) for k in range(45)] for place, name in enumerate(names)}
    )
    return audit(study_of(votes, judge_preferences=replies, scores=scores, outputs=outputs))


@pytest.mark.parametrize("width", WIDTHS)
def test_an_audit(width: int) -> None:
    text = check(lambda console: show_audit(odd_audit(), console), width)
    flat = " ".join(text.split())
    assert "2 judges and 1 metric beside people" in flat
    if width >= 60:
        assert flat.count("an_llm_judge_with_a_very_long_name_of_its_own") >= 2
    check(lambda console: show_audit(odd_audit(), console, everything=True), width)


@cache
def odd_board() -> RankResult:
    """Names that are hard to fit, a judge beside people, a system that never lost, and a group of its own."""
    names = ("a_system_with_a_name_longer_than_a_narrow_terminal", "ta\tb, c", "張三 gpt-4", "never lost", "p", "q")
    pairs = {(names[0], names[1]): "wlt", (names[1], names[2]): "wlt", (names[3], names[0]): "www", names[4:]: "wtl"}
    votes = [row for pair, codes in pairs.items() for row in pair_votes(codes * 8, *pair)]  # type: ignore[misc]
    replies = [answer(f"i{k}", *names[:2], "ab"[k % 2], judge="an_llm_judge with a long name") for k in range(24)]
    study = study_of(votes, judge_preferences=replies)
    return rank(study, sources=["preferences", "judges=0.5"], max_games=300)


@pytest.mark.parametrize("width", WIDTHS)
def test_a_leaderboard(width: int) -> None:
    text = check(lambda console: show_ranks(odd_board(), console), width)
    flat = " ".join(text.split())
    assert "The systems fall into 2 groups" in flat


@cache
def demo_plan() -> PlanResult:
    settings = PlanSettings(price=0.1, max_money=200.0)
    return plan(Assumptions(0.1, number_of_systems=4, number_of_pairs=6), settings)


@cache
def demo_check() -> StudyCheck:
    return check_study(demo_study().study)


@pytest.mark.parametrize("width", WIDTHS)
def test_plan_and_check(width: int) -> None:
    text = check(lambda console: show_plan(demo_plan(), console), width)
    assert "$200.00" in text
    assert "$..." not in text
    check(lambda console: show_check(demo_check(), console), width)


def test_columns_are_chosen_where_they_fit_and_lines_where_they_do_not() -> None:
    columns = [Name("Name"), "Items", Words("Why")]
    rows = [("a long name of a system", 1, "x"), ("b", 12_345, "it has many items, more than the other has")]
    wide = printed(lambda console: console.table(columns, rows), 100).splitlines()
    assert wide[0].split() == ["Name", "Items", "Why"]
    assert wide[3] == "b                        12,345  it has many items, more than the other has"
    narrow = printed(lambda console: console.table(columns, rows), 40)
    assert narrow == (
        "a long name of a system\n  Items 1, Why x\n"
        "b\n  Items 12,345,\n  Why it has many items, more than the\n    other has\n"
    )


def test_empty_columns_are_left_out() -> None:
    text = printed(lambda console: console.table([Name("A"), "B"], [("x", ""), ("y", "")]), 80)
    assert text.splitlines() == ["A", "─", "x", "y"]


@pytest.mark.parametrize("width", [20, 33, 42])
def test_long_words_are_folded_and_never_lost(width: int) -> None:
    name = "a-name-without-a-single-blank-" * 4
    text = printed(lambda console: console.say(f"of {name}: fine", indent=2, hanging=3), width)
    assert all(len(line) <= width for line in text.splitlines())
    assert "".join(text.split()) == f"of{name}:fine"
    wide = "汉字" * 40
    text = printed(lambda console: console.bullets([wide]), width)
    assert all(cell_len(line) <= width for line in text.splitlines())
    assert text.replace("\n", "").replace(" ", "") == f"-{wide}"


def test_signatures_are_broken_between_their_parts() -> None:
    text = printed(lambda console: console.say("it was evaluator|weights:f10a|rating|games:10000|seed:0"), 30)
    assert text == "it was\nevaluator|weights:f10a|rating|\ngames:10000|seed:0\n"
    assert printed(lambda console: console.say("x" * 25 + "|y"), 20) == f"{'x' * 20}\nxxxxx|y\n"


def test_styles_survive_wrapping() -> None:
    out = io.StringIO()
    console = Terminal(file=out, width=20, force_terminal=True, color_system="standard", highlight=False)
    console.say(Text.assemble(("one two three", "bold"), " four five six"))
    assert "\x1b[1mone two three\x1b[0m" in out.getvalue()


def test_commands_are_quoted_and_continued_as_shells_allow() -> None:
    def show(console: Terminal) -> None:
        console.command("campaign", "sheet", "my campaign", "--annotator", "NAME", before="Next: ")

    assert printed(show, 80) == "Next: tiebreak campaign sheet 'my campaign' --annotator NAME\n"
    lines = printed(show, 42).splitlines()
    assert lines == ["Next: tiebreak campaign sheet \\", "    'my campaign' --annotator NAME"]


@pytest.mark.parametrize("width", WIDTHS)
def test_an_import_plan(width: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # a path may be folded within a number
    names = ("the_model_shown_on_the_left_side", "the_model_shown_on_the_right_side")
    texts = [" ".join(["A story about a bear who walks"] * 4), "no"]
    rows = "".join(f"q{k},{texts[0]} {k},{texts[1]} {k}\n" for k in range(6))
    Path("outputs.csv").write_text(f"question,{','.join(names)}\n{rows}")
    plans = plan_files(["outputs.csv"])
    text = check(lambda console: show_plans(console, plans), width)
    assert all(name in text for name in names)
    assert "\n\n" not in text.strip("\n")  # rows of one study column stand together


ODD_NAMES = ("base\nline", "ta\tb\x1b[31m", "plain")


@pytest.mark.parametrize("width", WIDTHS)
def test_odd_names_break_no_line(width: int) -> None:
    rows = [row for k in (1, 2) for row in pair_votes("w" * 12, ODD_NAMES[0], ODD_NAMES[k])]
    study = study_of([row | {"annotator": "an\nn"} for row in rows])
    text = check(lambda console: show_comparison(compare(study), console), width)
    text += check(lambda console: show_check(check_study(study), console), width)
    flat = " ".join(text.split())
    assert r"ta\tb\x1b[31m" in flat
    assert r"an\nn" in flat
    assert "\x1b" not in text
    assert "\t" not in text


def test_styles_survive_escapes() -> None:
    out = io.StringIO()
    Terminal(file=out, force_terminal=True, color_system="standard").say(Text.assemble(("a\nb", "bold"), " c"))
    bold = re.findall("\x1b\\[1m(.*?)\x1b\\[0m", out.getvalue())
    assert "".join(bold) == r"a\nb"


@pytest.mark.parametrize("width", WIDTHS)
def test_metrics_and_their_scores(width: int) -> None:
    known = known_metrics()
    text = check(lambda console: show_known_metrics(known, console), width)
    assert all(name in " ".join(text.split()) for name in known.metrics)
    texts_of = {"ant": ["it rains", "so it goes", ""], "bee": ["it rains", "no", "yes"]}
    study = study_of(pair_votes("wlt"), outputs=texts(texts_of))
    result = score_with(study, ScoreSettings(metrics=["length", "distinct-1", "repetition"], workers=1))
    check(lambda console: show_scores(result, "a-study-with-a-long-name", console, written=True), width)
