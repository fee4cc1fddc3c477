"""Everything that the documentation shows is run, and everything that exists is documented."""

from __future__ import annotations

import json
import re
import shutil
import tomllib
from collections.abc import Iterator
from pathlib import Path

import click
import polars as pl
import pytest
import typer
from tests.docs.documents import (
    PAGES,
    REPOSITORY,
    blocks,
    examples,
    missing_lines,
    run_command,
    run_python,
    without_blocks,
)
from tests.scoring.judges.model_server import ModelServer, factual, serving

import tiebreak
from tiebreak.campaign import Protocol, protocol_from_toml
from tiebreak.cli.commands import app
from tiebreak.data.problems import ProblemLog
from tiebreak.data.schema import TABLES
from tiebreak.data.settings import read_settings
from tiebreak.importers.recipe import recipe_from
from tiebreak.live.tutorial import read_tutorial
from tiebreak.records import MULTIPLICITIES
from tiebreak.results.records import MetricUse, Saving
from tiebreak.rules.registry import pair_rules

DOCS = REPOSITORY / "docs"
SLOW = ("tutorial_training.md",)  # it trains a writer and an evaluator, for a minute and a half
EXECUTED = [
    pytest.param(page, marks=pytest.mark.full if page.name in SLOW else ())
    for page in PAGES
    if any(block.kind in ("console", "python") for block in blocks(page.read_text(encoding="utf-8")))
]
KNOWN_KINDS = {"console", "python", "toml", "csv", "jsonl", "sh", "yaml", ""}


def name_of(page: Path) -> str:
    return str(page.relative_to(REPOSITORY))


@pytest.fixture(scope="session")
def demo_study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's study, written once."""
    folder = tmp_path_factory.mktemp("docs") / "demo"
    exit_code, output = run_command(f"tiebreak demo '{folder}'")
    assert exit_code == 0, output
    return folder


@pytest.fixture(scope="session")
def models() -> Iterator[ModelServer]:
    """A server that plays a provider of models, all of which count facts."""
    with serving(factual) as server:
        yield server


@pytest.fixture
def workplace(tmp_path: Path, demo_study: Path, models: ModelServer, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the demo's study in it, where the examples of one page run, and models to ask."""
    shutil.copytree(demo_study, tmp_path / "demo")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("OPENAI_BASE_URL", models.url)
    return tmp_path


@pytest.mark.parametrize("page", EXECUTED, ids=name_of)
def test_examples_do_what_they_show(page: Path, workplace: Path) -> None:
    names: dict[str, object] = {}
    for block in blocks(page.read_text(encoding="utf-8")):
        place = f"{name_of(page)}, line {block.line}"
        if block.file is not None:
            file = workplace / block.file
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block.body, encoding="utf-8")
        elif block.kind == "python":
            printed, promised = run_python(block.body, names)
            assert printed == promised, place
        elif block.kind == "console":
            for example in examples(block.body):
                exit_code, output = run_command(example.command)
                assert exit_code == example.exit_code, f"{place}: {example.command}\n{output}"
                missing = missing_lines(example.shown, output)
                assert not missing, (
                    f"{place}: {example.command} does not print\n" + "\n".join(missing) + f"\n\n{output}"
                )


def test_the_picture_of_the_readme_is_what_its_command_draws(workplace: Path) -> None:
    exit_code, output = run_command("tiebreak plot evidence demo --rule anytime --pair aspen,birch -o evidence.svg")
    assert exit_code == 0, output
    assert (workplace / "evidence.svg").read_bytes() == (DOCS / "demo_evidence.svg").read_bytes()


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_blocks_are_of_a_known_kind(page: Path) -> None:
    found = blocks(page.read_text(encoding="utf-8"))
    assert {block.kind for block in found} <= KNOWN_KINDS
    for block in found:
        if block.kind == "toml" and block.file == "protocol.toml":
            protocol_from_toml(block.body)
        elif block.kind == "toml" and block.file == "tutorial.toml":
            read_tutorial(block.body, block.file, Protocol())
        elif block.kind == "toml" and "[fields]" in block.body:
            recipe_from(block.body, block.file)
        elif block.kind == "toml":
            log = ProblemLog()
            read_settings(block.body.encode(), "study.toml", log)
            assert not log.problems, log.problems
        if block.kind in ("csv", "jsonl"):
            assert block.file is not None, f"{name_of(page)}, line {block.line}: say which file this is"


