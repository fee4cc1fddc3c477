"""The columns of a sheet, in the order in which they stand, and the files that have them.

A sheet as CSV is for programs that do not read workbooks. As an Excel workbook it has instructions on its first page,
and on its second the tasks, with a drop-down for the answer.

Every text is written as text, whatever it begins with: no cell of the workbook is a formula.

How wide columns and how high rows must be for their texts to be read without opening a cell.

Spreadsheet programs differ in whether they fit the height of rows by themselves, so it is estimated here, generously.
Widths are in characters and heights in points, as in the file.
"""

from __future__ import annotations

import io
import math
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tiebreak.live.task_view import Assignment
from tiebreak.settings import shared
from tiebreak.settings.checks import check_settings
from tiebreak.settings.setting import Setting, setting
from tiebreak.tabular.cells import pieces, visible, xlsx_text
from tiebreak.tabular.delimited import csv_for_spreadsheets

if TYPE_CHECKING:
    from openpyxl.cell.cell import Cell
    from openpyxl.workbook.workbook import Workbook
    from openpyxl.worksheet.worksheet import Worksheet

TASK = "task"
SECONDS = "seconds"
COMMENT = "comment"

_FONT: Final = "Calibri"
_HEADER_ROW: Final = 2  # the question stands above, and stays visible with it
_WIDTHS: Final = {TASK: 13.0, SECONDS: 9.0, COMMENT: 28.0}
_CHOICE_WIDTH, _TEXT_WIDTH = 17.0, 48.0  # of fields
_INSTRUCTIONS_WIDTH: Final = 92.0
_HEAD_FILL, _ANSWER_FILL, _LINE_COLOUR = "FF1F3A5F", "FFFFF8DC", "FFD0D0D0"


@dataclass(frozen=True, slots=True)
class TextColumn:
    """A column with texts to read; `texts` has one per row of the sheet, "" where a row has none. `compared`: it holds
    one of the two texts that the question is about.
    """

    name: str
    texts: tuple[str, ...]
    compared: bool = False


def text_columns(content: Assignment) -> list[TextColumn]:
    """What there is to read, from left to right. A text that is too long for a cell goes on in a column beside it."""
    columns = []
    for name in content.given_columns:
        columns += _split(name, [task.given.get(name, "") for task in content.tasks], compared=False)
    for place, shown in enumerate(content.tasks[0].texts if content.tasks else ()):
        columns += _split(shown.name, [task.texts[place].text for task in content.tasks], compared=shown.compared)
    for number in range(content.passages):
        texts = [task.passages[number] if number < len(task.passages) else "" for task in content.tasks]
        columns += _split(f"passage {number + 1}", texts, compared=False)
    return columns


def told_columns(content: Assignment) -> list[str]:
    """What to write into which column, a sentence for each that needs one."""
    return [f"Column “{field.name}”: {field.told_in_full}" for field in content.fields if field.told]


def _split(name: str, texts: Sequence[str], *, compared: bool) -> list[TextColumn]:
    parts = [pieces(text) for text in texts]
    return [
        TextColumn(
            name if place == 0 else f"{name}, part {place + 1}",
            tuple(part[place] if place < len(part) else "" for part in parts),
            compared,
        )
        for place in range(max(map(len, parts), default=1))
    ]


@dataclass(frozen=True, slots=True)
class SheetSettings:
    """`number` of tasks, at most; None: as many as keep most labels evidence (`campaign.openings`).

    Raises `UsageError` for impossible values.
    """

    number: int | None = setting(
        None,
        Setting(
            "Number of tasks, at most",
            short="-n",
            at_least=1,
            at_most=shared.MOST_LABELS_IN_ALL,
            default_words="few while few labels are evidence, up to 50",
        ),
    )

    def __post_init__(self) -> None:
        check_settings(self)


# ---- files -----------------------------------------------------------------------------------------------------


def to_csv(content: Assignment) -> bytes:
    """A CSV file for spreadsheet programs; the question stands in every row."""
    columns = text_columns(content)
    names = [field.name for field in content.fields]
    header = [TASK, *(column.name for column in columns), "question", *names, SECONDS, COMMENT]
    question = _question(content)
    rows = [
        [task.task, *(column.texts[place] for column in columns), question, *map(task.filled.get, names), None, None]
        for place, task in enumerate(content.tasks)
    ]
    return csv_for_spreadsheets([header, *rows])


