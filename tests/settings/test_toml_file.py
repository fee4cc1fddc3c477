"""Lines of what is wrong in a TOML file, and files that are written to be read back."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from tiebreak.errors import InputError
from tiebreak.settings.toml_file import read_toml, to_toml


@dataclass(frozen=True)
class Wheel:
    size: int
    maker: str | None = None


@dataclass(frozen=True)
class Car:
    name: str = ""
    prices: dict[str, float] = field(default_factory=dict)
    wheels: tuple[Wheel, ...] = ()
    spare: Wheel = field(default_factory=lambda: Wheel(1))
    parts: dict[str, Wheel] = field(default_factory=dict)


@pytest.mark.parametrize(
    ("text", "line", "key"),
    [
        ('name = """\n[spare]\nsize = 3\n"""\n[spare]\nsize = "x"', 6, "spare.size"),
        ("name = '''\nprices = 1\n'''\nprices = 1", 4, "prices"),
        ('name = """one line"""\nprices = 1', 2, "prices"),
        ('[parts]\n"a.b" = { size = "x" }', 2, 'parts."a.b".size'),
        ('[parts."a.b"]\nsize = 1\ncolour = 2', 3, 'parts."a.b".colour'),
        ("[[wheels]]\nsize = 1\n[[wheels]]\nmaker = 'x'", 3, "wheels[2].size"),
        ("prices = { a = 1, b = 'x' }", 1, "prices.b"),
    ],
)
def test_a_mistake_has_its_line(text: str, line: int, key: str) -> None:
    with pytest.raises(InputError) as caught:
        read_toml(Car, text, "car.toml")
    (problem,) = caught.value.problems
    assert (problem.line, problem.column) == (line, key)


@pytest.mark.parametrize(
    "car",
    [
        Car(),
        Car('a "b"\n\x7f', {"x.y": 0.5, "": 2}, (Wheel(3, "é"),), Wheel(2), {"a.b": Wheel(4, "m"), "c": Wheel(5)}),
    ],
)
@pytest.mark.parametrize("defaults", [False, True])
def test_what_is_written_reads_back(car: Car, defaults: bool) -> None:
    assert read_toml(Car, to_toml(car, defaults=defaults), "car.toml") == car
