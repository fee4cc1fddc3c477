"""The certification: its rules are those of `compare`, its counting is right, and small parts of its grid hold."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from benchmarks.certification import campaigns, metric_rules, posterior_rule, runner
from benchmarks.certification.campaigns import ALPHAS, Tally, looks_of, play
from benchmarks.certification.grid import ERRORS, RULES, Task, grid
from benchmarks.certification.rules import EQUIVALENT, NOTHING, A, B, Rule
from benchmarks.certification.worlds import Sample, World, draw
from benchmarks.worlds.simulation import largest_rate
from numpy.testing import assert_array_equal
from numpy.typing import NDArray

from tiebreak.comparison.assistance import OUTCOME_CLASSES, confusion_counts
from tiebreak.kernels import reproduced as hoeffding
from tiebreak.kernels.help_gate import openings
from tiebreak.kernels.metric_error import metric_error_posterior
from tiebreak.kernels.metric_help import MetricHelp
from tiebreak.kernels.sign_flips import sign_test
from tiebreak.rules.anytime import AnytimeProcess, AssistedProcess, Priors, evidence_paths
from tiebreak.rules.budgeted import BudgetedProcess, budget_plan
from tiebreak.rules.family import FamilyRule, decide_family
from tiebreak.rules.reproduced import dirichlet_verdict, hoeffding_verdict
from tiebreak.rules.sequence import ValueSequence

CODES = {"a": A, "b": B, "equivalent": EQUIVALENT, "undecided": NOTHING}
RUNS = 6
HUMAN = World("inputs", 120, 120, 0.3, 0.2)
POOL = World("items", 100, 80, 0.3, 0.2)
WITH_METRIC = World("items", 100, 80, 0.3, 0.2, "rho .5")
FRESH_WITH_METRIC = World("inputs", 300, 90, 0.3, 0.2, "rho .5")


def sample_of(world: World, runs: int = RUNS, seed: int = 3) -> Sample:
    return draw(world, np.random.default_rng(seed), runs)


def verdicts(name: str, sample: Sample, alpha: float = 0.05) -> NDArray[np.int8]:
    (codes,) = RULES[name].verdicts(sample, [alpha])
    return codes


def first(codes: NDArray[np.int8]) -> tuple[int, int | None]:
    """The first verdict of one campaign, and the labels that it took."""
    at = np.flatnonzero(codes)
    return (int(codes[at[0]]), int(at[0]) + 1) if at.size else (NOTHING, None)


# ---- the rules are those of compare ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "world", "help_of"),
    [
        ("outcomes", HUMAN, None),
        ("bounded", POOL, None),
        ("bounded", World("inputs", 60, 60, 0.0, annotators=3), None),
        ("linear", WITH_METRIC, "linear"),
        ("linear", FRESH_WITH_METRIC, "linear"),
        ("linear", World("items", 100, 80, 0.3, 0.2, "three"), "linear"),
        ("regression", WITH_METRIC, "regression"),
        ("regression", FRESH_WITH_METRIC, "regression"),
        ("linear", World("inputs", 300, 90, 0.3, 0.3, "rho .9"), "linear"),
        ("regression", World("items", 100, 80, 0.3, 0.2, "rho .9"), "regression"),
    ],
)
def test_directions_are_decided_as_in_compare(name: str, world: World, help_of: str | None) -> None:
    sample, decided, with_help = sample_of(world), 0, 0
    codes = verdicts(name, sample)
    for run, values in enumerate(sample.values):
        (found,) = decide_family([evidence_paths(process_of(sample, run, values, help_of), None)], one_pair())
        assert first(codes[run]) == (CODES[found.verdict], found.stopped_at)
        decided += found.stopped_at is not None
        if help_of is not None and found.stopped_at is not None:
            with_help += openings(values, help_for(sample, run, help_of).centred) < found.stopped_at
    assert decided > 0 or world.annotators > 1
    assert with_help > 0 or help_of is None


@pytest.mark.parametrize(
    ("name", "world", "help_of"),
    [
        ("outcome-equivalence", World("inputs", 300, 300, 0.6), None),
        ("bounded-equivalence", World("items", 200, 200, 0.3), None),
        ("linear-equivalence", World("items", 200, 160, 0.3, metric="rho .9"), "linear"),
        ("regression-equivalence", World("items", 200, 160, 0.3, metric="rho .9"), "regression"),
    ],
)
def test_equivalence_is_decided_as_in_compare(name: str, world: World, help_of: str | None) -> None:
    sample, decided = sample_of(world), 0
    codes = verdicts(name, sample)
    for run, values in enumerate(sample.values):
        paths = evidence_paths(process_of(sample, run, values, help_of), sample.world.margin)
        (found,) = decide_family([paths], one_pair())
        if found.verdict == "equivalent":
            assert first(codes[run]) == (EQUIVALENT, found.stopped_at)
            decided += 1
        elif found.also is None:
            assert first(codes[run]) == (NOTHING, None)
    assert decided > 0


@pytest.mark.parametrize(
    ("name", "world", "help_of"),
    [
        ("hedge-alone", POOL, None),
        ("hedge-alone", HUMAN, None),
        ("hedge", WITH_METRIC, "regression"),
        ("hedge", FRESH_WITH_METRIC, "regression"),
    ],
)
def test_a_budget_decides_no_later_than_in_compare(name: str, world: World, help_of: str | None) -> None:
    """`compare` takes the weakest of the processes at smaller null values too: its verdict needs no fewer labels."""
    sample = sample_of(world)
    codes, later = verdicts(name, sample), []
    for run, values in enumerate(sample.values):
        found_help = None if help_of is None else help_for(sample, run, help_of)
        sequence = ValueSequence.complete(values, sample.pool_size)
        plan = budget_plan(1, one_pair(), with_margin=False)
        budgeted = BudgetedProcess(sequence, found_help, plan, metric_rules.most_labels(sample), Priors.default())
        (found,) = decide_family([evidence_paths(budgeted, None)], one_pair())
        if found.stopped_at is not None:
            verdict, stopped_at = first(codes[run])
            assert stopped_at is not None
            assert (verdict, stopped_at <= found.stopped_at) == (CODES[found.verdict], True)
            later.append(found.stopped_at - stopped_at)
    assert later
    assert np.median(later) <= 1


def one_pair(alpha: float = 0.05) -> FamilyRule:
    return FamilyRule(alpha, "holm")


def process_of(
    sample: Sample, run: int, values: NDArray[np.float64], help_of: str | None
) -> AnytimeProcess | AssistedProcess:
    sequence = ValueSequence.complete(values, sample.pool_size)
    if help_of is None:
        return AnytimeProcess(sequence, Priors.default())
    found = help_for(sample, run, help_of)
    return AssistedProcess(sequence, found, Priors.default(), regression=help_of == "regression")


def help_for(sample: Sample, run: int, help_of: str) -> MetricHelp:
    alone = Sample(sample.world, sample.values[run : run + 1], one_campaign(sample, run))
    batch = getattr(alone, help_of)
    fields = {field: getattr(batch, field)[0] for field in batch.__slots__ if field != "pool_size"}
    return MetricHelp(**fields, pool_size=batch.pool_size)


def one_campaign(sample: Sample, run: int):  # type: ignore[no-untyped-def]
    whole = sample.campaigns
    assert whole is not None
    parts = [None if part is None else part[run : run + 1] for part in (whole.reserved, whole.plan)]
    here = slice(run, run + 1)
    return type(whole)(whole.outcomes[here], whole.drawn[here], whole.others[here], *parts)


def test_fixed_sample_rules_decide_as_in_compare() -> None:
    sample = sample_of(World("inputs", 150, 150, 0.3, 0.25))
    codes = {name: verdicts(name, sample) for name in ("sign", "dirichlet", "hoeffding", "hoeffding-last")}
    seen = set()
    for run, values in enumerate(sample.values):
        for n in (10, 40, 150):
            counts = tuple(int((values[:n] == code).sum()) for code in (1, 0, -1))
            of_sign = sign_test(counts[0], counts[2])
            assert codes["sign"][run, n - 1] == int(of_sign.p_a <= 0.025) - int(of_sign.p_b <= 0.025)
            of_dirichlet = dirichlet_verdict(counts, 0.05)  # type: ignore[arg-type]
            assert codes["dirichlet"][run, n - 1] == CODES[of_dirichlet.verdict]
        found = hoeffding_verdict(values, 0.05)
        assert first(codes["hoeffding"][run]) == (CODES[found.verdict], found.stopped_at)
        last = hoeffding.last_crossing((values + 1) / 2, 0.05)
        assert first(codes["hoeffding-last"][run]) == (last.direction, last.stopped_at)
        seen |= {found.verdict, last.stopped_at is not None}
    assert {"a", True} <= seen


@pytest.mark.parametrize("ties", [0.0, 0.3])
def test_the_posterior_decides_as_in_compare(ties: float) -> None:
    sample = sample_of(World("inputs", 100, 40, ties, 0.3, "rho .9"), runs=2)
    codes = verdicts("posterior", sample)
    assert codes.shape == (2, 4)
    classes = OUTCOME_CLASSES if ties else (1.0, -1.0)
    for run in range(2):
        human, drawn, others = posterior_rule.metric_outcomes(sample, run)
        everything = np.concatenate([drawn, others])
        assert everything.size == 100
        assert abs((everything == 0).sum() - 100 * ties) <= 1
        for look, n in enumerate((10, 20, 30, 40)):
            rest = np.array([int((everything[n:] == code).sum()) for code in classes])
            paired = confusion_counts(human[:n], drawn[:n], classes)
            theta = metric_error_posterior(paired, rest, np.zeros(len(classes))).theta
            assert codes[run, look] == int(theta > 0.975) - int(theta < 0.025)


# ---- counting --------------------------------------------------------------------------------------------------


def test_a_tally_by_hand() -> None:
    # Three campaigns of five labels: wrong at label 2; right at 4 and wrong at 5; never. Looks after 2, 4 and 5.
    codes = np.array([[0, B, 0, 0, 0], [0, 0, 0, A, B], [0, 0, 0, 0, 0]], dtype=np.int8)
    looks = np.array([2, 4, 5])
    tally = Tally()
    tally.add(codes[:, looks - 1], looks, (B,), 5)
    assert tally == Tally(runs=3, wrong=2, decided=2, right=1, labels=2.0 + 4.0 + 5.0, squares=4.0 + 16.0 + 25.0)


def test_looks_end_at_the_end() -> None:
    found = looks_of(RULES["sign"], 120)
    assert found["batches of 50"].tolist() == [50, 100, 120]
    assert found["once, at the end"].tolist() == [120]
    assert "every label" not in looks_of(RULES["posterior"], 120)


@pytest.mark.parametrize(
    ("difference", "wrong"), [(0.0, {A, B}), (0.1, {B}), (0.2, {B, EQUIVALENT}), (-0.3, {A, EQUIVALENT})]
)
def test_what_is_wrong_in_a_world(difference: float, wrong: set[int]) -> None:
    sample = Sample(World("inputs", 300, 10, 0.0, difference), np.zeros((1, 10)))
    assert set(campaigns.wrong_codes(sample)) == wrong


@pytest.mark.parametrize("world", [POOL, World("items", 100, 100, 0.0, annotators=3)])
def test_a_pool_has_exactly_its_difference(world: World) -> None:
    whole = World(world.target, world.size, world.size, world.ties, world.difference, None, world.annotators)
    values = sample_of(whole).values
    np.testing.assert_allclose(values.mean(axis=1), world.difference, atol=1e-12)
    assert len({tuple(run) for run in values}) == RUNS


def test_the_same_campaigns_for_whatever_rules() -> None:
    alone = play(HUMAN, [RULES["sign"]], 40, [7])["sign"]
    together = play(HUMAN, [RULES["outcomes"], RULES["sign"]], 40, [7])["sign"]
    assert alone.tallies == together.tallies
    assert play(HUMAN, [RULES["sign"]], 40, [8])["sign"].tallies != alone.tallies


# ---- the cache -------------------------------------------------------------------------------------------------


def always_a(sample: Sample, alphas: object) -> list[NDArray[np.int8]]:
    del alphas
    return [np.full(sample.values.shape, A, dtype=np.int8) for _ in ALPHAS]


def test_an_interrupted_run_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tasks = [Task(ERRORS, World("inputs", size, size, 0.0), ("sign", "hoeffding"), 20) for size in (50, 60)]
    runner.simulate(tasks[0], ["sign"], tmp_path, (1, 0))
    (kept,) = tmp_path.iterdir()
    before = kept.stat().st_mtime_ns
    results = runner.run_grid(tasks, tmp_path, 1, 1, jobs=1)
    assert set(results.outcomes) == {(task, name) for task in tasks for name in ("sign", "hoeffding")}
    assert kept.stat().st_mtime_ns == before
    assert len(list(tmp_path.iterdir())) == 4
    # Everything is known now: nothing is played again. Another seed, or another rule's code, is another result.
    monkeypatch.setattr(campaigns, "play", None)
    assert runner.run_grid(tasks, tmp_path, 1, 1, jobs=1).outcomes == results.outcomes
    sign = RULES["sign"]
    changed = Rule(sign.name, sign.title, sign.option, sign.promise, always_a)
    files = {
        runner.cache_file(tmp_path, tasks[0].world, rule, runs, seed)
        for rule, runs, seed in [(sign, 20, (1, 0)), (sign, 21, (1, 0)), (sign, 20, (1, 1)), (changed, 20, (1, 0))]
    }
    assert len(files) == 4


def test_a_result_depends_on_the_code_behind_it() -> None:
    posterior, sign = (runner.sources(Path(RULES[name].source_file)) for name in ("posterior", "sign"))
    names = {file.name for file in posterior}
    assert {"posterior_rule.py", "worlds.py", "metric_error.py", "sobol_dirichlet.py", "metric_simulation.py"} <= names
    assert "metric_error.py" not in {file.name for file in sign}
    assert "cli" not in {file.parent.name for file in posterior | sign}
    assert len({runner.fingerprint(RULES[name].source_file) for name in ("posterior", "sign", "linear")}) == 3


# ---- small parts of the grid -----------------------------------------------------------------------------------

SMALL = {  # rule: world, campaigns
    "outcomes": (World("inputs", 300, 300, 0.3), 600),
    "budget": (World("inputs", 100, 100, 0.0), 2_000),
    "bounded": (World("items", 200, 200, 0.0), 600),
    "linear": (World("items", 200, 150, 0.6, metric="rho .9"), 400),
    "regression": (World("inputs", 300, 100, 0.3, metric="rho .5"), 400),
    "hedge-alone": (World("items", 200, 200, 0.3), 400),
    "hedge": (World("items", 200, 150, 0.3, metric="rho .5"), 400),
    "hedge-reserve": (World("inputs", 300, 100, 0.0, metric="rho 0"), 400),
    "outcome-equivalence": (World("inputs", 300, 300, 0.3, 0.2), 600),
    "bounded-equivalence": (World("items", 200, 200, 0.3, 0.2), 600),
    "linear-equivalence": (World("items", 200, 150, 0.3, 0.2, "rho .9"), 400),
    "regression-equivalence": (World("items", 200, 150, 0.3, 0.2, "rho .9"), 400),
}


@pytest.mark.parametrize("name", SMALL)
def test_anytime_rules_hold_at_every_look(name: str) -> None:
    world, runs = SMALL[name]
    found = play(world, [RULES[name]], runs, [11])[name].tallies
    for alpha in ALPHAS:
        every = found[f"{alpha}"]["every label"]
        assert every.wrong / runs <= largest_rate(alpha, runs)
        for looser in ("batches of 10", "batches of 50", "once, at the end"):
            assert found[f"{alpha}"][looser].wrong <= every.wrong
    assert found["0.05"]["every label"].wrong > 0  # a rule that never decides would be no test


@pytest.mark.parametrize(("name", "least"), [("sign", 0.25), ("dirichlet", 0.3), ("hoeffding", 0.1)])
def test_rules_for_one_look_fail_at_every_look(name: str, least: float) -> None:
    found = play(World("inputs", 300, 300, 0.0), [RULES[name]], 400, [12])[name].tallies["0.05"]
    assert found["every label"].wrong / 400 > least
    assert found["once, at the end"].wrong / 400 <= largest_rate(0.05, 400)


def test_the_posterior_fails_after_batches() -> None:
    found = play(World("inputs", 300, 150, 0.0, metric="rho .5"), [RULES["posterior"]], 40, [13])
    assert found["posterior"].tallies["0.05"]["batches of 10"].wrong / 40 > 0.05 + 2 * math.sqrt(0.05 / 40)


def test_every_rule_is_certified_at_every_size_and_share_of_ties() -> None:
    tasks = [task for task in grid() if task.part == ERRORS]
    for name in RULES:
        worlds = [task.world for task in tasks if name in task.rules]
        assert {0.3} <= {world.ties for world in worlds}
        if not name.endswith("equivalence"):
            assert {world.ties for world in worlds if world.annotators == 1} == {0.0, 0.3, 0.6}
        if name not in ("posterior", "hedge-reserve", "linear-equivalence", "regression-equivalence"):
            assert {world.size for world in worlds} == {300, 3_000}
    assert_array_equal([task.runs for task in grid(0.001)], [max(2, round(task.runs / 1_000)) for task in grid()])
