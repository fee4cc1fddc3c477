"""What greets whoever opens the repository: files that name only what there is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from typer.main import get_command

from tiebreak.cli.commands import app
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


def test_the_citation_is_that_of_this_version() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert (citation["version"], citation["license"]) == (__version__, "Apache-2.0")


@pytest.mark.parametrize("path", sorted((ROOT / ".github").rglob("*.*")), ids=lambda path: path.name)
def test_what_github_reads_is_well_formed(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        text = text.split("---")[1]
    assert {"name"} <= set(yaml.safe_load(text))
