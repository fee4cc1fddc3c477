"""Where to draw the systems of a partial order: a layered drawing with few crossings (Sugiyama et al. 1981).

Tiers are columns, best on the left. An edge that skips a tier is led through a gap of every tier it passes, so that
no line runs through a name. Lines of several winners that lead to the same losers meet on the way, and whatever comes
in at a meeting point beats whatever goes out of it, which leaves far fewer lines (a confluent drawing, Dickerson et
al. 2005).
Everything is deterministic: equal orders give equal drawings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean

from tiebreak.results.order import Order

_SWEEPS = 24
_GAP_OF_EDGE = 0.42  # rows that a passing edge needs; a system needs 1
Edge = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Layout:
    """`place`: column (0 is best) and row of each system, rows from 0 on, not whole numbers.

    `routes`: for each drawn edge its points (column, row) from winner to loser; a column and a half is a meeting point
    between two. `columns`, `rows`: the extent; `loose`: systems that no verdict ties to any other, without a place.
    """

    place: dict[str, tuple[int, float]]
    routes: dict[Edge, tuple[tuple[float, float], ...]]
    columns: int
    rows: float
    loose: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Node:
    """The system `names[0]`, or (`passing` a column) the place where edges to the losers `names` pass that column."""

    names: tuple[str, ...]
    passing: int | None = None

    @property
    def half(self) -> float:
        return 0.5 if self.passing is None else _GAP_OF_EDGE / 2


def layout(order: Order, rank: Sequence[str]) -> Layout:
    """Places for the systems of `order`; `rank` lists all of them, best first, and breaks ties."""
    touched = {name for edge in (*order.edges, *order.equivalences) for name in edge}
    loose = tuple(name for name in rank if name not in touched)
    tier = {name: k for k, names in enumerate(order.tiers) for name in names if name in touched}
    occupied = sorted(set(tier.values()))
    column = {name: occupied.index(k) for name, k in tier.items()}
    layers: list[list[_Node]] = [[] for _ in occupied]
    for name in rank:
        if name in column:
            layers[column[name]].append(_Node((name,)))
    losers: dict[str, list[str]] = {}
    for winner, loser in sorted(order.drawn_edges):
        losers.setdefault(winner, []).append(loser)
    chains = {edge: _chain(edge, column, losers, layers) for edge in order.drawn_edges}
    links = list(dict.fromkeys(link for chain in chains.values() for link in pairwise(chain)))
    layers = _untangle(layers, links)
    rows = _rows(layers, links)
    top = min((rows[node] - node.half for layer in layers for node in layer), default=0.0)
    bottom = max((rows[node] + node.half for layer in layers for node in layer), default=0.0)
    at = {node: (k, rows[node] - top) for k, layer in enumerate(layers) for node in layer}
    meetings = _meetings(layers, links, {node: row for node, (_, row) in at.items()})
    return Layout(
        place={node.names[0]: at[node] for node in at if node.passing is None},
        routes={edge: _route(chain, at, meetings) for edge, chain in chains.items()},
        columns=len(layers),
        rows=bottom - top,
        loose=loose,
    )


def _chain(edge: Edge, column: dict[str, int], losers: dict[str, list[str]], layers: list[list[_Node]]) -> list[_Node]:
    """The edge's nodes from winner to loser; adds its passing places to the layers between.

    Winners that have the same losers beyond a column pass it in the same place.
    """
    winner, loser = edge
    middle = []
    for k in range(column[winner] + 1, column[loser]):
        node = _Node(tuple(name for name in losers[winner] if column[name] > k), k)
        if node not in layers[k]:
            layers[k].append(node)
        middle.append(node)
    return [_Node((winner,)), *middle, _Node((loser,))]


def _meetings(
    layers: Sequence[Sequence[_Node]], links: Sequence[tuple[_Node, _Node]], rows: dict[_Node, float]
) -> dict[tuple[_Node, _Node], float]:
    """The row where each link meets others half-way: those from the same winners to losers that only they reach."""
    before, _ = _neighbours(links)
    found: dict[tuple[_Node, _Node], float] = {}
    for layer in layers[1:]:
        groups: dict[frozenset[_Node], list[_Node]] = {}
        for node in layer:
            groups.setdefault(frozenset(before.get(node, ())), []).append(node)
        shared = [(sorted(ends, key=rows.__getitem__), starts) for starts, ends in groups.items()]
        shared = [(ends, starts) for ends, starts in shared if len(ends) > 1 and len(starts) > 1]
        wanted = [(fmean(rows[n] for n in ends) + fmean(rows[n] for n in starts)) / 2 for ends, starts in shared]
        order = sorted(range(len(shared)), key=lambda k: wanted[k])
        places = _spread([wanted[k] for k in order], [0.5] * len(order))
        for k, place in zip(order, places, strict=True):
            ends, starts = shared[k]
            found |= {(start, end): place for start in starts for end in ends}
    return found


def _route(
    chain: Sequence[_Node], at: dict[_Node, tuple[int, float]], meetings: dict[tuple[_Node, _Node], float]
) -> tuple[tuple[float, float], ...]:
    points = [(float(at[chain[0]][0]), at[chain[0]][1])]
    for start, end in pairwise(chain):
        if (start, end) in meetings:
            points.append((at[end][0] - 0.5, meetings[start, end]))
        points.append((float(at[end][0]), at[end][1]))
    return tuple(points)


def _untangle(layers: list[list[_Node]], links: Sequence[tuple[_Node, _Node]]) -> list[list[_Node]]:
    """Order within layers by barycentres, forwards and backwards; the best order seen is kept."""
    before, after = _neighbours(links)
    best, fewest = [list(layer) for layer in layers], _crossings(layers, after)
    current = [list(layer) for layer in layers]
    for sweep in range(_SWEEPS):
        forwards = sweep % 2 == 0
        for k in range(1, len(current)) if forwards else range(len(current) - 2, -1, -1):
            fixed = {node: i for i, node in enumerate(current[k - 1 if forwards else k + 1])}
            current[k] = _by_barycentre(current[k], fixed, before if forwards else after)
        found = _crossings(current, after)
        if found < fewest:
            best, fewest = [list(layer) for layer in current], found
    return best


def _neighbours(links: Sequence[tuple[_Node, _Node]]) -> tuple[dict[_Node, list[_Node]], dict[_Node, list[_Node]]]:
    before: dict[_Node, list[_Node]] = {}
    after: dict[_Node, list[_Node]] = {}
    for a, b in links:
        after.setdefault(a, []).append(b)
        before.setdefault(b, []).append(a)
    return before, after


def _by_barycentre(
    layer: Sequence[_Node], fixed: dict[_Node, int], neighbours: dict[_Node, list[_Node]]
) -> list[_Node]:
    """Nodes without neighbours in the fixed layer keep their position."""

    def key(place: int) -> tuple[float, int]:
        seen = [fixed[other] for other in neighbours.get(layer[place], ()) if other in fixed]
        return (sum(seen) / len(seen) if seen else float(place), place)

    return [layer[place] for place in sorted(range(len(layer)), key=key)]


def _crossings(layers: Sequence[Sequence[_Node]], after: dict[_Node, list[_Node]]) -> int:
    """Pairs of links between neighbouring layers that cross."""
    total = 0
    for left, right in pairwise(layers):
        position = {node: i for i, node in enumerate(right)}
        ends: list[int] = []
        for node in left:
            targets = sorted(position[other] for other in after.get(node, ()) if other in position)
            total += sum(end > target for target in targets for end in ends)
            ends += targets
    return total


def _rows(layers: Sequence[Sequence[_Node]], links: Sequence[tuple[_Node, _Node]]) -> dict[_Node, float]:
    """Vertical places: near the neighbours, in the given order, without overlap."""
    before, after = _neighbours(links)
    rows: dict[_Node, float] = {}
    for layer in layers:
        start = -sum(2 * node.half for node in layer) / 2
        for node in layer:
            rows[node] = start + node.half
            start += 2 * node.half
    for sweep in range(_SWEEPS):
        for layer in layers if sweep % 2 == 0 else reversed(layers):
            wanted = []
            for node in layer:
                near = [rows[other] for other in (*before.get(node, ()), *after.get(node, ()))]
                wanted.append(sum(near) / len(near) if near else rows[node])
            rows.update(zip(layer, _spread(wanted, [node.half for node in layer]), strict=True))
    return rows


def _spread(wanted: Sequence[float], halves: Sequence[float]) -> list[float]:
    """The places nearest to the wanted ones (least squares) that keep the order and touch no neighbour.

    Pool adjacent violators on the wanted places, less the room that all nodes before need.
    """
    offsets, used = [], 0.0
    for half in halves:
        offsets.append(used + half)
        used += 2 * half
    blocks: list[tuple[float, int]] = []
    for want, offset in zip(wanted, offsets, strict=True):
        mean, count = want - offset, 1
        while blocks and blocks[-1][0] >= mean:
            earlier, size = blocks.pop()
            mean, count = (mean * count + earlier * size) / (count + size), count + size
        blocks.append((mean, count))
    starts = [mean for mean, count in blocks for _ in range(count)]
    return [start + offset for start, offset in zip(starts, offsets, strict=True)]
