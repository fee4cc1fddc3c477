"""What the page says around its tables."""

from __future__ import annotations

INTRODUCTION = """# One look at a finished set

What `compare` does by default (`--rule fixed`) with labels that are looked at once: how often it errs, what it finds,
and how wide its intervals are. Made by `{command}`: {cells} worlds, {studies} simulated studies, {minutes:.0f} minutes
of processor time. One outcome per item is not simulated but computed: the probabilities of all counts are added up.

**How to read a number.** Shares of studies of equal systems with a verdict for either side, each of them wrong: asked
for is alpha, 0.05 or 0.01. "0.0487 (< 0.0530)": 0.0487 of the studies erred, and the true rate is below 0.0530 (upper
end of Wilson's 95% interval). Without a bracket the rate is computed.

**What is promised.** *alpha*: tests that are exact err in at most alpha, whatever the data. *1.1 alpha*: approximate
tests, where at least 50 items (or effective clusters) were labelled and at least 5 wins and 5 losses are to be
expected. *1.6 alpha*: corners, where that is not so. `compare` says "at most" of the first and "about" of the others.

**What would prove it wrong.** A rate above its limit is in bold, and the command ends with exit status 1: a computed
one at once, a simulated one where luck would show it in fewer than one of {luck} such pages (Bonferroni over all
simulated rates). That the count can see a broken test is shown by the controls: wrong ways to read the same labels.

**What "holds" says.** No more than luck explains: with few studies the worst of many worlds is high by chance, and
the brackets below say what is excluded.

**What is not here.** Labels in an order, looked at again and again ([certification](certification.md)); labels that
are missing for what they would have said.
"""

OUTCOMES = """
## One outcome per item

Computed for every share of ties: the worst is shown. In a family each direction is tested at alpha/2K, K pairs; the
rate is that of one pair times K, Bonferroni's bound for all of them. If b is better, a is found better even less often.
Control: (w - l)/sqrt(w + l) beside the normal distribution.
"""

POWER = """
## Power beside the exact sign test

Computed on a grid of shares of ties and differences, at the levels of 1, 10, 45 and 480 pairs: nowhere less than that
of the exact sign test (the command fails where it is). Some of it, for one pair at alpha 0.05:
"""

WIDTH = """
Mean width over that of Wald's interval, the most over all shares of ties and differences up to 0.5 where at least 40
items that are no ties are to be expected: {widths}.
At most 1.04 is promised. Elsewhere Wald's is too short.
"""

INTERVALS = """
## Intervals

At a difference of 0 an interval errs exactly as often as its verdict, since they are one test. Elsewhere it is
approximate, and so is a verdict "equivalent": `compare` says that intervals hold with *about* 95%. For one outcome per
item, computed, the worst share of ties; corners are fewer than 5 expected wins or losses, fewer than 50 items, or fewer
than 5% ties, where counts lie on a coarse lattice. With few losses the two sides are not even: the
worse one errs up to {side} times its level, the other less. "Twice the worse side" is to be compared with alpha too; at
a margin, half of it is how often "equivalent" is wrong.
"""

POOL_INTERVALS = """
Drawn without replacement, the worst of 0 to 90% ties:
"""

OTHER_INTERVALS = """
Means of panels, clusters and metrics, simulated:
"""

POOLS = """
## Pools: these items, of which some were labelled

Computed for every pool in which wins and losses balance (with 3,000 items for every 50th number of ties). Control: the
z test with the correction for a finite pool.
"""

MEANS = """
## Means of panels

Every item has three labels, or one to six by chance. "5% strong items": 5% are a's for everybody, the others ties, or
b's now and then, so that the difference is 0. "30% ties": items lean to one side or the other, and so do people. Below
20 items that are no ties the test is exact. (The rule's p-value is at least that of its t test: it is worked out only
where that is small, which a test checks.) Pools ("50 of 100 items"): the claim is about these items, and labels are
fresh from the same panel. Control: the t test alone; for pools with the finite-population correction, which takes
labels for certain.

**Few strong items.** "3% strong items" of 200, with ten people: a sample with too few of them has its mean on the other
side and a small variance. The t test errs there, and so do sign flips; a third test, with the variance that equal
systems imply, does not: where all three are asked, the rule errs less often than alpha.
"""

CLUSTERS = """
## Clusters

Each cluster leans to one side or the other by half, so that two of its items correlate at 0.25. Sizes are 8, or 2 to
20, or lognormal (median 4.5, up to 200), and may be tied to the outcome: large clusters favour b, by what small ones
favour a; the claim is about items, of which nobody is ahead. With six clusters alpha 0.01 cannot be reached. Controls:
the cluster-robust t test CR2 with Satterthwaite's degrees of freedom, and the sign test of items, as if documents had
not been drawn whole.

**Few clusters that carry one side.** "5% strong": these are a's throughout, in the others an item is b's now and then.
Where such clusters are missing from a sample it looks decided to the t test, CR2 and sign flips; the third test asks
what is missing if nobody is ahead: clusters that lean up to 4/3 as far as the strongest that was seen. (All that could
be would be too much to ask: of 20 documents with 20 independent items each, such a test finds .10 where t and flips
find .76.) No test of few units sees all that it has not drawn: lognormal sizes that are tied to the outcome come
nearest to the limit.
"""

METRICS = """
## Metrics

30, 100 or 300 labelled items of 300, 1,000 or 3,000, one outcome each. "Missing by outcome": the metric says nothing
about 60% of the items that b won. Control: least squares on all metrics or none, whichever has the smaller final
variance. Width: that of intervals beside those without metrics, in some of the studies.
"""

GAIN = """
Where there is a difference (0.25, 100 of 1,000 labelled): the same studies with metrics, without, and by the estimator
with the smaller final variance, whose gain is no gain where it errs too often.
"""

RATERS = """
## Raters of unequal severity

From tables of ratings, 1 to 5: people are more or less strict and use more or less of the scale, and the strict ones
rated more outputs of one system than of the other. By default only ratings by the same person are compared. Control:
`--raters any`, which compares ratings by different people too; where chance alone decides who rates what, it holds.
"""

REPEATS = """
## Judgements made again

Through all of `compare`, from the table: people who judge 40% of their items again and say the same or not. Control:
the sign test of all rows, as if they were items.
"""

FAMILIES = """
## Families of all pairs

All pairs of 5 and of 10 systems, 100 items, one outcome per item and pair. Pairs share systems and items and depend on
one another. Holm (and Bonferroni, which finds less) promises that the chance of *any* wrong direction is at most
alpha; `fdr` and `fdr-any` that the *mean share* of wrong ones among those found is. Benjamini-Hochberg is proven for
independent tests only: here is how it does where pairs share systems. Power: the share of true differences that are
found.
"""

REAL = """
## Real studies

All pairs of a study and its criteria are one family (Holm). The last column counts verdicts that oppose an exact sign
test which is significant after Bonferroni. SummEval's crowd workers rated 12 of its 16 systems beside its experts: with
`--raters any` their severity counts as a difference between systems.
"""

MORE = """
## Another world

A world is a `Cell` of a module in `benchmarks/one_look/`: what is drawn, what is promised there, and a control. A new
module with a function `cells()` goes into the list in `grid.py`. The same command then plays what is new, and nothing
else; `--scale 0.05` gives a first impression.
"""
