from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiebreak.errors import UsageError
from tiebreak.importers.spreadsheet.mapping import Binding, map_option, parse_map, resolve
from tiebreak.tabular.spreadsheet import Sheet


def sheet(*columns: str, source: str = "f.csv") -> Sheet:
    return Sheet(source, "f", columns, (2,), (tuple("x" for _ in columns),))


def test_pairs_lists_constants_and_aliases() -> None:
    assert parse_map(["item=doc id,text=a|b", "system=:gpt-4, turbo", "winner=vote"]) == (
        Binding("item", ("doc id",), origin="option"),
        Binding("text", ("a", "b"), origin="option"),
        Binding("system", constant="gpt-4, turbo", origin="option"),
        Binding("outcome", ("vote",), origin="option"),
    )


def test_a_column_may_hold_a_comma() -> None:
    assert parse_map(["input=question, as asked,item=id"])[0].columns == ("question, as asked",)


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("itm=x", r"there is nothing called itm: did you mean item\?"),
        ("item", "write TARGET=COLUMN"),
        ("item=", "write TARGET=COLUMN"),
        ("item=a,item=b", "names item twice"),
    ],
)
def test_what_cannot_be(option: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse_map([option])


def test_several_columns_where_one_is_needed() -> None:
    with pytest.raises(UsageError, match=r"item is one column, not several; item=a\+b makes one key of them"):
        resolve(parse_map(["item=a|b"]), [sheet("a", "b")])


@pytest.mark.parametrize("columns", [["gpt, the big one", "llama|small"], ["a", "b|c | d", "e"], ["o'brien", "$HOME"]])
def test_what_is_printed_names_columns_whatever_they_are_called(columns: list[str]) -> None:
    option, value = shlex.split(map_option("text", columns))
    assert option == "--map"
    (found,) = resolve(parse_map([value]), [sheet("id", *columns)])
    assert found[0].columns == tuple(columns)


def test_a_bar_parts_columns_where_none_has_it_in_its_name() -> None:
    (found,) = resolve(parse_map(["text=a|b"]), [sheet("a", "b", "ab", "x|y")])
    assert found[0].columns == ("a", "b")


PARTS = st.text("a/%2F5", min_size=1, max_size=6)


@given(st.tuples(PARTS, PARTS, PARTS), st.tuples(PARTS, PARTS, PARTS))
def test_no_two_keys_are_one(one: tuple[str, ...], two: tuple[str, ...]) -> None:
    key = Binding("item", ("x", "y", "z"), joined=True)
    first, second = (key.cell(dict(zip("xyz", parts, strict=True))) for parts in (one, two))
    assert (first == second) == (one == two)


def test_a_key_of_two_columns_is_read_as_one_would_write_it() -> None:
    key = Binding("item", ("doc", "seg"), joined=True)
    assert key.cell({"doc": "news/7", "seg": " 3"}) == "news/7/3"
    assert key.cell({"doc": "news/7", "seg": ""}) == ""


def test_columns_are_found_without_case_and_punctuation() -> None:
    (found,) = resolve(parse_map(["item=doc_id"]), [sheet("Doc ID", "x")])
    assert found == (Binding("item", ("Doc ID",), origin="option"),)


def test_an_exact_name_is_taken_before_a_similar_one() -> None:
    (found,) = resolve(parse_map(["item=ID"]), [sheet("id", "ID")])
    assert found[0].columns == ("ID",)
    with pytest.raises(UsageError, match="there is no column Id"):
        resolve(parse_map(["item=Id"]), [sheet("id", "ID")])


def test_a_column_needs_to_be_in_one_of_the_files() -> None:
    both = [sheet("item", "text"), sheet("doc", "rating", source="g.csv")]
    assert resolve(parse_map(["item=doc"]), both) == [(), (Binding("item", ("doc",), origin="option"),)]
    with pytest.raises(UsageError, match=r"--map item=ratng: there is no column ratng: did you mean rating\?"):
        resolve(parse_map(["item=ratng"]), both)
