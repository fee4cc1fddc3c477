"""Where several files are one study, one that cannot be read leaves nothing half-imported, and the others are named."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.tabular.odd_workbooks import SMALL

from tiebreak.errors import InputError
from tiebreak.importers.spreadsheet.plan import SourceFile, understand


def files(folder: Path, *good: str) -> list[SourceFile]:
    for name in good:
        (folder / name).write_text("item,text\n1,x\n2,y\n")
    (folder / "bad.xlsx").write_bytes(SMALL["password-protected"].content)
    (folder / "worse.xlsx").write_bytes(SMALL["corrupt deflate in xl/workbook.xml"].content)
    return [SourceFile(str(folder / name)) for name in (*good, "bad.xlsx", "worse.xlsx")]


@pytest.mark.parametrize(
    ("good", "remark"),
    [((), ""), (("a.csv",), "a.csv, can be read."), (("a.csv", "b.csv"), "The other 2 files can be read.")],
)
def test_every_bad_file_is_named_and_the_others_are_counted(good: tuple[str, ...], remark: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as refused:
        understand(files(tmp_path, *good))
    lines = str(refused.value).split("\n")
    assert "".join(lines[2:]).endswith(remark)
    assert len(lines) == (3 if remark else 2)
