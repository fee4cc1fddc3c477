"""What the paper prints: metric-error-correction, Tables 2 to 5.

The rows of the tables of metric-error-correction, ours beside the paper's.

The paper's protocol beside two readings of the full human evaluation: exact and asymptotic sign tests.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from benchmarks.papers.metric_error.campaigns import Job
from benchmarks.papers.metric_error.data import (
    SUMMEVAL_CRITERIA,
    Domain,
    Floats,
    Outcome,
    asymptotic_verdicts,
    metric_counts,
    metric_signs,
    sign_verdicts,
)
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

NAIVE = {
    ("coherence", "rougeL_first_ref"): (0.45, 0.33, 0.00, 0.22, 0.34),
    ("consistency", "rougeL_first_ref"): (0.35, 0.25, 0.02, 0.38, 1.98),
    ("fluency", "rougeL_first_ref"): (0.41, 0.18, 0.00, 0.42, 0.99),
    ("relevance", "rougeL_first_ref"): (0.52, 0.24, 0.01, 0.23, 0.25),
    ("wmt21", "bleu_refA"): (0.44, 0.16, 0.07, 0.33, 0.43),
}
"""Table 4: correct, inversion, omission, insertion, KLD."""

NAIVE_MEANS = {"relevance": (7, (0.55, 0.19, 0.03, 0.23, 0.28)), "wmt21": (4, (0.52, 0.07, 0.10, 0.31, 0.52))}
"""Table 2: the number of metrics, and the means over them."""

PROTOCOL = {
    ("coherence", None): (0.97, 0.00, 0.00, 0.03, 0.04, 0.42),
    ("coherence", "rougeL_first_ref"): (0.96, 0.00, 0.00, 0.04, 0.03, 0.40),
    ("consistency", None): (0.93, 0.00, 0.00, 0.07, 0.02, 0.53),
    ("consistency", "rougeL_first_ref"): (0.88, 0.00, 0.00, 0.12, 0.02, 0.46),
    ("fluency", None): (0.95, 0.00, 0.00, 0.05, 0.03, 0.60),
    ("fluency", "rougeL_first_ref"): (0.93, 0.00, 0.00, 0.07, 0.04, 0.57),
    ("relevance", None): (0.95, 0.00, 0.00, 0.05, 0.07, 0.43),
    ("relevance", "rougeL_first_ref"): (0.94, 0.00, 0.01, 0.05, 0.05, 0.41),
    ("wmt21", None): (0.65, 0.00, 0.00, 0.35, 0.06, 0.34),
    ("wmt21", "bleu_refA"): (0.65, 0.00, 0.00, 0.35, 0.05, 0.34),
}
"""Table 5: the same, and the share of annotations."""

IDEAL_NAIVE = (0.75, 0.00, 0.00, 0.25, 0.02)
IDEAL_PROTOCOL = (0.85, 0.00, 0.00, 0.15, 0.02, 0.38)


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
        if (key, name) in NAIVE:
            yield METRICS[name], "paper", *printed(NAIVE[key, name], 5)
    yield _naive_row(f"mean of these {len(found)}", np.mean(found, axis=0), np.mean(drawn, axis=0))
    if key in NAIVE_MEANS:
        number, figures = NAIVE_MEANS[key]
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
            if found and (key, job.metric) in PROTOCOL:
                yield title, name, "paper", *printed(PROTOCOL[key, job.metric], 6)


def order(domains: Mapping[str, Domain], results: Results) -> Iterator[Row]:
    """WMT21 with eleven systems: document order and random orders."""
    for number, job in enumerate(ELEVEN):
        found = measured(results, job)
        if found:
            words = "document order" if job.order == "listed" else "random orders"
            yield words, "ours", job.batch, *cells(found, len(domains[job.domain].pairs), PROTOCOL_FIGURES)
        if not number:
            yield "humans only", "paper", None, *printed(PROTOCOL["wmt21", None], 6)


def ideal(domains: Mapping[str, Domain], results: Results) -> Iterator[Row]:
    """Appendix E."""
    for name, job, figures in (
        ("alone, 11,000 items", IDEAL_ALONE, IDEAL_NAIVE),
        ("in the protocol", IDEAL, IDEAL_PROTOCOL),
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


REFERENCES = {"exact": sign_verdicts, "asymptotic": asymptotic_verdicts}
HEADER = (
    *("domain", "exact", "exact half", "asymptotic", "asymptotic half", "paper"),
    *("decided exact", "decided asymptotic"),
)


def correct(of: Domain, outcome: Outcome, reference: str) -> float:
    """Share of pairs with the verdict of a reference."""
    return float((outcome.signs == REFERENCES[reference](of.counts)).mean())


def references(domains: Mapping[str, Domain], results: Results) -> Iterator[Row]:
    """SummEval in the paper's protocol, humans only: the share correct, and the pairs that the humans decide."""
    for key in (name for name in TITLES if name in SUMMEVAL_CRITERIA):
        of, found = domains[key], measured(results, Job(key, "posterior"))
        if found:
            means = [mean_over_orders([correct(of, one, name) for one in found], len(of.pairs)) for name in REFERENCES]
            decided = [int(np.count_nonzero(test(of.counts))) for test in REFERENCES.values()]
            cells = [cell for mean in means for cell in (mean.value, mean.half)]
            yield TITLES[key], *cells, PROTOCOL[key, None][0], *decided
