"""What the signatures of scores and judgements stand for: `signatures.jsonl`, one JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from tiebreak.errors import InputError, Problem
from tiebreak.files import one_writer, write_bytes
from tiebreak.parsing import ParsingError, json_reader

SIGNATURES_FILE: Final = "signatures.jsonl"

Meaning = Mapping[str, object]
"""JSON-ready; what it takes to make the values again: the kind (`metric`, `judge`, `evaluator`), its name, settings."""


def read_signatures(study: Path) -> dict[str, Meaning]:
    """Of a study folder, by signature; empty where it has no such file.

    Raises:
        InputError: a line is no JSON object, has no signature, or repeats one with another meaning.
    """
    path = study / SIGNATURES_FILE
    if not path.is_file():
        return {}
    read, found = json_reader(), dict[str, Meaning]()
    try:
        lines = path.read_bytes().decode("utf-8").split("\n")
    except UnicodeDecodeError as error:
        raise InputError([Problem(str(path), f"byte {error.start} is no UTF-8")]) from error
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                signature, meaning = _entry(read(line))
                if found.setdefault(signature, meaning) != meaning:
                    raise ParsingError(f"the signature {signature} stands in the file with another meaning")
            except ParsingError as error:
                raise InputError([Problem(str(path), error.message, number)]) from error
    return found


def _entry(read: object) -> tuple[str, Meaning]:
    if not isinstance(read, dict) or not isinstance(signature := read.pop("signature", None), str) or not signature:
        raise ParsingError('not an object with a "signature"')
    return signature, read


def not_known(known: Mapping[str, Meaning], new: Mapping[str, Meaning], where: str) -> dict[str, Meaning]:
    """Those of `new` that are not `known`; `where`: the file that an error names.

    Raises:
        InputError: a signature has another meaning there.
    """
    for signature, meaning in new.items():
        if known.get(signature, meaning) != meaning:
            raise InputError([Problem(where, f"{signature} stands there with another meaning")])
    return {name: meaning for name, meaning in new.items() if name not in known}


def add_signatures(study: Path, new: Mapping[str, Meaning]) -> None:
    """Put signatures into a study folder beside those that it has, in the order in which they came; all or nothing.

    Raises:
        InputError: the file that is there is damaged, or a signature stands there with another meaning.
        TiebreakError: the file cannot be written.
    """
    with one_writer(study):
        known = read_signatures(study)
        fresh = not_known(known, new, str(study / SIGNATURES_FILE))
        if fresh:
            write_bytes(study / SIGNATURES_FILE, signatures_to_lines(known | fresh))


def signatures_to_lines(signatures: Mapping[str, Meaning]) -> bytes:
    """The content of the file."""
    lines = [json.dumps({"signature": name, **meaning}, ensure_ascii=False) for name, meaning in signatures.items()]
    return ("\n".join(lines) + "\n").encode()
