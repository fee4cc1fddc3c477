"""What the page says around its tables."""

from __future__ import annotations

INTRODUCTION = """# Certification

tiebreak asks for alpha, say 5%, and promises: where there is nothing to find, at most 5% of campaigns ever show a
verdict, however often one looks. Here that is counted. Campaigns are simulated in worlds whose truth is known: the two
systems are equally good (or differ by exactly the margin of an equivalence), so that every verdict is wrong.

This page is about labels that keep coming: campaigns, and `compare --rule anytime`. The default rule of `compare` looks
once at a finished set and is certified on [a page of its own](one_look.md), and so are [mean ratings, audits and
campaigns of ratings](certification_scores.md). The sign test, here, is the exact binomial test of wins against losses:
no rule of `compare`, but what becomes of a test for one look that is looked at again.

**How to read a number.** "1.9 (1.1 to 3.2)": 1.9% of the campaigns showed a wrong verdict at one look or more, and the
true rate is between 1.1 and 3.2% with 95% confidence (Wilson's interval). What is above the upper end is excluded.

**What would prove a rule wrong.** More wrong verdicts than luck explains. They are in bold where a rule that errs at
exactly alpha would show so many in fewer than one of {luck} repetitions of this page's {shares:,} shares (Bonferroni at
5%). That the count can see a broken rule is shown by the rules below that are broken, or used against their promise.

{verdict}

A world is a claim (about inputs like these, or these items), a number of items, a share of ties and a metric, as
described [below](#what-was-simulated); "all worlds" are all campaigns of a rule together, "worst world" is the one with
most wrong verdicts, the highest of many shares and so a little too high by luck. "Holds": no such excess, in any world
or in all together; how much is excluded, the upper ends say.
{retrospect}
{campaigns} campaigns in {worlds} worlds, {minutes:.0f} minutes of processor time. [Whole campaigns](#whole-campaigns),
with several people, systems and pairs, have a section of their own, and so have [real studies](#real-studies).

![Error rates of all rules]({picture})

One dot is one world: a target, a number of items, a share of ties, a metric. The line is the level that was asked for.
What is right of it, beyond the luck of a simulation, is wrong more often than it says.

## Doubt it

**The same again.**
`{command}`
makes this page; an interrupted run goes on where it was. Every world draws from a seed of its own, made of `--seed`,
the repeat and the world's settings, so that the same command counts the same campaigns. `--seed 2` plays others, and
more `--repeats` add to those that are there.

**Without our simulator.** Campaigns of 100 coin flips through the public interface, which looks after every label:
thirty with a fair coin, where every verdict is wrong, and thirty with a biased one, where there is something to find:

```python
import numpy as np
import tiebreak

rng = np.random.default_rng(1)
for chance in (0.5, 0.7):
    verdicts = 0
    for _ in range(30):
        labels = [
            {{"item": str(k), "system_a": "one", "system_b": "two", "annotator": "coin", "outcome": "ab"[tails]}}
            for k, tails in enumerate(rng.binomial(1, chance, size=100))
        ]
        study = tiebreak.Study.from_tables(preferences=labels)
        (verdict,) = tiebreak.compare(study, rule="anytime").pairs["verdict"]
        verdicts += verdict != "undecided"
    print(chance, verdicts)
#> 0.5 0
#> 0.7 25
```

**In a world of your own.** A world is a line of `benchmarks/certification/grid.py`, with the rules to be played in it
and the number of campaigns:
`Task(ERRORS, World("inputs", size=500, labels=400, ties=0.45), ("outcomes",), 2_000)`.
Metrics are functions in `worlds.py`. A world of whole campaigns, with people of your own, is a function in
`whole_campaigns.py` and a line in `campaign_designs.py`. A rule of your own is a function from labels to verdicts, as
in `human_rules.py`. The same command then plays what is new, and nothing else.
"""

HOW = """## What was simulated

**Nothing is to be found.** The two systems are equally good: for `inputs` every campaign draws fresh items from a
population without a difference; for `items` every campaign has a pool of N items whose wins and losses are equal in
number, labelled in random order. So every verdict "a is better" or "b is better" is wrong. For equivalence the true
difference is exactly the margin ({margins}), so that every verdict
"equivalent" is wrong: the hardest case that still is one.

**Worlds.** N = 300 and 3,000 items; 0, 30 and 60% ties; one label an item, or the mean of three annotators who
disagree at random. A metric has correlation 0, 0.5 or 0.9 with the human outcome; four more are made to do harm:
inverted, constant, heavy-tailed (Cauchy noise), two-valued; and three at once, one of them useless, one
heavy-tailed. Without a metric all N items are labelled. With one, labels are fewer than items, as in a campaign:
{labels}.
Each metric is drawn anew in every campaign. A budget is two thirds of the world's labels; looks go on after it.

**With a metric** the evidence of `anytime` is that of the labels alone until they show that the metric predicts them
([when it begins](methods.md#a-metrics-help)), in the same code as in `compare`.

**Looks.** The same campaign is looked at in four ways: after every label, after every 10 and every 50 labels (and
at the end), and once, at the end. It counts as wrong if any look shows a wrong verdict: whoever stops at the first
verdict, whoever goes on, and whoever chooses by what was seen when to look, is covered.

**What is not here.** Conditions that are ignored (clusters, order of arrival, missing labels), intervals and mean
labels of clusters: [error rates](validity.md). A metric trained on the labels it helps, and the pool's mean taken
for the population's, fail as they should in tests/kernels/test_metric_validity.py, where adversarial metrics are
played too. Levels other than 5 and 1%: thresholds are 2/alpha on the same evidence, so that they tell nothing new.

**All ways of looking.** Per cent of campaigns with a wrong verdict; "all worlds" with a 95% interval, then the worst
world under each way of looking. Each world by itself is under [all shares](#all-shares).

{summary}
"""

RETROSPECT = """The last crossing of the Hoeffding rule is found when all labels are in: it is no stopping rule, and
whoever applies it again as labels come in decides at the first crossing, and errs like it."""

LENGTHS = """## Labels to a verdict

Not erring is easy: never decide. So here is what the rules need where there is a difference, in means ± standard
errors. The bound is log(1/alpha)/KL, below which no rule that errs in at most a share alpha can stay on average;
with a metric, log(1/alpha) over the best growth rate of any bet that knows how outcomes depend on the metric and
what its mean is. (For inputs that mean is not known: here there are but two unlabelled items for each labelled one,
so that no rule could come near this bound at rho 0.9. For a pool of N items the bound n becomes 1/(1/n + 1/N), a
guide rather than a theorem.) A verdict in either direction stops at E ≥ 2/alpha, so that a
ratio of {two_sided:.2f} at alpha = 5% is already that of a rule that knows the difference. Undecided campaigns count
with all their labels; where they are more than 2%, the ratio is "at least". The budget is two thirds of the world's
labels, and all of them for the exact threshold.

A rule that is not valid may stay below the bound, and a posterior's gamma is no error rate: what its labels buy is
to be read beside the share of its wrong verdicts above. The last crossing is dated back when all labels are in: its
"labels" had to be bought in full before anybody could know them.
"""

REAL = """## Real studies

SummEval (100 news summaries, 16 systems, the mean of three experts on four criteria) and WMT21 English-German (MQM
ratings of 10 systems, 527 of 1,002 segments rated). All labels exist, so that campaigns are replayed:
`tiebreak.compare(rule="anytime")` takes the items in {orders} and says after how many of them it would have stopped,
with the metric and without it. What the default rule decides on them in one look is
[on its page](one_look.md#real-studies).

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
