"""The tutorials as Jupyter notebooks: text as text, Python and commands as cells to run, and files that they name.

`make site` puts them beside the tutorials (`benchmarks/site_pages.py`). What a command printed is left out: running the
cell prints it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_FENCED = re.compile(
    r"^(?:<!-- file: (?P<file>\S+) -->\n)?```(?P<kind>\w+)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL
)
_EXIT = re.compile(r"\s+# exit \d+$")


def notebook(page: Path) -> str:
    """The JSON of a page's notebook (nbformat 4.5)."""
    cells = [
        {"id": f"cell-{number}", "metadata": {}, "source": source.strip("\n").splitlines(keepends=True), **kind}
        for number, (kind, source) in enumerate(_cells(page.read_text(encoding="utf-8")))
    ]
    about = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": about, "cells": cells}, indent=1) + "\n"


def _cells(text: str) -> Iterator[tuple[dict[str, Any], str]]:
    """Kind and source of each cell that says something."""
    code: dict[str, Any] = {"cell_type": "code", "execution_count": None, "outputs": []}
    end = 0
    for found in _FENCED.finditer(text):
        source = _code(found["kind"], found["body"], found["file"])
        if source is None:  # shown, not run
            continue
        if (before := text[end : found.start()]).strip():
            yield {"cell_type": "markdown"}, before
        yield code, source
        end = found.end()
    if (rest := text[end:]).strip():
        yield {"cell_type": "markdown"}, rest


def _code(kind: str, body: str, file: str | None) -> str | None:
    if file is not None:
        return (
            "from pathlib import Path\n\n"
            f"file = Path({file!r})\n"
            "file.parent.mkdir(exist_ok=True)\n"
            f'written = file.write_text(r"""{body}""", encoding="utf-8")'
        )
    if kind == "python":
        return body
    if kind == "console":
        return "\n".join("!" + _EXIT.sub("", line[2:]) for line in body.splitlines() if line.startswith("$ "))
    return None
