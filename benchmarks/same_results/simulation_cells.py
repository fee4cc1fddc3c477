"""Cells of simulated campaigns by both engines, replays of real labels, and plans of costs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from benchmarks.same_results.made_studies import JUDGE, METRIC
from benchmarks.same_results.product import plans, simulations
from benchmarks.same_results.real_studies import read
from benchmarks.same_results.records import Cell, Forecast, Person, Record, Rules, Simulation

CROWD = tuple(Person(capability=0.8 + 0.02 * k) for k in range(10))
ODD_CROWD = (
    Person(0.95, 0.2, seconds=12.0),
    Person(0.9, 0.1, side=0.3, seconds=20.0, price=0.4),
    Person(0.85, 0.0, spam=0.4, seconds=5.0),
    Person(0.9, 0.15, leanings=(("a", 0.3),), seconds=30.0),
    Person(1.0, 0.1, side=-0.2, seconds=25.0),
)

THREE = Simulation(Rules(alpha=0.1), (0.5, 0.2, 0.0), 60, CROWD, 8)
ONE_LOOK = Rules("one-look", items_per_pair=30)


def cells() -> Iterator[Cell]:
    """All of them."""
    for name, asked in _by_steps().items():
        yield Cell(f"simulate/steps/{name}", simulations.simulated, (asked, False))
    for name, asked in _quick().items():
        yield Cell(f"simulate/quick/{name}", simulations.simulated, (asked, True))
    for name, arguments in _replays().items():
        yield Cell(f"replay/{name}", replayed, arguments)
    yield Cell("arrays/agents", simulations.one_pair, (CROWD, 0.2, 80, 30))
    yield Cell("arrays/odd-agents", simulations.one_pair, (ODD_CROWD, 0.0, 60, 30))
    for study, other in (("naturalness-v1", "V1"), ("naturalness-v2", "V2")):
        yield Cell(f"arrays/{study}", votes, (study, "CGA", other))
    for name, forecast in _plans().items():
        yield Cell(f"plan/{name}", plans.planned, (forecast,))
    for name, arguments in _pilots().items():
        yield Cell(f"plan/pilot/{name}", planned_from, arguments)


def replayed(study: str, rules: Rules, runs: int, ratings: str, people: int | None) -> Record:
    return simulations.replayed(read(study), rules, runs, ratings, people)


def votes(study: str, system_a: str, system_b: str) -> Record:
    return simulations.votes_in_arrays(read(study), system_a, system_b, 20)


def planned_from(study: str, criterion: str | None, baseline: str | None, asked: Forecast) -> Record:
    return plans.planned_from(read(study), criterion, baseline, asked)


def _with(rules: Rules, like: Simulation = THREE, **others: object) -> Simulation:
    return replace(like, rules=rules, **others)


def _by_steps() -> dict[str, Simulation]:
    betting = THREE.rules
    helped = {"metric": 0.6, "judge": True}
    return {
        "betting": THREE,
        "betting-margin": _with(replace(betting, margin=0.3, correction="bonferroni")),
        "betting-items": _with(replace(betting, target="items", correction="fdr")),
        "betting-metric": _with(replace(betting, metrics=(METRIC,), items_per_pair=20), **helped),
        "betting-judge-items": _with(replace(betting, judges=(JUDGE,), target="items"), **helped),
        "metric-error": _with(replace(betting, rule="metric-error", metrics=(METRIC,)), runs=3, **helped),
        "hoeffding": _with(replace(betting, rule="hoeffding")),
        "one-look": _with(ONE_LOOK),
        "max-three": _with(replace(betting, labelling="max-three")),
        "majority": _with(replace(betting, labelling="majority", people_per_item=3)),
        "fixed": _with(replace(betting, labelling="fixed")),
        "winner": _with(replace(betting, pair_policy="winner"), qualities=(0.6, 0.3, 0.0), runs=4),
        "most-informative": _with(replace(betting, pair_policy="most-informative"), runs=4),
        "clusters": _with(betting, cluster_size=3, alike_in_cluster=0.5),
        "budget": _with(replace(betting, label_budget=90, price=0.2)),
        "limits": _with(replace(betting, open_items=4, most_per_person=25, batch=3)),
        "odd-people": _with(betting, people=ODD_CROWD, hand=3, forgets=0.1, leaves=0.01),
        "forgetting": _with(replace(betting, labelling="max-three", hours=2.0), hand=2, forgets=0.2, runs=4),
        "refused": _with(replace(betting, labelling="majority", people_per_item=2)),
    }


def _quick() -> dict[str, Simulation]:
    betting, many = THREE.rules, replace(THREE, runs=150, qualities=(0.5, 0.2, 0.0, 0.0))
    return {
        "betting": _with(betting, many),
        "betting-bonferroni": _with(replace(betting, correction="bonferroni"), many),
        "betting-fdr": _with(replace(betting, correction="fdr"), many),
        "betting-none": _with(replace(betting, correction="none"), many),
        "betting-margin": _with(replace(betting, margin=0.3), many, runs=40),
        "betting-items": _with(replace(betting, target="items"), many, runs=40),
        "metric-error": _with(replace(betting, rule="metric-error"), many),
        "hoeffding": _with(replace(betting, rule="hoeffding"), many),
        "one-look": _with(ONE_LOOK, many),
        "max-three": _with(replace(betting, labelling="max-three"), many),
        "majority": _with(replace(betting, labelling="majority", people_per_item=3), many),
        "fixed": _with(replace(betting, labelling="fixed"), many),
        "baseline": _with(replace(betting, baseline="b", price=0.1), many),
        "leanings": _with(betting, many, people=tuple(replace(of, seconds=30.0) for of in ODD_CROWD)),
        "listed": _with(replace(betting, order="listed"), many),
    }


def _replays() -> dict[str, tuple[str, Rules, int, str, int | None]]:
    betting, mean = Rules(alpha=0.05), "mean"
    few = replace(betting, systems=("M12", "M22", "M23"), criterion="relevance")
    found: dict[str, tuple[str, Rules, int, str, int | None]] = {
        f"{study}/{labelling}": (study, replace(betting, labelling=labelling, people_per_item=people), 4, mean, None)
        for study in ("naturalness-v1", "naturalness-v2", "pandalm")
        for labelling, people in (("one", 1), ("max-three", 1), ("majority", 3))
    }
    return found | {
        "naturalness-v1/fixed": ("naturalness-v1", replace(betting, labelling="fixed"), 4, mean, None),
        "naturalness-v2/items": ("naturalness-v2", replace(betting, target="items"), 4, mean, 4),
        "naturalness-v2/hoeffding-listed": (
            "naturalness-v2",
            replace(betting, rule="hoeffding", order="listed", alpha=0.01),
            4,
            mean,
            None,
        ),
        "pandalm/judge": ("pandalm", replace(betting, judges=("gpt-3.5-turbo",), target="items"), 3, mean, None),
        "summeval/mean": ("summeval", few, 4, mean, None),
        "summeval/each": ("summeval", few, 4, "each", 3),
        "summeval/metric": ("summeval", replace(few, metrics=("rougeL_max11",), items_per_pair=36), 3, mean, None),
        "wmt21-en-de/metric-error": (
            "wmt21-en-de",
            replace(betting, rule="metric-error", metrics=("chrf_refA",), systems=("Nemo", "UEdin"), batch=50),
            2,
            mean,
            None,
        ),
        "summeval/no-criterion": ("summeval", betting, 2, mean, None),
    }


def _plans() -> dict[str, Forecast]:
    plain = Forecast(difference=0.15)
    return {
        "default": plain,
        "small-difference": replace(plain, difference=0.08, labelling=("one",)),
        "large-difference": replace(plain, difference=0.4, ties=0.1),
        "margin": replace(plain, difference=0.0, margin=0.2, labelling=("one",)),
        "items": replace(plain, target="items", pool=400, labelling=("one",)),
        "systems": replace(plain, systems=4, pairs=6, price=0.1, seconds=20.0),
        "money": replace(plain, systems=4, pairs=6, price=0.1, money_budget=200.0),
        "labels": replace(plain, difference=0.2, systems=3, pairs=3, label_budget=500),
        "metric": replace(plain, difference=0.2, correlation=0.4, pool=1000, labelling=("one",)),
        "metric-items": replace(
            plain, difference=0.2, correlation=0.4, pool=600, target="items", labelling=("one",), agreement=0.5
        ),
        "agreement": replace(plain, agreement=0.15, difference=0.2),
        "another-seed": replace(plain, difference=0.2, labelling=("max-three", "one")),
        "refused-equal": replace(plain, difference=0.0),
        "refused-metric": replace(plain, correlation=0.4),
    }


def _pilots() -> dict[str, tuple[str, str | None, str | None, Forecast]]:
    one = Forecast(labelling=("one", "max-three"))
    return {
        "naturalness-v2": ("naturalness-v2", None, None, one),
        "pandalm": ("pandalm", None, "llama-7b", replace(one, price=0.1, money_budget=100.0)),
        "summeval": ("summeval", "relevance", "M23", replace(one, labelling=("one",))),
        "no-criterion": ("summeval", None, None, one),
    }
