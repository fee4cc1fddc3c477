"""The text of docs/metric_error_correction.md."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from textwrap import fill
from typing import Final

import numpy as np
from benchmarks.metric_error import paper, tables
from benchmarks.metric_error.campaigns import BATCH, Job
from benchmarks.metric_error.data import GAMMA, SUMMEVAL_CRITERIA, Domain, neighbour_correlation
from benchmarks.metric_error.designs import METRICS, anytime_jobs
from benchmarks.metric_error.document_order import OrderTest, Setting
from benchmarks.metric_error.intervals import least_half, short
from benchmarks.metric_error.references import errors_table, figure_5_words, references
from benchmarks.metric_error.tables import Results

from tiebreak.simulate.engines.engine import run_matrix
from tiebreak.simulate.engines.policies import LabellingPolicy
from tiebreak.simulate.engines.stopping import StoppingRule
from tiebreak.simulate.runs.table import share

PAGE: Final = """# Metric errors and their correction

The experiments of *Correction of Errors in Preference Ratings from Automated Metrics for Text Generation* (Deriu, von
Däniken, Tuggener, Cieliebak 2023) on the data that is at hand, beside the paper's figures, and then the same labels
under this program's own rule. A campaign here is what [simulate](simulate.md) replays, label by label the same (a test
compares them). Made by
`python benchmarks/metric_error_correction.py --repetitions {repetitions} --write`.{incomplete}

## What is compared

Per pair of systems the full human evaluation (an exact sign test on all human labels, two-sided at 5%) is set beside
a cheaper one. Its verdict is **correct**, an **inversion** (the opposite side), an **omission** (no verdict where the
humans have one) or an **insertion** (a verdict where the humans have none). KLD is the mean over pairs of the
divergence of the estimated shares of win, tie and loss from the human ones.

What differs from the paper:

- **SummEval**: 16 systems, 120 pairs, 100 items, the mean of three experts' ratings, compared; as in the paper. The
  metrics have scores on these 100 items only; the paper has 11,000. So its naive tests see 110 times as many items, and
  find a difference nearly everywhere: fewer omissions, more inversions. The rows "counts x {scale}" show that. In the
  protocol a metric adds only the items, of the 100, that are not labelled yet.
- **Metrics**: ROUGE-L, chrF, BLEU and language models as judges are here; of the paper's seven only ROUGE-L. Two judges
  scored 12 of the 16 systems only and are left out.
