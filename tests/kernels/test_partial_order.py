"""Partial orders of decided pairs, and error types beside the paper's definitions."""

from __future__ import annotations

import itertools
import math
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import entropy
from tests.kernels.checks import refused

from tiebreak.errors import UnidentifiedError
from tiebreak.kernels.partial_order import (
    CORRECT,
    ERROR_TYPES,
    INSERTION,
    INVERSION,
    OMISSION,
    VERDICT_CODES,
    PartialOrder,
    error_counts,
    error_types,
    kl_from_humans,
    letter_groups,
    partial_order,
)

# ---- order -------------------------------------------------------------------------------------------------------

Pairs = list[tuple[int, int]]


def test_hand_derived_diamond() -> None:
    # 0 beats 1 and 2, both beat 3; 0 -> 3 is implied; 4 was never decided; 1 = 2 and 2 = 4 stay apart.
    order = partial_order(5, [(0, 1), (0, 2), (1, 3), (2, 3), (0, 3)], [(2, 1), (2, 4), (1, 2)])
    assert order.edges == ((0, 1), (0, 2), (0, 3), (1, 3), (2, 3))
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


def test_bad_input_raises() -> None:
    refused("system 1 is paired with itself", partial_order, 3, [(1, 1)], [])
    refused("system 3 does not exist: there are 3", partial_order, 3, [], [(0, 3)])
    refused("system -1 does not exist", partial_order, 3, [(-1, 0)], [])
    refused("number of systems", partial_order, -1, [], [])


def test_letters_of_a_chain_overlap() -> None:
    """0 is better than 2 and 3, 1 than 3: neighbours share a letter."""
    assert letter_groups(4, [(0, 2), (0, 3), (1, 3)]) == ((0, 1), (1, 2), (2, 3))
    assert letter_groups(3, []) == ((0, 1, 2),)
    assert letter_groups(3, [(0, 1), (1, 2), (0, 2)]) == ((0,), (1,), (2,))
    assert letter_groups(0, []) == ()
    refused("does not exist", letter_groups, 2, [(0, 2)])


def test_letters_are_all_largest_sets_without_a_decided_pair() -> None:
    """Beside all subsets of up to seven systems, for 200 sets of verdicts."""
    rng = np.random.default_rng(5)
    for _ in range(200):
        count = int(rng.integers(1, 8))
        apart = [pair for pair in combinations(range(count), 2) if rng.random() < 0.4]
        sets = [
            frozenset(chosen)
            for size in range(1, count + 1)
            for chosen in combinations(range(count), size)
            if not any(set(pair) <= set(chosen) for pair in apart)
        ]
        largest = {one for one in sets if not any(one < other for other in sets)}
        assert {frozenset(group) for group in letter_groups(count, apart)} == largest


# ---- error types -------------------------------------------------------------------------------------------------


def test_every_combination_of_two_verdicts_has_the_type_that_the_paper_gives_it() -> None:
    #           reference:  a          =         b
    # evaluation a        correct   insertion inversion
    #            =        omission  correct   omission
    #            b        inversion insertion correct
    table = error_types([[1, 1, 1], [0, 0, 0], [-1, -1, -1]], [[1, 0, -1]] * 3)
    assert table.tolist() == [
        [CORRECT, INSERTION, INVERSION],
        [OMISSION, CORRECT, OMISSION],
        [INVERSION, INSERTION, CORRECT],
    ]


def test_equivalent_and_undecided_are_both_no_better_system() -> None:
    assert VERDICT_CODES["equivalent"] == VERDICT_CODES["undecided"] == 0
    found = error_types([VERDICT_CODES["equivalent"]], [VERDICT_CODES["undecided"]])
    assert ERROR_TYPES[found[0]] == "correct"


def test_counts_follow_the_order_of_the_types_and_include_those_that_do_not_occur() -> None:
    types = error_types([1, 1, 0, 1, 1], [1, 1, 1, 0, 0])  # correct twice, omission, insertion twice, no inversion
    assert ERROR_TYPES == ("correct", "inversion", "omission", "insertion")
    assert error_counts(types).tolist() == [2, 0, 1, 2]
    assert error_counts(error_types([], [])).tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize(
    ("ours", "theirs", "words"), [([1, 2], [1, 0], "verdicts"), ([1], [3], "reference"), ([1, 0], [1], "shape")]
)
def test_codes_that_are_no_verdicts_raise(ours: list[int], theirs: list[int], words: str) -> None:
    refused(words, error_types, ours, theirs)


