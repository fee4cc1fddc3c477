"""What the benchmarks' pages share: tables in Markdown, the machine that measured, command lines, and saving a page."""

from __future__ import annotations

import argparse
import os
import platform
from collections.abc import Callable, Sequence
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
DOCS = REPOSITORY / "docs"
REAL_STUDIES = REPOSITORY.parent / "shared" / "data"  # where real studies are, unless --data says otherwise


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def machine() -> str:
    """`Linux on x86_64, 2 cores, Python 3.11.7`."""
    return f"{platform.system()} on {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"


def show(text: str, name: str, write: bool) -> None:
    """Print a page, and save it as docs/NAME if asked to."""
    print(text)
    if write:
        (DOCS / name).write_text(text, encoding="utf-8")


def scaled_parser(about: str | None, name: str, kept: str, needs: str = "") -> argparse.ArgumentParser:
    """The options of a page docs/NAME that is counted at a scale; `kept`: what the cache holds, `needs`: for saving."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=float, default=1.0, help="multiplies the numbers of studies (1)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cache", type=Path, default=REPOSITORY / ".certification", help=f"where {kept} are kept")
    parser.add_argument("--data", type=Path, default=REAL_STUDIES, help="the real studies")
    parser.add_argument("--write", action="store_true", help=f"save docs/{name}{needs}")
    return parser


def scaled_options(parser: argparse.ArgumentParser) -> argparse.Namespace:
    """What was asked for, at a scale above 0."""
    options = parser.parse_args()
    if not options.scale > 0:
        parser.error("--scale must be above 0")
    return options


def simulated_page(name: str, about: str | None, runs: int, report: Callable[[int, int], str], seed: int = 1) -> None:
    """The command line of a page docs/NAME that is simulated: `report(runs, seed)`, shown, and saved with `--write`.

    runs, seed: the defaults; about: for `--help`.
    """
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=runs, help=f"simulated campaigns per figure ({runs})")
    parser.add_argument("--seed", type=int, default=seed)
    parser.add_argument("--write", action="store_true", help=f"save as docs/{name} as well")
    options = parser.parse_args()
    if options.runs < 2:
        parser.error(f"--runs must be at least 2, not {options.runs}")
    show(report(options.runs, options.seed), name, options.write)
