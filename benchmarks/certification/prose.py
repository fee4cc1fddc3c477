"""What the page says around its tables."""

from __future__ import annotations

INTRODUCTION = """# Certification

Is the error rate what the number says? Here every rule that `tiebreak compare` offers, and those of two papers,
play campaigns in which the truth is known, and the wrong verdicts are counted: with a look after every label, after
every batch of 10 or 50, and once at the end. Made by
`{command}`:
{campaigns} campaigns in {worlds} worlds, {minutes:.0f} minutes of processor time. An interrupted run goes on where it
was.

{verdict}

![Error rates of all rules]({picture})

One dot is one world: a target, a number of items, a share of ties, a metric. The line is the level that was asked
for. What is right of it, beyond the luck of a simulation, is wrong more often than it says.

The same in figures, in per cent of campaigns. "All worlds, every look": all campaigns of a rule together, with a 95 %
interval. The others are the worst world under each way of looking, the highest of many shares and so a little too high
by luck; in bold where luck does not explain it.

{summary}
"""

HOW = """## What was simulated

**Nothing is to be found.** The two systems are equally good: for `inputs` every campaign draws fresh items from a
population without a difference; for `items` every campaign has a pool of N items whose wins and losses are equal in
number, labelled in random order. So every verdict "a is better" or "b is better" is wrong. For equivalence the true
difference is exactly the margin ({margins}), so that every verdict
"equivalent" is wrong: the hardest case that still is one.

**Worlds.** N = 300 and 3,000 items; 0, 30 and 60 % ties; one label an item, or the mean of three annotators who
disagree at random. A metric has correlation 0, .5 or .9 with the human outcome; four more are made to do harm:
inverted, constant, heavy-tailed (Cauchy noise), two-valued; and three at once, one of them useless, one
heavy-tailed. Without a metric all N items are labelled. With one, labels are fewer than items, as in a campaign:
{labels}.
Each metric is drawn anew in every campaign. A budget is two thirds of the world's labels; looks go on after it.

**Looks.** The same campaign is looked at in four ways: after every label, after every 10 and every 50 labels (and
at the end), and once, at the end. It counts as wrong if any look shows a wrong verdict: whoever stops at the first
verdict, and whoever goes on, is covered.

**How to read a share.** "3.4 (2.9 to 3.9)" means that 3.4 % of the campaigns had a wrong verdict, with a 95 %
interval (Wilson). A rule keeps its promise at alpha = 5 % if its true rate is at most 5 %; a measured share may be
a little above. The table above calls a rule too high only where a rule that errs at alpha exactly would show so
many wrong verdicts in fewer than one of {luck:,} repetitions of this page's {shares:,} shares (Bonferroni at 5 %).

**What is not here.** Conditions that are ignored (clusters, order of arrival, missing labels), intervals and mean
labels of clusters: [error rates](validity.md). A metric trained on the labels it helps, and the pool's mean taken
for the population's, fail as they should in tests/kernels/test_metric_validity.py, where adversarial metrics are
played too.
"""

LENGTHS = """## Labels to a verdict

Not erring is easy: never decide. So here is what the rules need where there is a difference, in means ± standard
errors. The bound is log(1/alpha)/KL, below which no rule that errs in at most a share alpha can stay on average;
with a metric, log(1/alpha) over the best growth rate of any bet that knows how outcomes depend on the metric and
what its mean is. (For inputs that mean is not known: here there are but two unlabelled items for each labelled one,
so that no rule could come near this bound at rho .9. For a pool of N items the bound n becomes 1/(1/n + 1/N), a
guide rather than a theorem.) A verdict in either direction stops at E ≥ 2/alpha, so that a
ratio of {two_sided:.2f} at alpha = 5 % is already that of a rule that knows the difference. Undecided campaigns count
with all their labels; where they are more than 2 %, the ratio is "at least". The budget is two thirds of the world's
labels, and all of them for the exact threshold.

A rule that is not valid may stay below the bound, and a posterior's gamma is no error rate: what its labels buy is
to be read beside the share of its wrong verdicts above. The last crossing is dated back when all labels are in: its
"labels" had to be bought in full before anybody could know them.
"""

REAL = """## Real studies

SummEval (100 news summaries, 16 systems, the mean of three experts on four criteria) and WMT21 English-German (MQM
ratings of 10 systems, 527 of 1,002 segments rated). All labels exist, so that campaigns are replayed:
`tiebreak.compare` takes the items in {orders} and says after how many of them it would have stopped, with the metric
and without it.

- **items**, all labelled items: the claim is about the study's own items, and the metric is known on all of them. A
  pool labelled to the end is always decided, so that what counts is how early.
- **inputs**, a part labelled: a random part of the rated items keeps its labels, the others have metric scores
  only.
- **family**: all pairs and criteria of the study together (Bonferroni), or each pair for itself.
- **items to a verdict**: mean over the pairs and orders, undecided pairs with all their labelled items; **saved**
  with the lowest and the highest of all orders.
- **clear**: pairs that a sign test on all labels decides, Bonferroni over the study's pairs and criteria;
  **opposed**: verdicts against one of these, in all orders together.

Neighbouring segments of WMT21 come from one document and are not independent: its `inputs` rows show labels, not a
claim.

{table}

{words}
"""