def test_counting_something_else_than_error_types_raises() -> None:
    refused("0 to 3", error_counts, [0, 4])


def test_divergence_by_hand() -> None:
    # p = (.5, .25, .25), humans (.25, .25, .5): .5 ln 2 + .25 ln 1 + .25 ln .5 = .25 ln 2.
    # The second pair has the humans' own shares.
    found = kl_from_humans([[0.5, 0.25, 0.25], [0.5, 0.25, 0.25]], [[1, 1, 2], [20, 10, 10]])
    assert found == pytest.approx([0.25 * math.log(2), 0.0], abs=1e-15)


def test_where_the_humans_never_gave_an_expected_outcome_their_posterior_mean_is_used() -> None:
    # Counts (3, 0, 1): posterior mean (4, 1, 2) / 7. KL = .5 ln(.5 * 7/4) + .25 ln(.25 * 7/1) + .25 ln(.25 * 7/2).
    expected = 0.5 * math.log(7 / 8) + 0.25 * math.log(7 / 4) + 0.25 * math.log(7 / 8)
    assert kl_from_humans([[0.5, 0.25, 0.25]], [[3, 0, 1]])[0] == pytest.approx(expected, abs=1e-15)


def test_an_outcome_that_neither_side_has_keeps_the_mode() -> None:
    # Forced choices, (3, 0, 1): the mode is (.75, 0, .25), not (4, 1, 2) / 7, since 0 log 0 = 0.
    same, other = kl_from_humans([[0.75, 0.0, 0.25], [0.5, 0.0, 0.5]], [[3, 0, 1], [3, 0, 1]])
    assert same == 0.0
    assert other == pytest.approx(0.5 * math.log(0.5 / 0.75) + 0.5 * math.log(0.5 / 0.25), abs=1e-15)


def test_a_share_of_zero_where_the_humans_have_labels_is_finite() -> None:
    assert kl_from_humans([[1.0, 0.0, 0.0]], [[5, 3, 2]])[0] == pytest.approx(math.log(2), abs=1e-15)


def test_scipy_agrees_and_swapping_a_and_b_changes_nothing() -> None:
    rng = np.random.default_rng(7)
    counts = rng.integers(0, 8, size=(400, 3)) + np.array([0, 0, 1])
    shares = rng.dirichlet([1.0, 1.0, 1.0], size=400)
    assert (counts == 0).any(axis=1).sum() > 50
    human = np.where((counts == 0).any(axis=1, keepdims=True), counts + 1, counts)
    found = kl_from_humans(shares, counts)
    assert found == pytest.approx(entropy(shares, human, axis=1), abs=1e-12)  # entropy() normalises its rows
    assert (found >= 0).all()
    assert kl_from_humans(shares[:, ::-1], counts[:, ::-1]) == pytest.approx(found, abs=1e-12)


@pytest.mark.parametrize(
    ("shares", "counts", "words"),
    [
        ([[0.5, 0.5, 0.5]], [[1, 1, 1]], "sum to 1"),
        ([[1.5, -0.5, 0.0]], [[1, 1, 1]], "sum to 1"),
        ([[0.5, math.nan, 0.5]], [[1, 1, 1]], "sum to 1"),
        ([[0.5, 0.5]], [[1, 1]], "shape"),
        ([[1.0, 0.0, 0.0]], [[1, 1, 1], [1, 1, 1]], "shape"),
        ([[1.0, 0.0, 0.0]], [[1, -1, 1]], "human_counts"),
    ],
)
def test_what_are_no_shares_or_counts_raises(shares: object, counts: object, words: str) -> None:
    refused(words, kl_from_humans, shares, counts)  # type: ignore[arg-type]


def test_a_pair_without_human_labels_raises_and_is_named() -> None:
    with pytest.raises(UnidentifiedError, match="pair 1 "):
        kl_from_humans([[1.0, 0.0, 0.0], [1.0, 0.0, 0.0]], [[1, 1, 1], [0, 0, 0]])
