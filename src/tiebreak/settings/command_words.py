"""The options that give a record of settings, as words of a command."""

from __future__ import annotations

from typing import Any

from tiebreak.settings.name_lists import written_names
from tiebreak.settings.setting import settings_of


def command_words(record: Any) -> list[str]:
    """Options and their values for all settings that differ from their defaults."""
    words: list[str] = []
    for named in settings_of(type(record)):
        value = getattr(record, named.name)
        if value == named.default or named.setting.file_only:
            continue
        if named.kind == "flag":
            words.append(named.option)
        elif named.kind in ("names", "numbers"):
            parts = [str(part) for part in value]
            if named.setting.listed or named.kind == "numbers":
                parts = [written_names(parts)]
            words += [word for part in parts for word in (named.option, part)]
        else:
            words += [named.option, str(value)]
    return words
