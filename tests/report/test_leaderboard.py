"""Leaderboards as pages, tables and pictures: complete, the same bytes every time, and safe from names."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from matplotlib.collections import LineCollection
from tests.ranking.ranked_studies import judged, played
from tests.report.conftest import HOSTILE

import tiebreak
from tiebreak import plots
from tiebreak.errors import UsageError
from tiebreak.report.formats import write_table
from tiebreak.report.leaderboard import render, write_leaderboard
from tiebreak.results.ranks import RankResult

SOUND = {("ant", "bee"): "wwwlwtlw" * 6, ("bee", "cat"): "wtlwlwwl" * 6, ("ant", "cat"): "wwtwlwww" * 6}


@pytest.fixture(scope="module")
def board() -> RankResult:
    return tiebreak.rank(played(SOUND | {("zed", "ant"): "w" * 12}))


def test_the_page_has_everything_and_asks_for_nothing(board: RankResult) -> None:
    page = render(board)
    assert not re.findall(r"(?:src|href)=\"(?!#)", page)
    for words in ("no upper limit of zed", "1st", "What the ratings rest on", "For the paper"):
        assert words in page
    assert page.count("<tr><td>") >= 4
    assert render(board) == page


def test_the_matrix_and_the_axis_are_those_of_the_result(board: RankResult) -> None:
    page = render(board)
    # 30 wins and 6 ties of 48; a rate is as strong as it is far from a half.
    assert 'title="ant against bee: 69% of 48" style="--share:19%"' in page
    assert 'title="zed against ant: 100% of 12" style="--share:50%"' in page
    bars = [
        tuple(map(float, found))
        for found in re.findall(r'class="bar[^"]*" style="left:([\d.]+)%;right:([\d.]+)%', page)
    ]
    assert len(bars) == 4
    assert bars[0][1] == 0  # without an upper end the bar reaches the edge
    assert all(left + right < 100 for left, right in bars)


def test_groups_are_told_apart_on_the_page_in_tables_and_in_pictures(tmp_path: Path) -> None:
    apart = tiebreak.rank(played(SOUND | {("yak", "zebu"): "wlwlw" * 6}))
    for ending in ("md", "tex"):
        write_table(apart, tmp_path / f"board.{ending}")
    assert re.search(r"1st to 5th +\| 2 +\| yak", (tmp_path / "board.md").read_text())
    tex = (tmp_path / "board.tex").read_text()
    assert r"\begin{tabular}{rrlrrrr}" in tex
    assert "1st to 5th & 2 & yak & " in tex
    assert re.findall(r'class="group">(Group \d)<', render(apart)) == ["Group 1", "Group 2"]
    assert 'class="group"' not in render(tiebreak.rank(played(SOUND)))
    one, two = (plots.leaderboard(result).axes[0] for result in (tiebreak.rank(played(SOUND)), apart))
    assert len(two.lines) == len(one.lines) + 1


def test_never_compared_is_not_even(board: RankResult) -> None:
    (image,) = plots.win_rates(board).axes[0].images
    paper, unmet = image.cmap(0.5), image.cmap(np.nan)
    assert np.abs(np.subtract(paper, unmet)).max() > 0.05
    assert "grey" not in plots.win_rates(tiebreak.rank(played(SOUND))).axes[0].get_xlabel()


def test_names_with_markup_are_text(tmp_path: Path) -> None:
    names = dict(zip(("ant", "bee", "cat", "zed"), (*HOSTILE, "ta\tb"), strict=False))
    result = tiebreak.rank(played({(names[a], names[b]): codes for (a, b), codes in SOUND.items()}))
    page = render(result)
    assert not [name for name in names.values() if "<" in name and name in page]
    for ending in ("csv", "md", "tex"):
        write_table(result, tmp_path / f"board.{ending}")
        assert (tmp_path / f"board.{ending}").stat().st_size > 100
    plots.save(plots.leaderboard(result), tmp_path / "board.svg")
    plots.save(plots.win_rates(result), tmp_path / "rates.svg")


def test_the_files_are_written_or_refused(board: RankResult, tmp_path: Path) -> None:
    assert write_leaderboard(board, tmp_path / "board.html").read_text() == render(board)
    with pytest.raises(UsageError, match=r"must end in \.html"):
        write_leaderboard(board, tmp_path / "board.pdf")
    with pytest.raises(UsageError, match=r"must end in \.csv, \.tex, \.md or \.bib"):
        write_table(board, tmp_path / "board.html")


@pytest.mark.parametrize("picture", [plots.leaderboard, plots.win_rates])
@pytest.mark.parametrize("ending", ["svg", "png", "pdf"])
def test_pictures_are_the_same_twice(picture: object, ending: str, board: RankResult, tmp_path: Path) -> None:
    for name in ("one", "two"):
        plots.save(picture(board), tmp_path / f"{name}.{ending}")  # type: ignore[operator]
    assert (tmp_path / f"one.{ending}").read_bytes() == (tmp_path / f"two.{ending}").read_bytes()


def test_pictures_show_the_result(board: RankResult) -> None:
    axes = plots.leaderboard(board).axes[0]
    ranked = board.results[0].davidson.systems
    points = next(line for line in axes.lines if len(line.get_xdata()) == len(ranked))
    assert list(points.get_xdata()) == pytest.approx([one.strength.rating for one in ranked])
    drawn = [found.get_segments()[0][:, 0] for found in axes.collections if isinstance(found, LineCollection)]
    ant = next(k for k, one in enumerate(ranked) if one.system == "ant")
    assert drawn[ant] == pytest.approx([ranked[ant].strength.low, ranked[ant].strength.high])
    rates = np.asarray(plots.win_rates(board).axes[0].images[0].get_array())
    names = [one.system for one in ranked]
    assert rates[names.index("zed"), names.index("ant")] == 1
    assert rates[names.index("ant"), names.index("zed")] == 0


def test_a_picture_shows_one_criterion() -> None:
    rows = judged(items=8)
    two = tiebreak.Study.from_tables(
        preferences=[one | {"criterion": name} for one in rows.preferences.to_dicts() for name in ("a", "b")]
    )
    result = tiebreak.rank(two)
    with pytest.raises(UsageError, match=r"name it with --criterion \(a, b\)"):
        plots.leaderboard(result)
    with pytest.raises(UsageError, match="no criterion 'c'"):
        plots.win_rates(result, "c")
    assert plots.leaderboard(result, "b").axes
