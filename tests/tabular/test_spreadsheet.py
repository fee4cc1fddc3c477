from __future__ import annotations

import datetime as dt
from pathlib import Path

import openpyxl
import pytest
from tests.importers.made import save, save_workbook

from tiebreak.errors import InputError, UsageError
from tiebreak.tabular.delimited import sniff_delimiter
from tiebreak.tabular.source import read_sheet


def write(path: Path, content: str, encoding: str = "utf-8") -> str:
    path.write_bytes(content.encode(encoding))
    return str(path)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_every_delimiter_gives_the_same_cells(tmp_path: Path, delimiter: str) -> None:
    source = write(
        tmp_path / "f.csv",
        f'item{delimiter}text\r\n1{delimiter}"a{delimiter}b ""c""\r\nd"\r\n2{delimiter}x\r\n',
    )
    sheet = read_sheet(source)
    assert sheet.columns == ("item", "text")
    assert sheet.rows == (("1", f'a{delimiter}b "c"\r\nd'), ("2", "x"))
    assert sheet.lines == (2, 3)  # as spreadsheet programs number them; the first row takes lines 2 and 3


def test_a_delimiter_inside_texts_does_not_win() -> None:
    assert sniff_delimiter("item;text\n1;a, b, c\n2;d\n3;e, f\n") == ";"
    assert sniff_delimiter("text\nno delimiter here\n") == ","


def test_excel_says_its_delimiter_in_the_first_line(tmp_path: Path) -> None:
    sheet = read_sheet(write(tmp_path / "f.csv", "sep=;\nitem;value\nx;1,5\n"))
    assert sheet.columns == ("item", "value")
    assert (sheet.lines, sheet.decimal_comma) == ((3,), True)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_encodings_with_a_mark_are_understood(tmp_path: Path, encoding: str) -> None:
    sheet = read_sheet(write(tmp_path / "f.tsv", "item\ttext\n1\tþetta – ö\n", encoding))
    assert sheet.columns == ("item", "text")
    assert sheet.rows == (("1", "þetta – ö"),)


def test_windows_1252_is_read_with_a_remark(tmp_path: Path) -> None:
    """What Excel writes in Western Europe, if it is not asked for UTF-8."""
    path = write(tmp_path / "f.csv", "Nr.;Text;Flüssigkeit\n1;„ok“ – so;3,5\n2;café;4,0\n", "cp1252")
    sheet = read_sheet(path)
    assert sheet.columns == ("Nr.", "Text", "Flüssigkeit")
    assert sheet.rows == (("1", "„ok“ – so", "3,5"), ("2", "café", "4,0"))
    assert sheet.remarks == (f"{path}: no UTF-8, and read as Windows-1252 (Flüssigkeit, café).",)


@pytest.mark.parametrize(
    ("text", "encoding", "cure"),
    [
        ("题号,问题,哪个更好\n1,北京的首都是什么？,一样", "gb18030", "iconv -f GB18030 "),
        ("編號,問題,哪個比較好\n1,臺北的首都在哪裡？,一樣", "big5", "iconv -f BIG5 "),
        ("質問,モデルA\n首都は？,東京です", "cp932", "iconv -f CP932 "),
        ("번호,질문\n1,어느 것이 더 좋습니까", "cp949", "iconv -f CP949 "),
        ("item,output\n1,质问", "gb18030", "iconv -f "),  # too little to tell, and not the word ÖÊÎÊ
        ("item,output\n1,你", "gb18030", "iconv -f "),  # nor Äã
        ("Вопрос;Модель А\nГде?;да, там", "cp1251", "iconv -f WINDOWS-1251 "),
        ("id,text\n1,Které je lepší? žluťoučký kůň", "cp1250", "iconv -f ENCODING "),
        ("id,text\n1,Hangi cevap daha iyi? Başka ığdır", "cp1254", "iconv -f ENCODING "),
        ("id,text\n1,Jürgen und Flüssigkeit", "mac_roman", "iconv -f ENCODING "),
    ],
)
def test_other_encodings_are_named_and_not_read(text: str, encoding: str, cure: str, tmp_path: Path) -> None:
    path = write(tmp_path / "f.csv", text, encoding)
    with pytest.raises(InputError, match=r"f\.csv, line \d: byte 0x.. is not UTF-8[;,] .*" + cure):
        read_sheet(path)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"item,text\n1,caf\xc3\xa9\n2,gr\xf6\xdfer\n", r"line 3: byte 0xf6 is not UTF-8, .*put together of two files"),
        (b"\xef\xbb\xbfitem,text\n1,ok\n\xe9,x\n", "line 3: byte 0xe9"),
        ("item,text\n1,ok\n".encode("utf-16-le"), "line 1: there is a NUL byte"),
        ("item,text\n1,ok\n".encode("utf-16")[:-1], "UTF-16 but is cut off"),
        (b'item,text\n1,a\n2,"never closed\n3,b\n', "line 3: the quoting is broken"),
        (b"", "the file is empty"),
        (b"  \n\n", "the file is empty"),
        (b",,\n", "the file is empty"),
        (b"item,text\n", "row 1: there is a header but no row"),
        (b"item,text,Approve\n1,x\n2\n", "row 3: the row has 1 cells"),
        (b"c," * 2_000 + b"c\n" + b"x," * 2_000 + b"x\n", "2,001 columns, and the most is 2,000"),
    ],
)
def test_damaged_and_empty_files_are_refused_with_the_place(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "f.csv").write_bytes(content)
    with pytest.raises(InputError, match=said):
        read_sheet(str(tmp_path / "f.csv"))


