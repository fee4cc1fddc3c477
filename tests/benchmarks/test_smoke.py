"""Each benchmark at a tiny scale: it writes its files, with the columns of the results that are kept."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from benchmarks.cells import Cell, Counts, Found, Rng, too_high
from benchmarks.papers import (
    dynamic_human_evaluation,
    metric_error_correction,
    metric_error_joint,
    price_of_debiasing,
)
from benchmarks.papers.debiasing import stopping
from benchmarks.results import REPOSITORY, RESULTS, read_rows
from scipy.stats import binom

from benchmarks import cells, other_packages, pages, planned, sheets, speed
from tiebreak.rules.rule import MeasureFacts, Units
from tiebreak.rules.width import RULE as WIDTH
from tiebreak.settings.protocol import DecisionSettings

BENCHMARKS = REPOSITORY / "benchmarks"
CERTIFICATIONS = {
    "one_look": ("one_look", "one_look_real"),
    "every_look": ("every_look", "every_look_labels"),
    "campaigns": ("campaigns", "campaigns_labels"),
    "watch": ("watch",),
    "scores": ("scores",),
    "rank": ("rank",),
}
PAPERS = {
    "dynamic": (dynamic_human_evaluation, ["--iterations", "2", "--redraws", "2", "--workers", "1"]),
    "metric_error_joint": (metric_error_joint, ["--scale", "0.001"]),
    "price": (price_of_debiasing, ["--scale", "0.05"]),
}
SLOW = ("dynamic", "metric_error_joint", "price")
"""Ten seconds or more at the smallest scale."""


def arguments(folder: Path, *more: str) -> list[str]:
    """All that is read and written is in a temporary folder."""
    return ["--cache", f"{folder / 'cache'}", "--data", f"{folder}", "--results", f"{folder / 'results'}", *more]


def columns(name: str, folder: Path) -> str:
    """The header of a file, below its two comments."""
    return (folder / f"{name}.csv").read_text(encoding="utf-8").splitlines()[2]


def check_written(folder: Path, names: Sequence[str]) -> None:
    """These files and no others, with the columns that are kept."""
    assert sorted(path.stem for path in folder.glob("*.csv")) == sorted(names)
    for name in names:
        assert columns(name, folder) == columns(name, RESULTS), name


@pytest.mark.parametrize("name", CERTIFICATIONS)
def test_certifications(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One cell of each section, two studies each; the worlds of all cells are those that are kept."""
    every: list[Cell] = []

    def few(modules: Sequence[ModuleType], scale: float) -> list[Cell]:
        every.extend(all_cells(modules, scale))
        small = [cell for cell in every if "3,000" not in cell.world and "100 systems" not in cell.world]
        return list({cell.section: cell for cell in reversed(small)}.values())

    all_cells = cells.all_cells
    monkeypatch.setattr(cells, "all_cells", few)
    command = importlib.import_module(f"benchmarks.{name}")
    assert command.main(arguments(tmp_path, "--scale", "0.0001", "--write")) in (0, 1)
    check_written(tmp_path / "results", CERTIFICATIONS[name])
    assert len({cell.key for cell in every}) == len(every)
    kept = {(row["section"], row["world"]) for row in read_rows(name)}
    assert kept <= {(cell.section, cell.world) for cell in every}
    assert command.main(arguments(tmp_path, "--scale", "0.0001")) in (0, 1), "from the cache"


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.full if name in SLOW else ()) for name in PAPERS]
)
def test_papers(name: str, tmp_path: Path) -> None:
    module, more = PAPERS[name]
    assert module.main(arguments(tmp_path, "--write", *more)) == 0
    written = [path.stem for path in (tmp_path / "results").glob(f"{name}*.csv")]
    assert written
    check_written(tmp_path / "results", written)


