"""The paper's protocol beside two readings of the full human evaluation: exact and asymptotic sign tests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from benchmarks.papers.metric_error import paper
from benchmarks.papers.metric_error.campaigns import Job
from benchmarks.papers.metric_error.data import (
    SUMMEVAL_CRITERIA,
    Domain,
    Outcome,
    asymptotic_verdicts,
    sign_verdicts,
)
from benchmarks.papers.metric_error.designs import TITLES
from benchmarks.papers.metric_error.intervals import mean_over_orders
from benchmarks.papers.metric_error.tables import Results, Row, measured

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
            yield TITLES[key], *cells, paper.PROTOCOL[key, None][0], *decided
