"""study.toml: what the tables cannot say about a study."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any, Final

from tiebreak.data.csv_files import check_text
from tiebreak.data.problems import ProblemLog
from tiebreak.data.study_toml import (
    EXAMPLE,
    SYSTEM_KEYS,
    SystemSettings,
    in_two_parts,
    judge_settings,
    judge_to_toml,
    quoted,
    to_toml,
    why_not,
)
from tiebreak.errors import Problem, UsageError, did_you_mean
from tiebreak.parsing import ParsingError, parse_toml
from tiebreak.settings.judge import JudgeSettings
from tiebreak.settings.shared import LARGEST_PRICE, LARGEST_RATING

_PRICE_WORDS: Final = f"must be a number from 0 to {LARGEST_PRICE:,}"
_KEYS: Final = ("title", "criteria", "price_per_label", "currency", "higher_is_better", "scale", "systems", "judges")
_SCALE_WORDS: Final = "must be the lowest and the highest rating, such as [1, 5]"


@dataclass(frozen=True, slots=True)
class StudySettings:
    """`title` for reports; `criteria`: those to analyse, in this order (None: all that have labels);
    `higher_is_better` per metric (one that is absent: not said); `price_per_label` in `currency`, from 0 to a billion.
    `scale`: per criterion the lowest and the highest rating that could be given; `systems`: what is known of a system;
    `judges`: how `score` asks judges.

    Raises:
        UsageError: a price out of range, a scale without length.
    """

    title: str | None = None
    criteria: tuple[str, ...] | None = None
    higher_is_better: Mapping[str, bool] = field(default_factory=lambda: MappingProxyType({}))
    price_per_label: float | None = None
    currency: str = "$"
    scale: Mapping[str, tuple[float, float]] = field(default_factory=lambda: MappingProxyType({}))
    systems: Mapping[str, SystemSettings] = field(default_factory=lambda: MappingProxyType({}))
    judges: Mapping[str, JudgeSettings] = field(default_factory=lambda: MappingProxyType({}))

    def __post_init__(self) -> None:
        for name in _MAPPINGS:
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))  # nobody else's
        for criterion, ends in self.scale.items():
            if not _is_scale(ends):
                raise UsageError(f"the scale of {criterion} is {ends!r}, but {_SCALE_WORDS}")
        if self.price_per_label is not None and not _is_price(self.price_per_label):
            raise UsageError(f"price_per_label is {self.price_per_label}, but {_PRICE_WORDS}")

    def __reduce__(self) -> tuple[type[StudySettings], tuple[Any, ...]]:
        """For pickle, which does not know what a read-only mapping is."""
        values = {known.name: getattr(self, known.name) for known in fields(self)}
        return StudySettings, tuple(dict(value) if name in _MAPPINGS else value for name, value in values.items())


_MAPPINGS: Final = ("higher_is_better", "scale", "systems", "judges")


def _is_scale(value: object) -> bool:
    if not isinstance(value, (list, tuple)) or len(value) != 2:
        return False
    numbers = [end for end in value if isinstance(end, (int, float)) and not isinstance(end, bool)]
    return len(numbers) == 2 and all(abs(end) <= LARGEST_RATING for end in numbers) and numbers[0] < numbers[1]


def _is_price(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= LARGEST_PRICE


def read_settings(data: bytes, file: str, log: ProblemLog) -> StudySettings:
    """The settings in the bytes of a study.toml; problems go to the log (the result is then not to be used).

    An empty file is fine: it sets nothing.
    """
    if not data.strip():
        return StudySettings()
    text = check_text(data, file, log)
    if text is None:
        return StudySettings()
    try:
        parsed = parse_toml(text.decode("utf-8"))
    except ParsingError as error:
        at = "" if error.character is None else f", character {error.character} of the line"
        log.add(Problem(file, f"invalid TOML{at}: {error}", error.line))
        return StudySettings()
    return _Reader(parsed, text.decode("utf-8"), file, log).settings()


class _Reader:
    """Checks each key of a parsed study.toml."""

    def __init__(self, parsed: dict[str, Any], text: str, file: str, log: ProblemLog) -> None:
        self._parsed, self._lines, self._file, self._log = parsed, text.splitlines(), file, log

    def settings(self) -> StudySettings:
        """What the file says; what is wrong goes to the log and is left at its default."""
        for key in self._parsed:
            if key not in _KEYS:
                hint = did_you_mean(key, _KEYS) or f"; known keys are {', '.join(_KEYS)}"
                self._wrong(key, None, f"unknown key{hint}")
        return StudySettings(
            title=self._text("title", None),
            criteria=self._criteria(),
            higher_is_better=self._directions(),
            price_per_label=self._price(),
            currency=self._text("currency", "$") or "$",
            scale=self._scales(),
            systems=self._systems(),
            judges=self._judges(),
        )

    def _wrong(self, key: str, value: object, message: str, below: str = "") -> None:
        """`below`: what stands in the key's line or in one before it, where many tables have this key."""
        start = next((n for n, text in enumerate(self._lines) if below in text), 0)
        lines = enumerate(self._lines[start:], start + 1)
        line = next((n for n, text in lines if text.strip(" \t[\"'").startswith(key)), start + 1 if below else None)
        shown = None if value is None else json.dumps(value, default=str)
        self._log.add(Problem(self._file, message, line, key, shown, part="key"))

    def _text(self, key: str, default: str | None) -> str | None:
        value = self._parsed.get(key, default)
        if value is not None and not isinstance(value, str):
            self._wrong(key, value, 'must be text in quotes, such as "Summaries, May"')
            return default
        return value

    def _criteria(self) -> tuple[str, ...] | None:
        value = self._parsed.get("criteria")
        if value is None:
            return None
        if not isinstance(value, list) or not all(isinstance(name, str) and name.strip() for name in value):
            self._wrong("criteria", value, 'must be a list of names, such as ["fluency", "relevance"]')
            return None
        if len(set(value)) < len(value) or not value:
            self._wrong("criteria", value, "must name each criterion once, and at least one")
            return None
        return tuple(value)

    def _price(self) -> float | None:
        value = self._parsed.get("price_per_label")
        if value is None:
            return None
        if not _is_price(value):
            self._wrong("price_per_label", value, _PRICE_WORDS)
            return None
        return float(value)

    def _table(self, key: str, example: str) -> dict[str, Any]:
        value = self._parsed.get(key, {})
        if not isinstance(value, dict):
            self._wrong(key, value, f"must be a table, such as\n[{key}]\n{example}")
            return {}
        return value

    def _directions(self) -> Mapping[str, bool]:
        directions = {}
        for metric, value in self._table("higher_is_better", "bleu = true").items():
            if isinstance(value, bool):
                directions[metric] = value
            else:
                self._wrong(metric, value, "must be true or false (a metric with a dot in its name needs quotes)")
        return MappingProxyType(directions)

    def _scales(self) -> Mapping[str, tuple[float, float]]:
        scales = {}
        for criterion, ends in self._table("scale", "fluency = [1, 5]").items():
            if _is_scale(ends):
                scales[criterion] = (float(ends[0]), float(ends[1]))
            else:
                dotted = " (a criterion with a dot in its name needs quotes)" if isinstance(ends, dict) else ""
                self._wrong(criterion, ends, f"{_SCALE_WORDS}{dotted}")
        return MappingProxyType(scales)

    def _systems(self) -> Mapping[str, SystemSettings]:
        systems = {}
        for name, table in self._table("systems", '"my-model" = { run = "lr-1e-4", step = 1000 }').items():
            if not isinstance(table, dict):
                self._wrong(name, table, 'must be a table, such as { run = "lr-1e-4", step = 1000 }')
                continue
            wrong = {key: why for key, value in table.items() if (why := why_not(key, value)) is not None}
            for key, why in wrong.items():
                if split := in_two_parts("systems", name, key, table[key], SYSTEM_KEYS):
                    self._wrong(split[0], None, split[1], below=split[0])
                else:
                    self._wrong(key, table[key], f"{why} (of the system {name})", below=name)
            if not wrong:
                try:
                    systems[name] = SystemSettings(**table)
                except UsageError as error:
                    self._wrong("step", table["step"], f"{error} (of the system {name})", below=name)
        return MappingProxyType(systems)

    def _judges(self) -> Mapping[str, JudgeSettings]:
        judges = {}
        for name, table in self._table("judges", EXAMPLE).items():

            def report(key: str, value: object, message: str, name: str = name) -> None:
                self._wrong(key, value, message, below=name)

            found = judge_settings(name, table, report)
            if found is not None:
                judges[name] = found
        return MappingProxyType(judges)


