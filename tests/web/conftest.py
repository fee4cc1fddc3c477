"""What tests of the pages share."""

from __future__ import annotations

import pytest
from tests.web.visitors import Served, Visitor


@pytest.fixture
def visitor(served: Served) -> Visitor:
    """The browser of ann, who has joined the campaign that is served."""
    return served.person("ann")
