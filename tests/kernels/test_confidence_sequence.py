from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from tiebreak.kernels import bet_mixture, bounded_mean
from tiebreak.kernels.confidence_sequence import SupLogE, lower_limit, upper_limit

Floats = NDArray[np.float64]
Process = Callable[[Floats], SupLogE]

_BETS = bet_mixture.default_prior()
_KAPPAS = bounded_mean.kappa_prior()


def mixture(values: Floats) -> SupLogE:
    codes = values.astype(np.int8)
    return lambda null: float(bet_mixture.log_e_path(codes, _BETS, null).max())


def inputs(values: Floats) -> SupLogE:
    return lambda null: float(bounded_mean.log_e_path(values, _KAPPAS, null).max())


def pool(values: Floats) -> SupLogE:
    return lambda null: float(bounded_mean.log_e_path(values, _KAPPAS, null, 400).max())


PROCESSES: dict[str, Process] = {"mixture": mixture, "inputs": inputs, "pool": pool}
each_process = pytest.mark.parametrize("process", PROCESSES.values(), ids=PROCESSES.keys())


def limits(process: Process, values: Floats, alpha: float) -> tuple[float, float]:
    threshold, mean = math.log(2 / alpha), float(values.mean())
    return (
        lower_limit(process(values), threshold, mean),
        upper_limit(process(-values), threshold, mean),
    )


def outcomes(seed: int, size: int, difference: float) -> Floats:
    chances = [0.35 - difference / 2, 0.3, 0.35 + difference / 2]
    return np.random.default_rng(seed).choice([-1.0, 0.0, 1.0], p=chances, size=size)


def test_hand_derived_parabola() -> None:
    # log E(m) = 50 (.4 - m)^2 below .4 and 0 above: it reaches log 20 at m = .4 - sqrt(log(20)/50) = .1552.
    def sup_log_e(null: float) -> float:
        return 50 * max(0.4 - null, 0.0) ** 2

    expected = 0.4 - math.sqrt(math.log(20) / 50)
    found = lower_limit(sup_log_e, math.log(20), start=0.4)
    assert expected - 1e-4 <= found <= expected
    # The mirror image: values with mean -.4, whose negation has the process above.
    assert upper_limit(sup_log_e, math.log(20), start=-0.4) == pytest.approx(-found)


@each_process
@pytest.mark.parametrize(("size", "difference"), [(40, 0.3), (300, 0.0), (300, 0.2), (300, -0.4)])
def test_against_a_fine_grid(process: Process, size: int, difference: float) -> None:
    values = outcomes(20, size, difference)
    low, high = limits(process, values, 0.05)
    assert -1 <= low < values.mean() < high <= 1
    grid = np.linspace(-0.999, 0.999, 1999)
    for limit, sup_log_e, sign in ((low, process(values), 1), (-high, process(-values), -1)):
        rejected = grid[[sup_log_e(null) >= math.log(40) for null in grid]]
        largest = rejected.max() if rejected.size else -1.0
        assert largest - 2e-4 <= limit <= largest + 1e-3 + 2e-4, sign


@each_process
def test_swapping_a_and_b_mirrors_the_interval(process: Process) -> None:
    values = outcomes(22, 150, 0.25)
    low, high = limits(process, values, 0.05)
    mirrored_low, mirrored_high = limits(process, -values, 0.05)
    assert (mirrored_low, mirrored_high) == (pytest.approx(-high), pytest.approx(-low))


def test_nothing_rejected_gives_the_whole_range() -> None:
    values = np.array([1.0, -1.0])
    assert limits(inputs, values, 0.05) == (-1.0, 1.0)
    assert lower_limit(lambda _: 0.0, math.log(20), 0.0) == -1.0


def test_a_fully_labelled_pool_leaves_only_its_mean() -> None:
    values = outcomes(23, 400, 0.15)
    low, high = limits(pool, values, 0.05)
    assert low <= values.mean() <= high
    assert high - low <= 2.1e-4


def test_a_rejected_mean_moves_the_search_above_it() -> None:
    # 150 wins, then 150 losses: the running maximum rejects the final mean 0 and much more.
    values = np.array([1.0] * 150 + [-1.0] * 150)
    sup_log_e = inputs(values)
    low = lower_limit(sup_log_e, math.log(40), float(values.mean()))
    assert low > 0.5
    assert sup_log_e(low) >= math.log(40) > sup_log_e(low + 1.01e-4)
