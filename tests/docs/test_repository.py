"""What greets whoever opens the repository: files that name only what there is."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest
import yaml
from typer.main import get_command

from tiebreak.cli.commands import app
from tiebreak.results.progress import CampaignProgress, OwnAnalysis, WatchProgress
from tiebreak.version import __version__

ROOT = Path(__file__).parents[2]
SKILL = ROOT / "skills" / "tiebreak" / "SKILL.md"


@pytest.mark.parametrize("name", ["llms.txt", "skills/tiebreak/SKILL.md", "CODE_OF_CONDUCT.md"])
def test_every_link_leads_to_a_file(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)#]+)", text)
    assert name != "llms.txt" or len(links) > 10
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_the_skill_names_commands_and_options_that_there_are() -> None:
    commands = get_command(app).commands  # type: ignore[attr-defined]
    rows = re.findall(r"`tiebreak ([a-z]+)([^`]*)`", SKILL.read_text(encoding="utf-8"))
    assert len(rows) > 7
    for name, rest in rows:
        command = commands[name]
        every = (command, *getattr(command, "commands", {}).values())
        options = {word for of in every for parameter in of.params for word in parameter.opts}
        assert [word for word in re.findall(r"--[a-z-]+", rest) if word not in options] == []


def test_the_container_copies_and_runs_what_there_is() -> None:
    lines = re.sub(r"\\\n", "", (ROOT / "Containerfile").read_text(encoding="utf-8")).splitlines()
    said = {word: [line.partition(" ")[2] for line in lines if line.startswith(f"{word} ")] for word in ("COPY", "CMD")}
    copied = [path for line in said["COPY"] for path in line.split()[:-1]]
    assert [path for path in copied if not (ROOT / path).exists()] == []
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert {project["readme"], *project["license-files"], "src"} <= set(copied)
    (extras,) = re.findall(r"\[([a-z,]+)\]", "\n".join(lines).partition("CMD")[0])
    assert set(extras.split(",")) <= set(project["optional-dependencies"])
    (shell,) = map(json.loads, said["CMD"])
    program, group, command, *words = shlex.split(shell[-1].removeprefix("exec "))
    assert program in project["scripts"]
    options = {word for of in get_command(app).commands[group].commands[command].params for word in of.opts}  # type: ignore[attr-defined]
    assert {word for word in words if word.startswith("--")} <= options
    assert set(re.findall(r"\$(\w+)", shell[-1])) <= set(re.findall(r"(\w+)=", "\n".join(lines)))
    assert any(line.startswith("USER ") for line in lines)


def test_the_citation_is_that_of_this_version() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert (citation["version"], citation["license"]) == (__version__, "Apache-2.0")


@pytest.mark.parametrize("path", sorted((ROOT / ".github").rglob("*.*")), ids=lambda path: path.name)
def test_what_github_reads_is_well_formed(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        text = text.split("---")[1]
    assert {"name"} <= set(yaml.safe_load(text))


@pytest.mark.parametrize(
    ("key", "record"), [("campaign", CampaignProgress), ("watch", WatchProgress), ("own_analysis", OwnAnalysis)]
)
def test_the_page_of_compare_names_the_keys_of_its_document(key: str, record: type) -> None:
    page = (ROOT / "docs" / "compare.md").read_text(encoding="utf-8")
    (said,) = re.findall(rf"^- `{key}`: (.*?)\n(?=- |\n)", page, re.MULTILINE | re.DOTALL)
    keys = {"of" if one.name == "name" else one.name for one in fields(record)}
    assert set(re.findall(r"`([a-z_]+)`", said)) == keys
