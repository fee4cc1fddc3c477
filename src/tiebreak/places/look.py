"""`tiebreak.watch`: a look at a study whose labels keep coming, in Python as by the command."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from inspect import Parameter, signature
from pathlib import Path
from typing import Any, Concatenate, Final, ParamSpec, cast

from tiebreak.errors import UsageError
from tiebreak.places.place import study_to_watch
from tiebreak.places.result import watched_result
from tiebreak.results.records import CompareResult
from tiebreak.watching.folder import take_look
from tiebreak.watching.settings import WatchSettings

P = ParamSpec("P")

_LISTS: Final = ("criteria", "systems", "metrics", "exclude", "close")


@dataclass(frozen=True, slots=True, kw_only=True)
class LookSettings(WatchSettings):
    """What the first look fixes, and what any look may do: leave people out (globs), and close batches."""

    exclude: Sequence[str] = ()
    close: Sequence[str] = ()


def _watch_by(make: Callable[P, LookSettings]) -> Callable[Concatenate[str | Path, P], CompareResult]:
    """A function of a path that takes all that the settings take: their fields are listed once."""

    def watch(path: str | Path, /, *args: P.args, **settings: P.kwargs) -> CompareResult:
        """Look at a study whose labels keep coming, and give the verdicts of this look, as `tiebreak watch` does.

        The settings have the names of its options: the first look fixes them, later ones may repeat equal values.
        `exclude`: people left out (globs); `close`: batches whose answers are in.

        Raises:
            UsageError: impossible settings, or others than those of the first look; a name that the study does not
                have.
            InputError: nothing lies at the path, or it is damaged, or nothing in it can be compared.
        """
        signature(make).bind(*args, **settings)
        asked = {name: _as_tuple(name, value) for name, value in cast(dict[str, Any], settings).items()}
        exclude, closed = asked.pop("exclude", ()), asked.pop("close", ())
        folder = Path(path)
        study = study_to_watch(folder)
        at = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        take_look(folder, study, asked, at=at, seed=secrets.token_hex(16), exclude=exclude, closed=closed)
        return watched_result(folder, study)

    wanted = signature(make)
    path = Parameter("path", Parameter.POSITIONAL_ONLY, annotation="str | Path")
    watch.__signature__ = wanted.replace(  # type: ignore[attr-defined]  # for help() and notebooks
        parameters=[path, *wanted.parameters.values()], return_annotation="CompareResult"
    )
    return watch


def _as_tuple(name: str, value: Any) -> Any:
    """Lists as settings keep them; one name is a list of one, not of its letters, and so is one pair."""
    if name == "only_pairs":
        return tuple(_pair(pair) for pair in ([value] if _is_pair(value) else value))
    if name in _LISTS and isinstance(value, str):
        return (value,)
    return tuple(value) if isinstance(value, list) else value


def _is_pair(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and len(value) == 2 and all(isinstance(name, str) for name in value)


def _pair(value: Any) -> tuple[str, str]:
    if not _is_pair(value):
        raise UsageError(f"only_pairs has {value!r}, which is no pair of two systems, such as ('A', 'B')")
    first, second = value
    return first, second


watch = _watch_by(LookSettings)
