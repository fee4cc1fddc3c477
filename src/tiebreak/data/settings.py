"""study.toml: what the tables cannot say about a study."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any, Final

from tiebreak.data.csv_files import check_text
from tiebreak.data.problems import ProblemLog
from tiebreak.data.systems import SystemSettings
from tiebreak.errors import Flaw, InputError, KeyedError, Problem
from tiebreak.settings.judge import JudgeSettings
from tiebreak.settings.shared import LARGEST_PRICE, LARGEST_RATING
from tiebreak.settings.toml_file import read_toml, to_toml
from tiebreak.typed import written_path

_MAPPINGS: Final = ("higher_is_better", "scale", "systems", "judges")


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
        if flaws := list(self._flaws()):
            first = flaws[0]
            raise KeyedError(f"{written_path(first.path)} is {first.value!r}, but {first.message}", flaws)

    def _flaws(self) -> Iterator[Flaw]:
        for name, ends in self.scale.items():
            low, high = ends
            if not (-LARGEST_RATING <= low < high <= LARGEST_RATING):
                yield Flaw(("scale", name), ends, "must be the lowest and the highest rating, such as [1, 5]")
        if self.price_per_label is not None and not 0 <= self.price_per_label <= LARGEST_PRICE:
            message = f"must be a number from 0 to {LARGEST_PRICE:,}"
            yield Flaw(("price_per_label",), self.price_per_label, message)
        if self.criteria is not None and not self.criteria:
            yield Flaw(("criteria",), self.criteria, "must name at least one")
        elif self.criteria is not None and len(set(self.criteria)) < len(self.criteria):
            yield Flaw(("criteria",), self.criteria, "must name each criterion once")
        elif not all(name.strip() for name in self.criteria or ()):
            yield Flaw(("criteria",), self.criteria, "must be a list of names")

    def __reduce__(self) -> tuple[type[StudySettings], tuple[Any, ...]]:
        """For pickle, which does not know what a read-only mapping is."""
        values = {known.name: getattr(self, known.name) for known in fields(self)}
        return StudySettings, tuple(dict(value) if name in _MAPPINGS else value for name, value in values.items())


def read_settings(data: bytes, file: str, log: ProblemLog) -> StudySettings:
    """The settings in the bytes of a study.toml; problems go to the log (the result is then not to be used).

    An empty file is fine: it sets nothing.
    """
    if not data.strip():
        return StudySettings()
    text, settings = check_text(data, file, log), StudySettings()
    with log.taking_over():
        if text is not None:
            settings = read_toml(StudySettings, text.decode("utf-8"), file)
    return settings


def settings_to_toml(settings: StudySettings) -> str:
    """The study.toml that reads back as these settings; empty where all are the defaults."""
    return to_toml(settings, defaults=False)


@dataclass(frozen=True, slots=True)
class JudgesFile:
    """A file that has nothing but tables `[judges.NAME]`."""

    judges: Mapping[str, JudgeSettings] = field(default_factory=dict)


def read_judges(text: str, file: str) -> Mapping[str, JudgeSettings]:
    """The judges of a file that has nothing but tables `[judges.NAME]`.

    Raises:
        InputError: no TOML, no judge, or all that is wrong with them.
    """
    judges = read_toml(JudgesFile, text, file).judges
    if not judges:
        message = 'has no judge: write\n[judges]\n"my-judge" = { model = "gpt-4o", criterion = "fluency" }'
        raise InputError([Problem(file, message)])
    return judges
