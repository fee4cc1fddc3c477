"""The campaigns of the tables: each is seeded, and kept in a file once it is done.

`play` is a whole campaign with one person and without time: who is asked what comes from the campaign core's plan, and
when a pair is decided from its stopping rules. It gives what the step engine gives: a test.
"""

from __future__ import annotations

import hashlib
import heapq
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.papers.metric_error.data import GAMMA, Domain, Floats, Outcome, Signs, judged, naive, tallies

from tiebreak.campaign import CampaignPlan, Protocol
from tiebreak.kernels.metric_error import metric_error_posterior
from tiebreak.rules.registry import RULES
from tiebreak.rules.rule import MeasureFacts, Units
from tiebreak.settings.protocol import DecisionSettings, OrderSettings, PairSettings
from tiebreak.simulate.people.metrics import IDEAL_MIXTURE, mixed_outcomes
from tiebreak.simulate.replay import Replay

BATCH = 10
IDEAL_ITEMS = 11_000


# ---- playing ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Prepared:
    """A campaign before its first label. By pair, `plans`: what the stopping rule prepared; `signs`: the labels of its
    items (1, 0, -1) in the order in which they are asked for.
    """

    decision: DecisionSettings
    batch: int
    plans: Sequence[Any]
    signs: Sequence[Signs]

    @classmethod
    def of(cls, plan: CampaignPlan, of: Domain) -> Prepared:
        """A plan of the campaign core, with the labels of a domain."""
        place = {name: k for k, name in enumerate(of.labelled)}
        column = {pair: k for k, pair in enumerate(of.pairs)}
        signs = []
        for pair in plan.tracks:
            rows = [place[plan.items[number]] for number in pair.order[: pair.most_units].tolist()]
            signs.append(of.human_signs[rows, column[pair.system_a, pair.system_b]])
        return cls(plan.protocol.decision, plan.protocol.pairs.batch, plan.rule_plans, signs)


@dataclass(frozen=True)
class Played:
    """The end of a campaign. `verdicts` (K,): 1, 0, -1; `counts` (K, 3): labels given; `states`: by pair."""

    verdicts: Signs
    counts: Floats
    states: Sequence[Any]

    @property
    def labels(self) -> int:
        """All labels given."""
        return int(self.counts.sum())


def play(of: Prepared) -> Played:
    """Algorithm 2 of the paper: one person takes a batch, labels all of it, and takes the next."""
    rule = RULES[of.decision.rule]
    most = [signs.size for signs in of.signs]
    states = [rule.start(plan) for plan in of.plans]
    asked, done = [0] * len(most), [0] * len(most)
    verdicts: dict[int, int] = {}
    while hand := _next_hand(asked, most, verdicts, of.batch):
        for pair, unit in hand:
            value = float(of.signs[pair][unit])
            states[pair], _ = rule.advance(of.plans[pair], states[pair], Units.labelled(np.array([[value]])))
            done[pair] += 1
            for k, verdict in rule.decide(of.plans, states, of.decision, pair).items():
                verdicts.setdefault(k, {"a": 1, "b": -1}[verdict])
            if all(k in verdicts or done[k] == most[k] for k in range(len(most))):
                break  # the campaign is over: what is left of the hand is not labelled
    given = np.array([tallies(signs[:n]).sum(axis=0) for signs, n in zip(of.signs, done, strict=True)], dtype=float)
    return Played(np.array([verdicts.get(k, 0) for k in range(len(most))], dtype=np.int8), given, states)


