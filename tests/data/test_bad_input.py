"""Bad input gives one error that names file, line, column, value and what is allowed; nothing is half-loaded."""

from __future__ import annotations

import io
import time
from pathlib import Path

import polars as pl
import pytest

from tiebreak.data.readers import read_study
from tiebreak.errors import InputError, Problem

PREFERENCES = "item,system_a,system_b,annotator,outcome\n"
RATINGS = "item,system,annotator,criterion,value\n"
OUTPUTS = "item,system,text\n"
TIMED, DATED = (PREFERENCES.replace("\n", f",{column}\n") for column in ("seconds", "decided_at"))
ONE = '{"item":1,"system":"A","text":"x"}\n'
RATED = '{"item":1,"system":"A","annotator":"w","criterion":"c","value":'
TYPED = pl.DataFrame(schema={"item": pl.String, "system": pl.String, "text": pl.String})


def _problems(folder: Path) -> tuple[Problem, ...]:
    with pytest.raises(InputError) as caught:
        read_study(folder, strict=True)
    return caught.value.problems


def _parquet(frame: pl.DataFrame) -> bytes:
    stream = io.BytesIO()
    frame.write_parquet(stream)
    return stream.getvalue()


# file name, content, expected (line, column, value)
CASES: dict[str, tuple[str, str | bytes, tuple[int | None, str | None, str | None]]] = {
    "outcome in capitals": ("preferences.csv", PREFERENCES + "1,A,B,w,a\n2,A,B,w,Tie\n", (3, "outcome", "Tie")),
    "outcome unknown": ("preferences.csv", PREFERENCES + "1,A,B,w,better\n", (2, "outcome", "better")),
    "outcome empty": ("preferences.csv", PREFERENCES + "1,A,B,w,\n", (2, "outcome", "")),
    "a pair with itself": ("preferences.csv", PREFERENCES + "1,A,A,w,a\n", (2, "system_b", "A")),
    "duplicate, other way round": (
        "preferences.csv",
        PREFERENCES + '1,A,B,w,a\n2,A,B,"w\n",b\n1,B,A,w,tie\n',
        (5, None, "1, A, B, w"),
    ),
    "duplicate output": ("outputs.csv", OUTPUTS + "1,A,x\n1,A,y\n", (3, None, "1, A")),
    "duplicate rating": ("ratings.csv", RATINGS + "1,A,w,c,3\n1,A,v,c,3\n1,A,w,c,4\n", (4, None, "1, A, w, c")),
    "blank item": ("outputs.csv", OUTPUTS + ",A,x\n", (2, "item", "")),
    "name of invisible characters": ("outputs.csv", OUTPUTS + "1,\u00a0\u200b ,x\n", (2, "system", "\u00a0\u200b ")),
    "text for a number": ("ratings.csv", RATINGS + "1,A,w,c,good\n", (2, "value", "good")),
    "NaN": ("ratings.csv", RATINGS + "1,A,w,c,NaN\n", (2, "value", "NaN")),
    "infinite": ("ratings.csv", RATINGS + "1,A,w,c,-inf\n", (2, "value", "-inf")),
    "no number": ("ratings.csv", RATINGS + "1,A,w,c,\n", (2, "value", "")),
    "negative seconds": ("preferences.csv", TIMED + "1,A,B,w,a,-3\n", (2, "seconds", "-3")),
    "seconds of a thousand years": ("preferences.csv", TIMED + "1,A,B,w,a,1e101\n", (2, "seconds", "1e101")),
    "seconds in words": ("preferences.csv", TIMED + "1,A,B,w,a,3s\n", (2, "seconds", "3s")),
    "no such month": ("preferences.csv", DATED + "1,A,B,w,a,2020-13-01\n", (2, "decided_at", "2020-13-01")),
    "zones mixed": (
        "preferences.csv",
        DATED + "1,A,B,w,a,2020-01-01T00:00Z\n2,A,B,w,a,2020-01-01 00:00\n",
        (3, "decided_at", "2020-01-01 00:00"),
    ),
    "left is no system of the pair": (
        "preferences.csv",
        PREFERENCES.replace("\n", ",left\n") + "1,A,B,w,a,C\n",
        (2, "left", "C"),
    ),
    "missing column": ("preferences.csv", "item,system_a,system_b,annotator,outcom\n1,A,B,w,a\n", (1, "outcome", None)),
    "column twice": ("outputs.csv", "item,system,system,text\n1,A,B,x\n", (1, "system", None)),
    "column without a name": ("outputs.csv", "item,system,text,\n1,A,x,\n", (1, None, None)),
    "too few fields": ("outputs.csv", OUTPUTS + '1,A,"x\ny"\n2,A\n', (4, None, None)),
    "too many fields": ("outputs.csv", OUTPUTS + "1,A,x,y\n", (2, None, None)),
    "unterminated quote": ("outputs.csv", OUTPUTS + '1,A,x\n2,A,"y\n3,A,z\n', (3, None, None)),
    "text after a quote": ("outputs.csv", OUTPUTS + '1,A,"x" y\n', (2, None, None)),
    "bare carriage returns": ("outputs.csv", "item,system,text\r1,A,x\r", (1, None, None)),
    "Latin-1": ("outputs.csv", (OUTPUTS + "1,A,x\n2,A,déjà\n").encode("latin-1"), (3, None, None)),
    "UTF-16": ("outputs.csv", (OUTPUTS + "1,A,x\n").encode("utf-16"), (1, None, None)),
    "NUL": ("outputs.csv", OUTPUTS + "1,A,x\0y\n", (2, None, None)),
    "no bytes": ("outputs.csv", "", (None, None, None)),
    "white space only": ("outputs.csv", " \n\n", (None, None, None)),
    "header only": ("outputs.csv", OUTPUTS, (None, None, None)),
    "Parquet of no bytes": ("outputs.parquet", b"", (None, None, None)),
    "Parquet cut off": (
        "outputs.parquet",
        _parquet(pl.DataFrame({"item": [1], "system": "A", "text": "x"}))[:-9],
        (None, None, None),
    ),
    "Parquet damaged": ("outputs.parquet", b"PAR1" + b"?" * 40 + b"PAR1", (None, None, None)),
    "not Parquet": ("outputs.parquet", b"item,system,text\n1,A,x", (None, None, None)),
    "Parquet of truth values": (
        "outputs.parquet",
        _parquet(pl.DataFrame({"item": [True], "system": "A", "text": "x"})),
        (1, "item", "true"),
    ),
    "Parquet without rows": ("outputs.parquet", _parquet(TYPED), (None, None, None)),
    "invalid JSON": ("outputs.jsonl", ONE + '\n{"item":1,}\n', (3, None, None)),
    "no object": ("outputs.jsonl", ONE + "[1, 2]\n", (2, None, "[1, 2]")),
    "NaN in JSON": ("ratings.jsonl", RATED + '1}\n{"value":NaN}\n', (2, None, None)),
    "no outcome, and rows that repeat others": (
        "preferences.csv",
        PREFERENCES.replace("outcome", "ouMcome") + "1,A,B,w,a\n1,A,B,w,b\n",
        (1, "outcome", None),
    ),
    "one key twice in an object": (
        "outputs.jsonl",
        ONE + '{"item":1,"system":"B","text":"y","item":2}\n',
        (2, None, None),
    ),
    "JSON 900 deep": (
        "outputs.jsonl",
        ONE + '{"item":1,"system":"B","text":"y","z":' + "[" * 900 + "]" * 900 + "}\n",
        (2, None, None),
    ),
    "an object among names": (
        "outputs.jsonl",
        ONE + '{"item":{"id":2},"system":"A","text":"x"}\n',
        (2, "item", '{"id": 2}'),
    ),
    "a fraction as a name": ("outputs.jsonl", '{"item":1.5,"system":"A","text":"x"}\n', (1, "item", "1.5")),
    "text among numbers": ("ratings.jsonl", RATED + '"3"}\n', (1, "value", "3")),
    "half a surrogate pair": ("outputs.jsonl", '{"item":1,"system":"A","text":"\\ud800"}\n', (1, "text", "\\ud800")),
    "NUL in a name": ("outputs.jsonl", '{"item":"a\\u0000","system":"A","text":""}\n', (1, "item", "a\0")),
    "references of two kinds": (
        "items.jsonl",
        '{"item":1,"references":["x"]}\n{"item":2,"references":"y"}\n',
        (2, "references", "y"),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_problem_is_named_with_its_place(name: str, make_folder) -> None:  # type: ignore[no-untyped-def]
    file, content, (line, column, value) = CASES[name]
    files: dict[str, str | bytes] = {file: content}
    if file.startswith("items"):
        files["outputs.csv"] = OUTPUTS + "1,A,x\n"
    folder = make_folder(files)
    (problem,) = _problems(folder)
    assert problem.file == str(folder / file)
    assert (problem.line, problem.column, problem.value) == (line, column, value)


def test_all_problems_of_all_files_come_at_once_in_the_order_of_their_lines(make_folder) -> None:  # type: ignore[no-untyped-def]
    folder = make_folder(
        {
            "outputs.csv": OUTPUTS + "1,A,x\n,B,y\n",
            "preferences.csv": PREFERENCES + "1,A,B,w,tie\n2,A,B,w\n3,A,A,w,x\n1,B,A,w,a\n",
            "ratings.jsonl": '{"item":1\n{"item":1,"system":"A","annotator":"w","criterion":"c","value":true}\n',
            "study.toml": "titel = 1\n",
        }
    )
    places = [(p.file.rpartition("/")[2], p.line, p.column) for p in _problems(folder)]
    assert places == [
        ("outputs.csv", 3, "item"),
        ("preferences.csv", 3, None),
        ("preferences.csv", 4, "outcome"),
        ("preferences.csv", 4, "system_b"),
        ("preferences.csv", 5, None),
        ("ratings.jsonl", 1, None),
        ("ratings.jsonl", 2, "value"),
        ("study.toml", 1, "titel"),
    ]


def test_many_problems_are_all_counted_and_twenty_are_shown(make_folder) -> None:  # type: ignore[no-untyped-def]
    rows = "".join(f"{n},A,B,w,x\n" for n in range(3000))
    with pytest.raises(InputError) as caught:
        read_study(make_folder({"preferences.csv": PREFERENCES + rows}))
    assert caught.value.total == 3000
    assert len(caught.value.problems) == 1000
    assert str(caught.value).count("\n") == 20
    assert str(caught.value).endswith("... and 2,980 more")


def test_several_wrong_cells_of_a_row_are_told_apart(make_folder) -> None:  # type: ignore[no-untyped-def]
    header = PREFERENCES.replace("\n", ",left,seconds\n")
    found = _problems(make_folder({"preferences.csv": header + "1,A,B,w,a,A,1\n2,A,B,,B ,C,-1\n3,A,D,w,a,E,1\n"}))
    assert [(p.line, p.column) for p in found] == [
        (3, "annotator"), (3, "outcome"), (3, "seconds"), (3, "left"), (4, "left"),
    ]  # fmt: skip
    assert "A or D" in found[-1].message


@pytest.mark.parametrize("repeated", [False, True])
def test_an_error_in_the_last_of_a_million_rows_is_found_in_seconds(make_folder, repeated: bool) -> None:  # type: ignore[no-untyped-def]
    frame = pl.select(item=pl.int_range(1_000_000)).with_columns(
        system_a=pl.lit("A"), system_b=pl.lit("B"), annotator=pl.lit("w"), outcome=pl.lit("a")
    )
    last = "5,B,A,w,a\n" if repeated else "x,A,B,w,c\n"
    folder = make_folder({"preferences.csv": frame.write_csv() + last})
    start = time.process_time()
    (problem,) = _problems(folder)
    assert problem.line == 1_000_002
    assert time.process_time() - start < 10
    assert ("as on line 7" in problem.message) is repeated


def test_a_folder_that_is_no_study_says_what_a_study_needs(make_folder, tmp_path) -> None:  # type: ignore[no-untyped-def]
    folder = make_folder({"results.xlsx": b"", "notes.md": "x", "items.csv": "item\n1\n"})
    (problem,) = _problems(folder)
    assert "needs outputs, labels, scores or judge preferences" in problem.message
    (folder / "preference.csv").write_text(PREFERENCES)
    for place, hint in (
        (folder, "did you mean preferences.csv?"),
        (folder / "notes.md", "name the folder it is in"),
        (folder / "results.xlsx", "tiebreak import"),
        (folder / "preference.csv", "tiebreak import"),
        (tmp_path / "studi", "did you mean study?"),
    ):
        (problem,) = _problems(place)
        assert hint in problem.message


def test_two_files_for_one_table_are_refused(make_folder) -> None:  # type: ignore[no-untyped-def]
    frame = pl.DataFrame({"item": ["1"], "system": ["A"], "text": ["x"]})
    folder = make_folder({"outputs.csv": frame.write_csv(), "outputs.parquet": _parquet(frame)})
    (problem,) = _problems(folder)
    assert "outputs.csv and outputs.parquet both hold the table outputs" in problem.message


@pytest.mark.parametrize("table", ["ratings", "scores", "outputs", "items"])
def test_the_header_of_another_table_is_a_problem_not_a_crash(tmp_path: Path, table: str) -> None:
    for name in ("preferences", table):
        (tmp_path / f"{name}.csv").write_text(f"{PREFERENCES}i,x,y,p,a\n")
    if table == "items":
        read_study(tmp_path)  # items need nothing but their name; other columns are kept
        return
    with pytest.raises(InputError, match="the column is missing"):
        read_study(tmp_path)


def test_numbers_that_overflow_are_a_problem(tmp_path: Path) -> None:
    (tmp_path / "ratings.csv").write_text("item,system,annotator,criterion,value\ni,x,p,c,1e308\ni,y,p,c,-1e31\n")
    (tmp_path / "scores.csv").write_text("item,system,metric,value\ni,x,m,1e308\ni,y,m,-1e31\n")
    with pytest.raises(InputError, match=r"value: '1e308': out of range; ratings must be from -1e\+30 to") as caught:
        read_study(tmp_path)
    assert caught.value.total == 3
    assert "'1e308': out of range; numbers must be from -1e+100 to 1e+100" in str(caught.value)