def settings_to_toml(settings: StudySettings) -> str:
    """The study.toml that reads back as these settings; empty where all are the defaults."""
    lines = []
    if settings.title is not None:
        lines.append(f"title = {quoted(settings.title)}")
    if settings.criteria is not None:
        lines.append(f"criteria = [{', '.join(map(quoted, settings.criteria))}]")
    if settings.price_per_label is not None:
        lines.append(f"price_per_label = {settings.price_per_label!r}")
    if settings.currency != "$":
        lines.append(f"currency = {quoted(settings.currency)}")
    if settings.higher_is_better:
        lines += ["", "[higher_is_better]"]
        lines += [f"{quoted(name)} = {str(up).lower()}" for name, up in settings.higher_is_better.items()]
    if settings.scale:
        lines += ["", "[scale]"]
        lines += [f"{quoted(name)} = [{_plain(low)}, {_plain(high)}]" for name, (low, high) in settings.scale.items()]
    lines += systems_to_toml(settings.systems)
    for name, judge in settings.judges.items():
        lines += ["", f"[judges.{quoted(name)}]", *judge_to_toml(judge)]
    return "\n".join(lines).lstrip("\n") + "\n" if lines else ""


def systems_to_toml(systems: Mapping[str, SystemSettings]) -> list[str]:
    """A table for each system, as lines, with a blank one before each."""
    return [line for name, one in systems.items() for line in ("", f"[systems.{quoted(name)}]", *to_toml(one))]


def _plain(end: float) -> str:
    """5, not 5.0."""
    return repr(int(end) if float(end).is_integer() and abs(end) < 1e15 else end)
