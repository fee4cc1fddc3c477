"""Win rates of an audit as a table in a file; the ending of its name chooses the format."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from tiebreak.files import write_bytes
from tiebreak.report.formats import csv_table, latex, markdown, renderer_of

if TYPE_CHECKING:
    from tiebreak.auditing.records import Audit

_COLUMNS: Final = (
    "name", "kind", "criterion", "system_a", "system_b", "items", "labels", "judged", "by_people", "by_source",
    "difference", "difference_low", "difference_high", "corrected", "corrected_low", "corrected_high",
)  # fmt: skip


def check_audit(path: Path) -> Callable[[Audit], str]:
    """`renderer_of` for audits."""
    return renderer_of(path, _FORMATS)


def write_audit(audit: Audit, path: Path) -> None:
    """Write the win rates of all sources to `path`, all or nothing.

    Raises:
        UsageError: as `check_audit`.
    """
    write_bytes(path, check_audit(path)(audit).encode())


def _csv(audit: Audit) -> str:
    rows = []
    for found in audit.results:
        for pair in found.pairs:
            of = pair.outcomes
            ends = (of.difference, of.corrected)
            figures = (figure for end in ends for figure in (end.value, end.low, end.high))
            source = (found.name, found.kind, found.criterion, pair.system_a, pair.system_b)
            rows.append((*source, of.items, of.labels, of.judged, of.by_people.value, of.by_source.value, *figures))
    return csv_table.table(_COLUMNS, rows)


def audit_rows(audit: Audit) -> list[list[str]]:
    """Rows for readers, the header first: the system that wins more often stands first."""
    from tiebreak.auditing.words import share_words
    from tiebreak.numbers import in_percent, printable

    named = any(found.criterion for found in audit.results)
    head = ["Judge or metric", *(["Criterion"] if named else []), "Pair", "Items", "People", "It", "Corrected"]
    rows = [head]
    for found in audit.results:
        for pair in (one.winner_first() for one in found.pairs):
            of = pair.outcomes
            shares = [in_percent(end.value or 0.0) for end in (of.by_people, of.by_source)]
            about = [printable(found.criterion or "")] if named else []
            systems = printable(f"{pair.system_a} : {pair.system_b}")
            rows.append([printable(found.name), *about, systems, f"{of.items:,}", *shares, share_words(of.corrected)])
    return rows


def _markdown(audit: Audit) -> str:
    return markdown.table(audit_rows(audit))


def _tex(audit: Audit) -> str:
    rows = audit_rows(audit)
    names = rows[0].index("Pair") + 1
    return latex.NEEDS + latex.table(rows, "l" * names + "r" * (len(rows[0]) - names), signed=())


_FORMATS: Final = MappingProxyType({".csv": _csv, ".tex": _tex, ".md": _markdown})