- **WMT21**: {wmt_items} labelled segments (the paper: 500) of 1,002 with scores. The paper has eleven systems, eight
  machine translations and three references (its Table 1 gives this number to SummEval, and 16 to WMT21). The scores are
  those against reference A, and a reference cannot be scored against itself: all rows called WMT21 have the eight and
  the references C and D, ten systems, 45 pairs. [Below](#why-wmt21-differs-the-order-of-the-segments) are eleven
  systems without a metric.
- The chatbot domain is not at hand.
- The metric-error posterior is computed by importance sampling ([posterior](posterior.md)), not by NUTS.
- The paper's Tables 3 and 5 print different figures for relevance (humans only 0.96 and 0.95 correct). Here are those
  of Table 5.

What ± says:

- **Metrics alone**: nothing is random, given the data. ± tells of other samples of as many items, humans and metric
  resampled together: 1.96 standard deviations over {resamples} resamples, a 95% interval of the mean over such
  samples. (WMT21: blocks of {block} neighbouring segments are resampled.) A test draws from a population that is known:
  such an interval covers in 87 to 100% of samples, depending on the figure, and in 92% or more on average.
- **Campaigns**: the mean over {orders_each}, ± half a 95% interval of that mean (Student's t). It tells of the luck of
  the order, these labels given, and not of other items or people. A share of pairs without ± is the same in all orders;
  each pair has an order of its own, so that the mean over all possible orders is then (at 95%) at most {least} away,
  on WMT21 with its 45 pairs {least_wmt}; and no ± of a share of pairs is smaller. ± 0.00 is less than 0.005.

## Metrics alone (Tables 2 and 4)

{naive}

![Verdicts by ROUGE-L, GPT-4o and BLEU alone beside the human ones](metric_error_correction_pairs.svg)

Figure 1: each cell is a pair of systems, which are in the order of their human wins. Green: correct, with a dot where
both find a difference; red with a cross: inversion; blue: omission; yellow: insertion.

## The paper's protocol (Tables 3 and 5)

Algorithm 2: all undecided pairs get a batch of {batch} labels in turn, and a pair leaves when the posterior probability
that either system is better passes 0.975. (The paper does not say how large its batches are.)

{protocol}

On SummEval, humans only, the share of labels is within {labels_away} of the paper's, and insertions are
{insertion_away} more. (The paper does not say how many orders its figures come from.) No error rate belongs to the
protocol: every batch is another chance to be lucky. Two equal systems with 30% ties are told apart in {false_alarms}
of 4,000 simulated campaigns of 500 labels, humans only. Its insertions are that luck, or real differences that the full
evaluation was too small to find; these tables cannot tell which.

![Divergence against share of labels](metric_error_correction_budget.svg)

Figure 2: share of the human labels used, with its interval, against -log KLD (higher is nearer to the full evaluation),
on relevance. Hollow: the paper's figures for humans only, ROUGE-L and the ideal metric.

### Which sign test: two references

"Correct" depends on the test that decides for the full human evaluation. All other tables of this page use the exact
one: it errs in at most 5%, the normal approximation in up to 5.4%. The paper cites a study of sign tests with ties, and
does not say which form it took. Here are the same campaigns beside both, ties dropped in both.

{references}

The last column is the number of the 120 pairs in which the humans find a difference, exact / asymptotic. The
approximation finds more of them, so that fewer verdicts of the protocol count as insertions. Its share is nearer to the
paper's in {nearer} of {reference_rows} rows, which does not tell which test the paper used.

### Pair by pair: coherence with ROUGE-L (Figure 5)

![The protocol's errors by pair of systems, with ROUGE-L on coherence](metric_error_correction_protocol.svg)

Figure 3: the paper's Figure 5 draws the errors of the protocol pair by pair. Here for coherence with ROUGE-L, beside
either reference; the systems are in the order of their human wins. Green: correct in all of our orders, with a dot
where the humans find a difference. Any other colour: the error that the pair has in some of them, and in how many.

How many of the 120 pairs: the paper's Table 5 rounds {paper_correct} correct verdicts and {paper_inserted} insertions,
no inversion and no omission. Ours have {correct_exact} correct and {inserted_exact} inserted (exact), or
{correct_asymptotic} correct and {inserted_asymptotic} inserted (asymptotic), depending on the order. (The paper's
picture shows which pairs those are; its text does not.)

These pairs have an error in at least half of the orders:

{errors}

The pairs that are most often inserted are those that the full evaluation narrowly misses. Others are found by luck in a
few orders, up to a p of {highest_p} of the exact test: by that reference {ever_exact} different pairs are inserted in
some order.

### Why WMT21 differs: the order of the segments

The paper's protocol inserts a verdict in 0.35 of the pairs and needs 0.34 of the labels; in random orders it inserts
less and needs more. Its figures can be had from the eleven systems, in the order in which the segments stand in the
documents:

{order}

Humans only; references A, B and D; the first 500 labelled segments. In the rows of random orders each pair has one of
its own, as in all other tables.

Shown: the first row gives the printed verdicts and share of labels (KLD 0.05, printed 0.06 and with BLEU 0.05), and
it is the order that does it. Of {orders} random orders that all pairs share, none used as few labels as document order
does (batches of 50: {labels} of the labels; random orders: {labels_low} to {labels_high}), and none inserted as many
verdicts ({insertion}; random orders: {insertion_low} to {insertion_high}).

The cause: segments of one document belong together. Human outcomes of neighbours correlate {near} (five apart {five},
twenty apart {far}), so that a batch of neighbours says less than as many segments from everywhere; the rule takes them
for independent, and is sure too early. Where the {stretches} stretches of consecutive labelled segments come in random
order, each kept together, the protocol again uses few labels (median {labels_together}; single segments in random
order: {labels_single}) and inserts much ({insertion_together}; {insertion_single}). **A stopping rule needs the items
in random order**, whatever else it is; `tiebreak` puts them into a sealed one.

Inferred: that the authors did so. Their text gives neither the order nor the size of a batch. Of {settings} settings in
document order (which three of four references, the first 500 or all {wmt_items} segments, batches of {batches})
{fitting} the printed shares of correct verdicts, insertions and labels. The eleven systems are no guess: all printed
shares of verdicts are numbers of 55 pairs, and {unfit} cannot be numbers of 45.

## An ideal metric (Appendix E)

Labels of 11,000 items are drawn from the human shares of each pair on relevance; the metric says the same as the humans
in 80, 50 and 80% of wins, ties and losses. The first 100 of those labels may be asked for. ± tells of the luck of the
draw.

{ideal}

## The anytime rule on the same labels

The same campaigns under the rule `anytime`, whose error rate holds at every look: at 5% for each pair
by itself, or for all pairs together (Holm). **These items**: the 100 (WMT21: {wmt_items}) items are all there is, and
when all are labelled nothing is uncertain. So every pair with a side is decided in the end, and what the table of
errors calls insertions are differences on these very items that a sign test, which asks about inputs like these, does
not call significant. The column **against all labels** is what the rule bounds there: verdicts that all labels together
contradict. **Inputs like these** is the question of the sign test; a rule that may be looked at all the time is more
careful than one test at the end, and omits what it is not sure of. It takes items to be independent: on WMT21 they are
not, and no error rate belongs to those two rows.

{anytime}

What a valid rule costs: {cost}

A metric cannot help a claim about inputs like these where every item is labelled. For a claim about these items the
share of labels changes little: {help}.
"""


@dataclass(frozen=True)
class Measured:
    """What the page tells of. `wanted`: campaigns that belong to it; fewer results are said on the page."""

    domains: Mapping[str, Domain]
    results: Results
    wanted: int
    repetitions: int
    resamples: int
    orders: OrderTest
    settings: list[Setting]


def report(of: Measured) -> str:
    """The page."""
    missing = of.wanted - len(of.results)
    incomplete = (
        f"\n\n**{missing} of {of.wanted} campaigns of this page have not been run yet; rows without any are left out.**"
        if missing
        else ""
    )
    wmt = of.domains["wmt21"]
    reference = references(of.domains, of.results)
    text = PAGE.format(
        repetitions=of.repetitions,
        orders_each="one random order of items (no interval)"
        if of.repetitions == 1
        else f"{of.repetitions} random orders of items",
        least=f"{least_half(of.repetitions, 120):.3f}",
        least_wmt=f"{least_half(of.repetitions, 45):.3f}",
        incomplete=incomplete,
        scale=tables.SCALE,
        wmt_items=wmt.items,
        resamples=f"{of.resamples:,}",
        block=wmt.blocks,
        naive=tables.naive_table(of.domains, np.random.default_rng(1), of.resamples),
        batch=BATCH,
        protocol=tables.protocol_table(of.domains, of.results),
        false_alarms=false_alarms(),
        references=reference.table,
        nearer=reference.nearer,
        reference_rows=reference.rows,
        errors=errors_table(of.domains["coherence"], of.results),
        order=tables.order_table(of.domains, of.results),
        ideal=tables.ideal_table(of.domains, of.results),
        anytime=tables.anytime_table(of.domains, of.results),
        cost=cost_sentence(of.results),
        help=help_sentence(of.results),
        **figure_5_words(of.domains["coherence"], of.results),
        **order_figures(of),
        **distance_from_the_paper(of.results),
    )
    return "\n\n".join(_refilled(block) for block in text.strip().split("\n\n")) + "\n"


def _refilled(block: str) -> str:
    """Paragraphs and lists in lines of up to 120 characters, whatever the figures in them; the rest as it is."""
    if block.startswith(("#", "|", "!")):
        return block
    if not block.startswith("- "):
        return fill(block, 120, break_long_words=False, break_on_hyphens=False)
    entries = block.removeprefix("- ").split("\n- ")
    return "\n".join(
        fill(f"- {entry}", 120, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
        for entry in (" ".join(entry.split()) for entry in entries)
    )


def order_figures(of: Measured) -> dict[str, str]:
    """What is said about document order."""
    test, eleven = of.orders, of.domains["wmt21-eleven"]
    correct, _, _, insertion, _, labels = paper.PROTOCOL["wmt21", None]
    fitting = sum(setting.prints(correct, insertion, labels) for setting in of.settings)
    unfit = [name for name, _ in paper.WMT21_ROWS if name not in paper.rows_that_fit(45)]
    if len(paper.rows_that_fit(55)) < len(paper.WMT21_ROWS):
        raise SystemExit("the paper's WMT21 rows do not fit 55 pairs")
    if test.segments.labels.min() <= test.labels or test.segments.insertion.max() >= test.insertion:
        raise SystemExit("a random order is like document order: the page says that none is")
    return {
        "orders": f"{test.segments.labels.size:,}",
        "labels": short(test.labels),
        "labels_low": short(float(test.segments.labels.min())),
        "labels_high": short(float(test.segments.labels.max())),
        "labels_single": short(float(np.median(test.segments.labels))),
        "labels_together": short(float(np.median(test.neighbours.labels))),
        "insertion": short(test.insertion),
        "insertion_low": short(float(test.segments.insertion.min())),
        "insertion_high": short(float(test.segments.insertion.max())),
        "insertion_single": short(float(np.median(test.segments.insertion))),
        "insertion_together": short(float(np.median(test.neighbours.insertion))),
        "stretches": f"{test.stretches}",
        "near": short(neighbour_correlation(eleven, 1)),
        "five": short(neighbour_correlation(eleven, 5)),
        "far": short(neighbour_correlation(eleven, 20)),
        "settings": f"{len(of.settings)}",
        "batches": f"{min(s.batch for s in of.settings)} to {max(s.batch for s in of.settings)}",
        "fitting": "this one alone gives" if fitting == 1 else f"{fitting} give",
        "unfit": " and ".join(f"those of {name}" for name in unfit),
    }


def false_alarms(runs: int = 4000, labels: int = 500) -> str:
    """How often the paper's protocol finds a difference between equal systems, with Wilson's interval."""
    rng = np.random.default_rng(1)
    drawn = rng.choice(np.array([1, 0, -1], dtype=np.int8), p=[0.35, 0.3, 0.35], size=(runs, labels, 1))
    rule = StoppingRule("posterior", alpha=GAMMA, batch=BATCH)
    found = share(int(run_matrix(drawn, LabellingPolicy("one"), rule).decided.sum()), runs)
    return f"{100 * found.value:.0f}% ({100 * found.low:.0f} to {100 * found.high:.0f}%)"


def distance_from_the_paper(results: Results) -> dict[str, str]:
    """How far the protocol is from the paper's on SummEval, humans only."""
    labels, insertions = [], []
    for criterion in SUMMEVAL_CRITERIA:
        found = tables.measured(results, Job(criterion, "posterior"))
        if found:
            _, _, _, inserted, _, spent = paper.PROTOCOL[criterion, None]
            labels.append(abs(np.mean([one.labels for one in found]) - spent))
            insertions.append(np.mean([one.insertion for one in found]) - inserted)
    if not labels:
        return {"labels_away": "?", "insertion_away": "?"}
    return {
        "labels_away": short(float(max(labels))),
        "insertion_away": f"{short(float(min(insertions)))} to {short(float(max(insertions)))}",
    }


def _share_of_labels(results: Results, job: Job) -> str | None:
    found = tables.measured(results, job)
    return tables.estimate(found, "labels", 1).text if found else None


def cost_sentence(results: Results) -> str:
    """Labels of the two rules beside each other, on relevance."""
    jobs = [
        ("the paper's protocol", Job("relevance", "posterior")),
        ("these items, each pair at 5%", Job("relevance", "anytime", target="items")),
        ("these items, all pairs together", Job("relevance", "anytime", target="items", multiplicity="holm")),
        ("inputs like these, each pair at 5%", Job("relevance", "anytime")),
        ("inputs like these, all pairs together", Job("relevance", "anytime", multiplicity="holm")),
    ]
    shares = [(name, _share_of_labels(results, job)) for name, job in jobs]
    listed = "\n".join(f"- {name}: {text}" for name, text in shares if text is not None)
    return f"shares of the labels on relevance, humans only.\n\n{listed}"


def help_sentence(results: Results) -> str:
    """What metrics save, each pair by itself: the least and the most over domains and metrics."""
    saved = []
    for domain, title in tables.TITLES.items():
        jobs = [job for job in anytime_jobs(domain) if job.target == "items" and job.multiplicity == "none"]
        means = {job.metric: np.mean([one.labels for one in tables.measured(results, job)] or [np.nan]) for job in jobs}
        saved += [
            (float(means[None] - mean), f"{METRICS[metric]} on {title}")
            for metric, mean in means.items()
            if metric is not None and np.isfinite(mean)
        ]
    if not saved:
        return "not run yet"
    (least, last), (most, first) = min(saved), max(saved)
    lost = f"{short(least)} fewer" if least >= 0 else f"{short(-least)} more"
    return f"with each pair at 5%, from {short(most)} fewer ({first}) to {lost} ({last})"
