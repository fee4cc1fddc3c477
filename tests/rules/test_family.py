"""Thresholds of the family, by hand, on paths of log E that are written down rather than simulated."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tiebreak.rules.anytime import AnytimeProcess, EvidencePaths, Priors, evidence_paths
from tiebreak.rules.family import (
    EvidenceVerdict,
    FamilyRule,
    decide_family,
    simultaneous_log_threshold,
)
from tiebreak.rules.registry import MULTIPLICITIES, Multiplicity
from tiebreak.rules.sequence import ValueSequence

ALPHA = 0.05
NOTHING = (1.0, 1.0)


def paths(
    for_a: tuple[float, ...] = NOTHING,
    for_b: tuple[float, ...] = NOTHING,
    low: tuple[float, ...] | None = None,
    high: tuple[float, ...] | None = None,
) -> EvidencePaths:
    """Paths from e-values (not their logarithms)."""
    for_b = for_b if len(for_b) == len(for_a) else (1.0,) * len(for_a)
    sides = [None if side is None else np.log(np.array(side)) for side in (low, high)]
    return EvidencePaths(np.log(np.array(for_a)), np.log(np.array(for_b)), sides[0], sides[1])


def decide(
    family: list[EvidencePaths], multiplicity: Multiplicity = "holm", *, independent_stops: bool = True
) -> list[EvidenceVerdict]:
    return decide_family(family, FamilyRule(ALPHA, multiplicity, independent_stops))


def e_threshold(verdict: EvidenceVerdict) -> float:
    return math.exp(verdict.log_threshold)


@pytest.mark.parametrize("multiplicity", [name for name in MULTIPLICITIES if name != "fdr-any"])
def test_one_pair_needs_two_over_alpha(multiplicity: Multiplicity) -> None:
    # alpha = .05, one pair, two directions: E >= 40 under every rule (e-BH with M = 2: E_(1) >= 2/.05).
    just, short = decide([paths((1, 40.001))], multiplicity), decide([paths((1, 39.999))], multiplicity)
    assert (just[0].verdict, just[0].stopped_at) == ("a", 2)
    assert (short[0].verdict, short[0].stopped_at) == ("undecided", None)
    assert e_threshold(short[0]) == pytest.approx(40)


@pytest.mark.parametrize("pairs", [1, 2, 3])
@pytest.mark.parametrize("multiplicity", ["bonferroni", "none"])
def test_the_same_threshold_for_every_pair(multiplicity: Multiplicity, pairs: int) -> None:
    # Bonferroni: 2K/alpha = 40, 80, 120; none: 40.
    needed = 40 * pairs if multiplicity == "bonferroni" else 40
    family = [paths((1, needed + 0.01))] + [paths((1, needed - 0.01))] * (pairs - 1)
    found = decide(family, multiplicity)
    assert [verdict.verdict for verdict in found] == ["a"] + ["undecided"] * (pairs - 1)
    assert [e_threshold(verdict) for verdict in found] == pytest.approx([needed] * pairs)


def test_holm_steps_down_by_one_for_each_direction_found() -> None:
    # Three pairs, six directions: 6/.05 = 120 for the first, then 5/.05 = 100, then 4/.05 = 80.
    found = decide([paths((1, 121)), paths(NOTHING, (1, 101)), paths((1, 81))])
    assert [verdict.verdict for verdict in found] == ["a", "b", "a"]
    assert [e_threshold(verdict) for verdict in found] == pytest.approx([120, 100, 80])
    # With 119 instead of 121 nothing starts, however much the others would have been helped.
    found = decide([paths((1, 119)), paths(NOTHING, (1, 101)), paths((1, 81))])
    assert {verdict.verdict for verdict in found} == {"undecided"}
    # Two at once at 120: the third faces 4/.05 = 80, and 79.9 is not enough.
    found = decide([paths((1, 200)), paths((1, 200)), paths((1, 79.9))])
    assert [verdict.verdict for verdict in found] == ["a", "a", "undecided"]
    assert e_threshold(found[2]) == pytest.approx(80)


def test_holm_is_not_two_times_the_pairs_left() -> None:
    # After one of two pairs is decided, 2(K - j) would let the other pass at 2/.05 = 40; the rule asks 3/.05 = 60.
    found = decide([paths((1, 81)), paths((1, 59))])
    assert [verdict.verdict for verdict in found] == ["a", "undecided"]
    assert decide([paths((1, 81)), paths((1, 61))])[1].verdict == "a"


def test_stopped_at_is_the_first_crossing_of_the_own_threshold() -> None:
    # 120, then 100: the first pair crosses 120 at its third label; the second crosses 100 at its second, although it
    # fell back later.
    found = decide([paths((1, 119, 120.1, 500)), paths((99, 100.1, 3, 2)), paths((1, 1, 1, 1))])
    assert [verdict.stopped_at for verdict in found] == [3, 2, None]
    assert math.exp(found[1].log_e_a) == pytest.approx(100.1)


def test_the_first_direction_stands_and_the_second_is_reported() -> None:
    found = decide([paths((1, 41, 1, 1), (1, 1, 1, 90))])[0]
    assert (found.verdict, found.also, found.stopped_at) == ("a", "b", 2)
    found = decide([paths((1, 1, 1, 90), (1, 41, 1, 1))])[0]
    assert (found.verdict, found.also, found.stopped_at) == ("b", "a", 2)


def test_equivalence_needs_both_sides_but_not_at_once() -> None:
    # One pair with a margin: each side needs 1/.05 = 20. The low side crosses at 2 and falls back, the high side at 4.
    margin = paths((1, 1, 1, 1), (1, 1, 1, 1), low=(1, 21, 2, 2), high=(1, 2, 3, 20.1))
    found = decide([margin])[0]
    assert (found.verdict, found.also, found.stopped_at) == ("equivalent", None, 4)
    assert math.exp(found.log_e_equivalent or 0) == pytest.approx(20.1)
    one_side = paths((1, 1, 1, 1), (1, 1, 1, 1), low=(1, 500, 2, 2), high=(1, 2, 3, 19.9))
    assert decide([one_side])[0].verdict == "undecided"


def test_a_direction_goes_before_an_earlier_equivalence_and_both_are_reported() -> None:
    # Better, but by less than the margin: equivalence is reached at 2, where a campaign stops; the direction at 3.
    both = paths((1, 2, 41), (1, 1, 1), low=(1, 50, 50), high=(1, 25, 25))
    found = decide([both])[0]
    assert (found.verdict, found.also, found.stopped_at) == ("a", "equivalent", 2)


def test_a_margin_makes_holm_bonferroni() -> None:
    family = [
        paths((1, 81), low=(1, 1), high=(1, 1)),
        paths((1, 61), low=(1, 1), high=(1, 1)),
        paths((1, 1), low=(1, 61), high=(1, 61)),
        paths((1, 1), low=(1, 41), high=(1, 39)),
    ]
    # Two pairs: directions 2K/alpha = 80 and equivalences K/alpha = 40. Pair 2 would pass Holm's second step at 60.
    for first, second in ((0, 1), (2, 3)):
        holm = decide([family[first], family[second]], "holm")
        assert holm == decide([family[first], family[second]], "bonferroni")
        assert [e_threshold(verdict) for verdict in holm] == pytest.approx([80, 80])
        assert math.exp(holm[0].log_threshold_equivalent or 0) == pytest.approx(40)
        assert [verdict.verdict for verdict in holm] == [("a", "equivalent")[first // 2], "undecided"]


def test_e_bh_steps_up() -> None:
    # Two pairs, M = 4, alpha = .05: the first needs 80, two together 40 each.
    found = decide([paths((1, 41)), paths((1, 42))], "fdr")
    assert [verdict.verdict for verdict in found] == ["a", "a"]
    assert e_threshold(found[0]) == pytest.approx(40)
    assert {v.verdict for v in decide([paths((1, 41)), paths((1, 39))], "fdr")} == {"undecided"}


def test_e_bh_takes_frozen_values_where_a_pair_crossed_and_fell_back() -> None:
    # M = 4. A pair stops by itself at M/alpha = 80. Pair 1 reaches 81 and falls back to 2: it has stopped before and
    # keeps 81. Pair 2 peaks at 70, never stops, and ends at 30: the peak is no e-value, 30 counts, 40 are needed.
    found = decide([paths((1, 81, 2)), paths((1, 70, 30))], "fdr")
    assert [verdict.verdict for verdict in found] == ["a", "undecided"]
    # Both peaks below 80: no frozen value, although 70 and 75 would pass at 40 on running maxima.
    found = decide([paths((1, 75, 2)), paths((1, 70, 30))], "fdr")
    assert [verdict.verdict for verdict in found] == ["undecided", "undecided"]
    # Three pairs, M = 6: stopped at 120 and more, two make the threshold 60. The third peaked at 70 but ends at 30.
    found = decide([paths((1, 121, 2)), paths((1, 200, 150)), paths((1, 70, 30))], "fdr")
    assert [verdict.verdict for verdict in found] == ["a", "a", "undecided"]
    assert e_threshold(found[2]) == pytest.approx(60)
    # What counts is what the end shows: 41 and 45.
    found = decide([paths((1, 75, 41)), paths((1, 70, 45))], "fdr")
    assert [verdict.verdict for verdict in found] == ["a", "a"]


def test_e_bh_takes_both_sides_of_an_equivalence_at_the_same_time() -> None:
    # One pair, M = 3, threshold 60. Both sides have been above, never at once, and end at 2: not equivalent.
    apart = paths((1, 1, 1, 1), low=(1, 70, 2, 2), high=(1, 2, 70, 2))
    assert decide([apart], "fdr")[0].verdict == "undecided"
    assert decide([apart], "holm")[0].verdict == "equivalent"
    assert decide([paths((1, 1, 1, 1), low=(1, 70, 61, 2), high=(1, 2, 70, 2))], "fdr")[0].verdict == "equivalent"


def test_stops_that_depend_on_other_pairs_leave_benjamini_yekutieli() -> None:
    # M = 4, 1 + 1/2 + 1/3 + 1/4 = 25/12: 4 * 25/12 / .05 = 166.7 for one alone, 83.3 for two together, on running
    # maxima.
    alone = decide([paths((1, 166, 1)), paths()], "fdr", independent_stops=False)
    assert alone[0].verdict == "undecided"
    assert e_threshold(alone[0]) == pytest.approx(500 / 3)
    assert decide([paths((1, 167, 1)), paths()], "fdr", independent_stops=False)[0].verdict == "a"
    two = decide([paths((1, 84, 1)), paths(NOTHING, (1, 90))], "fdr", independent_stops=False)
    assert [verdict.verdict for verdict in two] == ["a", "b"]
    assert e_threshold(two[0]) == pytest.approx(250 / 3)


def test_false_discoveries_under_any_dependence_cost_a_sum_of_shares() -> None:
    # M = 2, 1 + 1/2: 2 * 1.5/.05 = 60, whether or not stops depend on other pairs.
    for independent in (True, False):
        (found,) = decide([paths((1, 59.9))], "fdr-any", independent_stops=independent)
        assert (found.verdict, e_threshold(found)) == ("undecided", pytest.approx(60))
        assert decide([paths((1, 60.1))], "fdr-any", independent_stops=independent)[0].verdict == "a"


def test_intervals_are_simultaneous_only_where_verdicts_are() -> None:
    thresholds = {name: simultaneous_log_threshold(6, FamilyRule(ALPHA, name)) for name in MULTIPLICITIES}
    # 2 * 6/.05 = 240 over all six pairs, 2/.05 = 40 for one.
    assert {name: round(math.exp(value), 6) for name, value in thresholds.items()} == {
        "holm": 240,
        "bonferroni": 240,
        "fdr": 40,
        "fdr-any": 40,
        "none": 40,
    }


def test_no_pairs_and_pairs_without_labels() -> None:
    assert decide([]) == []
    found = decide([paths((), ())], "fdr") + decide([paths((), ())])
    assert {(verdict.verdict, verdict.stopped_at, verdict.log_e_a) for verdict in found} == {("undecided", None, 0.0)}


@pytest.mark.parametrize("multiplicity", MULTIPLICITIES)
@pytest.mark.parametrize("margin", [None, 0.1])
def test_permuting_pairs_and_swapping_systems(multiplicity: Multiplicity, margin: float | None) -> None:
    rng = np.random.default_rng(11)
    priors = Priors.default()
    values = [
        rng.choice([1.0, 0.0, -1.0], size=300, p=[0.35 + d / 2, 0.3, 0.35 - d / 2])
        for d in (0.5, -0.35, 0.3, 0.0, 0.02, -0.2)
    ]

    def verdicts(sequences: list[np.ndarray]) -> list[EvidenceVerdict]:
        made = [evidence_paths(AnytimeProcess(ValueSequence.complete(one), priors), margin) for one in sequences]
        return decide(made, multiplicity)

    found = verdicts(values)
    assert {verdict.verdict for verdict in found} >= {"a", "b", "undecided"} - ({"undecided"} if margin else set())
    assert verdicts(values[::-1]) == found[::-1]
    mirror = {"a": "b", "b": "a", "equivalent": "equivalent", "undecided": "undecided"}
    swapped = verdicts([-one for one in values])
    assert [verdict.verdict for verdict in swapped] == [mirror[verdict.verdict] for verdict in found]
    assert [verdict.stopped_at for verdict in swapped] == [verdict.stopped_at for verdict in found]


def test_holm_keeps_the_family_wise_error_under_optional_stopping() -> None:
    # Six pairs, each labelled up to 300 times, verdicts at the first crossing (running maxima): four equal pairs, and
    # two clear ones that lower the thresholds of the others. alpha = .2; at most
    # 400 campaigns * .2 = 80 may hold a wrong verdict, plus 3 sd = 24.
    campaigns, alpha = 400, 0.2
    rng = np.random.default_rng(12)
    priors, rule, wrong, right = Priors.default(), FamilyRule(alpha, "holm"), 0, 0
    for _ in range(campaigns):
        family = []
        for difference in (0.5, -0.5, 0.0, 0.0, 0.0, 0.0):
            draw = rng.random(300)
            values = np.where(draw < 0.4 + difference / 2, 1.0, np.where(draw < 0.6 + difference / 2, 0.0, -1.0))
            family.append(evidence_paths(AnytimeProcess(ValueSequence.complete(values), priors), None))
        found = decide_family(family, rule)
        right += (found[0].verdict, found[1].verdict) == ("a", "b")
        wrong += any(verdict.verdict != "undecided" for verdict in found[2:])
        wrong += found[0].verdict == "b" or found[1].verdict == "a"
    assert right > 390
    assert 5 < wrong <= 80  # not zero: the null pairs are really looked at
