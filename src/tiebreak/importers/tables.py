"""`tiebreak import csv`: tables of any layout, as people have them in spreadsheets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tiebreak.errors import UsageError
from tiebreak.importers.importer import Field, Importer, Proposal, UnderstoodFile
from tiebreak.importers.spreadsheet.fields import TARGETS
from tiebreak.settings.setting import Setting, setting
from tiebreak.tabular.cells import whole_characters

if TYPE_CHECKING:
    from tiebreak.importers.spreadsheet.draft import Role
    from tiebreak.importers.spreadsheet.mapping import Mapping
    from tiebreak.importers.spreadsheet.plan import SourceFile

_HELP: Final = """Turn tables (CSV, TSV, JSON, Excel) into a study folder.

What each column is, is guessed from its name and cells, shown, and asked before anything is written.

A file may hold the outputs of one system, or a column of outputs for each system.

It may also be a table of preferences (with or without the prompt and both outputs), ratings or scores.

Examples:

  tiebreak import csv gpt4.csv llama.csv my-study

  tiebreak import csv votes.xlsx my-study --map item=doc_id,outcome=vote

  tiebreak import csv labels.csv my-study --winner 1=a,0=tie,-1=b --yes
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSettings:
    """What the user says of the columns, the files and the cells; the rest is guessed."""

    columns: Sequence[str] = setting(
        (),
        Setting(
            "What a column is, where the guess is wrong; text=A|B for several columns, system=:gpt-4 for a constant. "
            f"Targets: {', '.join(TARGETS)}",
            option="map",
            metavar="TARGET=COLUMN,...",
        ),
    )
    systems: Sequence[str] = setting(
        (), Setting("A file with the outputs of one system", option="system", metavar="NAME=FILE")
    )
    judge_files: Sequence[str] = setting(
        (), Setting("A file of what a model judged: preferences or scores", option="judge-file", metavar="FILE")
    )
    score_files: Sequence[str] = setting(
        (), Setting("A file of metrics' scores of the other files' systems", option="scores-file", metavar="FILE")
    )
    rename: Sequence[str] = setting((), Setting("Another name for a system", metavar="OLD=NEW"))
    same: Sequence[str] = setting(
        (), Setting("Another spelling of the name of a person, judge or criterion", metavar="OTHER=NAME")
    )
    winner: str | None = setting(
        None,
        Setting(
            "What the cells of the outcome column mean, where that is not clear; or names, or positions",
            metavar="VALUE=a|b|tie|skip,...",
        ),
    )


def _read(files: Sequence[str], settings: TableSettings, known_systems: Sequence[str] = ()) -> Proposal:
    from tiebreak.importers.spreadsheet.mapping import parse_map
    from tiebreak.importers.spreadsheet.plan import build, outcome_cells, rows_of, understand
    from tiebreak.importers.spreadsheet.renaming import parse_renaming
    from tiebreak.importers.spreadsheet.winners import parse_winner, with_numbers

    _refuse_halves(settings)
    sources = _sources(files, settings)
    renaming = parse_renaming(settings.rename, settings.same)
    names = [*renaming.systems, *renaming.systems.values(), *known_systems]
    mappings = understand(sources, parse_map(settings.columns), names)
    winners = with_numbers(parse_winner(settings.winner), outcome_cells(mappings))
    return Proposal(
        files=tuple(map(_understood, mappings)),
        build=lambda name: build(mappings, winners, renaming, name=name),
        rows=lambda file: rows_of(next(m for m in mappings if m.sheet.source == file), winners, renaming),
    )


def _refuse_halves(settings: TableSettings) -> None:
    """Options whose bytes are no UTF-8 reach Python as halves of characters, of which no table can be written."""
    systems = (_name_and_file(option)[0] for option in settings.systems)
    stated = {"--map": settings.columns, "--system": systems, "--rename": settings.rename, "--same": settings.same}
    for option, texts in {**stated, "--winner": [settings.winner or ""]}.items():
        for text in texts:
            if whole_characters(text) != text:
                raise UsageError(f"{option} {text!r}: there are bytes in it that are no UTF-8")


def _sources(files: Sequence[str], settings: TableSettings) -> list[SourceFile]:
    from tiebreak.importers.spreadsheet.plan import SourceFile

    named: dict[str, str] = {}
    for option in settings.systems:
        name, file = _name_and_file(option)
        if not name or not file:
            raise UsageError(f"--system {option!r}: write NAME=FILE, for example --system gpt-4=outputs/run7.csv")
        if file in named:
            raise UsageError(f"--system names {file} twice")
        named[file] = name
    listed = [*files, *(file for file in named if file not in files)]
    roles: list[tuple[str, Role]] = [(file, "plain") for file in listed]
    roles += [(file, "judge") for file in settings.judge_files] + [(file, "scores") for file in settings.score_files]
    every = [file for file, _ in roles]
    repeated = next((file for file in every if every.count(file) > 1), None)
    if repeated is not None:
        raise UsageError(f"{repeated} is named twice")
    return [SourceFile(file, named.get(file), role) for file, role in roles]


def of_system(option: str) -> str:
    """The file that an option `NAME=FILE` names."""
    return _name_and_file(option)[1]


def _name_and_file(option: str) -> tuple[str, str]:
    """NAME=FILE at its last equals sign, as names may have some, unless what follows an earlier one is a file."""
    pieces = option.split("=")
    splits = [("=".join(pieces[:k]).strip(), "=".join(pieces[k:]).strip()) for k in range(len(pieces) - 1, 0, -1)]
    return next((split for split in splits if Path(split[1]).is_file()), splits[0] if splits else ("", ""))


def _understood(mapping: Mapping) -> UnderstoodFile:
    from tiebreak.importers.spreadsheet.confidence import confidence_of

    bindings = sorted(mapping.bindings, key=lambda binding: list(TARGETS).index(binding.target))
    return UnderstoodFile(
        file=mapping.sheet.source,
        shape=mapping.shape,
        rows=len(mapping.sheet.rows),
        fields=tuple(
            Field(
                binding.target,
                binding.columns,
                binding.constant,
                binding.origin,
                tuple(_example(mapping, column) for column in binding.columns),
            )
            for binding in bindings
        ),
        unused=mapping.unused,
        doubts=mapping.doubts,
        confidence=confidence_of(mapping),
    )


def _example(mapping: Mapping, column: str) -> str:
    return next((cell for cell in mapping.sheet.values(column) if cell.strip()), "")


TABLES_IMPORTER: Final = Importer(
    name="csv",
    help=_HELP,
    endings=(".csv", ".tsv", ".json", ".jsonl", ".xlsx", ".xls", ".ods"),
    file_hint="FILE.xlsx#Sheet names a sheet, FILE.json#votes a list",
    settings=TableSettings,
    correction="--map TARGET=COLUMN,...",
    read=_read,
)
