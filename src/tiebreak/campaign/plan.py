"""What a protocol means for a study: pairs, their sealed orders of items, and what the stopping rule prepared.

Each pair has a random order of its own, from the protocol's seed and the names of its systems: the choice of the next
pair may then look at everything known without knowing what an order will bring.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiebreak.campaign.labelling import LABELLING_POLICIES
from tiebreak.campaign.protocol import Protocol

Indices = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class PairPlan:
    """One pair: `order` (n,) item numbers in the sealed order, `starts` (U + 1,) where each unit begins in it.

    A unit is an item, or a cluster of items. `known` (n,): the two outputs are identical, a tie that nobody is asked
    about. `needs`: by unit, which of its items somebody must be asked about. `most_units`: units that may get labels
    under the budget per pair; `limited`: that budget ends before the items do. `identical`: items with identical
    outputs in the pool (for a claim about these items they are not in `order`).
    """

    system_a: str
    system_b: str
    order: Indices
    starts: Indices
    known: NDArray[np.bool_]
    needs: tuple[tuple[bool, ...], ...]
    most_units: int
    limited: bool
    identical: int

    def items(self, unit: int) -> Indices:
        """Item numbers of a unit."""
        return self.order[self.starts[unit] : self.starts[unit + 1]]

    def known_of(self, unit: int) -> NDArray[np.bool_]:
        """Which items of a unit are known ties."""
        return self.known[self.starts[unit] : self.starts[unit + 1]]

    def is_known(self, unit: int) -> bool:
        """Whether nobody needs to be asked about a unit."""
        return not any(self.needs[unit])


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A pair of systems about which nobody can be asked, and `why`."""

    system_a: str
    system_b: str
    why: str


@dataclass(frozen=True, eq=False)
class Plan:
    """The protocol with its study: everything that never changes during a campaign.

    `rule_plans`: what the stopping rule prepared, one per pair. `study`: fingerprint of the study's content.
    `left_out`: pairs of these systems that are no part of the campaign; they do not depend on any label.
    """

    protocol: Protocol
    study: str
    systems: tuple[str, ...]
    items: tuple[str, ...]
    pairs: tuple[PairPlan, ...]
    rule_plans: tuple[Any, ...]
    left_out: tuple[LeftOut, ...] = ()

    @cached_property
    def fingerprint(self) -> str:
        """Of the protocol."""
        return self.protocol.fingerprint

    @cached_property
    def least_labels(self) -> int:
        """Labels that an item takes at the least."""
        labels = self.protocol.labels
        return LABELLING_POLICIES[labels.labelling].labels_wanted((), labels.per_item)

    @cached_property
    def pair_numbers(self) -> Mapping[tuple[str, str], int]:
        """From (system_a, system_b) to the number of the pair."""
        return MappingProxyType({(pair.system_a, pair.system_b): k for k, pair in enumerate(self.pairs)})

    @cached_property
    def item_numbers(self) -> Mapping[str, int]:
        """From the name of an item to its number."""
        return MappingProxyType({name: k for k, name in enumerate(self.items)})