def test_blank_rows_are_skipped(tmp_path: Path) -> None:
    sheet = read_sheet(write(tmp_path / "f.csv", "\nitem,text\n1,a\n,\n\n2,b\n,\n"))
    assert sheet.rows == (("1", "a"), ("2", "b"))
    assert sheet.lines == (3, 6)


def test_nameless_and_repeated_columns_get_names(tmp_path: Path) -> None:
    sheet = read_sheet(write(tmp_path / "f.csv", ",text,text,\n0,a,b,\n1,c,d,\n"))
    assert sheet.columns == ("column A", "text", "text (2)")


def test_ragged_rows_are_all_named(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read_sheet(write(tmp_path / "f.csv", "item,text\n1,a,b\n2,c\n3\n"))
    assert [problem.line for problem in caught.value.problems] == [2, 4]
    assert "the row has 3 cells and the header has 2" in str(caught.value)


def test_very_long_cells_are_read(tmp_path: Path) -> None:
    sheet = read_sheet(write(tmp_path / "f.csv", f"item,text\n1,{'x' * 200_000}\n"))
    assert len(sheet.rows[0][1]) == 200_000


def test_missing_files_and_folders(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no file"):
        read_sheet(str(tmp_path / "nope.csv"))
    with pytest.raises(UsageError, match="is a folder"):
        read_sheet(str(tmp_path))
    with pytest.raises(UsageError, match="is neither an Excel workbook nor JSON, so it has no sheet or list 'Sheet1'"):
        read_sheet(write(tmp_path / "f.csv", "a,b\n1,2\n") + "#Sheet1")


def test_a_file_may_have_a_hash_in_its_name(tmp_path: Path) -> None:
    assert read_sheet(write(tmp_path / "run#7.csv", "a,b\n1,2\n")).columns == ("a", "b")


# ---- workbooks ----


def test_workbook_values_become_text(tmp_path: Path) -> None:
    moment = dt.datetime(2024, 5, 17, 8, 38, 20)
    rows = [["item", "value", "when", "ok"], [7.0, 3.5, moment, True], [None, None, None, None], ["8", 1, None, False]]
    sheet = read_sheet(save(tmp_path, "f.xlsx", {"empty": [], "data": rows}))
    assert sheet.rows == (("7", "3.5", "2024-05-17T08:38:20", "true"), ("8", "1", "", "false"))
    assert sheet.lines == (2, 4)


def test_a_sheet_is_chosen_by_name(tmp_path: Path) -> None:
    path = save(tmp_path, "f.xlsx", {"One": [["a", "b"], [1, 2]], "Two": [["c", "d"], [3, 4]]})
    assert read_sheet(path).columns == ("a", "b")
    chosen = read_sheet(path + "#Two")
    assert chosen.columns == ("c", "d")
    with pytest.raises(UsageError, match=r"no sheet 'two': did you mean Two\? \(it has One, Two\)"):
        read_sheet(path + "#two")


VOTES = ["item", "winner"]


def test_sheets_of_one_header_are_one_table(tmp_path: Path) -> None:
    ann, bo = [VOTES, ["q1", "A"], ["q2", "B"]], [["Winner", "item"], [], ["B", "q1"], ["Winner", "item"]]
    path = save(tmp_path, "f.xlsx", {"ann": ann, "bo": bo, "notes": [["x", "y", "z"], [1, 2, 3]]})
    sheet = read_sheet(path)
    assert sheet.columns == ("item", "winner", "sheet")
    assert sheet.rows == (("q1", "A", "ann"), ("q2", "B", "ann"), ("q1", "B", "bo"))
    assert [f"{sheet.source_of(k)} {line}" for k, line in enumerate(sheet.lines)] == [
        f"{path}#ann 2", f"{path}#ann 3", f"{path}#bo 3",
    ]  # fmt: skip
    assert (sheet.part_column, sheet.headers_again) == ("sheet", 1)
    assert sheet.unread == (("the sheet notes", 2),)
    alone = read_sheet(f"{path}#bo")
    assert (alone.columns, alone.rows, alone.unread) == (("Winner", "item"), (("B", "q1"),), ())
    assert alone.source_of(0) == f"{path}#bo"


def test_hidden_sheets_are_not_read_but_named(tmp_path: Path) -> None:
    path = save(tmp_path, "f.xlsx", {"old": [VOTES, ["q0", "B"]], "new": [VOTES, ["q1", "A"]]})
    book = openpyxl.load_workbook(path)
    book["old"].sheet_state = "hidden"
    book.save(path)
    assert (read_sheet(path).rows, read_sheet(path).unread) == ((("q1", "A"),), (("the hidden sheet old", 2),))


def test_cells_without_a_value_count_only_in_sheets_that_are_read(tmp_path: Path) -> None:
    table = [VOTES, ["q1", "A"]]
    path = save(tmp_path, "f.xlsx", {"votes": table, "sums": [["n", "share", "of"], [1, "=1/2", "#N/A"]]})
    assert read_sheet(path).rows == (("q1", "A"),)
    path = save(tmp_path, "g.xlsx", {"votes": table, "more": [VOTES, ["q2", "#N/A"]]})
    with pytest.raises(InputError, match=r"g.xlsx#more, line 2, column B: '#N/A': an Excel error value"):
        read_sheet(path)


def test_merged_cells_hold_their_value_everywhere(tmp_path: Path) -> None:
    rows = [["item", "annotator", "rating"], ["x", "ann", 1], [None, "bob", 2]]
    path = save_workbook(tmp_path / "f.xlsx", {"Sheet": rows}, ["A2:A3"])
    assert read_sheet(path).rows == (("x", "ann", "1"), ("x", "bob", "2"))


def test_two_header_rows_are_joined(tmp_path: Path) -> None:
    rows = [["Human evaluation", None, None, None], ["item", "Fluency", None, "system"]]
    rows += [[None, "Ann", "Bob", None], ["x", 1, 2, "s"]]
    read = read_sheet(save_workbook(tmp_path / "f.xlsx", {"Sheet": rows}, ["A1:D1", "A2:A3", "B2:C2"]))
    assert read.columns == ("item", "Fluency Ann", "Fluency Bob", "system")
    assert read.rows == (("x", "1", "2", "s"),)


def test_formulas_need_a_stored_value(tmp_path: Path) -> None:
    path = save(tmp_path, "f.xlsx", {"S": [["item", "text"], ["x", '=CONCAT("a","b")']]})
    with pytest.raises(InputError, match=r"line 2, column B: .*a formula without a stored value"):
        read_sheet(path)


def test_rows_that_repeat_the_header_are_left_out(tmp_path: Path) -> None:
    sheet = read_sheet(write(tmp_path / "f.csv", "item,text\n1,x\nitem,text\n2,y\n"))
    assert sheet.rows == (("1", "x"), ("2", "y"))
    assert (sheet.lines, sheet.headers_again) == ((2, 4), 1)


def test_columns_at_the_end_that_no_row_ever_fills(tmp_path: Path) -> None:
    sheet = read_sheet(write(tmp_path / "f.csv", "item,text,Approve,Reject\n1,x\n2,y\n"))
    assert sheet.rows == (("1", "x", "", ""), ("2", "y", "", ""))


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_tabs_without_quoting_keep_stray_quotes(tmp_path: Path, end: str) -> None:
    lines = ["system\tseg\ttext", 'x\t1\t"Well', 'x\t2\tyes," he said.', 'y\t1\t"Quoted" and more', 'y\t2\t12"']
    sheet = read_sheet(write(tmp_path / "f.tsv", end.join(lines) + end))
    assert [row[2] for row in sheet.rows] == ['"Well', 'yes," he said.', '"Quoted" and more', '12"']


def test_tabs_with_quoting_are_still_read_as_such(tmp_path: Path) -> None:
    sheet = read_sheet(write(tmp_path / "f.tsv", 'item\ttext\n1\t"a\tb\nc ""d"""\n2\t"plain"\n'))
    assert sheet.rows == (("1", 'a\tb\nc "d"'), ("2", "plain"))
    assert read_sheet(write(tmp_path / "g.tsv", 'item\ttext\n1\t"a"\n')).rows == (("1", "a"),)
