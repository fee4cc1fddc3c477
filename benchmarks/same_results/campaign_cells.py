"""Cells of whole campaigns: a random study, random rules, and simulated people to whom all sorts of things happen."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

import numpy as np
from benchmarks.same_results.made_studies import JUDGE, METRIC, PEOPLE, MadeStudy, made_study, outcome
from benchmarks.same_results.product.campaigns import Campaign, CampaignInFolder, CampaignInMemory
from benchmarks.same_results.records import Cell, Record, Rules, Task

CAMPAIGNS = 340
"""Of which about 300 are played: a tenth of the protocols is refused, which is recorded, too."""
EVERY_NTH_IN_FOLDER = 6

RULES = ("betting", "metric-error", "hoeffding", "one-look")
LABELLING = ("one", "fixed", "majority", "max-three")
PAIR_POLICIES = ("batches", "winner", "most-informative")
CORRECTIONS = ("holm", "bonferroni", "fdr", "none")

_MOST_ACTIONS = 1500
_LOOK_EVERY = 80  # actions between two records of a running campaign
_HAPPENINGS = {
    "ask": 0.3,
    "answer": 0.6,
    "give back": 0.02,
    "expire": 0.02,
    "answer again": 0.02,
    "abandon": 0.02,
    "exclude": 0.003,
    "stop": 0.0007,
}


def cells() -> Iterator[Cell]:
    """All of them."""
    for number in range(CAMPAIGNS):
        in_folder = number % EVERY_NTH_IN_FOLDER == 0
        yield Cell(f"campaign/{'folder' if in_folder else 'memory'}-{number:03d}", played, (number, in_folder))


def played(number: int, in_folder: bool) -> Record:
    """A campaign from its opening until nothing is left to do, and its late labels."""
    rng = np.random.default_rng([2, number])
    made = made_study(
        rng,
        int(rng.integers(2, 5)),
        int(rng.integers(8, 31 if in_folder else 61)),  # in a folder every answer is a file's end on the disk
        cluster_size=int(rng.choice([1, 1, 1, 2, 3])) if RULES[number % len(RULES)] != "metric-error" else 1,
        identical=float(rng.choice([0.0, 0.1, 0.3])),
    )
    rules = drawn_rules(rng, number, made)
    campaign = CampaignInFolder(made, rules) if in_folder else CampaignInMemory(made, rules)
    return Life(campaign, made, rules, rng).lived()


# ---- rules -----------------------------------------------------------------------------------------------------


def drawn_rules(rng: np.random.Generator, number: int, made: MadeStudy) -> Rules:
    """Every combination of rule, labelling, pair policy and correction in turn, and the rest at random."""
    turn = number
    chosen = []
    for names in (RULES, LABELLING, PAIR_POLICIES, CORRECTIONS):
        chosen.append(names[turn % len(names)])
        turn //= len(names)
    rule, labelling, pair_policy, correction = chosen
    in_clusters = any(row["cluster"] == made.items[0]["cluster"] for row in made.items[1:])
    takes_metric = rule in ("betting", "metric-error") and not in_clusters
    may_have_margin = 0.5 if rule == "betting" else 0.03
    rules = Rules(
        rule=rule,
        alpha=float(rng.choice([0.05, 0.1, 0.3, 0.5])),
        correction=correction,
        margin=float(rng.choice([0.2, 0.4, 0.6])) if rng.random() < may_have_margin else None,
        target="items" if rng.random() < 0.4 else "inputs",
        metrics=(METRIC,) if takes_metric and rng.random() < 0.3 else (),
        judges=(JUDGE,) if takes_metric and rng.random() < 0.2 else (),
        labelling=labelling,
        people_per_item=3 if labelling == "majority" else 1,
        ties=bool(rng.random() < 0.8),
        pair_policy=pair_policy,
        batch=int(rng.choice([1, 3, 5, 10])),
        open_items=int(rng.integers(2, 12)) if rng.random() < 0.3 else None,
        order="listed" if rng.random() < 0.15 else "random",
        seed=int(rng.integers(1000)),
        hours=float(rng.choice([2.0, 6.0, 48.0])),
    )
    return _with_checks(rng, _with_limits(rng, rules, made), made)


def _with_limits(rng: np.random.Generator, rules: Rules, made: MadeStudy) -> Rules:
    """Budgets of all kinds, a limit per person, and a baseline."""
    items, pairs = len(made.item_names), len(made.systems) * (len(made.systems) - 1) // 2
    one_look = rules.rule == "one-look"
    helped = bool(rules.metrics or rules.judges)
    per_pair = one_look or helped or rng.random() < 0.25
    share = rng.uniform(0.3, 0.6) if helped and not one_look else rng.uniform(0.5, 0.8)
    price = 0.25 if rng.random() < 0.3 else None
    most = int(items * pairs * rng.uniform(0.6, 1.5)) + 20
    return replace(
        rules,
        price=price,
        items_per_pair=int(items * share) + 1 if per_pair else None,
        label_budget=most if rng.random() < (0.03 if one_look else 0.25) else None,
        money_budget=round(most * price, 2) if price is not None and not one_look and rng.random() < 0.5 else None,
        most_per_person=int(rng.integers(30, 120)) if rng.random() < 0.2 else None,
        baseline=made.systems[-1] if rng.random() < 0.15 else None,
    )


def _with_checks(rng: np.random.Generator, rules: Rules, made: MadeStudy) -> Rules:
    """Check tasks, now and then."""
    if rng.random() > 0.2:
        return rules
    pairs = [pair for pair in combinations(made.systems, 2) if rules.baseline in (None, pair[1])]
    gold = []
    for k in rng.permutation(len(made.item_names))[:3].tolist():
        a, b = pairs[int(rng.integers(len(pairs)))]
        difference = float(made.quality[k, made.systems.index(a)] - made.quality[k, made.systems.index(b)])
        gold.append((made.item_names[k], a, b, "a" if difference > 0 else "b"))
    return replace(rules, gold=tuple(gold), gold_every=5, gold_after=3, gold_share=0.5)


# ---- what happens ----------------------------------------------------------------------------------------------


class Life:
    """What happens in a campaign, drawn one action after the other; minutes pass between them."""

    def __init__(self, campaign: Campaign, made: MadeStudy, rules: Rules, rng: np.random.Generator) -> None:
        self._campaign, self._rules, self._rng = campaign, rules, rng
        self._quality = {
            (item, system): float(made.quality[k, s])
            for k, item in enumerate(made.item_names)
            for s, system in enumerate(made.systems)
        }
        self._minute = 0
        self._out: list[Task] = []  # not answered yet, some of them back or expired
        self._answered: list[Task] = []
        self._order = hashlib.sha256()
        self._excluded: set[str] = set()

    def lived(self) -> Record:
        """The record of the campaign on its way, at its end, and after its late answers."""
        names, chances = list(_HAPPENINGS), np.array(list(_HAPPENINGS.values()))
        looks, idle = [], 0
        for number in range(1, _MOST_ACTIONS + 1):
            self._minute += int(self._rng.integers(1, 8))
            before = len(self._out)
            happening = str(self._rng.choice(names, p=chances / chances.sum()))
            self._happens(happening)
            idle = idle + 1 if happening == "ask" and len(self._out) == before else 0 if happening == "ask" else idle
            if number % _LOOK_EVERY == 0:
                looks.append(self._campaign.record())
            if self._campaign.is_over or (idle >= 12 and not self._out):
                break
        at_end = self._campaign.record()
        while self._out and self._rng.random() < 0.95:
            self._minute += 1
            self._answer()
        return {
            "actions": number,
            "tasks": self._order.hexdigest(),
            "looks": looks,
            "at_end": at_end,
            "after_late_answers": self._campaign.record(),
            "closed": self._campaign.close(),
        }

    def _happens(self, happening: str) -> None:
        rng, campaign = self._rng, self._campaign
        if happening == "ask":
            self._ask()
        elif happening == "answer" and self._out:
            self._answer()
        elif happening == "give back" and self._out:
            campaign.give_back(self._any(self._out), self._minute)
        elif happening == "expire":
            campaign.take_back_expired(self._minute)
        elif happening == "answer again" and self._answered:
            campaign.answer(self._any(self._answered), "a", None, self._minute)
        elif happening == "abandon" and self._out and rng.random() < 0.3:
            task = self._any(self._out)
            if not task.is_check:
                campaign.abandon(task, self._minute)
        elif happening == "exclude" and len(self._excluded) < 2:
            person = PEOPLE[int(rng.integers(len(PEOPLE)))]
            self._excluded.add(person)
            campaign.exclude(person, self._minute)
        elif happening == "stop":
            campaign.stop(self._minute)

    def _ask(self) -> None:
        person = PEOPLE[int(self._rng.integers(len(PEOPLE)))]
        for task in self._campaign.hand_out(person, int(self._rng.integers(1, 5)), self._minute):
            self._out.append(task)
            self._order.update(repr(task[1:]).encode())

    def _answer(self) -> None:
        """Somebody answers any of the tasks before them: not the oldest first."""
        task = self._out.pop(int(self._rng.integers(len(self._out))))
        difference = self._quality[task.item, task.system_a] - self._quality[task.item, task.system_b]
        said = outcome(difference, self._rng, self._rules.ties)
        seconds = float(self._rng.integers(3, 90)) if self._rng.random() < 0.7 else None
        self._campaign.answer(task, said, seconds, self._minute)
        self._answered.append(task)

    def _any(self, tasks: list[Task]) -> Task:
        return tasks[int(self._rng.integers(len(tasks)))]
