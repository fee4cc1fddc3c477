"""What the section about whole campaigns says around its tables."""

from __future__ import annotations

from benchmarks.certification.campaign_designs import Topic

HEADING = "## Whole campaigns"

INTRODUCTION = """{heading}

A campaign also chooses: who answers, which pair is asked, what happens to answers that come late or never, and when a
pair has had enough. Here whole campaigns look after every label, stop a pair at its verdict, and go on until all is
decided or no items are left. Campaigns of two and four systems run through `tiebreak.campaign`, the code of a real one;
those of 16 systems through a shorter loop that a test holds against that code. Made by
`{command}`:
{campaigns:,} campaigns, {minutes:.0f} minutes of processor time.

**What is counted.** Campaigns with a wrong verdict on any pair, in per cent of all campaigns of the row, with a 95%
interval (Wilson). Where all systems are equal every verdict is wrong. With "8 better than the other 8", 64 pairs differ
and 56 do not; wrong is a verdict on one of the 56, or against the better system. The false discovery rate (FDR) is the
mean share of wrong verdicts among those given (none given: 0; interval: 1.96 standard errors); where all systems are
equal it is the share of campaigns with any verdict.

**What would prove us wrong.** A row whose whole interval is above what was asked for: it is in bold. (By luck alone
that happens to one row of 40 that err exactly as often as asked for.) That the machinery can see a broken rule is shown
by the rows marked ✗, which are broken on purpose: most read the very same answers in a way that looks natural and is
wrong. Of {controls} such rows, {seen} are above the level{unseen}.

**What was excluded.** Read the upper ends of the intervals, not the shares: a true rate above the upper end is
excluded, one below it is not. Of {claims} rows that should hold, {excluded} have their upper end at or below the level
asked for{open}. More `--repeats` narrow all intervals.

**When one looks.** A look after every label covers every other way to look: at times chosen by what was seen, in
batches, or once. Whoever stops anywhere stops at one of these looks.
"""

TOPICS: dict[Topic, str] = {
    "people": """### Several people an item

Two equal systems. Items lean to one side or the other, so that two people agree on an item more often than by luck,
and the answers of an item are not independent bets. Five people work at the same time, 12 labels in flight.
""",
    "arrival": """### Late and missing answers

Bad news takes longer: whoever reads answers as they come in sees wins first. The campaign reads them in the order that
was sealed before the first label, and waits at a gap. An item that nobody will answer counts against both sides. What
no rule can repair is work that is asked again until somebody prefers the other side: that row is no fault of the rule,
and the reason why such items should be given up.
""",
    "order": """### Order of items, sides, documents

The sealed order is random, so that a list which begins with what favours one system does no harm; each system is on the
left in one of each two tasks of its pair; items of one document (`cluster`) are one bet.
""",
    "pairs": """### Choice of pairs

Six pairs of four equal systems. "Most-informative" and "winner only" choose the next pair by all answers so far, four
tasks at a time; the pairs share the systems' outputs, so that what one pair shows says something of the next. The
doubt: does choosing where to look, by what was seen, make errors more frequent? Then these rows would be above those of
pairs in turn. They are asked for {family_alpha:.0%}, not {alpha:.0%}, because more errors show more: with six pairs of
50 items, few campaigns would err at {alpha:.0%} even if each pair stood by itself.
""",
    "family": """### Sixteen systems

120 pairs, each in a sealed order of its own; pairs take turns, label by label, and stop at their verdict. `compare` on
complete labels uses e-BH, at the end; a campaign, whose pairs stop at times that depend on each other,
Benjamini-Yekutieli. Pairs by themselves show what the account of 120 pairs is for. The false discovery rate is far
below its level where half of the pairs clearly differ: right verdicts are many, and wrong ones rare among them.
""",
    "cost": """### What asking more people costs

A single label prefers one system by the difference stated. Mean ± standard error; undecided campaigns count with all
their labels. A majority answers a slightly different question than a single label.
""",
}