def _next_hand(asked: list[int], most: Sequence[int], decided: Iterable[int], batch: int) -> list[tuple[int, int]]:
    """A batch of (pair, place in its order): the undecided pair with the fewest whole batches first. Counts `asked`."""
    undecided = set(range(len(most))).difference(decided)
    hand: list[tuple[int, int]] = []
    while len(hand) < batch and (open_pairs := [k for k in undecided if asked[k] < most[k]]):
        opened = {k: asked[k] for k in open_pairs}
        queue = [(opened[k] // batch, k) for k in open_pairs]
        heapq.heapify(queue)
        for _ in range(batch - len(hand)):
            _, k = heapq.heappop(queue)
            if asked[k] < most[k]:
                hand.append((k, asked[k]))
                asked[k] += 1
            opened[k] += 1
            heapq.heappush(queue, (opened[k] // batch, k))
    return hand


def estimated_shares(of: Prepared, played: Played) -> Floats:
    """(K, 3) a preferred, tie, b preferred: posterior means, with the metric where the rule has it."""
    if of.decision.rule != "posterior":
        return (played.counts + 1) / (played.counts + 1).sum(axis=1, keepdims=True)
    found = []
    for plan, state in zip(of.plans, played.states, strict=True):
        mean = metric_error_posterior(*plan.counts(state.paired[0], state.human_only[0])).mean_p
        found.append(mean / mean.sum())  # sampled: 1 up to 1e-5
    return np.array(found)


# ---- jobs ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Job:
    """One campaign: a domain, a rule, what it uses, and the number of the repetition, which is its seed."""

    domain: str
    rule: str
    metric: str | None = None
    repetition: int = 0
    target: str = "inputs"
    multiplicity: str = "none"
    order: str = "shuffled"
    batch: int = BATCH

    @property
    def key(self) -> str:
        """Its name in the file of finished runs."""
        return "/".join(str(part) for part in asdict(self).values())

    @property
    def seed(self) -> int:
        """Every run has its own. "shuffled" was once called "random": a new word must not bring new figures."""
        named = replace(self, order={"shuffled": "random"}.get(self.order, self.order))
        return int.from_bytes(hashlib.sha256(named.key.encode()).digest()[:8], "little")


def replay_of(job: Job, of: Domain) -> Replay:
    """The campaign in earnest. Without a metric the posterior is that of the human counts."""
    decision = DecisionSettings(
        rule="dirichlet" if job.rule == "posterior" and job.metric is None else job.rule,
        alpha=GAMMA,
        multiplicity=job.multiplicity,  # type: ignore[arg-type]
        target=job.target,  # type: ignore[arg-type]
        metrics=() if job.metric is None else (job.metric,),
    )
    protocol = Protocol(
        criterion=of.criterion,
        decision=decision,
        pairs=PairSettings(batch=job.batch),
        order=OrderSettings(job.order),  # type: ignore[arg-type]
    )
    return Replay(protocol, of.study, of.labels)


def run_job(job: Job, of: Domain) -> Outcome:
    """The campaign, and how it compares with the full human evaluation."""
    rng = np.random.default_rng(job.seed)
    if job.rule == "ideal":
        given = ideal_campaign(of, rng)
    elif job.rule == "ideal alone":
        return naive_ideal(of, rng)
    else:
        plan, _ = replay_of(job, of).plan(rng)
        given = Prepared.of(plan, of)
    played = play(given)
    return judged(of, played.verdicts.astype(np.int64), estimated_shares(given, played), played.labels)


# ---- the ideal metric ------------------------------------------------------------------------------------------


def ideal_labels(counts: Floats, rng: np.random.Generator) -> tuple[Signs, Signs]:
    """Labels of 11,000 items drawn from the human shares of a pair, and the ideal metric's outcomes on them."""
    human = rng.choice(np.array([1, 0, -1], dtype=np.int8), p=counts / counts.sum(), size=IDEAL_ITEMS)
    return human, mixed_outcomes(human, IDEAL_MIXTURE, rng)


def ideal_campaign(of: Domain, rng: np.random.Generator) -> Prepared:
    """Algorithm 2 with the ideal metric: as many of the drawn labels may be asked for as the domain has items."""
    decision = DecisionSettings(rule="posterior", alpha=GAMMA)
    drawn = [ideal_labels(counts, rng) for counts in of.counts]
    facts = [MeasureFacts(of.items, metric_outcomes=metric.astype(np.float64), batch=BATCH) for _, metric in drawn]
    plans = RULES["posterior"].prepare(facts, decision)
    return Prepared(decision, BATCH, plans, [human[: of.items] for human, _ in drawn])


def naive_ideal(of: Domain, rng: np.random.Generator) -> Outcome:
    """The ideal metric alone, on 11,000 items of every pair."""
    metric = [ideal_labels(counts, rng)[1] for counts in of.counts]
    return naive(of, np.array([tallies(signs).sum(axis=0) for signs in metric], dtype=np.float64))


# ---- finished runs ---------------------------------------------------------------------------------------------


class Finished:
    """Outcomes by job, one line of JSON each, appended as they come: an interrupted run goes on where it was."""

    def __init__(self, file: Path, version: str) -> None:
        self._file, self._version = file, version
        self._known: dict[str, Outcome] = {}
        if file.exists():
            for line in file.read_text(encoding="utf-8").splitlines():
                entry = json.loads(line)
                if entry["version"] == version:
                    self._known[entry["job"]] = Outcome(**entry["outcome"])

    def __contains__(self, job: Job) -> bool:
        return job.key in self._known

    def __getitem__(self, job: Job) -> Outcome:
        return self._known[job.key]

    def keep(self, job: Job, outcome: Outcome) -> None:
        """One more."""
        self._known[job.key] = outcome
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with self._file.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps({"version": self._version, "job": job.key, "outcome": asdict(outcome)}) + "\n")


def repeated(jobs: Iterable[Job], repetitions: int) -> list[Job]:
    """Each job with the repetitions 0, 1, ...; once where the items come as listed: there is no luck in it."""
    jobs = list(jobs)
    return [replace(job, repetition=k) for k in range(repetitions) for job in jobs if k == 0 or job.order == "shuffled"]
