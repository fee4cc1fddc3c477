"""The page of warnings, made from the catalogue of notices.

    python benchmarks/warning_page.py --write

`tests/docs/test_warnings.py` fails where docs/warnings.md is not what this writes.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tiebreak.checks.all_checks import CATALOGUE
from tiebreak.messages.notices import NoticeKind, Theme

PAGE = Path(__file__).resolve().parents[1] / "docs" / "warnings.md"

_HEAD = """# Warnings

Made from the code by `python benchmarks/warning_page.py --write`. tiebreak warns about data that may mislead; it never
changes or drops data because of a warning. Commands print warnings below their verdicts, and list them in `--json` as
`warnings: [{code, text, ...figures}]`. Codes are stable.

A warning that chance could raise needs two things: a p-value below `p_value` on at least `items` independent items, and
an effect beyond the size in the table. So clean data stays quiet, and large studies do.
"""


def warnings_page() -> str:
    """The whole page."""
    return "\n".join([_HEAD, *map(_section, CATALOGUE)])


def _section(theme: Theme) -> str:
    head = f"## {theme.title}\n\nRaised by {theme.raised_by}.\n\n"
    table = ["| code | raised when | thresholds | what to do |", "| --- | --- | --- | --- |", *map(_row, theme.kinds)]
    return head + "\n".join(table) + "\n"


def _row(kind: NoticeKind) -> str:
    limits = ", ".join(f"`{name} = {value:g}`" for name, value in kind.thresholds.items())
    return f"| `{kind.code}` | {kind.seen} | {limits} | {kind.todo} |"


def main() -> None:
    """Prints the page, or writes it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write docs/warnings.md")
    if parser.parse_args().write:
        PAGE.write_text(warnings_page(), encoding="utf-8")
    else:
        sys.stdout.write(warnings_page())


if __name__ == "__main__":
    main()
