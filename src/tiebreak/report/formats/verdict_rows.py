"""The rows of a table for readers, the same in every format."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tiebreak.results.records import CompareResult


def verdict_rows(result: CompareResult) -> Iterable[tuple[str | None, list[list[str]]]]:
    """Per criterion: its name, and the rows of its table, the header first; every cell is one
    line."""
    from tiebreak.numbers import interval, known_number, printable
    from tiebreak.results.standing import standings
    from tiebreak.results.words import verdict_words

    terms, currency = result.terms, str(result.study["currency"])
    for found in result.results:
        rows = [["System A", "System B", "Items", "Labels", "Difference", "Verdict"]]
        decided, undecided = standings(found)
        for pair in (*decided, *undecided):
            gap = pair.difference
            figures = f"{known_number(gap.estimate)} {interval(gap.low, gap.high)}"
            words = verdict_words(pair, terms.margin, currency, anew=not terms.going_on)
            cells = [pair.system_a, pair.system_b, f"{pair.items:,}", f"{pair.labels:,}", figures, words]
            rows.append([printable(cell) for cell in cells])
        yield None if found.criterion is None else printable(found.criterion), rows
