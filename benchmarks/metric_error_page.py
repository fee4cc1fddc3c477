"""What is run for docs/metric_error_correction.md, and its text."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from metric_error_runs import BATCH, GAMMA, SUMMEVAL_CRITERIA, Domain, Job, Outcome, metric_counts, naive
from tiebreak.simulate.engine import run_matrix
from tiebreak.simulate.labelling import LabellingPolicy
from tiebreak.simulate.run_table import share
from tiebreak.simulate.stopping import StoppingRule

METRICS = {
    "rougeL_first_ref": "ROUGE-L",
    "rougeL_max11": "ROUGE-L, best of 11 references",
    "chrf_11refs": "chrF",
    "bleu_11refs": "BLEU",
    "gpt-4o": "GPT-4o",
    "gpt-4o-mini": "GPT-4o mini",
    "gemini_pro": "Gemini Pro",
    "gemini_flash": "Gemini Flash",
    "llama-31": "Llama 3.1",
    "mistral-v03": "Mistral v0.3",
    "bleu_refA": "BLEU",
    "chrf_refA": "chrF",
}
TITLES = {
    "relevance": "SummEval, relevance",
    "coherence": "SummEval, coherence",
    "consistency": "SummEval, consistency",
    "fluency": "SummEval, fluency",
    "wmt21": "WMT21, English to German",
}
PAPER_NAIVE = {
    ("coherence", "rougeL_first_ref"): (0.45, 0.33, 0.00, 0.22, 0.34),
    ("consistency", "rougeL_first_ref"): (0.35, 0.25, 0.02, 0.38, 1.98),
    ("fluency", "rougeL_first_ref"): (0.41, 0.18, 0.00, 0.42, 0.99),
    ("relevance", "rougeL_first_ref"): (0.52, 0.24, 0.01, 0.23, 0.25),
    ("wmt21", "bleu_refA"): (0.44, 0.16, 0.07, 0.33, 0.43),
}
"""Its Table 4: correct, inversion, omission, insertion, KLD."""
PAPER_PROTOCOL = {
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
"""Its Table 5: the same, and the share of annotations."""
PAPER_IDEAL = ((0.75, 0.00, 0.00, 0.25, 0.02), (0.85, 0.00, 0.00, 0.15, 0.02, 0.38))
SCALE = 110  # 100 items beside the paper's 11,000 metric ratings

Results = Mapping[Job, Outcome]


def protocol_metrics(domain: str) -> tuple[str, ...]:
    """The metrics with which the paper's protocol is run."""
    if domain == "wmt21":
        return ("bleu_refA", "chrf_refA")
    if domain == "relevance":
        return tuple(name for name in METRICS if name != "rougeL_max11" and not name.endswith("refA"))
    return ("rougeL_first_ref", "chrf_11refs", "bleu_11refs", "gpt-4o")


def anytime_designs(domain: str) -> list[tuple[str, str, str | None]]:
    """Target, multiplicity and metric of our own campaigns; all of them on relevance."""
    common: list[tuple[str, str, str | None]] = [("items", "none", None), ("items", "holm", None)]
    if domain != "relevance":
        return common
    return [
        *common,
        ("items", "none", "gpt-4o"),
        ("items", "holm", "gpt-4o"),
        ("inputs", "none", None),
        ("inputs", "holm", None),
    ]


# ---- tables ----------------------------------------------------------------------------------------------------


def figure(value: float) -> str:
    """Two digits, no leading zero."""
    return f"{value:.2f}".removeprefix("0") if value < 1 else f"{value:.2f}"


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def mean_and_range(values: Sequence[float]) -> str:
    """The mean, and the lowest and highest of several repetitions."""
    text = figure(float(np.mean(values)))
    low, high = figure(min(values)), figure(max(values))
    return text if low == high else f"{text} ({low} to {high})"


def paper_row(name: str, figures: Sequence[float], blanks: int = 0) -> list[str]:
    return [f"*paper: {name}*", *(f"*{figure(value)}*" for value in figures), *([""] * blanks)]


def naive_table(domains: Mapping[str, Domain]) -> str:
    rows = []
    for key, title in TITLES.items():
        of = domains[key]
        names = [name for name in METRICS if name.endswith("refA") == (key == "wmt21")]
        for name in names:
            counts = metric_counts(of, name)
            if counts is None:
                continue
            found = naive(of, counts)
            rows.append([title, METRICS[name], *map(figure, _types(found)), figure(found.kld)])
            if key != "wmt21" and name == "rougeL_first_ref":
                scaled = naive(of, counts, SCALE)
                label = f"{METRICS[name]}, counts x {SCALE}"
                rows.append([title, label, *map(figure, _types(scaled)), figure(scaled.kld)])
            if (key, name) in PAPER_NAIVE:
                rows.append([title, *paper_row(METRICS[name], PAPER_NAIVE[key, name])])
    return table(("domain", "metric", "correct", "inversion", "omission", "insertion", "KLD"), rows)


