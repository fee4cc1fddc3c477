"""Which words of a text go with which of another: as many as can, in as few unbroken runs as a greedy way finds."""

from __future__ import annotations

import heapq
from collections.abc import Hashable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

Pair = tuple[int, int]


@dataclass(slots=True)
class Alignment:
    """Pairs of places, one place at most once, in the order of the first text; filled stage by stage."""

    pairs: dict[int, int] = field(default_factory=dict)
    taken: set[int] = field(default_factory=set)

    def extend(self, first: Sequence[Hashable], second: Sequence[Hashable]) -> None:
        """Align the places left whose keys are equal. Longest runs go first, then those that move words least: of each
        key as many places are aligned as both texts have left.
        """
        places: dict[Hashable, list[int]] = {}
        for j, key in enumerate(second):
            if j not in self.taken:
                places.setdefault(key, []).append(j)
        free = [i for i in range(len(first)) if i not in self.pairs]
        self.extend_by({(i, j) for i in free for j in places.get(first[i], ())})

    def extend_by(self, candidates: AbstractSet[Pair]) -> None:
        """The same with the pairs of places that may be aligned."""
        heap = [(-_run(pair, candidates), abs(pair[0] - pair[1]), pair) for pair in candidates]
        heapq.heapify(heap)
        left = set(candidates)
        while heap:
            length, moved, (i, j) = heapq.heappop(heap)
            now = _run((i, j), left)
            if now < -length:
                if now:
                    heapq.heappush(heap, (-now, moved, (i, j)))
                continue
            for step in range(now):
                self.pairs[i + step] = j + step
                self.taken.add(j + step)
            left = {pair for pair in left if pair[0] not in self.pairs and pair[1] not in self.taken}

    @property
    def chunks(self) -> int:
        """Unbroken runs: places that follow one another in both texts."""
        return sum(self.pairs.get(i - 1, -2) + 1 != j for i, j in self.pairs.items())


def _run(pair: Pair, candidates: AbstractSet[Pair]) -> int:
    """How many pairs follow one another from this one on."""
    i, j = pair
    length = 0
    while (i + length, j + length) in candidates:
        length += 1
    return length
