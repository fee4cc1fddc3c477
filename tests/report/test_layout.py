"""The drawing of a partial order: what it shows must be what was decided, and nothing may overlap."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest

from tiebreak.kernels.partial_order import partial_order
from tiebreak.report.layout import Layout, layout
from tiebreak.results.order import Order


def order_of(count: int, edges: list[tuple[int, int]], same: list[tuple[int, int]] | None = None) -> Order:
    found = partial_order(count, edges, same or [])
    names = [f"s{k:02d}" for k in range(count)]
    return Order(
        tiers=tuple(tuple(names[k] for k in tier) for tier in found.tiers),
        edges=tuple((names[i], names[j]) for i, j in found.edges),
        drawn_edges=tuple((names[i], names[j]) for i, j in found.transitive_reduction),
        equivalences=tuple((names[i], names[j]) for i, j in found.equivalences),
        cycles=tuple(tuple(names[k] for k in cycle) for cycle in found.cycles),
    )


def drawn(order: Order) -> Layout:
    return layout(order, sorted({name for tier in order.tiers for name in tier}))


def read_off(places: Layout) -> set[tuple[str, str]]:
    """The edges that a reader sees: from each system along the lines, through meeting and passing points, to the
    first systems reached."""
    systems = {(float(column), row): name for name, (column, row) in places.place.items()}
    ways: dict[tuple[float, float], set[tuple[float, float]]] = {}
    for route in places.routes.values():
        for start, end in pairwise(route):
            ways.setdefault(start, set()).add(end)
    seen = set()
    for place, name in systems.items():
        queue = list(ways.get(place, ()))
        while queue:
            point = queue.pop()
            if point in systems:
                seen.add((name, systems[point]))
            else:
                queue += ways[point]
    return seen


def random_order(count: int, density: float, seed: int) -> Order:
    rng = np.random.default_rng(seed)
    edges = [(i, j) for i, j in combinations(range(count), 2) if rng.random() < density * min(1, (j - i) / count * 2)]
    return order_of(count, edges)


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize(("count", "density"), [(6, 0.6), (16, 0.4), (16, 0.9), (30, 0.3)])
def test_what_is_read_off_is_what_was_decided(count: int, density: float, seed: int) -> None:
    """Lines share their way, so a wrong sharing would show an edge that no verdict supports."""
    order = random_order(count, density, seed)
    assert read_off(drawn(order)) == set(order.drawn_edges)


@pytest.mark.parametrize("seed", range(10))
def test_boxes_do_not_overlap_and_lie_in_the_drawing(seed: int) -> None:
    places = drawn(random_order(20, 0.5, seed))
    for (k, row), (other, other_row) in combinations(places.place.values(), 2):
        assert k != other or abs(row - other_row) >= 1 - 1e-9
    assert all(0.5 - 1e-9 <= row <= places.rows - 0.5 + 1e-9 for _, row in places.place.values())


@pytest.mark.parametrize("seed", range(10))
def test_no_line_runs_through_a_name(seed: int) -> None:
    """A passing point is at least half a box and half its own room (.42) away from every box of its column."""
    places = drawn(random_order(16, 0.5, seed))
    for edge, route in places.routes.items():
        for column, row in route[1:-1]:
            if column % 1:
                continue
            for name, (own, at) in places.place.items():
                assert own != column or abs(at - row) >= 0.71 - 1e-9, (edge, name)


def test_a_chain_is_a_straight_line_of_tiers() -> None:
    places = drawn(order_of(3, [(0, 1), (1, 2), (0, 2)]))
    assert [places.place[f"s{k:02d}"] for k in range(3)] == [(0, 0.5), (1, 0.5), (2, 0.5)]
    assert set(places.routes) == {("s00", "s01"), ("s01", "s02")}
    assert (places.columns, places.rows, places.loose) == (3, 1.0, ())


def test_two_that_beat_the_same_two_meet_in_one_point() -> None:
    places = drawn(order_of(4, [(0, 2), (0, 3), (1, 2), (1, 3)]))
    middles = {route[1] for route in places.routes.values()}
    assert len(places.routes) == 4
    assert middles == {(0.5, 1.0)}


def test_systems_without_a_verdict_are_loose_and_equivalent_ones_are_not() -> None:
    places = drawn(order_of(5, [(0, 1)], [(2, 3)]))
    assert places.loose == ("s04",)
    assert set(places.place) == {"s00", "s01", "s02", "s03"}


def test_a_cycle_is_drawn_within_its_tier() -> None:
    places = drawn(order_of(4, [(0, 1), (1, 2), (2, 0), (2, 3)]))
    assert len({places.place[name][0] for name in ("s00", "s01", "s02")}) == 1
    assert len(places.routes) == 4


def test_nothing_decided_has_no_place() -> None:
    places = drawn(order_of(3, []))
    assert (places.place, places.routes, places.columns, len(places.loose)) == ({}, {}, 0, 3)


def test_equal_orders_give_equal_drawings() -> None:
    assert drawn(random_order(16, 0.5, 4)) == drawn(random_order(16, 0.5, 4))


def test_untangling_removes_an_avoidable_crossing() -> None:
    """0 beats 3 and 1 beats 2: in the order of their names the lines cross, in another they do not."""
    places = drawn(order_of(4, [(0, 3), (1, 2)]))
    above = places.place["s00"][1] < places.place["s01"][1]
    assert above == (places.place["s03"][1] < places.place["s02"][1])
