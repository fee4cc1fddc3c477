"""Several names in one option, with commas between: how they are read, and how they are written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

_PART: Final = re.compile(r'\s*(?:"(?P<quoted>(?:[^"]|"")*)"|(?P<plain>(?:\\,|[^,])*))\s*(?:,|$)')


def read_names(listed: str) -> list[str]:
    """`'A, "B, b"'` as `["A", "B, b"]`, as in CSV: quotes around a name keep its commas, and are doubled within.

    A comma may be written `\\,`, too. Empty parts are left out.
    """
    found, place = [], 0
    while place < len(listed) and (part := _PART.match(listed, place)) is not None:
        quoted = part["quoted"]
        found.append(part["plain"].replace("\\,", ",").strip() if quoted is None else quoted.replace('""', '"'))
        place = part.end()
    return [name for name in found if name]


def written_names(names: Sequence[str]) -> str:
    """The names as `read_names` reads them."""
    return ",".join(f'"{name.replace(chr(34), 2 * chr(34))}"' if _needs_quotes(name) else name for name in names)


def listed_names(names: Iterable[str]) -> str:
    """Names in a row, as people read them: one with a comma in it stands in quotes, or it would look like two."""
    return ", ".join(f'"{name}"' if "," in name else name for name in names)


def _needs_quotes(name: str) -> bool:
    return "," in name or name.startswith('"') or name.endswith("\\") or name != name.strip()
