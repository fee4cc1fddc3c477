"""The paper's protocol beside two readings of the full human evaluation, and pair by pair: Table 5 and Figure 5."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from benchmarks.metric_error import paper
from benchmarks.metric_error.campaigns import Job
from benchmarks.metric_error.data import (
    SUMMEVAL_CRITERIA,
    Domain,
    Outcome,
    asymptotic_verdicts,
    sign_verdicts,
)
from benchmarks.metric_error.designs import TITLES
from benchmarks.metric_error.intervals import mean_over_orders
from benchmarks.metric_error.tables import Results, measured, table
from numpy.typing import NDArray
from scipy.special import ndtr

from tiebreak.kernels.partial_order import CORRECT, ERROR_TYPES, INSERTION, error_types
from tiebreak.kernels.sign_flips import sign_test

REFERENCES = {"exact": sign_verdicts, "asymptotic": asymptotic_verdicts}
FIGURE_5 = Job("coherence", "posterior", "rougeL_first_ref")
METRIC = FIGURE_5.metric


def correct(of: Domain, outcome: Outcome, reference: str) -> float:
    """Share of pairs with the verdict of a reference."""
    return float((outcome.signs == REFERENCES[reference](of.counts)).mean())


@dataclass(frozen=True)
class References:
    """`table`: share correct by reference, ours and the paper's. `nearer`: in how many of its `rows` the asymptotic
    reference is nearer to the paper's figure.
    """

    table: str
    nearer: int
    rows: int


def references(domains: Mapping[str, Domain], results: Results) -> References:
    """SummEval in the paper's protocol, humans only."""
    rows, nearer = [], 0
    for key in (name for name in TITLES if name in SUMMEVAL_CRITERIA):
        of, found = domains[key], measured(results, Job(key, "posterior"))
        if not found:
            continue
        shares = {name: [correct(of, one, name) for one in found] for name in REFERENCES}
        means = {name: mean_over_orders(values, len(of.pairs)) for name, values in shares.items()}
        printed = paper.PROTOCOL[key, None][0]
        nearer += abs(means["asymptotic"].value - printed) < abs(means["exact"].value - printed)
        cells = [f"{m.value:.3f}" + ("" if m.half is None else f" ± {m.half:.3f}") for m in means.values()]
        decided = " / ".join(f"{np.count_nonzero(test(of.counts))}" for test in REFERENCES.values())
        rows.append([TITLES[key], *cells, f"*{printed:.2f}*", decided])
    header = ("domain", "correct: exact", "correct: asymptotic", "*paper*", "pairs that the humans decide")
    return References(table(header, rows), nearer, len(rows))


# ---- Figure 5 --------------------------------------------------------------------------------------------------


def types_by_order(of: Domain, results: Results, reference: str) -> NDArray[np.int64]:
    """(R, K) error types of the protocol with ROUGE-L on coherence, by random order and pair."""
    verdicts = [outcome.signs for outcome in measured(results, FIGURE_5)]
    against = REFERENCES[reference](of.counts)
    return np.array([error_types(one, against) for one in verdicts], dtype=np.int64).reshape(-1, len(of.pairs))


def errors_table(of: Domain, results: Results) -> str:
    """Pairs with an error in at least half of the orders, by either reference: the most frequent first."""
    found = {name: types_by_order(of, results, name) for name in REFERENCES}
    orders = len(found["exact"])
    wrong = np.maximum(*((types != CORRECT).sum(axis=0) for types in found.values()))
    tests = sign_test(of.counts[:, 0], of.counts[:, 2])
    rows = []
    for k in sorted(
        np.flatnonzero(2 * wrong >= max(orders, 1)), key=lambda pair: (-wrong[pair], tests.p_two_sided[pair])
    ):
        won, tied, lost = (int(count) for count in of.counts[k])
        names = of.pairs[k] if won >= lost else of.pairs[k][::-1]
        p_asymptotic = 2 * float(ndtr(-abs(tests.z[k])))
        rows.append(
            [
                f"{names[0]}, {names[1]}",
                f"{max(won, lost)} / {tied} / {min(won, lost)}",
                f"{float(tests.p_two_sided[k]):.3f}",
                f"{p_asymptotic:.3f}",
                *(_kinds(types[:, k]) for types in found.values()),
            ]
        )
    header = (
        *("pair", "wins / ties / losses", "p exact", "p asymptotic"),
        *(f"errors in {orders} orders: {name}" for name in REFERENCES),
    )
    return table(header, rows)


def _kinds(types: NDArray[np.int64]) -> str:
    counts = [(int((types == code).sum()), name) for code, name in enumerate(ERROR_TYPES) if code != CORRECT]
    return ", ".join(f"{name} {count}" for count, name in counts if count) or "none"


def figure_5_words(of: Domain, results: Results) -> dict[str, str]:
    """Numbers of pairs: the paper's, as its Table 5 rounds them, and ours."""
    printed = paper.PROTOCOL["coherence", METRIC]
    pairs = len(of.pairs)
    words = {
        "paper_correct": _numbers(paper.numbers(printed[0], pairs)),
        "paper_inserted": _numbers(paper.numbers(printed[3], pairs)),
    }
    for name in REFERENCES:
        types = types_by_order(of, results, name)
        for code, kind in ((CORRECT, "correct"), (INSERTION, "inserted")):
            counts = (types == code).sum(axis=1)
            words[f"{kind}_{name}"] = f"{counts.min()} to {counts.max()}" if counts.size else "?"
    ever = (types_by_order(of, results, "exact") == INSERTION).any(axis=0)
    p = sign_test(of.counts[:, 0], of.counts[:, 2]).p_two_sided
    return words | {"ever_exact": f"{int(ever.sum())}", "highest_p": f"{p[ever].max(initial=0.0):.2f}"}


def _numbers(found: list[int]) -> str:
    return " or ".join(f"{number}" for number in found)
