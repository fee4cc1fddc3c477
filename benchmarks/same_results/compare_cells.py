"""Cells of `compare`, `evaluate_against` and `check`, on real studies and on made ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np
from benchmarks.same_results.made_studies import JUDGE, METRIC, made_study
from benchmarks.same_results.product import checks, comparisons
from benchmarks.same_results.real_studies import LLMFAO, REAL_STUDIES, SUMMEVAL, WMT, RealStudy, read
from benchmarks.same_results.records import Cell, Question, Record

RULES = ("betting", "sign", "hoeffding", "dirichlet", "metric-error")
SEEDS = (0, 1, 2)
TARGETS = ("inputs", "items")
CORRECTIONS = ("holm", "bonferroni", "fdr", "fdr-any", "none")
LABEL_RULES = ("mean", "majority", "first")
MADE = 16


def cells() -> Iterator[Cell]:
    """All of them."""
    for study in REAL_STUDIES:
        few = Question(systems=study.few)
        asked = {**_grid(study, few), **_settings(study, few)}
        yield from (Cell(f"compare/{study.name}/{name}", real, (study.name, of)) for name, of in asked.items())
        yield from (
            Cell(f"against/{study.name}/{name}", real_against, (study.name, *of))
            for name, of in _references(study, few).items()
        )
        yield Cell(f"check/{study.name}", real_check, (study.name,))
    for study in (SUMMEVAL, WMT, LLMFAO):
        yield from (Cell(f"compare/{study.name}/whole/{name}", real, (study.name, of)) for name, of in _whole(study))
    for number in range(MADE):
        yield from (Cell(f"compare/made-{number:02d}/{name}", made, (number, of)) for name, of in _made_questions())
        yield Cell(f"check/made-{number:02d}", made_check, (number,))


# ---- computations ----------------------------------------------------------------------------------------------


def real(name: str, asked: Question) -> Record:
    return comparisons.compared(read(name), asked)


def real_against(name: str, asked: Question, reference: Question) -> Record:
    return comparisons.against(read(name), asked, reference)


def real_check(name: str) -> Record:
    return checks.examined(read(name))


def made(number: int, asked: Question) -> Record:
    return comparisons.compared(_labelled_study(number), asked)


def made_check(number: int) -> Record:
    return checks.examined(_labelled_study(number))


def _labelled_study(number: int) -> object:
    """A small study with labels; every other one in clusters, every third with times, every fourth with a price."""
    rng = np.random.default_rng([1, number])
    tables = made_study(
        rng,
        int(rng.integers(2, 5)),
        int(rng.integers(20, 90)),
        cluster_size=1 + number % 2,
        identical=0.1 * (number % 3),
        gaps=0.05,
        labelled=float(rng.uniform(0.4, 1.0)),
        with_times=number % 3 == 0,
    )
    return comparisons.of_tables(tables, price=0.25 if number % 4 == 0 else None)


# ---- questions -------------------------------------------------------------------------------------------------


def _grid(study: RealStudy, few: Question) -> dict[str, Question]:
    """Every rule, both targets, every helper and seed; a rule without an order must not come to need one."""
    found = {}
    for rule, target, (helper, (metrics, judges)), seed in product(RULES, TARGETS, study.helpers.items(), SEEDS):
        asked = replace(few, rule=rule, target=target, metrics=metrics, judges=judges, seed=seed)
        found[f"{rule}/{target}/{helper}/seed-{seed}"] = asked
    return found


def _settings(study: RealStudy, few: Question) -> dict[str, Question]:
    """One setting other than its default."""
    return {**_by_rule(study, few), **_with_help(study, few), **_parts(study, few), **_thresholds(study, few)}


def _by_rule(study: RealStudy, few: Question) -> dict[str, Question]:
    """Settings that more than one rule knows, or refuses; the rule that needs a metric has one."""
    found = {}
    metrics, judges = study.one_helper
    for rule in RULES:
        asked = replace(few, rule=rule)
        if rule == "metric-error":
            asked = replace(asked, metrics=metrics, judges=judges)
        for correction in CORRECTIONS[1:]:
            found[f"{rule}/correction-{correction}"] = replace(asked, correction=correction)
        for label_rule, seed in (("majority", 0), ("first", 0), ("first", 1)):
            found[f"{rule}/labels-{label_rule}/seed-{seed}"] = replace(asked, label_rule=label_rule, seed=seed)
        for alpha in (0.2, 0.001):
            found[f"{rule}/alpha-{alpha}"] = replace(asked, alpha=alpha)
        found[f"{rule}/margin-0.2"] = replace(asked, margin=0.2)
        found[f"{rule}/budget-100"] = replace(asked, budget=100)
    return found


def _with_help(study: RealStudy, few: Question) -> dict[str, Question]:
    """Margins, budgets and corrections, without and with a metric, for both targets."""
    found = {}
    metrics, judges = study.one_helper
    for target, helped in product(TARGETS, (False, True)):
        asked = replace(few, target=target, metrics=metrics, judges=judges) if helped else replace(few, target=target)
        name = f"{target}/{'helped' if helped else 'alone'}"
        for margin in (0.05, 0.3):
            found[f"betting/{name}/margin-{margin}"] = replace(asked, margin=margin)
        for budget in (30, 2000):
            found[f"betting/{name}/budget-{budget}"] = replace(asked, budget=budget)
        found[f"betting/{name}/margin-0.2/budget-300"] = replace(asked, margin=0.2, budget=300)
        for correction in CORRECTIONS:
            found[f"betting/{name}/margin-0.2/correction-{correction}"] = replace(
                asked, margin=0.2, correction=correction
            )
    return found


def _parts(study: RealStudy, few: Question) -> dict[str, Question]:
    """A part of the people, a baseline, names that are not there, and metrics without people."""
    metrics, judges = study.one_helper
    found = {
        "betting/baseline": replace(few, baseline=study.baseline),
        "sign/baseline": replace(few, rule="sign", baseline=study.baseline),
        "betting/people": replace(few, annotators=study.people),
        "dirichlet/people": replace(few, rule="dirichlet", annotators=study.people),
        "sign/without-people": replace(few, rule="sign", without=study.people),
        "betting/no-such-metric": replace(few, metrics=("nothing",)),
        "betting/no-such-system": replace(few, systems=("nothing", study.baseline)),
        "sign/metric-only": replace(few, rule="sign", metrics=metrics, judges=judges, human=False),
        "sign/metrics-only": replace(few, rule="sign", metrics=("all",), judges=("all",), human=False),
        "betting/metric-only": replace(few, metrics=metrics, judges=judges, human=False),
    }
    for label_rule in LABEL_RULES if study.has_times else ():
        found[f"betting/undecided/labels-{label_rule}"] = replace(few, label_rule=label_rule, alpha=1e-9)
    return found


def _thresholds(study: RealStudy, few: Question) -> dict[str, Question]:
    """When ratings or scores that are near each other are a tie."""
    metrics, judges = study.one_helper
    found = {}
    for rule, tie in product(("betting", "sign") if study.has_ratings else (), (0.5, 1.0)):
        found[f"{rule}/rating-tie-{tie}"] = replace(few, rule=rule, rating_tie=tie)
        found[f"{rule}/rating-tie-{tie}/raters-any"] = replace(few, rule=rule, rating_tie=tie, raters="any")
    for rule, tie in product(("betting", "metric-error") if study.metric else (), (0.02, 5.0)):
        asked = replace(few, rule=rule, metrics=metrics, judges=judges, score_tie=tie)
        found[f"{rule}/score-tie-{tie}"] = asked
    if study is SUMMEVAL:
        relevance = replace(few, criteria=("relevance",))
        found["betting/relevance/gpt-4o"] = replace(relevance, metrics=("gpt-4o",))
        found["metric-error/relevance/gpt-4o"] = replace(relevance, rule="metric-error", metrics=("gpt-4o",))
    return found


def _whole(study: RealStudy) -> Iterator[tuple[str, Question]]:
    """All systems of the larger studies."""
    everything = Question()
    for rule in RULES[:-1]:
        yield rule, replace(everything, rule=rule)
    if study is LLMFAO:
        return
    yield "betting/items", replace(everything, target="items")
    for rule, correction in product(("betting", "sign"), CORRECTIONS[1:]):
        yield f"{rule}/correction-{correction}", replace(everything, rule=rule, correction=correction)
    criteria = ("relevance",) if study is SUMMEVAL else None
    helped = replace(everything, criteria=criteria, metrics=study.one_helper[0])
    yield "betting/metric", helped
    yield "metric-error/metric", replace(helped, rule="metric-error")


def _references(study: RealStudy, few: Question) -> dict[str, tuple[Question, Question]]:
    """An evaluation, and the one that it is held against."""
    metrics, judges = study.one_helper
    signs = replace(few, rule="sign")
    alone = replace(signs, metrics=metrics, judges=judges, human=False)
    return {
        "betting-beside-sign": (few, signs),
        "dirichlet-beside-sign": (replace(few, rule="dirichlet"), signs),
        "metric-only-beside-sign": (alone, signs),
        "margin-beside-betting": (replace(few, margin=0.2), replace(few, alpha=0.2)),
        "baseline-beside-all": (replace(few, baseline=study.baseline), few),
    }


def _made_questions() -> Iterator[tuple[str, Question]]:
    helpers = {"alone": ((), ()), "metric": ((METRIC,), ()), "judge": ((), (JUDGE,)), "all": (("all",), ("all",))}
    for rule, target, (helper, (metrics, judges)) in product(RULES, TARGETS, helpers.items()):
        if rule in ("betting", "metric-error") or helper == "alone":
            asked = Question(rule=rule, target=target, metrics=metrics, judges=judges)
            yield f"{rule}/{target}/{helper}", asked
            if rule == "betting":
                yield f"{rule}/{target}/{helper}/margin-0.25", replace(asked, margin=0.25)
                yield f"{rule}/{target}/{helper}/budget-60", replace(asked, budget=60)
    for label_rule in LABEL_RULES[1:]:
        yield f"betting/labels-{label_rule}", Question(label_rule=label_rule)
    for correction in CORRECTIONS[1:]:
        yield f"betting/correction-{correction}", Question(correction=correction, margin=0.25)
