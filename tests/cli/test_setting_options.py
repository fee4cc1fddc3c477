"""A field of a settings record is an option: nothing else needs to list it."""

from __future__ import annotations

from dataclasses import dataclass, field, make_dataclass
from typing import Annotated, Any

import pytest
import typer
from typer.testing import CliRunner

from tiebreak.cli.setting_options import with_settings
from tiebreak.errors import UsageError
from tiebreak.settings.checks import check_settings
from tiebreak.settings.setting import Setting, setting


@dataclass(frozen=True, kw_only=True)
class Example:
    rule: str = setting("fixed", Setting("Rule that decides", choices=("fixed", "anytime")))
    margin: float | None = setting(None, Setting("Smallest difference", above=0, below=1))
    threshold: float = setting(0.0, Setting("Largest tie", at_least=0))
    seed: int = setting(3, Setting("Seed", at_least=0))
    metrics: tuple[str, ...] = setting((), Setting("Metric to use", option="metric"))
    systems: tuple[str, ...] | None = setting(None, Setting("Only these systems", listed=True))
    qualities: tuple[float, ...] = setting((0.2, 0.0), Setting("Qualities"))
    human: bool = setting(True, Setting("Use labels", flags="--human/--no-human"))
    only_pairs: tuple[tuple[str, str], ...] = setting((), Setting("Only this pair", option="pair"))
    hidden: str = setting("x", Setting("Not an option", file_only=True))
    inner: int = field(default=1)

    def __post_init__(self) -> None:
        check_settings(self)


def run(record: type[Any], *arguments: str) -> Any:
    seen: list[Any] = []
    app = typer.Typer()

    def command(study: Annotated[str, typer.Argument()], settings: Any, loud: bool = False) -> None:
        seen.append((study, settings, loud))

    command.__annotations__["settings"] = record
    app.command()(with_settings(record)(command))
    found = CliRunner().invoke(app, ["here", *arguments], catch_exceptions=False)
    assert found.exit_code == 0, found.output
    return seen[0][1] if seen else found.output


def test_without_options_a_command_gets_the_defaults() -> None:
    assert run(Example) == Example()


def test_every_kind_of_option_is_read() -> None:
    given = ["--rule", "anytime", "--margin", "0.1", "--seed", "7", "--metric", "bleu", "--metric", "chrf"]
    more = ["--systems", "a, b\\,c", "--qualities", "1,0.5,0", "--no-human"]
    more += ["--pair", "a,b", "--pair", 'c,"d,e"']
    assert run(Example, *given, *more) == Example(
        rule="anytime",
        margin=0.1,
        seed=7,
        metrics=("bleu", "chrf"),
        systems=("a", "b,c"),
        qualities=(1.0, 0.5, 0.0),
        human=False,
        only_pairs=(("a", "b"), ("c", "d,e")),
    )


def test_what_the_record_refuses_the_command_refuses() -> None:
    with pytest.raises(UsageError, match=r"--margin is 2, but must be above 0 and below 1"):
        run(Example, "--margin", "2")
    with pytest.raises(UsageError, match=r"--margin 5%: write a share between 0 and 1 with a point, such as 0\.05"):
        run(Example, "--margin", "5%")
    with pytest.raises(UsageError, match=r"--qualities a,b: write numbers with commas between, such as 0\.2,0"):
        run(Example, "--qualities", "a,b")
    for wrong in ("a", "a,b,c", "a,"):
        with pytest.raises(UsageError, match=rf"--pair {wrong}: write two names with a comma between, such as A,B"):
            run(Example, "--pair", wrong)


def test_help_says_what_the_record_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    text = run(Example, "--help")
    assert "[default: 3]" in text
    assert "Largest tie. [default: 0]" in " ".join(text.replace("│", " ").split())
    assert "--hidden" not in text
    assert "--inner" not in text


def test_a_field_more_is_an_option_more() -> None:
    larger = make_dataclass(
        "Larger",
        [("patience", int, setting(5, Setting("Looks without progress", at_least=1)))],
        bases=(Example,),
        frozen=True,
        kw_only=True,
    )
    assert run(larger, "--patience", "9", "--seed", "1") == larger(patience=9, seed=1)
    assert run(larger) == larger()
