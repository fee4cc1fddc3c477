"""The page of the protocol lists every key with its default, every policy, every rule and every event."""

from __future__ import annotations

import json
import re
from dataclasses import fields, is_dataclass

import pytest
from tests.docs.documents import REPOSITORY

from tiebreak.campaign import Protocol
from tiebreak.campaign.events import _TYPES
from tiebreak.campaign.labelling import LABELLING_POLICIES
from tiebreak.campaign.pair_policies import PAIR_POLICIES
from tiebreak.campaign.stopping import STOPPING_RULES

PAGE = (REPOSITORY / "docs" / "protocol.md").read_text(encoding="utf-8")


def defaults() -> dict[str, object]:
    """Every key of the file, `table.key`, with its default."""
    found: dict[str, object] = {}
    protocol = Protocol()
    for field in fields(protocol):
        value = getattr(protocol, field.name)
        if is_dataclass(value):
            found |= {f"{field.name}.{inner.name}": getattr(value, inner.name) for inner in fields(value)}
        else:
            found[field.name] = value
    return found


def test_every_key_and_no_other() -> None:
    section = PAGE.split("## Every key")[1].split("### ")[0]
    assert re.findall(r"^\| `([a-z_.]+)` \|", section, re.MULTILINE) == list(defaults())


@pytest.mark.parametrize("key", defaults())
def test_defaults(key: str) -> None:
    value = defaults()[key]
    written = "none" if value is None else f"`{json.dumps(value)}`"
    assert f"| `{key}` | {written} | " in PAGE


@pytest.mark.parametrize("names", [LABELLING_POLICIES, PAIR_POLICIES, STOPPING_RULES, _TYPES])
def test_every_name_has_a_row(names: dict[str, object]) -> None:
    assert not [name for name in names if f"\n| `{name}` | " not in PAGE]
