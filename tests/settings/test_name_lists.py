from __future__ import annotations

import pytest

from tiebreak.settings.checks import listed_names, read_names, written_names


@pytest.mark.parametrize(
    ("listed", "names"),
    [
        ("A, B", ["A", "B"]),
        ("", []),
        (" ,A,,", ["A"]),
        ("a\\, b,c", ["a, b", "c"]),
        ('"GPT 4 (large, temp=0.7)",our model', ["GPT 4 (large, temp=0.7)", "our model"]),
        ('our model , "GPT 4, large" ', ["our model", "GPT 4, large"]),
        ('"the ""best"", of all",b', ['the "best", of all', "b"]),
        ('"best" model,b', ['"best" model', "b"]),
        ('"open,b', ['"open', "b"]),
        ("C:\\runs,b", ["C:\\runs", "b"]),
        ("two\nlines,b", ["two\nlines", "b"]),
    ],
)
def test_names_are_read_as_in_csv(listed: str, names: list[str]) -> None:
    assert read_names(listed) == names


@pytest.mark.parametrize("name", ["plain", "a, b", '"best"', 'the "best", of all', "end\\", " space ", "a\nb", "x=1"])
def test_what_is_written_is_read_again(name: str) -> None:
    assert read_names(written_names([name, "b", name])) == [name, "b", name]
    assert written_names(["plain", 'a "b"']) == 'plain,a "b"'


def test_a_name_with_a_comma_is_one_name_in_a_list() -> None:
    assert listed_names(["GPT 4 (large, temp=0.7)", "b"]) == '"GPT 4 (large, temp=0.7)", b'
    assert listed_names([]) == ""
