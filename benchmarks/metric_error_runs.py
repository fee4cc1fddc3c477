"""The campaigns behind docs/metric_error_correction.md: each is seeded, and kept in a file once it is done."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiebreak.campaign import Protocol
from tiebreak.campaign.settings import DecisionSettings
from tiebreak.data.readers import read_study
from tiebreak.data.study import Study
from tiebreak.kernels.evaluation_errors import error_counts, error_types, kl_from_humans
from tiebreak.kernels.metric_error import metric_error_posterior
from tiebreak.kernels.sign import sign_test
from tiebreak.simulate.answers import Habits
from tiebreak.simulate.metrics import IDEAL_MIXTURE, mixed_outcomes
from tiebreak.simulate.step_engine import FinishedCampaign, run_campaign
from tiebreak.simulate.study_replay import OldLabel, OldLabels, Replay

Floats = NDArray[np.float64]

GAMMA, BATCH = 0.05, 10
SUMMEVAL_CRITERIA = ("coherence", "consistency", "fluency", "relevance")
IDEAL_ITEMS = 11_000


@dataclass(frozen=True)
class Domain:
    """Human labels of a study as the paper uses them: means over annotators, compared. `counts` (K, 3), a, tie, b."""

    name: str
    study: Study
    criterion: str
    labels: OldLabels
    pairs: tuple[tuple[str, str], ...]
    counts: Floats
    items: int

    @property
    def human_verdicts(self) -> NDArray[np.int64]:
        """The sign test on all labels, two-sided at 5 %, each pair by itself."""
        return sign_verdicts(self.counts)

    @property
    def human_sides(self) -> NDArray[np.int64]:
        """The side that all labels together favour, however little."""
        return np.sign(self.counts[:, 0] - self.counts[:, 2]).astype(np.int64)


@dataclass(frozen=True)
class Outcome:
    """One evaluation beside the full human one: shares of the error types, divergence, share of the labels.

    `against_all`: share of pairs with a direction that all labels together contradict.
    """

    correct: float
    inversion: float
    omission: float
    insertion: float
    kld: float
    labels: float
    decided: float
    against_all: float


def sign_verdicts(counts: Floats) -> NDArray[np.int64]:
    """1, 0, -1 (K,) from wins, ties, losses (K, 3)."""
    found = sign_test(counts[:, 0], counts[:, 2])
    return np.where(found.p_a <= GAMMA / 2, 1, np.where(found.p_b <= GAMMA / 2, -1, 0))


def domain(name: str, study: Study, criterion: str, systems: Sequence[str]) -> Domain:
    """Only ratings and scores: without texts, identical outputs are asked about, as in the paper."""
    kept = study.select(systems=systems)
    rated = kept.ratings
    if rated is None or kept.scores is None:
        raise SystemExit(f"{name}: no ratings or scores")
    rated = rated.filter(pl.col("criterion") == criterion)
    bare = Study.from_tables(ratings=rated, scores=kept.scores, settings=kept.settings, name=name)
    labels = OldLabels.of(bare, criterion)
    pairs = tuple(sorted(labels.pairs))
    counts = np.array([labels.totals(*pair) for pair in pairs], dtype=float)
    return Domain(name, bare, criterion, labels, pairs, counts, int(counts[0].sum()))


def domains(data: Path) -> dict[str, Domain]:
    """SummEval by criterion (experts), and WMT21: the ten systems that are scored against reference A."""
    summeval = read_study(data / "summeval").select(annotators=["expert_*"])
    found = {
        criterion: domain(f"summeval-{criterion}", summeval, criterion, summeval.systems)
        for criterion in SUMMEVAL_CRITERIA
    }
    wmt = read_study(data / "wmt21-en-de")
    if wmt.scores is None:
        raise SystemExit("wmt21-en-de has no scores")
    scored = wmt.scores.filter(pl.col("metric") == "bleu_refA")["system"].unique().to_list()
    found["wmt21"] = domain("wmt21", wmt, "mqm", sorted(scored))
    return found


def judged(of: Domain, verdicts: NDArray[np.int64], shares: Floats, labels: float) -> Outcome:
    """Compare with the full human evaluation."""
    types = error_counts(error_types(verdicts, of.human_verdicts)) / len(of.pairs)
    directed = verdicts != 0
    return Outcome(
        *(float(share) for share in types),
        kld=float(kl_from_humans(shares, of.counts).mean()),
        labels=labels / (of.items * len(of.pairs)),
        decided=float(directed.mean()),
        against_all=float((directed & (verdicts != of.human_sides)).mean()),
    )


def metric_counts(of: Domain, metric: str) -> Floats | None:
    """(K, 3) outcomes of a metric on all items that it scored; None where it does not cover every system."""
    scores = of.study.scores
    if scores is None:
        return None
    rows = scores.filter(
        (pl.col("metric") == metric) & (pl.col("criterion").is_null() | (pl.col("criterion") == of.criterion))
    )
    wide = rows.pivot(on="system", index="item", values="value")
    systems = {name for pair in of.pairs for name in pair}
    if not systems <= set(wide.columns):
        return None
    found = []
    for a, b in of.pairs:
        sign = np.sign((wide[a] - wide[b]).drop_nulls().to_numpy())
        found.append([(sign > 0).sum(), (sign == 0).sum(), (sign < 0).sum()])
    return np.array(found, dtype=float)


def naive(of: Domain, counts: Floats, scale: float = 1.0) -> Outcome:
    """The metric's outcomes as if they were human; `scale`: counts multiplied, as if there were more items."""
    shares = (scale * counts + 1) / (scale * counts + 1).sum(axis=1, keepdims=True)
    return judged(of, sign_verdicts(scale * counts), shares, 0.0)


