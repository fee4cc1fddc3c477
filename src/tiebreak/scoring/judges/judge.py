"""A judge as it is run: its settings with everything that they leave to their surroundings."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from tiebreak.data.settings import read_judges
from tiebreak.data.study import Study
from tiebreak.errors import ExtraMissingError, InputError, Problem, UsageError, did_you_mean
from tiebreak.scoring.judges.menu import Menu, grade_menu, pair_menu
from tiebreak.scoring.judges.prompt import PromptMessage, Template, read_template
from tiebreak.settings.judge import JudgeSettings, ProviderName

_PLACES: Final[dict[ProviderName, tuple[str, str, str]]] = {
    "openai": ("OPENAI_BASE_URL", "https://api.openai.com/v1", "OPENAI_API_KEY"),
    "anthropic": ("ANTHROPIC_BASE_URL", "https://api.anthropic.com", "ANTHROPIC_API_KEY"),
}
"""By provider: the variable with the address of its server, the usual address, the variable with the key."""

_NO_KEY: Final = "none"
"""What a server of one's own is sent where there is no key; the packages insist on one."""


@dataclass(frozen=True, slots=True)
class Judge:
    """A judge with its `model`, the address of its server, its prompt and its menu. It knows no key."""

    name: str
    settings: JudgeSettings
    model: str
    base_url: str
    template: Template
    menu: Menu

    @property
    def endpoint(self) -> str:
        """What tells this model from others: provider, address and name."""
        return f"{self.settings.provider} {self.base_url} {self.model}"

    @property
    def words(self) -> dict[str, str]:
        """What the placeholders of the prompt stand for that are the same for all texts."""
        settings = self.settings
        usual = "How good is the text?" if settings.grades else "Which text is better?"
        return {
            "question": settings.question or usual,
            "criterion": settings.criterion or "",
            "rubric": settings.rubric or "",
            "answer": self.menu.instruction(structured=settings.structured),
        }

    def message(self, texts: Mapping[str, str]) -> PromptMessage:
        """What the model is sent about these texts."""
        return self.template.filled(texts, self.words)

    def key(self) -> str:
        """The API key, from the environment. A server that a file names, not the user, gets the provider's key only
        where the file says so: the file may be somebody else's.

        Raises:
            UsageError: it is not there, and the server is that of the provider.
        """
        _, usual, variable = _PLACES[self.settings.provider]
        if self.settings.key_from is None and self.settings.base_url is not None and self.base_url != usual:
            return _NO_KEY
        named = self.settings.key_from or variable
        found = os.environ.get(named, "").strip()
        if found:
            return found
        if self.settings.key_from is None and self.base_url != usual:
            return _NO_KEY
        raise UsageError(f"the judge {self.name} needs an API key: set the environment variable {named}")


def find_judge(name: str, study: Study, config: Path | None) -> Judge:
    """The judge of this name in a file of judges or in the study's settings; else the model of that name.

    Raises:
        InputError: the file or the prompt cannot be read, or is wrong.
        UsageError: the file has no such judge, `all` names none, or the address of the server has a password in it.
    """
    if config is not None:
        judges = _judges_in(config)
        if name not in judges:
            known = did_you_mean(name, judges) or f"; it has {', '.join(judges)}"
            raise UsageError(f"{config} has no judge {name!r}{known}")
        settings, folder = judges[name], config.parent
    else:
        if name == "all" and name not in study.settings.judges:
            tables = ", ".join(study.settings.judges) or "a table [judges.NAME] in study.toml, or a model"
            raise UsageError(f"--judge all is of commands that use judges: name each that is to be asked ({tables})")
        settings, folder = study.settings.judges.get(name, JudgeSettings()), study.path or Path()
    prompt = None if settings.prompt is None else folder / settings.prompt
    menu = grade_menu(*map(int, settings.scale)) if settings.grades else pair_menu(settings.labels, ties=settings.ties)
    template = read_template(prompt, grades=settings.grades)
    return Judge(name, settings, settings.model or name, _address(settings), template, menu)


def check_ready(judge: Judge) -> None:
    """Raise UsageError where the package that speaks to the judge's provider is missing, or the API key."""
    from importlib.util import find_spec

    package = judge.settings.provider
    if find_spec(package) is None:
        raise ExtraMissingError(f"the judge {judge.name}", package, "judges")
    judge.key()


def _judges_in(config: Path) -> Mapping[str, JudgeSettings]:
    try:
        text = config.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError([Problem(str(config), f"cannot be read: {error.strerror or error}")]) from error
    except UnicodeDecodeError as error:
        raise InputError([Problem(str(config), f"byte {error.start} is no UTF-8")]) from error
    return read_judges(text, str(config))


def _address(settings: JudgeSettings) -> str:
    variable, usual, _ = _PLACES[settings.provider]
    found = (settings.base_url or os.environ.get(variable, "") or usual).rstrip("/")
    parts = urlsplit(found)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(f"{variable} must be an address such as http://localhost:8000/v1")
    if parts.username or parts.password or parts.query:
        raise UsageError(f"{variable} must hold no user, password or query: keys come from the environment")
    return found
