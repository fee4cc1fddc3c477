"""Leaderboards as a table in a file, for papers and programs; the ending of its name chooses the format."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from tiebreak.files import write_bytes
from tiebreak.report.formats import csv_table, latex, markdown, renderer_of

if TYPE_CHECKING:
    from tiebreak.results.ranking.records import CriterionRanks, RankResult


def check_ranks(path: Path) -> Callable[[RankResult], str]:
    """`renderer_of` for leaderboards."""
    return renderer_of(path, _FORMATS)


def write_ranks(result: RankResult, path: Path) -> None:
    """Write all leaderboards to `path`, all or nothing.

    Raises:
        UsageError: as `check_ranks`.
    """
    write_bytes(path, check_ranks(path)(result).encode())


def _csv(result: RankResult) -> str:
    frame = result.systems
    return csv_table.table(frame.columns, frame.iter_rows())


def _markdown(result: RankResult) -> str:
    from tiebreak.numbers import printable

    parts = []
    for found in result.results:
        title = f"## {printable(found.criterion)}\n\n" if found.criterion else ""
        told = [*_sentences(found, result)]
        parts.append(f"{title}{markdown.table(leaderboard_rows(found))}\n" + "\n\n".join(told) + "\n")
    return "\n".join(parts)


def _tex(result: RankResult) -> str:
    parts = []
    for found in result.results:
        title = latex.comment(found.criterion) if found.criterion else ""
        told = "".join(map(latex.comment, _sentences(found, result)))
        rows = leaderboard_rows(found)
        name = rows[0].index("System")
        columns = "r" * name + "l" + "r" * (len(rows[0]) - name - 1)
        parts.append(title + latex.table(rows, columns, signed=(name + 1, name + 2)) + told)
    return latex.NEEDS + "\n".join(parts)


def leaderboard_rows(found: CriterionRanks) -> list[list[str]]:
    """Rows for readers, the header first; every cell is one line. Of several groups each row names its own."""
    from tiebreak.numbers import points, printable
    from tiebreak.results.ranking.words import ends_words, place_words

    skills = {one.system: points(one.rating) for one in (found.glicko2.systems if found.glicko2 is not None else ())}
    groups = len(found.davidson.references) > 1
    head = [
        "Place",
        *(["Group"] if groups else []),
        "System",
        "Rating",
        "Interval",
        "Tier",
        *(["Glicko-2"] if skills else []),
        "Games",
    ]
    return [
        head,
        *(
            [
                place_words(one),
                *([str(one.group)] if groups else []),
                printable(one.system),
                points(one.strength.rating),
                ends_words(one.strength),
                "-" if one.tier is None else str(one.tier),
                *([skills[one.system]] if skills else []),
                f"{one.games:,}",
            ]
            for one in found.davidson.systems
        ),
    ]


def _sentences(found: CriterionRanks, result: RankResult) -> list[str]:
    """For the paper, and what the leaderboard must not be read without."""
    from tiebreak.numbers import printable
    from tiebreak.results.ranking.words import paper_sentence

    return [printable(text) for text in (paper_sentence(found, result), *(note.text for note in found.notes))]


_FORMATS: Final = MappingProxyType({".csv": _csv, ".tex": _tex, ".md": _markdown})
