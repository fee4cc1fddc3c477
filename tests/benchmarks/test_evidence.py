"""The pages of evidence show what the results hold, and the results hold what is promised."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.evidence import TABLES, pages, renewed, used_tables
from benchmarks.evidence_tables import cell, typed
from benchmarks.results import REPOSITORY, RESULTS, read_rows, write_rows

DOCS = REPOSITORY / "docs"
LONGEST = {"evidence.md": 3_000, "methods.md": 4_200}
LONGEST_PAPER = 1_200
RATES = ("one_look", "every_look", "campaigns", "watch", "scores", "rank")


@pytest.mark.parametrize("page", pages(DOCS), ids=lambda page: page.name)
def test_pages_show_the_results(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert renewed(text) == text, "run: python benchmarks/evidence.py --write"
    assert len(text.split()) <= LONGEST.get(page.name, LONGEST_PAPER)


def test_every_table_is_on_a_page_and_every_command_exists() -> None:
    texts = [page.read_text(encoding="utf-8") for page in pages(DOCS)]
    assert sorted(name for text in texts for name in used_tables(text)) == sorted(TABLES)
    commands = [path.read_text(encoding="utf-8").splitlines()[0] for path in RESULTS.glob("*.csv")]
    assert len(commands) > 30
    for command in commands:
        script = command.removeprefix("# python ").split()[0]
        assert (REPOSITORY / script).is_file(), command


@pytest.mark.parametrize("name", RATES)
def test_no_rate_is_far_above_its_promise(name: str) -> None:
    # Five standard errors: among 2,000 shares that err exactly as promised, none is expected beyond that.
    for row in map(typed, read_rows(name)):
        if row["limit"] != "":
            limit, studies = float(row["limit"]), float(row["studies"] or "inf")
            assert float(row["share"]) <= limit + 5 * (limit * (1 - limit) / studies) ** 0.5 + 5e-5, row


def test_controls_err_where_the_rules_hold() -> None:
    for name in ("one_look", "every_look", "campaigns", "watch", "scores", "rank"):
        controls = [float(row["share"]) for row in read_rows(name) if "control" in row["event"]]
        assert max(controls) > 0.4, name


def test_cells_leave_out_what_is_not_known(tmp_path: Path) -> None:
    write_rows(
        "made", ("labels", "error", "name"), [[1234.5678, 2.0, "x"], [3, None, ""]], "python x.py", "here", tmp_path
    )
    first, second = map(typed, read_rows("made", tmp_path))
    template = "{labels:,.0f}[ ± {error:.0f}]"
    assert [cell(template, row) for row in (first, second)] == ["1,235 ± 2", "3"]
    assert [cell("{name}", row) for row in (first, second)] == ["x", "-"]