def _question(content: Assignment) -> str:
    """With the answers to choose from, where there is one field; else with what to write in each."""
    if len(content.fields) == 1 and content.fields[0].choices:
        return f"{content.question} ({', '.join(content.fields[0].choices)})"
    return " ".join([content.question, *told_columns(content)])


def to_xlsx(content: Assignment) -> bytes:
    """The workbook; it names no system, nor the study or the campaign."""
    from openpyxl import Workbook

    book = Workbook()
    book.properties.creator = "tiebreak"
    first = book.active
    first.title = "Instructions"
    _fill_instructions(first, content)
    tasks = book.create_sheet("Tasks")
    _fill_tasks(tasks, content)
    _add_drop_downs(tasks, content)
    _set_printing(tasks)
    tasks.print_title_rows = f"{_HEADER_ROW}:{_HEADER_ROW}"
    return saved(book)


def _fill_instructions(sheet: Worksheet, content: Assignment) -> None:
    from openpyxl.styles import Alignment, Font

    lines = [
        (content.question, Font(name=_FONT, size=16, bold=True)),
        *((part, Font(name=_FONT, size=11)) for part in pieces(content.instructions) if content.instructions.strip()),
        ("How to fill in this sheet", Font(name=_FONT, size=12, bold=True)),
        (f"For {content.annotator}: {len(content.tasks):,} tasks, on the page “Tasks”. One row is one task.", None),
        *((text, None) for text in told_columns(content)),
        ("Leave an answer empty if you cannot give it: somebody else will be asked.", None),
        ("Please do not change the column “task”. Rows may be sorted; columns may be added.", None),
        (f"If you like, note the time you took in “{SECONDS}” and remarks in “{COMMENT}”.", None),
        ("Save the file as .xlsx or CSV, and send it back.", None),
    ]
    sheet.column_dimensions["A"].width = _INSTRUCTIONS_WIDTH
    sheet.sheet_view.showGridLines = False
    _set_printing(sheet)
    for number, (text, font) in enumerate(lines, 1):
        cell = write_text(sheet, number, 1, text)
        cell.font = font or Font(name=_FONT, size=11)
        cell.alignment = Alignment(wrap_text=True, vertical="top")
        size = 11.0 if font is None else font.size
        sheet.row_dimensions[number].height = row_height([text], [_INSTRUCTIONS_WIDTH * 11 / size], size) + 4


def _fill_tasks(sheet: Worksheet, content: Assignment) -> None:
    from openpyxl.styles import Alignment, Border, Font, PatternFill, Side
    from openpyxl.utils import get_column_letter

    columns = text_columns(content)
    reading = column_widths(columns)
    asked = [field.name for field in content.fields]
    writing = [_TEXT_WIDTH if field.is_text else _CHOICE_WIDTH for field in content.fields]
    names = [TASK, *(column.name for column in columns), *asked, SECONDS, COMMENT]
    question = write_text(sheet, 1, 1, content.question)
    question.font = Font(name=_FONT, size=13, bold=True)
    for place, name in enumerate(names, 1):
        cell = write_text(sheet, _HEADER_ROW, place, name)
        cell.font = Font(name=_FONT, bold=True, color="FFFFFFFF")
        cell.fill = PatternFill("solid", fgColor=_HEAD_FILL)
        cell.alignment = Alignment(vertical="center")
    line = Border(bottom=Side(style="thin", color=_LINE_COLOUR))
    wrapped, yellow = Alignment(wrap_text=True, vertical="top"), PatternFill("solid", fgColor=_ANSWER_FILL)
    for place, row in enumerate(content.tasks):
        values = [row.task, *(column.texts[place] for column in columns), *map(row.filled.get, asked), None, None]
        for position, value in enumerate(values, 1):
            cell = sheet.cell(_HEADER_ROW + 1 + place, position)
            if value:
                cell = write_text(sheet, cell.row, position, value)
            cell.alignment, cell.border = wrapped, line
            if len(columns) + 1 < position <= len(columns) + 1 + len(asked):
                cell.fill = yellow
        texts = [*(column.texts[place] for column in columns), *(row.filled.get(name, "") for name in asked)]
        sheet.row_dimensions[_HEADER_ROW + 1 + place].height = row_height(texts, [*reading, *writing])
    sheet.row_dimensions[1].height, sheet.row_dimensions[_HEADER_ROW].height = 24, 20
    widths = [_WIDTHS[TASK], *reading, *writing, _WIDTHS[SECONDS], _WIDTHS[COMMENT]]
    for position, width in enumerate(widths, 1):
        sheet.column_dimensions[get_column_letter(position)].width = width
    sheet.freeze_panes = sheet.cell(_HEADER_ROW + 1, 2)
    last = get_column_letter(len(names))
    sheet.auto_filter.ref = f"A{_HEADER_ROW}:{last}{_HEADER_ROW + len(content.tasks)}"


