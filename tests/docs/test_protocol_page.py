"""The page of campaigns lists every policy, every rule and every event; the reference has the keys."""

from __future__ import annotations

import pytest
from tests.docs.documents import REPOSITORY

from tiebreak.campaign.events import _TYPES
from tiebreak.campaign.kinds import LABEL_KINDS
from tiebreak.campaign.labelling import LABELLING_POLICIES
from tiebreak.campaign.policies import ALLOCATIONS, PAIR_POLICIES
from tiebreak.rules.registry import RULES

PAGE = (REPOSITORY / "docs" / "campaign.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("names", [LABELLING_POLICIES, PAIR_POLICIES, ALLOCATIONS, RULES, LABEL_KINDS, _TYPES])
def test_every_name_has_a_row(names: dict[str, object]) -> None:
    assert not [name for name in names if f"\n| `{name}` | " not in PAGE]
