"""Reading files of outputs without inputs."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.importers.made import save

from tiebreak.errors import InputError, UsageError
from tiebreak.pairing.sources import PairingSource, check_match, parse_sources, read_outputs


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def written(file: str, content: str | bytes) -> PairingSource:
    Path(file).write_bytes(content if isinstance(content, bytes) else content.encode())
    return PairingSource(file, "x")


ROWS = [{"tense": "past", "text": "Good food.", "n": 1}, {"tense": "present", "text": "It rains, often.", "n": 2}]
FLOATS = [row | {"n": float(row["n"])} for row in ROWS]
TABLE = [list(ROWS[0]), *(list(row.values()) for row in ROWS)]


@pytest.mark.parametrize(
    ("file", "rows", "first", "part"),
    [
        ("x.csv", ROWS, 2, ""),
        ("x.tsv", ROWS, 2, ""),
        ("x.jsonl", FLOATS, 1, ""),
        ("x.parquet", FLOATS, 1, ""),
        ("x.xlsx", {"Sheet": [], "outputs": TABLE}, 2, "#outputs"),
    ],
)
def test_every_format_gives_the_same_rows(file: str, rows: object, first: int, part: str) -> None:
    frame = read_outputs(PairingSource(save(Path(), file, rows) + part, "x"), None, ["tense", "n"])
    assert frame.select("tense", "text", "n").rows() == [(row["tense"], row["text"], str(row["n"])) for row in ROWS]
    assert frame["source_line"].to_list() == [first, first + 1]


def test_a_text_file_is_one_text_a_line() -> None:
    frame = read_outputs(written("x.txt", "\ufeffone, two\r\n\nlast"), None, [])
    assert frame.rows() == [("one, two", 1), ("", 2), ("last", 3)]


def test_truth_values_and_blanks_are_attributes() -> None:
    rows = [{"text": "a", "plural": True, "mood": " "}, {"text": "b", "plural": None, "mood": " X "}]
    frame = read_outputs(PairingSource(save(Path(), "x.jsonl", rows), "x"), None, ["plural", "mood"])
    assert frame.select("plural", "mood").rows() == [("true", None), (None, "X")]


def test_rows_are_numbered_as_a_spreadsheet_shows_them() -> None:
    source = written("x.csv", 'text\n"two\nlines"\n\nlast\n')
    assert read_outputs(source, None, []).rows() == [("two\nlines", 2), ("last", 4)]


def test_the_text_column_is_known_by_its_name_or_named() -> None:
    source = written("x.csv", "note,Response\nn,r\n")
    assert read_outputs(source, None, [])["text"].to_list() == ["r"]
    assert read_outputs(source, "note", [])["text"].to_list() == ["n"]
    # A file without a header line is not read as if its first text were one.
    with pytest.raises(UsageError, match=r"\(The food was great\) is called text .* read as .txt, one text a line"):
        read_outputs(written("y.csv", "The food was great\nNever again\n"), None, [])


@pytest.mark.parametrize(
    ("file", "content", "match", "words"),
    [
        ("x.jsonl", '{"text": "a"}\n{"text": ["b"]}\n', [], r"x.jsonl, line 2, column text: .*a list, where text is"),
        ("x.jsonl", '{"text": "a"}\n{oops\n', [], "x.jsonl, line 2: invalid JSON"),
        ("x.jsonl", '{"text": "a", "t": 1}\n{"text": "b", "t": "x"}\n', ["t"], "column t: values of different types"),
        ("x.jsonl", '{"text": "a", "t": [1]}\n', ["t"], "column t: lists or objects; an attribute must be"),
        ("x.csv", 'text\n"open\n', [], "x.csv, line 2: the quoting is broken"),
        ("x.txt", b"fine\ncaf\xe9\n", [], "x.txt, line 2: not UTF-8"),
        ("x.txt", "", [], "x.txt: the file is empty"),
        ("x.parquet", "no", [], "no Parquet file"),
    ],
)
def test_broken_files_are_named_with_the_place(file: str, content: str | bytes, match: list[str], words: str) -> None:
    with pytest.raises(InputError, match=words):
        read_outputs(written(file, content), None, match)


def test_unknown_columns_are_refused_with_a_hint() -> None:
    source = PairingSource(save(Path(), "x.csv", ROWS), "x")
    with pytest.raises(UsageError, match=r"x.csv has no column tens: did you mean tense\? \(it has tense, text"):
        read_outputs(source, None, ["tens"])
    with pytest.raises(UsageError, match=r"--text: x\.csv has no column txt: did you mean text"):
        read_outputs(source, "txt", [])
    with pytest.raises(UsageError, match="--match tense: this column holds the outputs"):
        read_outputs(source, "tense", ["tense"])
    with pytest.raises(UsageError, match="a text file has no attributes"):
        read_outputs(written("x.txt", "a\n"), None, ["tense"])


@pytest.mark.parametrize(
    ("match", "words"),
    [
        (["item"], "--match item: outputs that belong to the same item .* tiebreak import"),
        (["text"], "--match text: the study has a column of this name"),
        (["tense", "tense"], "--match names tense twice"),
    ],
)
def test_attributes_that_cannot_be(match: list[str], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        check_match(match)


def test_sources_are_files_with_or_without_a_name() -> None:
    for file in ("a.csv", "b.jsonl", "c=d.txt"):
        written(file, "x")
    Path("runs").mkdir()
    written("runs/a.csv", "x")
    assert parse_sources(["a.csv", "new=runs/a.csv", "c=d.txt"]) == [
        PairingSource("a.csv", "a"),
        PairingSource("runs/a.csv", "new"),
        PairingSource("c=d.txt", "c=d"),
    ]
    for named, words in (
        (["a.csv"], "at least two systems"),
        (["a.csv", "a.csv"], "a.csv is named twice"),
        (["a.csv", "runs/a.csv"], "a.csv and runs/a.csv would both be the system a; name one of them: NAME=FILE"),
        (["a.csv", "nope.csv"], "there is no file nope.csv"),
        (["a.csv", "=b.jsonl"], "'=b.jsonl': write FILE or NAME=FILE"),
        (["a.csv", "runs"], "runs is a folder; name files of outputs, and with --out"),
    ):
        with pytest.raises(UsageError, match=words):
            parse_sources(named)
    written("x.docx", "x")
    with pytest.raises(UsageError, match=r"x\.docx: files of outputs end in \.csv, \.tsv"):
        parse_sources(["a.csv", "x.docx"])