def slugs(text: str) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", without_blocks(text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_resolve(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", without_blocks(page.read_text(encoding="utf-8"))):
        if target.startswith(("https://", "mailto:")):
            continue
        file, _, anchor = target.partition("#")
        linked = (page.parent / file).resolve() if file else page
        assert linked.is_file(), f"{name_of(page)} links to {target}, which does not exist"
        assert linked.is_relative_to(REPOSITORY)
        if anchor:
            assert anchor in slugs(linked.read_text(encoding="utf-8")), f"{name_of(page)}: no heading for {target}"


def test_lines_of_the_contributing_page_are_short() -> None:
    text = without_blocks((REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    assert [line for line in text.splitlines() if len(line) > 120 and not line.startswith("|")] == []


def test_every_page_is_in_the_index() -> None:
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    names = [str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md")]
    assert not [name for name in names if name != "index.md" and f"]({name})" not in index]


def commands() -> Iterator[tuple[str, click.Command]]:
    """Every command with its full name, groups included."""

    def below(name: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
        yield name, command
        for child, found in getattr(command, "commands", {}).items():
            yield from below(f"{name} {child}", found)

    yield from below("tiebreak", typer.main.get_command(app))  # type: ignore[arg-type]


COMMANDS = dict(commands())


@pytest.mark.parametrize("name", COMMANDS)
def test_commands_and_options_are_documented(name: str) -> None:
    command = COMMANDS[name]
    pages = [text for page in DOCS.glob("*.md") if re.search(rf"{name}\b", text := page.read_text(encoding="utf-8"))]
    assert pages, f"no page of the docs names {name}"
    assert command.help, f"{name} has no help"
    for parameter in command.params:
        for option in (*parameter.opts, *parameter.secondary_opts):
            if option.startswith("-") and option != "--help":
                documented = any(re.search(rf"`{option}[ `,]", text) for text in pages)
                assert documented, f"no page that names {name} explains {option}"


def keys_of(document: object) -> set[str]:
    """All keys of a JSON document, except inside settings and warnings, whose keys are options and figures."""
    if isinstance(document, list):
        return set().union(*map(keys_of, document)) if document else set()
    if not isinstance(document, dict):
        return set()
    inner = {key: value for key, value in document.items() if key not in ("terms", "warnings", "agreement")}
    return set(document) | keys_of(list(inner.values()))


def test_every_key_of_the_json_document_is_documented(demo_study: Path) -> None:
    page = (DOCS / "compare.md").read_text(encoding="utf-8")
    document = tiebreak.compare(tiebreak.read_study(demo_study)).to_dict()
    missing = sorted(key for key in keys_of(document) if f"`{key}`" not in page)
    assert not missing


def test_every_key_of_the_metric_is_documented() -> None:
    page = (DOCS / "score.md").read_text(encoding="utf-8")
    use = MetricUse(("bleu",), ((0, 0, 0),) * 3, None, 0, saved=Saving(0.1, 0.0, 0.2))
    assert not [key for key in keys_of(use.to_dict()) if f"`{key}`" not in page]


def test_every_key_of_an_audit_is_documented(demo_study: Path) -> None:
    page = (DOCS / "audit.md").read_text(encoding="utf-8")
    study = tiebreak.read_study(demo_study)
    one = study.preferences.select("item", "system_a", "system_b", "left", "outcome", judge=pl.lit("x"))
    first, second = pl.col("system_a"), pl.col("system_b")
    other = one.with_columns(left=pl.when(pl.col("left") == first).then(second).otherwise(first))
    replies = pl.concat([one, other])
    found = tiebreak.audit(tiebreak.Study.from_tables(preferences=study.preferences, judge_preferences=replies))
    missing = sorted(key for key in keys_of(found.to_dict()) if not re.search(rf"\b{key}\b", page))
    assert not missing


def test_every_key_of_score_is_documented(workplace: Path) -> None:
    command = "tiebreak score demo --metric length --judge m --pair aspen,birch --number-of-items 2 --yes --json"
    exit_code, output = run_command(command)
    assert exit_code == 0, output
    document = json.loads(output.splitlines()[0])
    assert (workplace / "demo" / "scores.csv").exists()
    page = (DOCS / "score.md").read_text(encoding="utf-8")
    assert not sorted(key for key in keys_of(document) if f"`{key}`" not in page)


def test_every_key_of_a_leaderboard_is_documented(demo_study: Path) -> None:
    page = (DOCS / "rank.md").read_text(encoding="utf-8")
    found = tiebreak.rank(tiebreak.read_study(demo_study)).to_dict()
    names = keys_of({key: value for key, value in found.items() if key != "settings"}) | {"settings"}
    fixed = {"most-informative", "winner"}  # rules
    assert not sorted(key for key in names - fixed if not re.search(rf"`[^`]*\b{key}\b[^`]*`", page))


def test_every_method_and_multiplicity_is_documented() -> None:
    page = (DOCS / "compare.md").read_text(encoding="utf-8")
    assert not [name for name in (*pair_rules(), *MULTIPLICITIES) if f"| `{name}` |" not in page]


def test_every_table_and_column_is_documented() -> None:
    page = (DOCS / "study-folder.md").read_text(encoding="utf-8")
    for table, spec in TABLES.items():
        row = next(line for line in page.splitlines() if line.startswith(f"| `{table}` |"))
        for column in spec.columns:
            assert re.search(rf"(\[|\b){column.name}\b", row), f"{column.name} of {table}"


def test_the_full_example_has_every_table() -> None:
    text = (DOCS / "study-folder.md").read_text(encoding="utf-8")
    tables = {Path(block.file).stem for block in blocks(text) if block.file and block.file.startswith("full/")}
    assert tables == {*TABLES, "study"}


def test_public_names_are_documented() -> None:
    text = "\n".join((DOCS / page).read_text(encoding="utf-8") for page in ("python.md", "errors.md"))
    missing = [name for name in tiebreak.__all__ if name not in text and name not in ("__version__", "Diagnosis")]
    assert not missing


def test_dependencies_are_explained() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    listed = [
        *project["dependencies"],
        *(name for extra in project["optional-dependencies"].values() for name in extra),
    ]
    page = (DOCS / "dependencies.md").read_text(encoding="utf-8")
    assert not [name for entry in listed if (name := re.split(r"[<>=\[]", entry)[0]) not in page]


def test_make_demo_is_tiebreak_demo() -> None:
    makefile = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
    assert re.search(r"^demo:.*\n\t\$\(BIN\)/tiebreak demo$", makefile, re.MULTILINE)


def test_nothing_names_a_machine() -> None:
    for page in PAGES:
        assert not re.findall(r"(?<![\w.])/(?:work|root|tmp|home)/", page.read_text(encoding="utf-8")), name_of(page)


def test_the_checks_can_fail(workplace: Path) -> None:
    # A page that shows the wrong output, a lost line, a wrong exit code, or prints something else.
    output = "one\ntwo  \nthree\nfour\n"
    assert missing_lines(("one", "two", "...", "four"), output) == []
    assert missing_lines(("...", "three"), output) == []
    assert missing_lines(("one", "three"), output) == ["one", "three"]
    assert missing_lines(("four", "...", "one"), output) == ["one"]
    assert run_command("tiebreak compare nowhere")[0] == 1
    assert run_command("tiebreak compare demo --alpha 5")[0] == 2
    assert run_python("print(1)\n#> 2\n", {}) == (["1"], ["2"])
    with pytest.raises(ValueError, match="tiebreak commands only"):
        run_command("rm -r demo")
    assert blocks("<!-- file: x/y.csv -->\n```csv\na,b\n```\n")[0].file == "x/y.csv"
    assert pl.read_csv(workplace / "demo" / "preferences.csv").height == 1800


def test_every_metric_of_score_is_explained() -> None:
    from tiebreak.scoring.registry import known_metrics

    page = (DOCS / "score.md").read_text(encoding="utf-8")
    table = "\n".join(line for line in page.splitlines() if line.startswith("| `"))
    assert [name for name in known_metrics().metrics if f"`{name}`" not in table] == []
