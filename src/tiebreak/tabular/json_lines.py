"""JSON Lines as people and pandas write them: one flat object per line."""

from __future__ import annotations

import json
from typing import Final

from tiebreak.errors import InputError, Problem
from tiebreak.tabular.delimited import decode
from tiebreak.tabular.grid import Grid

_SPACE: Final = " \t\r\n\ufeff"


def looks_like_json(content: bytes) -> bool:
    """Whether the first character that is no space opens an object or a list: no header of a table does."""
    return content.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"[")


def read_json_lines(content: bytes, *, source: str) -> Grid:
    """The objects as rows under all their keys, in the order in which the keys first appear; a missing key or null is a
    blank cell, numbers stand as in the file.

    Raises:
        InputError: a line that is no object, or a value that is a list or an object (every one is named).
    """
    rows: list[tuple[int, dict[str, str]]] = []
    problems: list[Problem] = []
    for number, line in enumerate(decode(content, source=source).split("\n"), 1):
        if line.strip(_SPACE):
            try:
                found = json.loads(line.strip(_SPACE), parse_int=str, parse_float=str, parse_constant=str)
            except json.JSONDecodeError as error:
                problems.append(
                    Problem(source, f"no JSON object on a line of its own ({error.msg}){_ADVICE}", line=number)
                )
                break  # the rest of a document that is not JSON Lines says nothing more
            if not isinstance(found, dict):
                problems.append(Problem(source, f"no JSON object on a line of its own{_ADVICE}", line=number))
                break
            problems += [
                Problem(source, "a list or an object in a cell; write its parts as keys of their own", number, key)
                for key, value in found.items()
                if isinstance(value, list | dict)
            ]
            rows.append((number, {key: _text(value) for key, value in found.items()}))
    if problems:
        raise InputError(problems)
    header = list(dict.fromkeys(key for _, row in rows for key in row))
    body = tuple((number, tuple(row.get(key, "") for key in header)) for number, row in rows)
    return Grid(rows=((0, tuple(header)), *body))


_ADVICE: Final = "; write one flat object per line (pandas: to_json(FILE, orient='records', lines=True)), or a CSV file"


def _text(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value)
