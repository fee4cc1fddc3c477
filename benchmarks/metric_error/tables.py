"""The tables of docs/metric_error_correction.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from benchmarks.metric_error import paper
from benchmarks.metric_error.campaigns import Job
from benchmarks.metric_error.data import Domain, Floats, Outcome, metric_counts, metric_signs
from benchmarks.metric_error.designs import (
    ELEVEN,
    IDEAL,
    IDEAL_ALONE,
    METRICS,
    TITLES,
    anytime_jobs,
    naive_metrics,
    protocol_jobs,
)
from benchmarks.metric_error.intervals import (
    FIGURES,
    Estimate,
    Resamples,
    mean_over_orders,
    naive_figures,
    short,
    with_bootstrap,
)

SCALE = 110  # 100 items beside the paper's 11,000 metric ratings
SHARES = ("correct", "inversion", "omission", "insertion", "decided", "against_all")  # of the pairs of systems
TYPES = SHARES[:4]

Results = Mapping[Job, Outcome]


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Markdown, its columns of equal width in the file as well."""
    widths = [max(len(line[column]) for line in (header, *rows)) for column in range(len(header))]
    lines = [header, ["-" * width for width in widths], *rows]
    return "\n".join(
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) + " |" for line in lines
    )


def paper_row(name: str, figures: Sequence[float], width: int) -> list[str]:
    """In italics, with blanks up to `width` figures."""
    cells = [f"*{short(value)}*" for value in figures]
    return [f"*paper: {name}*", *cells, *([""] * (width - len(cells)))]


def grouped(title: str, rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """The title before the first row only."""
    return [[title if k == 0 else "", *row] for k, row in enumerate(rows)]


# ---- metrics alone ---------------------------------------------------------------------------------------------


def naive_table(domains: Mapping[str, Domain], rng: np.random.Generator, resamples: int) -> str:
    """Tables 2 and 4."""
    rows = []
    for key, title in TITLES.items():
        rows += grouped(title, _naive_rows(domains[key], key, rng, resamples))
    return table(("domain", "metric", *TYPES, "KLD"), rows)


def _naive_rows(of: Domain, key: str, rng: np.random.Generator, resamples: int) -> list[list[str]]:
    rows, found, drawn = [], [], []
    samples = None
    for name in naive_metrics(key):
        signs, counts = metric_signs(of, name), metric_counts(of, name)
        if signs is None or counts is None:
            continue
        samples = samples or Resamples.of(of, len(signs), rng, resamples)
        found.append(naive_figures(of.counts, counts))
        drawn.append(samples.figures(of.human_signs, signs))
        rows.append(_naive_row(METRICS[name], found[-1], drawn[-1]))
        if name == "rougeL_first_ref":
            scaled = naive_figures(of.counts, counts, SCALE)
            label = f"{METRICS[name]}, counts x {SCALE}"
            rows.append(_naive_row(label, scaled, samples.figures(of.human_signs, signs, SCALE)))
        if (key, name) in paper.NAIVE:
            rows.append(paper_row(METRICS[name], paper.NAIVE[key, name], len(FIGURES)))
    rows.append(_naive_row(f"mean of these {len(found)}", np.mean(found, axis=0), np.mean(drawn, axis=0)))
    if key in paper.NAIVE_MEANS:
        number, printed = paper.NAIVE_MEANS[key]
        rows.append(paper_row(f"mean of its {number}", printed, len(FIGURES)))
    return rows


def _naive_row(name: str, figures: Floats, resampled: Floats) -> list[str]:
    return [name, *(estimate.text for estimate in with_bootstrap(figures, resampled))]


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


def cells(found: Sequence[Outcome], pairs: int, figures: Sequence[str]) -> list[str]:
    """The means of some figures."""
    return [estimate(found, figure, pairs).text for figure in figures]


PROTOCOL_FIGURES = (*TYPES, "kld", "labels")
PROTOCOL_HEADER = ("domain", "with", *TYPES, "KLD", "share of labels")


def protocol_table(domains: Mapping[str, Domain], results: Results) -> str:
    """Tables 3 and 5."""
    rows = []
    for key, title in TITLES.items():
        of_domain = []
        for job in protocol_jobs(key):
            found = measured(results, job)
            name = "humans only" if job.metric is None else METRICS[job.metric]
            if found:
                of_domain.append([name, *cells(found, len(domains[key].pairs), PROTOCOL_FIGURES)])
            if found and (key, job.metric) in paper.PROTOCOL:
                of_domain.append(paper_row(name, paper.PROTOCOL[key, job.metric], len(PROTOCOL_FIGURES)))
        rows += grouped(title, of_domain)
    return table(PROTOCOL_HEADER, rows)


def order_table(domains: Mapping[str, Domain], results: Results) -> str:
    """WMT21 with eleven systems: document order and random orders."""
    rows = []
    for job in ELEVEN:
        found = measured(results, job)
        if found:
            order = "document order" if job.order == "listed" else "random orders"
            rows.append([order, f"{job.batch}", *cells(found, len(domains[job.domain].pairs), PROTOCOL_FIGURES)])
    printed = paper_row("humans only", paper.PROTOCOL["wmt21", None], len(PROTOCOL_FIGURES))
    rows.insert(1, [printed[0], "", *printed[1:]])
    return table(("segments in", "batches of", *PROTOCOL_HEADER[2:]), rows)


def ideal_table(domains: Mapping[str, Domain], results: Results) -> str:
    """Appendix E."""
    rows = []
    for name, job, printed in (
        ("alone, 11,000 items", IDEAL_ALONE, paper.IDEAL_NAIVE),
        ("in the protocol", IDEAL, paper.IDEAL_PROTOCOL),
    ):
        found = measured(results, job)
        if found:
            rows.append([name, *cells(found, len(domains[job.domain].pairs), PROTOCOL_FIGURES)])
        rows.append(paper_row(name, printed, len(PROTOCOL_FIGURES)))
    return table(("ideal metric", *PROTOCOL_HEADER[2:]), rows)


def anytime_table(domains: Mapping[str, Domain], results: Results) -> str:
    """The same labels under our own rule."""
    rows = []
    for key, title in TITLES.items():
        of_domain = []
        for job in anytime_jobs(key):
            found = measured(results, job)
            if found:
                claim = "these items" if job.target == "items" else "inputs like these"
                family = "each pair" if job.multiplicity == "none" else "all pairs"
                name = "humans only" if job.metric is None else METRICS[job.metric]
                figures = (*TYPES, "decided", "against_all", "labels")
                of_domain.append([claim, family, name, *cells(found, len(domains[key].pairs), figures)])
        rows += grouped(title, of_domain)
    header = ("domain", "claim about", "5% for", "with", *TYPES, "decided", "against all labels", "share of labels")
    return table(header, rows)
