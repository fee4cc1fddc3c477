"""The documentation as a site: it is built without a warning, every link leads somewhere, and nothing is fetched."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import tiebreak
from benchmarks import site_pages

ROOT = Path(site_pages.ROOT)


class Links(HTMLParser):
    """Where a page leads, what it loads, and the places that it has."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.places |= {str(found[name]) for name in ("id", "name") if found.get(name)}
        if tag == "a" and found.get("href"):
            self.links.append(str(found["href"]))
        if tag in ("script", "img", "link") and (source := found.get("src") or found.get("href")):
            self.loaded.append(source)


def build(folder: Path, *, more: str = "") -> tuple[int, str]:
    """The exit code of `zensical build --strict` of all pages, one of them with `more` at its end, and its output."""
    site_pages.main(folder / "build" / "pages")
    with (folder / "build" / "pages" / "add.md").open("a", encoding="utf-8") as file:
        file.write(more)
    shutil.copy(ROOT / "mkdocs.yml", folder)
    (folder / "src").symlink_to(ROOT / "src")
    command = [sys.executable, "-m", "zensical", "build", "--strict", "--clean"]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=300)
    return run.returncode, run.stdout + run.stderr


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    code, output = build(folder)
    assert code == 0, output[-2000:]
    return folder / "build" / "site"


def test_every_page_is_there_and_every_link_leads_to_a_place(site: Path) -> None:
    pages = {page: Links(page.read_text(encoding="utf-8")) for page in site.rglob("*.html")}
    sources = list((site.parent / "pages").rglob("*.md"))
    assert {page.relative_to(site).with_suffix(".md") for page in pages} >= {
        page.relative_to(site.parent / "pages") for page in sources
    }
    broken = []
    for page, found in pages.items():
        for link in found.links:
            parts = urlsplit(link)
            if parts.scheme or page.name == "404.html":
                continue
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            place = unquote(parts.fragment)
            if not target.exists() or (place and target in pages and place not in pages[target].places):
                broken.append(f"{page.relative_to(site)}: {link}")
    assert broken == []


def test_nothing_is_fetched_from_elsewhere_and_the_search_knows_the_pages(site: Path) -> None:
    for page in site.rglob("*.html"):
        assert [url for url in Links(page.read_text(encoding="utf-8")).loaded if "//" in url] == []
    assert "compare.html" in json.dumps(json.loads((site / "search.json").read_text(encoding="utf-8")))


def test_every_public_name_has_its_docstring(site: Path) -> None:
    text = (site / "api.html").read_text(encoding="utf-8")
    names = [name for name in tiebreak.__all__ if not name.startswith("_")]
    assert [name for name in names if f'.{name}"' not in text] == []
    assert "Decide every pair of systems from the human labels of a study." in text


def test_a_link_that_leads_nowhere_stops_the_build(tmp_path: Path) -> None:
    code, output = build(tmp_path, more="\n[x](nowhere.md)\n")
    assert code != 0
    assert "page does not exist" in output
