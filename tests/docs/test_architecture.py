"""CONTRIBUTING shows the code as it is: the layers that are checked, and folders and files that exist."""

from __future__ import annotations

import re
import tomllib

import pytest
from tests.docs.documents import PAGES, REPOSITORY, blocks

CONTRIBUTING = REPOSITORY / "CONTRIBUTING.md"
NOT_THERE = {"cli/NAME.py", "study/", "full/"}
"""A placeholder, and folders of users."""


def picture() -> list[list[str]]:
    """The cells of the picture's rows, its header first."""
    (drawn,) = (block.body for block in blocks(CONTRIBUTING.read_text(encoding="utf-8")) if "┌" in block.body)
    lines = drawn.splitlines()
    assert len(lines) <= 30
    assert {len(line) for line in lines} == {len(lines[0])}
    assert len(lines[0]) <= 100
    return [[cell.strip() for cell in line.strip("│").split("│")] for line in lines if line.startswith("│")]


def test_the_picture_has_the_layers_that_are_checked() -> None:
    settings = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    contract = next(found for found in settings["tool"]["importlinter"]["contracts"] if found["type"] == "layers")
    assert [row[0] for row in picture()[1:]] == contract["layers"]


@pytest.mark.parametrize(("column", "steps"), [(1, 8), (2, 7)])
def test_the_path_of_a_label_has_every_step_once(column: int, steps: int) -> None:
    numbers = [int(found[0]) for row in picture() if (found := re.match(r"\d", row[column]))]
    assert sorted(numbers) == list(range(1, steps + 1))


def test_a_step_that_names_a_layer_stands_beside_it() -> None:
    for row in picture()[1:]:
        for named in re.findall(r"\((\w+)\)", " ".join(row[1:])):
            assert named in row[0].split(" | ")


def test_every_layer_is_described() -> None:
    described = set(re.findall(r"^\| (`.+?`) \|", CONTRIBUTING.read_text(encoding="utf-8"), re.MULTILINE))
    names = {name.strip("`/").removesuffix(".py") for cell in described for name in re.findall(r"`.+?`", cell)}
    layers = {name for row in picture()[1:] for name in row[0].split(" | ")}
    assert layers - names == {"__main__", "plots", "version"}  # one line each


def test_files_and_folders_that_pages_name_exist() -> None:
    there = {f"/{path.relative_to(REPOSITORY)}" for top in ("src", "benchmarks", "tests", "docs")
             for path in (REPOSITORY / top, *(REPOSITORY / top).rglob("*"))}  # fmt: skip
    missing = [
        (page.name, name)
        for page in PAGES
        for name in re.findall(r"`([a-zA-Z_/]+(?:\.py|/))`", page.read_text(encoding="utf-8"))
        if name not in NOT_THERE and not any(path.endswith(f"/{name.rstrip('/')}") for path in there)
    ]
    assert not missing
