"""Renews the tables of docs/evidence.md and docs/papers from benchmarks/results.

python benchmarks/evidence.py --write | --check

A table stands between `<!-- table: NAME -->` and `<!-- end -->`. `TABLES` of `evidence_tables.py`, and of
`papers/tables.py` for the papers, say which rows and columns it has. `--check` exits with status 1 and names each page
whose tables differ from the results.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # `benchmarks` is no installed package

from benchmarks.evidence_tables import TABLES as OWN_TABLES
from benchmarks.papers.tables import TABLES as PAPER_TABLES
from benchmarks.results import REPOSITORY, RESULTS

TABLES = {**OWN_TABLES, **PAPER_TABLES}

_PLACE = re.compile(r"<!-- table: ([\w-]+) -->\n(.*?)<!-- end -->", re.DOTALL)


def pages(docs: Path) -> list[Path]:
    """The pages whose tables are generated."""
    return [
        docs.parent / "README.md",
        docs / "evidence.md",
        docs / "methods.md",
        *sorted((docs / "papers").glob("*.md")),
    ]


def renewed(text: str, results: Path = RESULTS) -> str:
    """A page with every marked table made anew."""
    return _PLACE.sub(lambda found: f"<!-- table: {found[1]} -->\n{TABLES[found[1]].text(results)}\n<!-- end -->", text)


def used_tables(text: str) -> list[str]:
    """Names of the tables of a page."""
    return [found[1] for found in _PLACE.finditer(text)]


def main() -> int:
    """Write or check; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--write", action="store_true", help="renew the tables")
    action.add_argument("--check", action="store_true", help="fail where a table differs from the results")
    options = parser.parse_args()
    stale = []
    for page in pages(REPOSITORY / "docs"):
        text = page.read_text(encoding="utf-8")
        if (anew := renewed(text)) != text:
            stale.append(page)
            if options.write:
                page.write_text(anew, encoding="utf-8")
    for page in stale:
        print(f"{page.relative_to(REPOSITORY)} {'renewed' if options.write else 'differs from benchmarks/results'}")
    return 1 if stale and options.check else 0


if __name__ == "__main__":
    sys.exit(main())
