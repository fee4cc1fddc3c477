"""A document becomes a record, or the error names the first key that is wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import msgspec
import pytest

from tiebreak.errors import InputError
from tiebreak.typed import typed


@dataclass(frozen=True, slots=True)
class Wheel:
    size: Annotated[int, msgspec.Meta(ge=1)]
    colour: Literal["black", "red"] | None = None


@dataclass(frozen=True, slots=True)
class Car:
    name: str
    wheels: tuple[Wheel, ...]
    price: float | None = None


def test_a_document_becomes_a_record_and_unknown_keys_are_passed_over() -> None:
    document = {"name": "beetle", "wheels": [{"size": 15, "colour": "red"}, {"size": 16}], "year": 1960}
    assert typed(document, Car, "car.json") == Car("beetle", (Wheel(15, "red"), Wheel(16)))


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ({"wheels": []}, "key name is missing"),
        ({"name": 3, "wheels": []}, "key name is 3, but must be text"),
        ({"name": "x", "wheels": {}}, "key wheels is an object, but must be a list of objects with size"),
        ({"name": "x", "wheels": [{}]}, "key wheels[0].size is missing"),
        ({"name": "x", "wheels": [{"size": 0}]}, "key wheels[0].size is 0, but must be a whole number of at least 1"),
        (
            {"name": "x", "wheels": [{"size": True}]},
            "key wheels[0].size is true, but must be a whole number of at least 1",
        ),
        (
            {"name": "x", "wheels": [{"size": 1, "colour": "blue"}]},
            'key wheels[0].colour is "blue", but must be one of black, red',
        ),
        ({"name": "x", "wheels": [], "price": "dear"}, 'key price is "dear", but must be a number'),
        ([], "is a list, but must be an object with name, wheels"),
    ],
)
def test_the_error_names_the_key_its_value_and_what_is_allowed(document: object, words: str) -> None:
    with pytest.raises(InputError) as caught:
        typed(document, Car, "car.json")
    assert str(caught.value).endswith(f"car.json: {words}")
