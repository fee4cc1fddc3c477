from __future__ import annotations

import itertools
import time

import numpy as np
import pytest

from tiebreak.errors import UsageError
from tiebreak.kernels.partial_order import PartialOrder, partial_order

Pairs = list[tuple[int, int]]


def test_hand_derived_diamond() -> None:
    # 0 beats 1 and 2, both beat 3; 0 -> 3 is implied; 4 was never decided; 1 = 2 and 2 = 4 stay apart.
    order = partial_order(5, [(0, 1), (0, 2), (1, 3), (2, 3), (0, 3)], [(2, 1), (2, 4), (1, 2)])
    assert order.edges == ((0, 1), (0, 2), (0, 3), (1, 3), (2, 3))
    assert order.transitive_reduction == ((0, 1), (0, 2), (1, 3), (2, 3))
    assert order.equivalences == ((1, 2), (2, 4))
    assert order.tiers == ((0, 4), (1, 2), (3,))
    assert order.cycles == order.components == ()


def test_tier_is_below_the_lowest_winner() -> None:
    # 0 > 1 > 2 and 0 > 3, 2 > 3: the longest path to 3 has three edges.
    assert partial_order(4, [(0, 1), (1, 2), (0, 3), (2, 3)], []).tiers == ((0,), (1,), (2,), (3,))


def test_cycle_is_reported_and_shares_a_tier() -> None:
    # 4 beats 1; 1 -> 3 -> 2 -> 1 is a cycle; 2 beats 0.
    order = partial_order(5, [(4, 1), (1, 3), (3, 2), (2, 1), (2, 0)], [])
    assert order.cycles == ((1, 3, 2),)
    assert order.components == ((1, 2, 3),)
    assert order.tiers == ((4,), (1, 2, 3), (0,))
    assert set(order.transitive_reduction) == set(order.edges)


def test_the_shortest_cycle_of_a_component_is_listed() -> None:
    # 0 -> 1 -> 2 -> 3 -> 0 with the contradiction 2 <-> 3: the shortest cycle is (2, 3).
    order = partial_order(4, [(0, 1), (1, 2), (2, 3), (3, 0), (3, 2)], [])
    assert order.cycles == ((2, 3),)
    assert order.components == ((0, 1, 2, 3),)


def paths_exist(n: int, edges: set[tuple[int, int]]) -> list[list[bool]]:
    """Reachability by depth-first search, one system at a time."""
    table = []
    for start in range(n):
        seen: set[int] = set()
        todo = [start]
        while todo:
            here = todo.pop()
            for winner, loser in edges:
                if winner == here and loser not in seen:
                    seen.add(loser)
                    todo.append(loser)
        table.append([target in seen for target in range(n)])
    return table


def check_against_brute_force(n: int, edges: set[tuple[int, int]], order: PartialOrder) -> None:
    reach = paths_exist(n, edges)
    together = [[i == j or (reach[i][j] and reach[j][i]) for j in range(n)] for i in range(n)]
    assert set(order.edges) == edges
    tier = {system: t for t, group in enumerate(order.tiers) for system in group}
    assert sorted(tier) == list(range(n))
    for i in range(n):
        above = [w for w, l in edges if together[i][l] and not together[i][w]]  # noqa: E741
        assert tier[i] == max((tier[w] + 1 for w in above), default=0)
    expected = {tuple(j for j in range(n) if together[i][j]) for i in range(n)}
    assert set(order.components) == {group for group in expected if len(group) > 1}
    for cycle, group in zip(order.cycles, order.components, strict=True):
        assert set(cycle) <= set(group)
        assert len(set(cycle)) == len(cycle) >= 2
        assert cycle[0] == min(cycle)
        assert all(pair in edges for pair in itertools.pairwise((*cycle, cycle[0])))
        shorter = [c for size in range(2, len(cycle)) for c in itertools.permutations(group, size)]
        assert not any(all(pair in edges for pair in itertools.pairwise((*c, c[0]))) for c in shorter)
    kept = set(order.transitive_reduction)
    assert paths_exist(n, kept) == reach
    # No kept edge between two components is implied by the others that leave those components' own doubles aside.
    for i, j in kept:
        if not together[i][j]:
            rest = {(a, b) for a, b in edges if not (together[a][i] and together[b][j])}
            assert not paths_exist(n, rest)[i][j]


@pytest.mark.parametrize("seed", range(60))
def test_against_brute_force(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 8))
    density = rng.uniform(0.05, 0.6)
    acyclic = seed % 2 == 0
    edges = {(i, j) for i in range(n) for j in range(n) if i != j and rng.random() < density and (i < j or not acyclic)}
    order = partial_order(n, list(edges), [])
    assert not (acyclic and order.cycles)
    check_against_brute_force(n, edges, order)


def test_input_order_and_duplicates_do_not_matter() -> None:
    pairs: Pairs = [(0, 3), (3, 1), (1, 0), (2, 4), (0, 4)]
    same: Pairs = [(1, 3), (4, 2)]
    assert partial_order(5, pairs, same) == partial_order(5, pairs[::-1] * 2, [(3, 1), (2, 4)])


def test_renaming_systems_renames_the_tiers() -> None:
    pairs: Pairs = [(0, 1), (1, 2), (0, 3), (3, 4)]
    rename = [3, 0, 4, 1, 2]
    plain = partial_order(5, pairs, []).tiers
    renamed = partial_order(5, [(rename[i], rename[j]) for i, j in pairs], []).tiers
    assert renamed == tuple(tuple(sorted(rename[s] for s in tier)) for tier in plain)


def test_nothing_decided() -> None:
    assert partial_order(3, [], []).tiers == ((0, 1, 2),)
    assert partial_order(0, [], []).tiers == ()


def test_better_and_equivalent_are_both_kept() -> None:
    order = partial_order(2, [(1, 0)], [(0, 1)])
    assert (order.edges, order.equivalences) == (((1, 0),), ((0, 1),))


def test_a_hundred_systems_fast() -> None:
    total = list(itertools.combinations(range(100), 2))
    contradictory = [*total[:-1], (99, 0)]
    for pairs in (total, contradictory):
        seconds = []
        for _ in range(3):
            start = time.process_time()
            order = partial_order(100, pairs, [])
            seconds.append(time.process_time() - start)
        assert min(seconds) < 0.3  # a tenth of that on a quiet machine
    assert len(partial_order(100, total, []).tiers) == 100
    assert len(partial_order(100, total, []).transitive_reduction) == 99
    assert order.components[0][0] == 0


def test_bad_input_raises() -> None:
    with pytest.raises(UsageError, match="system 1 is paired with itself"):
        partial_order(3, [(1, 1)], [])
    with pytest.raises(UsageError, match="system 3 does not exist: there are 3"):
        partial_order(3, [], [(0, 3)])
    with pytest.raises(UsageError, match="system -1 does not exist"):
        partial_order(3, [(-1, 0)], [])
    with pytest.raises(UsageError, match="number of systems"):
        partial_order(-1, [], [])