def _add_drop_downs(sheet: Worksheet, content: Assignment) -> None:
    """One for each field with answers to choose from."""
    from openpyxl.utils import get_column_letter
    from openpyxl.worksheet.datavalidation import DataValidation

    last = _HEADER_ROW + max(len(content.tasks), 1)
    for place, field in enumerate(content.fields, len(text_columns(content)) + 2):
        if field.choices:
            words, letter = ",".join(field.choices), get_column_letter(place)
            choice = DataValidation(type="list", formula1=f'"{words}"', allow_blank=True, showDropDown=False)
            choice.showErrorMessage, choice.errorTitle = True, "Not one of the answers"
            choice.error = f"Choose {', '.join(field.choices[:-1])} or {field.choices[-1]}; or leave the cell empty."
            choice.add(f"{letter}{_HEADER_ROW + 1}:{letter}{last}")
            sheet.add_data_validation(choice)


def _set_printing(sheet: Worksheet) -> None:
    sheet.page_setup.orientation = "landscape"
    sheet.page_setup.fitToWidth, sheet.page_setup.fitToHeight = 1, 0
    sheet.sheet_properties.pageSetUpPr.fitToPage = True


def write_text(sheet: Worksheet, row: int, column: int, text: str) -> Cell:
    """A text cell; the quote mark keeps it one when somebody edits it."""
    cell = sheet.cell(row, column)
    cell.value = xlsx_text(visible(text))
    cell.data_type = "s"  # openpyxl takes "=1+1" for a formula and "#N/A" for an error
    cell.number_format = "@"
    cell.quotePrefix = text.startswith(("=", "+", "-", "@"))
    return cell


def saved(book: Workbook) -> bytes:
    """The file of a workbook."""
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


_NARROWEST, _WIDEST, _STEP = 24.0, 96.0, 4.0
_ALL_TEXTS: Final = 168.0
"""So many characters of text fit beside the other columns on a large screen."""

_FEW_LINES: Final = 6
_HIGHEST_ROW: Final = 409.0  # a limit of the file format
_SLACK: Final = 1.12  # lines break at spaces, and letters differ in width


def column_widths(columns: Sequence[TextColumn]) -> list[float]:
    """A width for each column: the one that needs most lines is widened until few are needed or the screen is full.

    What a column needs is told by its longest texts but the top twentieth, so that one giant does not rule. The two
    texts that are compared get the same width, lest one look longer.
    """
    if not columns:
        return []
    typical = [_typical(column) for column in columns]
    widths = [_NARROWEST] * len(columns)
    while sum(widths) < _ALL_TEXTS:
        needs = [lines(text, width) if width < _WIDEST else 0 for text, width in zip(typical, widths, strict=True)]
        most = max(range(len(columns)), key=needs.__getitem__)
        if needs[most] <= _FEW_LINES:
            break
        widths[most] += _STEP
    compared = [place for place, column in enumerate(columns) if column.compared]
    for place in compared:
        widths[place] = max(widths[other] for other in compared)
    return widths


def row_height(texts: Sequence[str], widths: Sequence[float], size: float = 11.0) -> float:
    """Points for the text with the most lines, in letters of this size."""
    needed = max((lines(text, width) for text, width in zip(texts, widths, strict=True)), default=1)
    return min(needed * size * 1.32 + 4, _HIGHEST_ROW)


def tasks_too_long_to_see(content: Assignment) -> int:
    """Tasks with a text that its row cannot show as a whole, so that its reader has to open the cell."""
    columns = text_columns(content)
    widths = column_widths(columns)
    return sum(
        row_height([column.texts[place] for column in columns], widths) >= _HIGHEST_ROW
        for place in range(len(content.tasks))
    )


def lines(text: str, width: float) -> int:
    """Lines that a text takes in a column of this many characters."""
    return sum(max(1, math.ceil(_SLACK * _columns_of(line) / width)) for line in text.split("\n"))


def _columns_of(line: str) -> int:
    """Characters, those of East Asian scripts twice."""
    if line.isascii():
        return len(line)
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in line)


def _typical(column: TextColumn) -> str:
    ordered = sorted(column.texts, key=len)
    return ordered[math.ceil(0.95 * len(ordered)) - 1] if ordered else ""
