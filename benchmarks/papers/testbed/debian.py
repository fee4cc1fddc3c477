"""Debian's package descriptions: the first paragraph of each long one, and the line that sums it up.

Their licences are those of the packages: they are fetched and kept where the benchmark runs, and never given away.
"""

from __future__ import annotations

import itertools
import subprocess
from collections.abc import Iterator
from pathlib import Path

from benchmarks.papers.testbed.pairs import TextPair, without_repeats

_DESCRIPTIONS = "*Translation-en"
_PACKAGES = "*_Packages"


def fetch_descriptions(folder: Path) -> Path:
    """The folder of apt's lists below `folder`, fetched by apt (16 MB) unless it is there. It takes no rights.

    Raises:
        SystemExit: apt is missing, or reaches no server.
    """
    lists = folder / "lists"
    if not any(lists.glob(_DESCRIPTIONS)):
        (lists / "partial").mkdir(parents=True, exist_ok=True)
        options = {"Acquire::Languages": "en", "Acquire::GzipIndexes": "false", "Dir::State::lists": str(lists),
                   "Dir::Cache": str(folder / "cache")}  # fmt: skip
        given = [part for name, value in options.items() for part in ("-o", f"{name}={value}")]
        try:
            subprocess.run(["apt-get", *given, "update"], check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise SystemExit(f"apt-get update failed ({error}); name a folder of Translation-en files") from error
    return lists


def read_descriptions(folder: Path) -> list[TextPair]:
    """The pairs of all `Translation-en` files of a folder, in no compressed form.

    The unit is the source package, which `Packages` files beside them tell: packages of one source have descriptions
    that are almost the same. Without these files it is the package.

    Raises:
        SystemExit: there is no such file, or no description in them.
    """
    sources = {
        package["Package"]: package.get("Source", package["Package"]).split()[0]
        for path in sorted(folder.glob(_PACKAGES))
        for package in _records(path)
    }
    pairs = []
    for path in sorted(folder.glob(_DESCRIPTIONS)):
        for package in _records(path):
            name = package["Package"]
            synopsis, _, rest = package.get("Description-en", "").partition("\n")
            pairs.append(TextPair(name, _first_paragraph(rest), synopsis.strip(), sources.get(name, name)))
    kept = without_repeats(pairs)
    if not kept:
        raise SystemExit(f"{folder} has no {_DESCRIPTIONS} file with descriptions")
    return kept


def _first_paragraph(text: str) -> str:
    """A line with a stop alone ends it."""
    lines = itertools.takewhile(lambda line: line.strip() != ".", text.splitlines())
    return " ".join(word for line in lines for word in line.split())


def _records(path: Path) -> Iterator[dict[str, str]]:
    """The paragraphs of a Debian control file: fields by name, their further lines after line feeds."""
    for block in path.read_text(encoding="utf-8", errors="replace").split("\n\n"):
        fields: dict[str, str] = {}
        name = ""
        for line in block.splitlines():
            if line.startswith(" "):
                fields[name] += "\n" + line[1:]
            else:
                name, _, value = line.partition(":")
                fields[name] = value.strip()
        if "Package" in fields:
            yield fields


def pairs_of(data: Path | None, cache: Path) -> list[TextPair]:
    """Of the files in `data`; without a folder apt fetches them."""
    return read_descriptions(fetch_descriptions(cache) if data is None else data)
