"""What docs/certification_scores.md says around its tables."""

from __future__ import annotations

INTRODUCTION = """# Certification of scores and audits

How often the intervals of [`estimate`](estimate.md), of [`audit`](audit.md) and of [campaigns of
ratings](rating_campaigns.md) miss what is true, in studies that are made up and whose truth is known. Made by
`{command}`:
{cells} worlds, {studies} simulated studies, {minutes:.0f} minutes of processor time. Verdicts have their certification
on [one page](one_look.md) for one look and on [another](certification.md) for every look.

**How to read a number.** Shares of 95% intervals that do not hold the truth: asked for is 0.05. A figure that a study
does not identify has no interval there, and is not counted.

**What is promised.** *At every look*, of campaigns: at most 0.05, exactly, however often one looks. *One look*: about
0.05, that is at most 1.1 times as much (0.055); in corners, named in each row, at most 1.6 times (0.08), and so for
variances and what follows from them, whose intervals are known to be right for many outputs only.

**What would prove it wrong.** More misses than luck explains in one of {luck} such pages (Bonferroni over all shares)
are in bold, and the command ends with exit status 1. That the count can see a wrong interval is shown by the controls:
wrong ways to read the same labels.
"""

ESTIMATE = """
## Estimates

Two systems that are alike; outputs are worth a normal value of variance 1, and people see that with a variance of 1 of
their own. A metric correlates with the worth by 0.7. *Clusters of 3* share three quarters of their worth. *These
items*: the truth is the mean over the pool of that study. Control: the t interval of all ratings, as if each were of an
output of its own, drawn from many.
"""

AUDIT = """
## Audits

A judge sees part of what people see, errs far on some documents, and leans to one system. *Samples*: the first system
has several of each item; an item is one unit, however many of its samples are labelled. *Different people*: every
output was rated by one of 20 people at random, who are unequally strict (`--raters any`). *These items*: the truth is
what people would have said of all that was judged, in that very study. Controls: agreement as if each comparison were
drawn by itself from many (*by itself*), and the judge's own win rate, with its own interval, taken for that by people
(*judge alone*).
"""

WIN_RATES = """
Win rates: by people, by the judge, judge minus people, corrected by the judge's outcomes and by its probabilities.
"""

CHANCES = """
Probabilities: Brier score, log loss, how far the likeliest outcome is overstated, and how often people agree where it
has a probability from 0.6 to 0.7.
"""

LOOKS = """
## Campaigns of ratings: every look

Runs in which the confidence sequence leaves out the true mean at any look of 400 ratings, which no way of stopping can
exceed. *A pool of 400* is rated to its end. Control: the t interval, looked at from the tenth rating on, until it is as
narrow as ±0.3 points of a scale from 1 to 5. `bernstein` is the published rule beside it.
"""

CAMPAIGNS = """
## Campaigns of ratings: whole campaigns

Played by the core, with people who work at the same time, until every interval is as narrow as ±0.6 points: campaigns
in which any interval is wrong in the end.
"""

MORE = """
## Another world

A world of `estimate` is a line in `WORLDS` of `benchmarks/scores/estimates.py`, one of `audit` a line in those of
`audits.py`, and one of campaigns a line in `campaigns.py`. The same command then plays what is new, and nothing else;
`--scale 0.5` gives a first impression.
"""
