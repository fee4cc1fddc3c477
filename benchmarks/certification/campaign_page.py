"""The section of the page about whole campaigns; it can be written anew without the rest of the page."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.certification.campaign_cells import Count, spread
from benchmarks.certification.campaign_designs import DESIGNS, FAMILY_ALPHA, Counted, Topic
from benchmarks.certification.campaign_prose import HEADING, INTRODUCTION, TOPICS
from benchmarks.certification.whole_campaigns import ALPHA
from benchmarks.pages import table

BEFORE = "## Real studies"  # where a page without the section gets it

NAMES: dict[Counted, str] = {"any wrong verdict": "campaigns with a wrong verdict", "false discoveries": "FDR"}
NAMED = 4
HEADER = ("design", "rule", "campaigns", "asked for: at most", "counted", "wrong, per cent (95% interval)")


@dataclass(frozen=True, slots=True)
class Row:
    """One line: a design's rule, or (`broken`) a wrong way to read, which must be above its level."""

    topic: Topic
    world: str
    rule: str
    count: Count
    counted: Counted
    alpha: float
    broken: bool

    @property
    def above(self) -> bool:
        """Whether the whole interval is above the level."""
        return self.count.interval(self.counted)[0] > self.alpha

    @property
    def excludes(self) -> bool:
        """Whether true rates above the level are excluded."""
        return self.count.interval(self.counted)[1] <= self.alpha

    @property
    def cells(self) -> list[str]:
        """For the table."""
        low, high = self.count.interval(self.counted)
        share = f"{100 * self.count.wrong / self.count.runs:.1f} ({100 * low:.1f} to {100 * high:.1f})"
        name = f"✗ {self.rule}" if self.broken else self.rule
        text = f"**{share}**" if self.above else share
        return [self.world, name, f"{self.count.runs:,}", f"{self.alpha:.0%}", NAMES[self.counted], text]


def rows_of(counts: Mapping[str, Count]) -> list[Row]:
    """All rows with shares, each design's controls after it."""
    return [row for name, count in counts.items() for row in _rows(name, count)]


def _rows(name: str, count: Count) -> Iterator[Row]:
    design = DESIGNS[name]
    if design.counted == "labels":
        return
    yield Row(design.topic, design.world, design.rule, count, design.counted, design.alpha, design.broken)
    for control, misled in zip(design.controls, count.misled, strict=True):
        found = Count(runs=count.runs, wrong=float(misled))
        yield Row(
            design.topic, design.world, f"the same answers, {control}", found, "any wrong verdict", design.alpha, True
        )


def campaign_section(counts: Mapping[str, Count], command: str) -> str:
    """Text and tables."""
    rows = rows_of(counts)
    claims, controls = [row for row in rows if not row.broken], [row for row in rows if row.broken]
    head = INTRODUCTION.format(
        heading=HEADING,
        command=command,
        campaigns=sum(count.runs for count in counts.values()),
        minutes=sum(count.seconds for count in counts.values()) / 60,
        claims=len(claims),
        excluded=sum(row.excludes for row in claims),
        open=_named("; not", [row for row in claims if not row.excludes]),
        controls=len(controls),
        seen=sum(row.above for row in controls),
        unseen=_named("; not", [row for row in controls if not row.above]),
    )
    parts = [_topic(topic, [row for row in rows if row.topic == topic]) for topic in TOPICS if topic != "cost"]
    return "\n".join([head, *parts, _cost(counts)])


def _named(before: str, rows: Sequence[Row]) -> str:
    """The rows by name, as far as anybody would read on."""
    names = [f"{row.rule} ({row.world})" for row in rows[:NAMED]]
    names += [f"{len(rows) - NAMED} more"] if len(rows) > NAMED else []
    return f"{before}: {'; '.join(names)}" if rows else ""


def _topic(topic: Topic, rows: Sequence[Row]) -> str:
    words = TOPICS[topic].format(alpha=ALPHA, family_alpha=FAMILY_ALPHA)
    return f"{words}\n{table(HEADER, [row.cells for row in rows])}\n"


def _cost(counts: Mapping[str, Count]) -> str:
    rows = [_label_row(name, count) for name, count in counts.items() if DESIGNS[name].counted == "labels"]
    header = ("design", "rule", "campaigns", "labels to a verdict", "undecided", "wrong")
    return f"{TOPICS['cost']}\n{table(header, rows)}\n"


def _label_row(name: str, count: Count) -> list[str]:
    design = DESIGNS[name]
    mean, error = count.labels / count.runs, spread(count.runs, count.labels, count.labels_squares)
    undecided = f"{1 - count.decided / count.runs:.0%}"
    wrong = f"{count.wrong / count.runs:.1%}"
    return [design.world, design.rule, f"{count.runs:,}", f"{mean:.0f} ± {error:.0f}", undecided, wrong]


def section_of(page: str) -> str:
    """The section as the page has it; empty where there is none."""
    start = page.find(f"{HEADING}\n")
    return page[start : _end(page, start)] if start >= 0 else ""


def with_section(page: str, section: str) -> str:
    """The page with this section in place of its old one, or before the real studies; the rest as it is.

    Raises `ValueError` if the page has neither.
    """
    start = page.find(f"{HEADING}\n")
    end = _end(page, start) if start >= 0 else page.find(f"{BEFORE}\n")
    start = start if start >= 0 else end
    if start < 0:
        raise ValueError(f"the page has neither {HEADING!r} nor {BEFORE!r}")
    return f"{page[:start]}{section.rstrip()}\n\n{page[end:]}"


def _end(page: str, start: int) -> int:
    following = re.search(r"^## ", page[start + len(HEADING) :], flags=re.MULTILINE)
    return len(page) if following is None else start + len(HEADING) + following.start()
