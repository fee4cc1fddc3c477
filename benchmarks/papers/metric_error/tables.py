"""The rows of the tables of metric-error-correction, ours beside the paper's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from benchmarks.papers.metric_error import paper
from benchmarks.papers.metric_error.campaigns import Job
from benchmarks.papers.metric_error.data import Domain, Floats, Outcome, metric_counts, metric_signs
from benchmarks.papers.metric_error.designs import (
    ELEVEN,
    IDEAL,
    IDEAL_ALONE,
    METRICS,
    TITLES,
    anytime_jobs,
    naive_metrics,
    protocol_jobs,
)
from benchmarks.papers.metric_error.intervals import (
    Estimate,
    Resamples,
    mean_over_orders,
    naive_figures,
    with_bootstrap,
)
from benchmarks.results import Value

SCALE = 110  # 100 items beside the paper's 11,000 metric ratings
SHARES = ("correct", "inversion", "omission", "insertion", "decided", "against_all")  # of the pairs of systems
TYPES = SHARES[:4]
PROTOCOL_FIGURES = (*TYPES, "kld", "labels")
ANYTIME_FIGURES = (*TYPES, "decided", "against_all", "labels")
WORDS = {"kld": "KLD", "labels": "share of labels", "against_all": "against all labels"}

Row = tuple[Value, ...]
Results = Mapping[Job, Outcome]


def _columns(figures: Sequence[str]) -> tuple[str, ...]:
    return tuple(column for of in figures for column in (WORDS.get(of, of), f"{WORDS.get(of, of)} half"))


HEADERS = {
    "metric_error_naive": ("domain", "with", "source", *_columns((*TYPES, "kld"))),
    "metric_error_protocol": ("domain", "with", "source", *_columns(PROTOCOL_FIGURES)),
    "metric_error_order": ("segments in", "source", "batch", *_columns(PROTOCOL_FIGURES)),
    "metric_error_ideal": ("ideal metric", "source", *_columns(PROTOCOL_FIGURES)),
    "metric_error_anytime": ("domain", "claim about", "5% for", "with", *_columns(ANYTIME_FIGURES)),
}


def printed(figures: Sequence[float], count: int) -> list[Value]:
    """The paper's figures, without intervals, and empty cells up to `count` figures."""
    return [cell for k in range(count) for cell in (figures[k] if k < len(figures) else None, None)]


# ---- metrics alone ---------------------------------------------------------------------------------------------


def naive(domains: Mapping[str, Domain], rng: np.random.Generator, resamples: int) -> Iterator[Row]:
    """Tables 2 and 4."""
    for key, title in TITLES.items():
        yield from ((title, *row) for row in _naive_rows(domains[key], key, rng, resamples))


def _naive_rows(of: Domain, key: str, rng: np.random.Generator, resamples: int) -> Iterator[Row]:
    found, drawn = [], []
    samples = None
    for name in naive_metrics(key):
        signs, counts = metric_signs(of, name), metric_counts(of, name)
        if signs is None or counts is None:
            continue
        samples = samples or Resamples.of(of, len(signs), rng, resamples)
        found.append(naive_figures(of.counts, counts))
        drawn.append(samples.figures(of.human_signs, signs))
        yield _naive_row(METRICS[name], found[-1], drawn[-1])
        if name == "rougeL_first_ref":
            scaled = naive_figures(of.counts, counts, SCALE)
            label = f"{METRICS[name]}, counts x {SCALE}"
            yield _naive_row(label, scaled, samples.figures(of.human_signs, signs, SCALE))
        if (key, name) in paper.NAIVE:
            yield METRICS[name], "paper", *printed(paper.NAIVE[key, name], 5)
    yield _naive_row(f"mean of these {len(found)}", np.mean(found, axis=0), np.mean(drawn, axis=0))
    if key in paper.NAIVE_MEANS:
        number, figures = paper.NAIVE_MEANS[key]
        yield f"mean of its {number}", "paper", *printed(figures, 5)


def _naive_row(name: str, figures: Floats, resampled: Floats) -> Row:
    return name, "ours", *(cell for estimate in with_bootstrap(figures, resampled) for cell in estimate.cells)


# ---- campaigns -------------------------------------------------------------------------------------------------


def measured(results: Results, job: Job) -> list[Outcome]:
    """The outcomes of all repetitions of a job."""
    same = [k for k in results if _design(k) == _design(job)]
    return [results[k] for k in sorted(same, key=lambda k: k.repetition)]


def _design(job: Job) -> tuple[object, ...]:
    return job.domain, job.rule, job.metric, job.target, job.multiplicity, job.order, job.batch


def estimate(found: Sequence[Outcome], figure: str, pairs: int) -> Estimate:
    """The mean of one figure over the orders."""
    return mean_over_orders([getattr(one, figure) for one in found], pairs if figure in SHARES else None)


def cells(found: Sequence[Outcome], pairs: int, figures: Sequence[str]) -> list[Value]:
    """The means of some figures, each with half of its interval."""
    return [cell for figure in figures for cell in estimate(found, figure, pairs).cells]


def protocol(domains: Mapping[str, Domain], results: Results) -> Iterator[Row]:
    """Tables 3 and 5."""
    for key, title in TITLES.items():
        for job in protocol_jobs(key):
            found = measured(results, job)
            name = "humans only" if job.metric is None else METRICS[job.metric]
            if found:
                yield title, name, "ours", *cells(found, len(domains[key].pairs), PROTOCOL_FIGURES)
            if found and (key, job.metric) in paper.PROTOCOL:
                yield title, name, "paper", *printed(paper.PROTOCOL[key, job.metric], 6)


def order(domains: Mapping[str, Domain], results: Results) -> Iterator[Row]:
    """WMT21 with eleven systems: document order and random orders."""
    for number, job in enumerate(ELEVEN):
        found = measured(results, job)
        if found:
            words = "document order" if job.order == "listed" else "random orders"
            yield words, "ours", job.batch, *cells(found, len(domains[job.domain].pairs), PROTOCOL_FIGURES)
        if not number:
            yield "humans only", "paper", None, *printed(paper.PROTOCOL["wmt21", None], 6)


def ideal(domains: Mapping[str, Domain], results: Results) -> Iterator[Row]:
    """Appendix E."""
    for name, job, figures in (
        ("alone, 11,000 items", IDEAL_ALONE, paper.IDEAL_NAIVE),
        ("in the protocol", IDEAL, paper.IDEAL_PROTOCOL),
    ):
        found = measured(results, job)
        if found:
            yield name, "ours", *cells(found, len(domains[job.domain].pairs), PROTOCOL_FIGURES)
        yield name, "paper", *printed(figures, 6)


def anytime(domains: Mapping[str, Domain], results: Results) -> Iterator[Row]:
    """The same labels under our own rule."""
    for key, title in TITLES.items():
        for job in anytime_jobs(key):
            found = measured(results, job)
            if found:
                claim = "these items" if job.target == "items" else "inputs like these"
                family = "each pair" if job.multiplicity == "none" else "all pairs"
                name = "humans only" if job.metric is None else METRICS[job.metric]
                yield title, claim, family, name, *cells(found, len(domains[key].pairs), ANYTIME_FIGURES)
