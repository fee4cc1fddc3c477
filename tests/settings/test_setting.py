from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pytest

from tiebreak.settings.setting import Setting, kind_of, setting, settings_of


@dataclass(frozen=True)
class Example:
    share: float = setting(0.1, Setting("A share", below=1))
    most_items: int | None = setting(None, Setting("Most items", at_least=1))
    names: tuple[str, ...] = setting((), Setting("A name", option="name"), against=False)
    ties: bool = setting(True, Setting("Ties allowed", flags="--ties/--no-ties"), panel="People")
    inner: str = "no setting"


def test_a_record_names_its_settings_in_the_order_of_its_fields() -> None:
    found = settings_of(Example)
    assert [(named.name, named.option, named.kind, named.default) for named in found] == [
        ("share", "--share", "number", 0.1),
        ("most_items", "--most-items", "whole", None),
        ("names", "--name", "names", ()),
        ("ties", "--no-ties", "flag", True),
    ]
    assert [named.setting.against for named in found] == [True, True, False, True]
    assert found[3].setting.panel == "People"
    assert Example() == Example(0.1, None, (), True)


@pytest.mark.parametrize(
    ("annotation", "kind"),
    [
        (bool, "flag"),
        (int | None, "whole"),
        (float, "number"),
        (Literal["a", "b"], "text"),
        (str | None, "text"),
        (tuple[str, ...] | None, "names"),
        (Sequence[str], "names"),
        (tuple[float, ...], "numbers"),
        (tuple[float, float], "numbers"),
    ],
)
def test_what_a_type_gives(annotation: Any, kind: str) -> None:
    assert kind_of(annotation) == kind


@pytest.mark.parametrize("annotation", [dict[str, int], int | str, bytes, tuple[int, ...]])
def test_a_type_that_no_option_gives_is_refused(annotation: Any) -> None:
    with pytest.raises(TypeError, match="no type of a setting"):
        kind_of(annotation)
