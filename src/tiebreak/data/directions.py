"""Writes into study.toml whether more of a metric is better, and leaves all else in it as somebody wrote it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from tiebreak.data.problems import ProblemLog
from tiebreak.data.schema import SETTINGS_FILE
from tiebreak.data.settings import read_settings
from tiebreak.data.system_settings import quoted
from tiebreak.errors import TiebreakError
from tiebreak.files import one_writer, write_bytes

_TABLE: Final = re.compile(r"^[ \t]*\[[ \t]*higher_is_better[ \t]*\][ \t]*(?:#[^\r\n]*)?(?:\r?\n|\Z)", re.MULTILINE)


def add_directions(study: Path, directions: Mapping[str, bool]) -> None:
    """Those that the study's settings do not say yet; the others stay as they are.

    Raises:
        InputError: study.toml is damaged.
        TiebreakError: it cannot be written, or says directions in a form to which nothing can be added.
    """
    with one_writer(study):
        _add(study / SETTINGS_FILE, directions)


def _add(path: Path, directions: Mapping[str, bool]) -> None:
    text = path.read_bytes().decode("utf-8-sig") if path.is_file() else ""
    known = _directions(text, path)
    fresh = {name: up for name, up in directions.items() if name not in known}
    if not fresh:
        return
    lines = "".join(f"{quoted(name)} = {str(up).lower()}\n" for name, up in fresh.items())
    found = _TABLE.search(text)
    if found:
        before = text[: found.end()]
        text = f"{before}{'' if before.endswith(chr(10)) else chr(10)}{lines}{text[found.end() :]}"
    else:
        text = f"{text.rstrip()}\n\n[higher_is_better]\n{lines}".lstrip("\n")
    if _directions(text, path, fresh) != {**known, **fresh}:
        raise TiebreakError(f"{path}: [higher_is_better] is not a table of its own; write there:\n{lines.rstrip()}")
    write_bytes(path, text.encode())


def _directions(text: str, path: Path, added: Mapping[str, bool] | None = None) -> dict[str, bool]:
    """What a text says; `added`: what was put into it, in a way that may not fit the rest."""
    log = ProblemLog()
    found = read_settings(text.encode(), str(path), log)
    if log.total and added is not None:
        return {}
    log.raise_if_any()
    return dict(found.higher_is_better)
