"""Parameters that a model has rejected: found out once, then left out, and remembered beside the replies."""

from __future__ import annotations

import json
from pathlib import Path

from tiebreak.files import write_bytes
from tiebreak.parsing import ParsingError, json_reader


class RejectedParameters:
    """Those of one model at one server (`endpoint`)."""

    def __init__(self, path: Path, endpoint: str) -> None:
        self._path, self._endpoint = path, endpoint
        self.names: frozenset[str] = frozenset(self._known().get(endpoint, ()))

    def add(self, name: str) -> None:
        """One more.

        Raises:
            TiebreakError: it cannot be written down.
        """
        self.names |= {name}
        known = self._known() | {self._endpoint: sorted(self.names)}
        write_bytes(self._path, (json.dumps(known, ensure_ascii=False, indent=1) + "\n").encode())

    def _known(self) -> dict[str, list[str]]:
        """Of all models; what cannot be read is found out again, which costs a rejected call."""
        try:
            found = json_reader()(self._path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, ParsingError):
            return {}
        if not isinstance(found, dict):
            return {}
        return {name: [str(one) for one in names] for name, names in found.items() if isinstance(names, list)}