@dataclass(frozen=True)
class Job:
    """One campaign: a domain, a rule, what it uses, and the number of the repetition, which is its seed."""

    domain: str
    rule: str
    metric: str | None
    repetition: int
    target: str = "inputs"
    multiplicity: str = "none"

    @property
    def key(self) -> str:
        """Its name in the file of finished runs."""
        return "/".join(str(part) for part in asdict(self).values())


def seed_of(job: Job) -> int:
    """Every run has its own."""
    return int.from_bytes(hashlib.sha256(job.key.encode()).digest()[:8], "little")


def run_job(job: Job, of: Domain) -> Outcome:
    """The campaign, and how it compares with the full human evaluation."""
    if job.rule == "ideal":
        return ideal_metric(of, np.random.default_rng(seed_of(job)))
    decision = DecisionSettings(
        rule=job.rule,
        alpha=GAMMA,
        multiplicity=job.multiplicity,  # type: ignore[arg-type]
        target=job.target,  # type: ignore[arg-type]
        metrics=() if job.metric is None else (job.metric,),
    )
    finished = replayed(Replay(Protocol(criterion=of.criterion, decision=decision), of.study, of.labels), seed_of(job))
    return judged(of, codes(finished), shares_of(finished), finished.state.labels)


def replayed(replay: Replay, seed: int) -> FinishedCampaign:
    """One person, a batch at a time: Algorithm 2 of the paper."""
    rng = np.random.default_rng(seed)
    plan, source = replay.plan(rng)
    return run_campaign(plan, source, rng, Habits(hand=BATCH))


def codes(finished: FinishedCampaign) -> NDArray[np.int64]:
    """1, 0, -1 per pair."""
    return np.array([{"a": 1, "b": -1}.get(pair.verdict, 0) for pair in finished.state.pairs])


def shares_of(finished: FinishedCampaign) -> Floats:
    """Estimated shares (K, 3) of a preferred, tie, b preferred: posterior means, with the metric where it is used."""
    state = finished.state
    found = []
    for k, pair in enumerate(state.pairs):
        human = np.array([pair.wins, pair.ties, pair.losses], dtype=float)
        if state.protocol.decision.rule == "posterior":
            paired, totals = pair.evidence.paired, state.plan.rule_plans[k].totals
            metric_only = totals - paired.sum(axis=1)
            mean = metric_error_posterior(paired, metric_only, pair.evidence.human_only).mean_p
            found.append(mean / mean.sum())  # sampled: 1 up to 1e-5
        else:
            found.append((human + 1) / (human.sum() + 3))
    return np.array(found)


def ideal_labels(counts: Floats, rng: np.random.Generator) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """Labels of 11,000 items drawn from the human shares of a pair, and the ideal metric's outcomes on them."""
    human = rng.choice(np.array([1, 0, -1], dtype=np.int8), p=counts / counts.sum(), size=IDEAL_ITEMS)
    return human, mixed_outcomes(human, IDEAL_MIXTURE, rng)


def ideal_metric(of: Domain, rng: np.random.Generator) -> Outcome:
    """Algorithm 2 with the ideal metric: a campaign per pair, since the posterior decides each by itself."""
    verdicts, shares, labels = [], [], 0
    for (a, b), counts in zip(of.pairs, of.counts, strict=True):
        human, metric = ideal_labels(counts, rng)
        names = [f"i{k:05d}" for k in range(IDEAL_ITEMS)]
        scores = pl.DataFrame(
            {
                "item": names * 2,
                "system": [a] * IDEAL_ITEMS + [b] * IDEAL_ITEMS,
                "metric": "ideal",
                "value": np.concatenate([metric, np.zeros(IDEAL_ITEMS)]),
            }
        )
        ratings = pl.DataFrame(
            {
                "item": names[: of.items] * 2,
                "system": [a] * of.items + [b] * of.items,
                "annotator": "drawn",
                "criterion": of.criterion,
                "value": np.concatenate([human[: of.items], np.zeros(of.items)]),
            }
        )
        study = Study.from_tables(ratings=ratings, scores=scores, name="ideal")
        given = {
            name: (OldLabel("drawn", int(code), None),) for name, code in zip(names, human[: of.items], strict=False)
        }
        decision = DecisionSettings(rule="posterior", alpha=GAMMA, metrics=("ideal",))
        protocol = Protocol(criterion=of.criterion, decision=decision)
        replay = Replay(protocol, study, OldLabels(of.criterion, {(a, b): given}))
        finished = replayed(replay, int(rng.integers(2**31)))
        verdicts.append(int(codes(finished)[0]))
        shares.append(shares_of(finished)[0])
        labels += finished.state.labels
    return judged(of, np.array(verdicts), np.array(shares), labels)


def naive_ideal(of: Domain) -> Outcome:
    """The ideal metric alone, on 11,000 items of every pair."""
    rng = np.random.default_rng(seed_of(Job(of.name, "naive", "ideal", 0)))
    outcomes = [ideal_labels(counts, rng)[1] for counts in of.counts]
    counts = np.array([[(given > 0).sum(), (given == 0).sum(), (given < 0).sum()] for given in outcomes], dtype=float)
    return naive(of, counts)


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
    """Each job with the repetitions 0, 1, ..."""
    return [replace(job, repetition=k) for k in range(repetitions) for job in jobs]
