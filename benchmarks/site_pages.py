"""Gathers the pages of the documentation's site in build/pages, where `zensical build` takes them (`make site`).

They are those of docs/, README and others of the repository's root, one made of the docstrings of all public functions
and results, and a notebook of each tutorial. Links between the two folders become links within the site; other files of
the repository are named only.
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # `benchmarks` is no installed package

from benchmarks.notebooks import notebook

import tiebreak

ROOT = Path(__file__).resolve().parents[1]
OF_ROOT = {
    "README.md": "start.md",  # beside an index.md there can be no README.md
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security.md",
    "CODE_OF_CONDUCT.md": "code_of_conduct.md",
}
_UP = re.compile(rf"\]\((?:\.\./)*({'|'.join(map(re.escape, OF_ROOT))})")
_DOWN = re.compile(r"(\]\(|src=\")docs/")
_ELSEWHERE = re.compile(r"\[([^\]]+)\]\((?:\.\./)*(?:LICENSE|llms\.txt|src/|tests/|benchmarks/|\.github/)[^)]*\)")


def main(folder: Path = ROOT / "build" / "pages") -> None:
    """Write all pages anew."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "docs", folder)
    for name, page_name in OF_ROOT.items():
        shutil.copy(ROOT / name, folder / page_name)
    (folder / "api.md").write_text(api_page(), encoding="utf-8")
    for tutorial in sorted(folder.glob("tutorial_*.md")):
        book = tutorial.with_suffix(".ipynb")
        book.write_text(notebook(tutorial), encoding="utf-8")
        title, _, rest = tutorial.read_text(encoding="utf-8").partition("\n")
        tutorial.write_text(f"{title}\n\nThe same as a [notebook]({book.name}).\n{rest}", encoding="utf-8")
    for page in folder.rglob("*.md"):
        up = "../" * (len(page.relative_to(folder).parts) - 1)
        text = _UP.sub(lambda found, up=up: f"]({up}{OF_ROOT[found[1]]}", page.read_text(encoding="utf-8"))
        page.write_text(_ELSEWHERE.sub(r"\1", _DOWN.sub(r"\1", text)), encoding="utf-8")


def api_page() -> str:
    """Every public name, with its docstring where it is defined."""
    names = [name for name in tiebreak.__all__ if not name.startswith("_")]
    names.sort(key=lambda name: (name[0].isupper(), name))  # functions first
    homes = [f"{getattr(tiebreak, name).__module__}.{name}" for name in names]
    return "# Functions and results\n\n" + "\n\n".join(f"::: {home}" for home in homes) + "\n"


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
