"""The campaigns of dynamic-human-evaluation: what the paper printed, its methods, and their runs on simulated and real
labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from benchmarks.worlds.simulation import simulated_rule
from numpy.typing import NDArray

from tiebreak.kernels.reproduced import hoeffding_crossings
from tiebreak.simulate.engines.engine import CampaignRuns, PairSetting, run_matrix
from tiebreak.simulate.engines.parallel import in_chunks
from tiebreak.simulate.engines.policies import PolicyValues, SimulatedLabelling, item_values
from tiebreak.simulate.engines.stops import stops
from tiebreak.simulate.people.crowd import Crowd, capable_workers
from tiebreak.simulate.replay import Votes

Floats = NDArray[np.float64]

D = 0.001
Z99 = 2.5758
METHODS = {
    "7 Workers": SimulatedLabelling("majority", 7),
    "5 Workers": SimulatedLabelling("majority", 5),
    "Max 3 Workers": SimulatedLabelling("max-three", 3),
    "Fixed Worker": SimulatedLabelling("fixed"),
    "One Worker": SimulatedLabelling("one"),
}
SETTINGS = ((0.25, 3_500), (0.125, 5_000), (0.0625, 15_000))
# Averages and 99% intervals as printed.
TABLE_3 = {
    0.25: ((866, 841, 888), (722, 700, 742), (461, 447, 476), (344, 331, 357), (338, 325, 349)),
    0.125: ((3647, 3536, 3767), (3141, 3040, 3236), (2011, 1952, 2080), (1454, 1404, 1502), (1440, 1399, 1489)),
    0.0625: ((13302, 12965, 13609), (10850, 10607, 11114), (6729, 6551, 6900), (4526, 4376, 4685), (4491, 4356, 4636)),
}
REPLAYED = ("7 Workers", "5 Workers", "Max 3 Workers", "One Worker")
LEVELS = (0.01, 0.001, 0.0001)
TABLE_6 = {
    "naturalness-v1": ((70, 98, 133), (50, 70, 95), (30, 43, 59), (11, 19, 26)),
    "naturalness-v2": ((501, 823, 1235), (452, 671, 1010), (327, 519, 701), (273, 356, 385)),
}
TABLE_7 = (95, 80, 49)
KAPPA = {"naturalness-v1": 0.69, "naturalness-v2": 0.27}
RIVALS = {"naturalness-v1": "V1", "naturalness-v2": "V2"}
TITLES = {"naturalness-v1": "V1 against CGA", "naturalness-v2": "V2 against CGA (R1)"}
PAPER_ITERATIONS = 100


LAST_CROSSING = "hoeffding, last crossing"
"""The rule as the authors' code has it, which looks ahead."""

NamedRule = tuple[str, float]
"""A rule by its name, and its level."""


def verdicts_by(values: NDArray[np.int8], rule: NamedRule) -> tuple[NDArray[np.int8], NDArray[np.int64]]:
    """Verdicts (runs,) and items (runs,) until then, from values (runs, items)."""
    name, level = rule
    if name == LAST_CROSSING:
        return hoeffding_crossings((values + 1) / 2, level, last=True)
    found = stops(values, simulated_rule(name, values.shape[1], level))
    return found.verdict, found.items


@dataclass(frozen=True)
class Average:
    """Mean of labels over decided runs, its standard error, the spread of one run, and the share decided."""

    mean: float
    error: float
    spread: float
    decided: float

    @classmethod
    def of(cls, runs: CampaignRuns) -> Average:
        labels = runs.labels[runs.decided]
        if labels.size < 2:
            return cls(float("nan"), float("nan"), float("nan"), float(runs.decided.mean()))
        spread = float(labels.std(ddof=1))
        return cls(float(labels.mean()), spread / np.sqrt(labels.size), spread, float(runs.decided.mean()))

    @property
    def cells(self) -> tuple[float, float, float]:
        """The mean and its 99% interval."""
        return self.mean, self.mean - Z99 * self.error, self.mean + Z99 * self.error

    def near(self, printed: float) -> bool:
        """Whether an average over 100 such decided runs could be the printed one, at 99%, rounding included."""
        decided = max(PAPER_ITERATIONS * self.decided, 1)
        reach = Z99 * np.hypot(self.spread / np.sqrt(decided), self.error)
        return bool(abs(printed - self.mean) <= reach + 0.5)


def authors_values(labels: NDArray[np.int8], policy: SimulatedLabelling) -> PolicyValues:
    """Values and costs as the authors' code has them: Max 3 pays three labels where the first two agree on A."""
    valued = item_values(labels, policy)
    if policy.name != "max-three":
        return valued
    agree_on_a = (labels[:, :, 0] == labels[:, :, 1]) & (labels[:, :, 0] > 0)
    return replace(valued, cost=np.where(agree_on_a, np.uint8(3), valued.cost))


def authors_runs(
    labels: NDArray[np.int8], policy: SimulatedLabelling, rules: Sequence[NamedRule]
) -> list[CampaignRuns]:
    valued = authors_values(labels, policy)
    found = [verdicts_by(valued.values, rule) for rule in rules]
    return [CampaignRuns(verdict, items, valued.labels_up_to(items)) for verdict, items in found]


def simulated(
    crowd: Crowd, difference: Floats, rules: Sequence[NamedRule], iterations: int, seed: int, workers: int
) -> dict[str, list[CampaignRuns]]:
    """Runs of all five policies on one draw of the difficulties, which all iterations share."""
    items = difference.size
    setting = PairSetting(crowd, difference, frozenset({"max-three"}))

    def task(size: int, rng: np.random.Generator) -> list[list[CampaignRuns]]:
        return [authors_runs(setting.draw(policy, size, rng), policy, rules) for policy in METHODS.values()]

    parts = in_chunks(task, iterations, seed, chunk=max(1, 400_000 // (7 * items)), workers=workers, prefer="processes")
    return {
        name: [CampaignRuns.joined([part[row][column] for part in parts]) for column in range(len(rules))]
        for row, name in enumerate(METHODS)
    }


def one_pool(seed: int) -> Crowd:
    return Crowd.of(capable_workers(100, 0.8, 1.0, np.random.default_rng([seed, 0])))


Replayed = dict[str, dict[tuple[str, float], CampaignRuns]]


def replayed(votes: Votes, iterations: int, seed: int) -> Replayed:
    """Runs of the four methods on real labels under both readings of the rule, and under our default."""
    found: Replayed = {}
    for number, method in enumerate(REPLAYED):
        policy = METHODS[method]
        labels = votes.draw(iterations, policy.people, np.random.default_rng([seed, 4, number]))
        rules = [(name, level) for name in (LAST_CROSSING, "hoeffding") for level in LEVELS]
        found[method] = dict(zip(rules, authors_runs(labels, policy, rules), strict=True))
        for level in LEVELS:
            rule = simulated_rule("anytime", labels.shape[1], level)
            found[method]["anytime", level] = run_matrix(labels, policy, rule)
    return found
