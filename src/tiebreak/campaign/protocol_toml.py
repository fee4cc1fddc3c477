"""A protocol as a TOML file that people write and read; errors name the line, the key and the value."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any, Final

from tiebreak.campaign.protocol import Protocol, ProtocolError
from tiebreak.campaign.toml_reader import TomlReader, parsed_toml
from tiebreak.errors import InputError
from tiebreak.settings.protocol import PROTOCOL_TABLES, GoldTask, RatedCriterion

_NESTED: Final = {"tuple[GoldTask, ...]": GoldTask, "tuple[RatedCriterion, ...]": RatedCriterion}


def protocol_from_toml(text: str, file: str = "protocol.toml") -> Protocol:
    """The protocol that a TOML text describes; what it does not say has its default.

    Raises:
        InputError: invalid TOML; or all unknown keys and values of the wrong kind at once; or, where there are none,
            all reasons why the protocol cannot be.
    """
    parsed = parsed_toml(text, file)
    reader = TomlReader(text, file, _NESTED)
    outside = {key: value for key, value in parsed.items() if key not in PROTOCOL_TABLES}
    values: dict[str, Any] = reader.record(Protocol, outside, "", PROTOCOL_TABLES)
    for name, kind in PROTOCOL_TABLES.items():
        table = reader.table(name, parsed.get(name, {}))
        if table is not None:
            values[name] = reader.record(kind, table, f"{name}.")
    if reader.problems:
        raise InputError(reader.problems)
    try:
        parts = {name: kind(**values[name]) for name, kind in PROTOCOL_TABLES.items()}
        return Protocol(**values | parts)
    except ProtocolError as error:
        for problem in (error, *error.others):
            reader.wrong(problem.key, problem.value, problem.message)
        raise InputError(reader.problems) from error


def protocol_to_toml(protocol: Protocol) -> str:
    """The TOML text that reads back as this protocol; settings that are None are left out."""
    document = asdict(protocol)
    lines = [
        f"{key} = {_written(value)}"
        for key, value in document.items()
        if key not in PROTOCOL_TABLES and value is not None
    ]
    for name in PROTOCOL_TABLES:
        table = {key: value for key, value in document[name].items() if value is not None}
        if table and (name != "ratings" or protocol.rates):
            lines += ["", f"[{name}]", *(f"{key} = {_written(value)}" for key, value in table.items())]
    return "\n".join(lines) + "\n"


def _written(value: object) -> str:
    """A value in TOML; strings as JSON writes them, which TOML reads too (except DEL)."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return (
            "{ " + ", ".join(f"{key} = {_written(entry)}" for key, entry in value.items() if entry is not None) + " }"
        )
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_written(entry) for entry in value) + "]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return repr(value)
