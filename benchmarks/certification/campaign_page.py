"""The section of the page about whole campaigns; it can be written anew without the rest of the page."""

from __future__ import annotations

import re
from collections.abc import Mapping

from benchmarks.certification.campaign_cells import DESIGNS, Count, Counted, Design, spread
from benchmarks.certification.shares import table
from benchmarks.certification.whole_campaigns import ALPHA

HEADING = "## Whole campaigns"
BEFORE = "## Real studies"  # where a page without the section gets it

TEXT = """{heading}

A campaign also chooses: who answers, which pair is asked, what happens to answers that come late or never, and when a
pair has had enough. Here whole campaigns look after every label and stop by themselves, at alpha = {alpha:.0%}; up to
four systems run through the same code as a real campaign, and those of 16 systems take their pairs in turns, label by
label, with thresholds that a test holds against that code.

If you doubt it, look at the rows in bold first: the same machinery shows wrong verdicts where a rule is broken, by
reading the same labels as they arrive, by leaving out what is missing, or by taking no account of the other pairs.
Then read the upper ends of the intervals, not the shares, because whole campaigns are slow and some designs have few of
them: an upper end above {alpha:.0%} has not excluded more errors than that, and more `--repeats` narrow it.

{shares}

Equal systems: any verdict is wrong. With "8 better than the other 8", 64 pairs differ and 56 do not; wrong is a verdict
on one of the 56, or against the better system. The false discovery rate is the mean share of wrong verdicts among those
given (none given: 0); where all systems are equal it is the share of campaigns with any verdict, so that pairs by
themselves fail there, and not where half of the pairs clearly differ. Bold: the whole interval is above {alpha:.0%}.
Five people work at the same time, with 12 labels in flight where nothing else is said; an abandoned item counts against
both sides. An order of arrival is looked at as long as its campaign ran.

What asking more people costs, where a single label prefers a system by the difference stated (the items lean to one
side or the other, so that people agree more than by luck). Undecided campaigns count with all their labels, labels are
given ± standard error, and a majority answers a slightly different question than a single label:

{labels}

Made by
`{command}`:
{campaigns:,} campaigns, {minutes:.1f} minutes of processor time.
"""

NAMES: dict[Counted, str] = {
    "any wrong verdict": "campaigns with a wrong verdict",
    "false discoveries": "false discovery rate",
    "labels": "",
}


def campaign_section(counts: Mapping[str, Count], command: str) -> str:
    """Text and tables."""
    rows = [row for name, count in counts.items() for row in _share_rows(DESIGNS[name], count)]
    labels = [_label_row(DESIGNS[name], count) for name, count in counts.items() if DESIGNS[name].counted == "labels"]
    return TEXT.format(
        heading=HEADING,
        alpha=ALPHA,
        shares=table(("design", "rule", "campaigns", "counted", "per cent (95 % interval)"), rows),
        labels=table(("design", "rule", "campaigns", "labels to a verdict", "undecided", "wrong"), labels),
        command=command,
        campaigns=sum(count.runs for count in counts.values()),
        minutes=sum(count.seconds for count in counts.values()) / 60,
    )


def _share_rows(design: Design, count: Count) -> list[list[str]]:
    if design.counted == "labels":
        return []
    rows = [[design.world, design.rule, f"{count.runs:,}", NAMES[design.counted], _share(count, design.counted)]]
    if design.careless is not None:
        misled = Count(runs=count.runs, wrong=float(count.misled))
        name = NAMES["any wrong verdict"]
        rows.append([design.world, design.careless, f"{count.runs:,}", name, _share(misled, "any wrong verdict")])
    return rows


def _share(count: Count, counted: Counted) -> str:
    low, high = count.interval(counted)
    text = f"{100 * count.wrong / count.runs:.1f} ({100 * low:.1f} to {100 * high:.1f})"
    return f"**{text}**" if low > ALPHA else text


def _label_row(design: Design, count: Count) -> list[str]:
    mean, error = count.labels / count.runs, spread(count.runs, count.labels, count.labels_squares)
    undecided = f"{1 - count.decided / count.runs:.0%}"
    wrong = f"{count.wrong / count.runs:.1%}"
    return [design.world, design.rule, f"{count.runs:,}", f"{mean:.0f} ± {error:.0f}", undecided, wrong]


def with_section(page: str, section: str) -> str:
    """The page with this section in place of its old one, or before the real studies; the rest as it is.

    Raises `ValueError` if the page has neither.
    """
    start = page.find(f"{HEADING}\n")
    if start >= 0:
        following = re.search(r"^## ", page[start + len(HEADING) :], flags=re.MULTILINE)
        end = len(page) if following is None else start + len(HEADING) + following.start()
    else:
        start = end = page.find(f"{BEFORE}\n")
    if start < 0:
        raise ValueError(f"the page has neither {HEADING!r} nor {BEFORE!r}")
    return f"{page[:start]}{section.rstrip()}\n\n{page[end:]}"
