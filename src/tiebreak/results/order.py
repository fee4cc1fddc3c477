"""The order of the systems that verdicts amount to, by name."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tiebreak.kernels.partial_order import partial_order
from tiebreak.records import Verdict


@dataclass(frozen=True, slots=True)
class Order:
    """The partial order of systems by name; see `kernels.partial_order` for what tiers and cycles mean."""

    tiers: tuple[tuple[str, ...], ...]
    edges: tuple[tuple[str, str], ...]
    drawn_edges: tuple[tuple[str, str], ...]
    equivalences: tuple[tuple[str, str], ...]
    cycles: tuple[tuple[str, ...], ...]

    def to_dict(self) -> dict[str, object]:
        """Tuples as lists."""
        return {
            "tiers": [list(tier) for tier in self.tiers],
            "edges": [list(edge) for edge in self.edges],
            "equivalences": [list(pair) for pair in self.equivalences],
            "cycles": [list(cycle) for cycle in self.cycles],
        }


def order_of(systems: Iterable[str], pairs: Iterable[tuple[str, str, Verdict, Verdict | None]]) -> Order:
    """The order of the systems after these verdicts: (system_a, system_b, verdict, also) of every pair."""
    names = sorted(set(systems))
    number = {name: k for k, name in enumerate(names)}
    better, equivalent = [], []
    for system_a, system_b, verdict, also in pairs:
        a, b = number[system_a], number[system_b]
        if verdict in ("a", "b"):
            better.append((a, b) if verdict == "a" else (b, a))
        if "equivalent" in (verdict, also):
            equivalent.append((a, b))
    found = partial_order(len(names), better, equivalent)
    return Order(
        tiers=tuple(tuple(names[k] for k in tier) for tier in found.tiers),
        edges=tuple((names[i], names[j]) for i, j in found.edges),
        drawn_edges=tuple((names[i], names[j]) for i, j in found.transitive_reduction),
        equivalences=tuple((names[i], names[j]) for i, j in found.equivalences),
        cycles=tuple(tuple(names[k] for k in cycle) for cycle in found.cycles),
    )