def _types(found: Outcome) -> tuple[float, float, float, float]:
    return found.correct, found.inversion, found.omission, found.insertion


def measured(results: Results, job: Job) -> list[Outcome]:
    """The outcomes of all repetitions of a job."""
    same = [k for k in results if (k.domain, k.rule, k.metric, k.target, k.multiplicity) == _design(job)]
    return [results[k] for k in sorted(same, key=lambda k: k.repetition)]


def _design(job: Job) -> tuple[str, str, str | None, str, str]:
    return job.domain, job.rule, job.metric, job.target, job.multiplicity


def cells(found: Sequence[Outcome]) -> list[str]:
    """Error types, KLD and share of labels over the repetitions."""
    columns = [[getattr(one, name) for one in found] for name in ("correct", "inversion", "omission", "insertion")]
    columns += [[one.kld for one in found], [one.labels for one in found]]
    return [mean_and_range(column) for column in columns]


PROTOCOL_HEADER = ("domain", "with", "correct", "inversion", "omission", "insertion", "KLD", "share of labels")


def protocol_table(results: Results) -> str:
    rows = []
    for key, title in TITLES.items():
        for metric in (None, *protocol_metrics(key)):
            found = measured(results, Job(key, "posterior", metric, 0))
            if not found:
                continue
            name = "humans only" if metric is None else METRICS[metric]
            rows.append([title, name, *cells(found)])
            if (key, metric) in PAPER_PROTOCOL:
                rows.append([title, *paper_row(name, PAPER_PROTOCOL[key, metric])])
    return table(PROTOCOL_HEADER, rows)


def ideal_table(results: Results, naive_ideal: Outcome) -> str:
    rows = [
        ["naive, 11,000 items", *map(figure, _types(naive_ideal)), figure(naive_ideal.kld), "0"],
        paper_row("naive", PAPER_IDEAL[0], blanks=1),
    ]
    found = measured(results, Job("relevance", "ideal", "ideal", 0))
    if found:
        rows.append(["protocol", *cells(found)])
    rows.append(paper_row("protocol", PAPER_IDEAL[1]))
    return table(("ideal metric", *PROTOCOL_HEADER[2:]), rows)


def anytime_table(results: Results) -> str:
    rows = []
    for key, title in TITLES.items():
        for target, multiplicity, metric in anytime_designs(key):
            found = measured(results, Job(key, "anytime", metric, 0, target, multiplicity))
            if not found:
                continue
            claim = "these items" if target == "items" else "inputs like these"
            family = "each pair at 5 %" if multiplicity == "none" else "all pairs together (Holm)"
            name = "humans only" if metric is None else METRICS[metric]
            against = mean_and_range([one.against_all for one in found])
            decided = mean_and_range([one.decided for one in found])
            rows.append([title, claim, family, name, *cells(found)[:4], decided, against, cells(found)[5]])
    header = ("domain", "claim about", "error rate", "with", *PROTOCOL_HEADER[2:6], "decided", "against all labels")
    return table((*header, "share of labels"), rows)


# ---- page ------------------------------------------------------------------------------------------------------

