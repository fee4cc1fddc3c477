"""The tutorials as notebooks: every block of a page is in one, and a kernel runs them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from benchmarks.notebooks import notebook
from tests.docs.documents import REPOSITORY, blocks, examples

WANTED = {
    "tutorial_votes": "new-prompt",
    "tutorial_ratings": "Wrote final.tex",
    "tutorial_campaign": "Wrote report.html",
}
"""What each prints at its end."""
TUTORIALS = sorted((REPOSITORY / "docs").glob("tutorial_*.md"))


@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_it_has_what_the_page_has(page: Path) -> None:
    book = json.loads(notebook(page))
    nbformat.validate(book)
    code = "\n".join("".join(cell["source"]) for cell in book["cells"] if cell["cell_type"] == "code")
    for block in blocks(page.read_text(encoding="utf-8")):
        if block.kind == "console":
            assert all(f"!{example.command}" in code for example in examples(block.body))
        elif block.kind == "python" or block.file is not None:
            assert block.body.strip() in code
    text = "".join("".join(cell["source"]) for cell in book["cells"] if cell["cell_type"] == "markdown")
    assert text.startswith("# ")
    assert "$ tiebreak" not in text


@pytest.mark.parametrize(
    "name",
    ["tutorial_votes", *(pytest.param(of, marks=pytest.mark.full) for of in ("tutorial_ratings", "tutorial_campaign"))],
)
def test_it_runs(name: str, tmp_path: Path) -> None:
    """That of the judge needs a server, and that of a training minutes: the tests of the pages run those."""
    (tmp_path / "book.ipynb").write_text(notebook(REPOSITORY / "docs" / f"{name}.md"), encoding="utf-8")
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "IPYTHONDIR": str(tmp_path / "ipython"),
        "COLUMNS": "100",
    }
    done = subprocess.run(
        [sys.executable, "-m", "IPython", "--colors=nocolor", "book.ipynb"],
        cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0
    printed = done.stdout + done.stderr
    assert "Traceback" not in printed
    assert "Usage error" not in printed
    assert WANTED[name] in printed
