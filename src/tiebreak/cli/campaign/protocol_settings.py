"""A protocol from a file, from options that change it, and from what is taken where neither says anything."""

from __future__ import annotations

import secrets
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from tiebreak.campaign import Protocol, protocol_from_toml
from tiebreak.data.study import Study
from tiebreak.errors import InputError, Problem

_SEEDS: Final = 2**31


def file_settings(path: Path | None) -> tuple[Protocol, Mapping[str, Any]]:
    """The protocol in a file (None: the defaults), and the settings that the file itself spells out.

    Raises:
        InputError: the file cannot be read, or what it says cannot be; names line, key and value.
    """
    if path is None:
        return Protocol(), {}
    text = text_of(path)
    return protocol_from_toml(text, file=str(path)), tomllib.loads(text)


def protocol_for(
    base: Protocol, said: Mapping[str, Any], given: Mapping[str, Mapping[str, Any]], study: Study
) -> Protocol:
    """`base` with the options `given` (by table; "" for those outside tables).

    The price is the study's, and the seed of the sealed order drawn at random, unless file or option say otherwise.

    Raises:
        ProtocolError: a protocol that cannot be.
    """
    changes = {table: dict(values) for table, values in given.items()}
    for table, name, value in _defaults(study):
        if name not in said.get(table, {}):
            changes[table].setdefault(name, value)
    return changed(base, changes)


def changed(base: Protocol, changes: Mapping[str, Mapping[str, Any]]) -> Protocol:
    """`base` with changes by table ("": outside tables).

    Raises:
        ProtocolError: a protocol that cannot be.
    """
    parts = {table: replace(getattr(base, table), **values) for table, values in changes.items() if table and values}
    return replace(base, **changes.get("", {}), **parts)


def text_of(path: Path) -> str:
    """A text file, in UTF-8.

    Raises:
        InputError: it cannot be read.
    """
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise InputError([Problem(str(path), f"cannot be read: {error.strerror or error}")]) from error
    except UnicodeDecodeError as error:
        raise InputError([Problem(str(path), "not UTF-8; save it as UTF-8")]) from error


def _defaults(study: Study) -> list[tuple[str, str, object]]:
    """(table, name, value) where neither file nor option say anything."""
    found: list[tuple[str, str, object]] = [("order", "seed", secrets.randbelow(_SEEDS))]
    if study.settings.price_per_label is not None:
        found.append(("labels", "price", study.settings.price_per_label))
    if study.settings.price_per_label is not None:
        found.append(("labels", "currency", study.settings.currency))
    return found