PAGE = """# Metric errors and their correction

The experiments of *Correction of Errors in Preference Ratings from Automated Metrics for Text Generation* (Deriu, von
Däniken, Tuggener, Cieliebak 2023) on the data that is at hand, beside the paper's figures, and then the same labels
under this program's own rule, through the same core as a campaign in earnest ([simulate](simulate.md)), in
{orders}. Made by `python benchmarks/metric_error_correction.py --repetitions {repetitions} --write`.{incomplete}

## What is compared, and what differs from the paper

Per pair of systems the full human evaluation (a sign test on all human labels, two-sided at 5 %) is set beside a
cheaper one. Its verdict is **correct**, an **inversion** (the opposite side), an **omission** (no verdict where the
humans have one) or an **insertion** (a verdict where the humans have none). KLD is the mean over pairs of the
divergence of the estimated shares of win, tie and loss from the human ones.

- **SummEval**: 16 systems, 120 pairs, 100 items, the mean of three experts' ratings, compared; as in the paper. The
  metrics have scores on these 100 items only; the paper has 11,000. So its naive tests see 110 times as many items, and
  find a difference nearly everywhere: fewer omissions, more inversions. The rows "counts x {scale}" show that. In the
  protocol a metric adds only the items, of the 100, that are not labelled yet.
- **Metrics**: ROUGE-L, chrF, BLEU and language models as judges are here; of the paper's seven only ROUGE-L. Two judges
  scored 12 of the 16 systems only and are left out.
- **WMT21**: {wmt_items} labelled segments (the paper: 500) of 1,002 with scores; ten systems, 45 pairs: eight machine
  translations and the references C and D, scored against reference A. The paper names eleven systems, but its fractions
  fit 45 pairs. Neighbouring segments belong together (correlation .22) and
  the data does not say which, so that only claims about these segments are made.
- The chatbot domain is not at hand.
- The metric-error posterior is computed by importance sampling ([posterior](posterior.md)), not by NUTS.

## Metrics alone (Tables 2 and 4)

{naive}

![Verdicts by ROUGE-L and by BLEU alone beside the human ones](metric_error_correction_pairs.svg)

Figure 1: each cell is a pair; green: correct, with a dot where both find a difference; red: inversion; blue: omission;
yellow: insertion. Systems are in the order of their human wins.

## The paper's protocol (Tables 3 and 5)

Algorithm 2: all undecided pairs get a batch of 10 labels in turn, and a pair leaves when the posterior probability that
either system is better passes .975. {range_note}

{protocol}

On SummEval the shares of labels and the errors are close to the paper's. On WMT21 this run takes more labels and
inserts less than the paper's; why, its text does not show. No error rate belongs to the protocol: every batch is
another chance to be lucky. Two equal systems with 30 % ties are told apart in {false_alarms} of 4,000
simulated campaigns of 500 labels, humans only. Its insertions are that luck, or real differences that the full
evaluation was too small to find; these tables cannot tell which.

![Divergence against share of labels](metric_error_correction_budget.svg)

Figure 2: share of the human labels used, against -log KLD (higher is nearer to the full evaluation), on relevance.

## An ideal metric (Appendix E)

Labels of 11,000 items are drawn from the human shares of each pair on relevance; the metric says the same as the humans
in 80, 50 and 80 % of wins, ties and losses. The first 100 of those labels may be asked for.

{ideal}

## The anytime rule on the same labels

The same campaigns under the default rule of this program, whose error rate holds at every look. "These items": the 100
(WMT21: {wmt_items}) items are all there is, and when all are labelled nothing is uncertain. So every pair with a side
is decided in the end, and what the table of errors calls insertions are differences on these very items that a sign
test, which asks about inputs like these, does not call significant. The column **against all labels** is what the rule
bounds there: verdicts that all labels together contradict. "Inputs like these" is the question of the sign test.

{anytime}

What a valid rule costs: {cost}

A metric cannot help a claim about inputs like these where every item is labelled. For these items GPT-4o changes the
share of labels as the table shows.
"""


def report(domains: Mapping[str, Domain], results: Results, wanted: int, repetitions: int, ideal: Outcome) -> str:
    """The page. `wanted`: campaigns that belong to it; fewer results are said on the page."""
    missing = wanted - len(results)
    incomplete = (
        f"\n\n**{missing} of {wanted} campaigns of this page have not been run yet; their rows are left out.**"
        if missing
        else ""
    )
    orders = "one random order of items" if repetitions == 1 else f"{repetitions} random orders of items each"
    range_note = (
        "One order of items each."
        if repetitions == 1
        else f"Means over {repetitions} orders of items, lowest and highest in brackets."
    )
    return PAGE.format(
        repetitions=repetitions,
        orders=orders,
        incomplete=incomplete,
        scale=SCALE,
        wmt_items=domains["wmt21"].items,
        naive=naive_table(domains),
        range_note=range_note,
        protocol=protocol_table(results),
        false_alarms=false_alarms(),
        ideal=ideal_table(results, ideal),
        anytime=anytime_table(results),
        cost=cost_sentence(results),
    )


def false_alarms(runs: int = 4000, labels: int = 500) -> str:
    """How often the paper's protocol finds a difference between equal systems, with Wilson's interval."""
    rng = np.random.default_rng(1)
    drawn = rng.choice(np.array([1, 0, -1], dtype=np.int8), p=[0.35, 0.3, 0.35], size=(runs, labels, 1))
    rule = StoppingRule("posterior", alpha=GAMMA, batch=BATCH)
    found = share(int(run_matrix(drawn, LabellingPolicy("one"), rule).decided.sum()), runs)
    return f"{100 * found.value:.0f} % ({100 * found.low:.0f} to {100 * found.high:.0f} %)"


def cost_sentence(results: Results) -> str:
    """Labels of the two rules beside each other, on relevance."""

    def share(rule: str, target: str, multiplicity: str) -> float:
        found = measured(results, Job("relevance", rule, None, 0, target, multiplicity))
        return float(np.mean([one.labels for one in found])) if found else math.nan

    parts = [
        ("the paper's protocol", share("posterior", "inputs", "none")),
        ("ours for these items, each pair at 5 %", share("anytime", "items", "none")),
        ("for these items, all pairs together", share("anytime", "items", "holm")),
        ("for inputs like these, each pair at 5 %", share("anytime", "inputs", "none")),
        ("for inputs like these, all pairs together", share("anytime", "inputs", "holm")),
    ]
    listed = ", ".join(f"{figure(value)} ({name})" for name, value in parts if not math.isnan(value))
    return f"on relevance, humans only, the shares of the labels are {listed}."


__all__ = ["METRICS", "SUMMEVAL_CRITERIA", "TITLES", "anytime_designs", "protocol_metrics", "report"]