def test_campaigns_of_ratings_stop_where_the_rule_does_and_their_intervals_hold() -> None:
    ratings, metric = map(np.concatenate, zip(*stopping.simulated(0.5, 750, outputs=200), strict=True))
    facts = MeasureFacts(200, outcomes_only=False, pool_size=200, half_width=0.2)
    settings = DecisionSettings("width")
    plans = WIDTH.prepare([facts], settings)
    _, path = WIDTH.advance(plans[0], WIDTH.start(plans[0], 4), Units.labelled(ratings[:4]))
    narrow = WIDTH.verdicts(plans, path[:, :, None], settings)[..., 0] != 0
    assert (narrow.argmax(axis=1) + 1).tolist() == stopping.stops(ratings[:4], 0.2)[0].tolist()
    for missed in (stopping.stops(ratings, 0.05)[1], stopping.stops(ratings, 0.05, metric)[1]):
        assert missed.sum() <= binom.ppf(0.999, missed.size, 0.05)


def test_metric_error_correction(real_studies: Path, tmp_path: Path) -> None:
    more = ("--data", f"{real_studies}", "--finished-only", "--scale", "0.01", "--write")
    assert metric_error_correction.main(arguments(tmp_path, *more)) == 0
    found = read_rows("metric_error_naive", tmp_path / "results")
    kept = read_rows("metric_error_naive")
    assert [(row["domain"], row["with"], row["source"]) for row in found] == [
        (row["domain"], row["with"], row["source"]) for row in kept
    ]
    assert [round(float(row["correct"]), 2) for row in found] == [float(row["correct"]) for row in kept]


def test_planned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planned, "WORLDS", planned.WORLDS[1:2])
    assert planned.main(arguments(tmp_path, "--scale", "0.01", "--write")) == 0
    check_written(tmp_path / "results", ("planned",))


def test_other_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Packages that are missing are skipped."""
    monkeypatch.setattr(other_packages, "PACKAGES", ("evalstats", "truescore"))  # are not installed for tests
    assert other_packages.main(arguments(tmp_path, "--scale", "0.01", "--write")) == 0
    check_written(tmp_path / "results", ("other_packages",))


def test_speed(tmp_path: Path) -> None:
    """Some cases: those in one process, and one that reads a made study."""
    assert speed.main(["label", "scaling", *arguments(tmp_path, "--scale", "0.002")]) == 0
    check_written(tmp_path / "cache" / "results", ("speed",))


# ---- what all share --------------------------------------------------------------------------------------------


def test_a_broken_promise_is_found_and_luck_is_not() -> None:
    def measure(_: Rng, __: int) -> Counts:
        return {}

    cell = Cell("means", "a world", "ordinary", measure, 1_000, (), ("wrong 0.05",))
    assert too_high([Found(cell, {"wrong 0.05": 55.0}, 1_000)]) == []
    assert len(too_high([Found(cell, {"wrong 0.05": 110.0}, 1_000)])) == 1
    corner = replace(cell, promise="corner")
    assert too_high([Found(corner, {"wrong 0.05": 80.0}, 1_000)]) == []
    computed = replace(cell, promise="exact", runs=0)
    assert len(too_high([Found(computed, {"wrong 0.05": 0.0501}, 0)])) == 1


def test_no_benchmark_imports_tests() -> None:
    """Benchmarks run from a checkout without tests."""
    files = sorted(BENCHMARKS.rglob("*.py"))
    assert len(files) > 40  # the search still finds them
    for file in files:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not {name.split(".")[0] for name in names} & {"tests", "conftest", "pytest"}, file


def test_campaigns_in_sheets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sheets, "SETTINGS", sheets.SETTINGS[:3])
    monkeypatch.setattr(sheets, "write_rows", partial(sheets.write_rows, folder=tmp_path))
    assert sheets.main(["--campaigns", "1", "--write"]) == 0
    assert read_rows("sheets", tmp_path)[0].keys() == read_rows("sheets")[0].keys()


def test_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "write_rows", partial(pages.write_rows, folder=tmp_path))
    monkeypatch.setattr(pages, "_SECONDS_PER_LABEL", 0.5)
    assert pages.main(["--people", "3", "--seconds", "2", "--labels", "600", "--write"]) == 0
    for name in ("pages", "pages_start"):
        assert read_rows(name, tmp_path)[0].keys() == read_rows(name)[0].keys()
