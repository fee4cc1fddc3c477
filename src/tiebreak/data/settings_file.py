"""Writes into study.toml whether more of a metric is better, and which checkpoints systems are; all else in it stays as
somebody wrote it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from tiebreak.data.problems import ProblemLog
from tiebreak.data.schema import SETTINGS_FILE
from tiebreak.data.settings import StudySettings, read_settings
from tiebreak.data.systems import SystemSettings
from tiebreak.errors import ChangedError, TiebreakError
from tiebreak.files import one_writer, write_bytes
from tiebreak.settings.toml_file import table_lines, toml_key, toml_text

_TABLE: Final = re.compile(r"^[ \t]*\[[ \t]*higher_is_better[ \t]*\][ \t]*(?:#[^\r\n]*)?(?:\r?\n|\Z)", re.MULTILINE)


def add_directions(study: Path, directions: Mapping[str, bool]) -> None:
    """Those that the study's settings do not say yet; the others stay as they are.

    Raises:
        InputError: study.toml is damaged.
        TiebreakError: it cannot be written, or says directions in a form to which nothing can be added.
    """
    with one_writer(study):
        _add_directions(study / SETTINGS_FILE, directions)


def add_systems(study: Path, systems: Mapping[str, SystemSettings]) -> None:
    """Those of which the study's settings say nothing yet, below everything else.

    Raises:
        InputError: study.toml is damaged.
        ChangedError: it says otherwise of one of them.
        TiebreakError: it cannot be written, or says systems in a form to which nothing can be added.
    """
    if not systems:
        return
    with one_writer(study):
        path = study / SETTINGS_FILE
        text = _text(path)
        known = _read(text, path).systems
        if any(known.get(name, one) != one for name, one in systems.items()):
            raise ChangedError(f"{path} was changed while rows were being added; nothing was added: run it again")
        fresh = {name: one for name, one in systems.items() if name not in known}
        if not fresh:
            return
        tables = [table_lines(f"systems.{toml_key(name)}", one) for name, one in fresh.items()]
        lines = "\n".join(line for table in tables for line in table).strip() + "\n"
        text = f"{text.rstrip()}\n\n{lines}".lstrip("\n")
        if _reread(text, path).systems != {**known, **fresh}:
            raise TiebreakError(
                f"{path}: its systems are written in one line, to which no table can be added; make tables of them, "
                f"with this one:\n{lines.rstrip()}"
            )
        write_bytes(path, text.encode())


def _add_directions(path: Path, directions: Mapping[str, bool]) -> None:
    text = _text(path)
    known = _read(text, path).higher_is_better
    fresh = {name: up for name, up in directions.items() if name not in known}
    if not fresh:
        return
    lines = "".join(f"{toml_key(name)} = {toml_text(up)}\n" for name, up in fresh.items())
    found = _TABLE.search(text)
    if found:
        before = text[: found.end()]
        text = f"{before}{'' if before.endswith(chr(10)) else chr(10)}{lines}{text[found.end() :]}"
    else:
        text = f"{text.rstrip()}\n\n[higher_is_better]\n{lines}".lstrip("\n")
    if _reread(text, path).higher_is_better != {**known, **fresh}:
        raise TiebreakError(f"{path}: [higher_is_better] is not a table of its own; write there:\n{lines.rstrip()}")
    write_bytes(path, text.encode())


def _text(path: Path) -> str:
    return path.read_bytes().decode("utf-8-sig") if path.is_file() else ""


def _read(text: str, path: Path) -> StudySettings:
    log = ProblemLog()
    found = read_settings(text.encode(), str(path), log)
    log.raise_if_any()
    return found


def _reread(text: str, path: Path) -> StudySettings:
    """What a text says to which something was added, in a way that may not fit the rest; nothing where it does not."""
    log = ProblemLog()
    found = read_settings(text.encode(), str(path), log)
    return StudySettings() if log.total else found
