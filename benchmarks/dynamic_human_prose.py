"""What the page of dynamic-human-evaluation says around its tables."""

from __future__ import annotations

INTRODUCTION = """# Dynamic human evaluation, beside ours

The tables of *Dynamic Human Evaluation for Relative Model Comparisons* (Thorleiksdóttir, Renggli, Hollenstein, Zhang
2022), made again from the description and, for the crowd's labels, from the data that its authors published; and what
our rule for every look needs for the same decisions. Made by `python benchmarks/dynamic_human_evaluation.py --write`:
{iterations:,} iterations, seed {seed}. Intervals are 99% intervals for a mean, as in the paper. "agrees" says whether
the printed average lies within the sampling error (99%) of 100 iterations of ours.

Two readings of the rule. The text of the paper stops at the *first* item at which the bound leaves 1/2. Its tables come
from the *last* such item: the authors' code looks at all labels first and takes the crossing after which the mean stays
beyond the bound. That is no stopping rule, because it needs the labels that come later; only it gives the printed
figures. Iterations without a decision are left out of the averages, as in the paper.

## Figure 1

![share of choices of A with the bound, at two difficulties](dynamic_human_evaluation.svg)

One campaign each of One Worker at 1-d = 0.999: the lower bound passes 1/2 for good after {first:,} labels at mean
difficulty 0.125 and after {second:,} at 0.0625, {ratio:.1f} times as many. The paper's two campaigns differ by a factor
of about 3; single campaigns vary that much.

## Table 3: simulated workers

Average labels until a decision at 1-d = 0.999, last crossing. 100 workers of capability uniform on (0.8, 1);
difficulties normal with *variance* 0.1, cut to [-1, 1] and the same in all iterations; a fresh worker for every label,
majorities of different workers, Max 3 with repetition. Max 3 pays two labels where the first two agree on the worse
model and three otherwise, as in the authors' code.

{table_3}

Which difficulties happen to be drawn moves the averages more than the printed intervals admit: the fifth column holds
the lowest and highest average of {redraws} draws of difficulties and workers ({few:,} iterations each). The last column
says whether the paper's average lies within 2.58 standard deviations of their mean. {verdict_3}

The whole table (the column "ours, one draw") took {seconds:.1f} seconds on {workers} processes, their start
included, at a load average of {load:.1f} (other work slows it down); the authors' scripts need about 6,000 seconds of
one processor.

### Times One Worker's labels

Difficult items cost every method more labels. So methods are compared *within a redraw*, on the same workers and items:
a method's average over One Worker's, in each of the {redraws} redraws. For comparison the last but one column takes the
two averages from different redraws; its standard deviation is {narrower} times as large.

{ratios}

The last column says whether the paper's ratio lies within 2.58 standard deviations of the mean. {ratios_agreeing}
({few:,} iterations a redraw: some of the spread is their luck.)

### Workers of wider capability

Footnote 3 of the paper points to a supplement in which workers vary more; the text calls the trends similar and names
no range. The supplement is not at hand, so the ranges are ours, and no printed figure stands beside them. To reach a
decision, there are more items, as many times as the square of the mean capability asks for. Undecided iterations count
with all their labels.

{wider}

One Worker takes the fewest labels, up to the luck of the redraws, in {one_is_least} of {wider_settings} settings. It is
Fixed Worker that suffers where people differ: in one iteration the person is good, in the next hardly better than
chance, and the labels go with one over the square of the capability. Times One Worker's it takes
{fixed};
where it is not always decided, that is a lower bound.

## What 1-d promises

Two equal systems: how often a rule calls one of them better.

{errors}

The first crossing errs several times as often as d, and the more the longer it may run. The last crossing errs less
than d, because in truth it looks once, when all labels have been paid for. The rule `anytime` looks after every label,
and stays below.
"""

REPLAY = """## Table 6: the crowd's labels, {title}

Average labels until a decision: {iterations:,} iterations, in each of which every item gets some of its ten annotators
at random, without replacement, items in the order of their numbers.

{table}
"""

REST = """## Table 7: how often One Worker decides, R1

{table_7}

## Agreement

Fleiss' kappa of all labels, with 99% intervals over items.

{kappas}

The printed kappas come out with the position on the screen as the category. By system V1's is far lower: where nearly
everybody prefers one system, most agreement is expected by chance.

## What our rule for every look needs: the crowd's labels

The same labels under the rule `anytime`, which may be looked at after every label and calls a system wrongly
better with a chance of at most alpha. Max 3 pays two labels for every agreement here. Averages are over decided
iterations, as above; {items:,} items are not always enough, and the share says so.

{default}
"""

DEFAULT_SIMULATED = """## What our rule for every look needs: simulated workers

Table 3 again at alpha = 0.001 under the rule `anytime`, over the redrawn difficulties; undecided iterations
count with all their labels, Max 3 pays as in the authors' code.

{table}

An error rate that holds at every look costs {low:.2f} to {high:.2f} times the labels of the last crossing, which is
counted by somebody who has seen all labels. One person an item needs the fewest labels, as the paper found.
"""
