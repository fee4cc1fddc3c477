from __future__ import annotations

import pytest

from tiebreak.errors import UsageError
from tiebreak.importers.spreadsheet.mapping import Binding, parse_map, resolve
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
        ("item=a|b", "item is one column, not several"),
        ("item=a,item=b", "names item twice"),
        ("outcome=:a", "outcome needs a column"),
    ],
)
def test_what_cannot_be(option: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse_map([option])


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
