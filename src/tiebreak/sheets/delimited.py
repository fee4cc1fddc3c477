"""A sheet as CSV: for programs that do not read workbooks."""

from __future__ import annotations

import csv
import io

from tiebreak.sheets.answers import allowed_answers
from tiebreak.sheets.cells import csv_text
from tiebreak.sheets.columns import ANSWER, COMMENT, SECONDS, TASK, text_columns
from tiebreak.sheets.rows import SheetContent


def to_csv(content: SheetContent) -> bytes:
    """UTF-8 with a byte order mark, which Excel needs to see that it is UTF-8; the question stands in every row."""
    columns = text_columns(content)
    question = f"{content.question} ({', '.join(allowed_answers(ties=content.ties))})"
    stream = io.StringIO(newline="")
    writer = csv.writer(stream)
    writer.writerow([TASK, *(column.name for column in columns), "question", ANSWER, SECONDS, COMMENT])
    for place, row in enumerate(content.rows):
        texts = [csv_text(column.texts[place]) for column in columns]
        writer.writerow([row.task, *texts, csv_text(question), "", "", ""])
    return stream.getvalue().encode("utf-8-sig")
