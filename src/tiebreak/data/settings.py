"""study.toml: what tables cannot say about a study, and of systems that are people or checkpoints of a run."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import Any, Final

from tiebreak.data.csv_files import check_text
from tiebreak.data.problems import ProblemLog
from tiebreak.errors import Flaw, InputError, KeyedError, Problem, UsageError
from tiebreak.settings.checks import check_settings, wrong_value
from tiebreak.settings.judge import JudgeSettings
from tiebreak.settings.setting import Setting, setting, settings_of
from tiebreak.settings.shared import LARGEST_NUMBER, LARGEST_PRICE, LARGEST_RATING
from tiebreak.settings.toml_file import read_toml, to_toml
from tiebreak.typed import written_path

MOST_STEPS: Final = 1_000_000_000_000_000

_CHECKPOINT: Final = re.compile(
    r"(?:(?P<run>(?!epoch[=_-]?\d|global[-_]).+?)[/\\_ -])?(?:epoch[=_-]?\d+[_-])?"
    r"(?:checkpoint|ckpt|global_?step|step|iter(?:ation)?|epoch)[-_ =]?(?P<step>\d{1,15})(?:\.[a-z]{2,11})?",
    re.IGNORECASE,
)

_WHOLE: Final = re.compile(r"[0-9]{1,15}")

ONLY_RUN: Final = "training"
"""What the run of checkpoints is called that nobody has named."""

Scalar = str | int | float | bool

_STEP: Final = Setting("Step of training at which it was taken", at_least=0, at_most=MOST_STEPS)


@dataclass(frozen=True, slots=True)
class SystemSettings:
    """`reference`: people wrote it, as something to measure systems by. A checkpoint has the name of its `run`, the
    `step` of training at which it was taken, of `total_steps` (both from 0 to 10^15), its loss on held-out data
    `dev_loss`, and the `settings` (hyper-parameters) of the run.

    Raises:
        UsageError: a number out of range, or a step beyond the last.
    """

    reference: bool = setting(False, Setting("Whether people wrote it"))
    run: str | None = setting(None, Setting("Run of training that it is a checkpoint of", metavar="NAME"))
    step: int | None = setting(None, _STEP)
    total_steps: int | None = setting(None, replace(_STEP, help="Steps of the whole run"))
    dev_loss: float | None = setting(
        None, Setting("Loss on held-out data", at_least=-LARGEST_NUMBER, at_most=LARGEST_NUMBER)
    )
    settings: Mapping[str, Scalar] = field(default_factory=lambda: MappingProxyType({}))

    def __post_init__(self) -> None:
        object.__setattr__(self, "settings", MappingProxyType(dict(self.settings)))  # nobody else's
        check_settings(self)
        if self.run is not None and not self.run.strip():
            raise UsageError("run must be a name, such as lr-1e-4")
        for name, value in self.settings.items():
            if isinstance(value, float) and not math.isfinite(value):
                raise UsageError(f"the setting {name} must be a finite number, not {value}")
        if self.step is not None and self.total_steps is not None and self.step > self.total_steps:
            raise UsageError(f"step {self.step:,} is beyond the last of {self.total_steps:,} steps")

    def __reduce__(self) -> tuple[type[SystemSettings], tuple[Any, ...]]:
        """For pickle, which does not know what a read-only mapping is."""
        values = [getattr(self, known.name) for known in fields(self)]
        return SystemSettings, (*values[:-1], dict(self.settings))


def in_one_run(systems: Mapping[str, SystemSettings], run: str = ONLY_RUN) -> dict[str, SystemSettings]:
    """The checkpoints, in this run unless any of them has one: then the others may be of none, as a base model is."""
    if any(system.run is not None for system in systems.values()):
        return dict(systems)
    return {name: replace(system, run=run) for name, system in systems.items()}


def checkpoints_by_name(systems: Iterable[str]) -> dict[str, SystemSettings]:
    """Those that are called as checkpoints, with step and run: `ckpt-500`, `lr-high/checkpoint-500`,
    `epoch=1-step=120.ckpt`.
    """
    matches = {system: _CHECKPOINT.fullmatch(system.strip()) for system in systems}
    return {
        system: SystemSettings(run=name["run"], step=int(name["step"]))
        for system, name in matches.items()
        if name is not None and int(name["step"]) <= MOST_STEPS
    }


def step_of_checkpoint(name: str) -> int | None:
    """The number that is all of its name, or that its name says to be a step: 500 of `0500` and of `ckpt-500`; None of
    any other name: `gpt-4` has had no four steps.
    """
    if _WHOLE.fullmatch(name.strip()):
        return int(name)
    checkpoints = checkpoints_by_name([name])
    return checkpoints[name].step if checkpoints else None


def wrong_part(name: str, value: object) -> str:
    """What a value of one key of a system must be, or "" where it is that."""
    named = next(known for known in settings_of(SystemSettings) if known.name == name)
    return wrong_value(named, value)


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
