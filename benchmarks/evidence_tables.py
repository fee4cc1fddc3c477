"""The tables of docs/evidence.md and docs/papers: which rows of which results, and how a cell is written.

A cell is a format string over the columns of a row, such as `{labels:,.0f} ± {error:.0f}`. A part in square brackets is
left out where a column in it is empty; a cell without brackets is then `-`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from benchmarks.results import read_rows
from benchmarks.worlds.simulation import wilson_interval

Row = Mapping[str, str | float]

_FIELD = re.compile(r"\{([^{}:]+)(?::[^{}]*)?\}")
_OPTIONAL = re.compile(r"\[([^\]]*)\]")


def markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def typed(row: Mapping[str, str]) -> dict[str, str | float]:
    """A row with its numbers as numbers."""
    return {name: _number(text) for name, text in row.items()}


def _number(text: str) -> str | float:
    try:
        return float(text)
    except ValueError:
        return text


def cell(template: str, row: Row) -> str:
    """The template filled in."""

    def filled(part: str) -> str | None:
        known = all(row.get(found[1], "") != "" for found in _FIELD.finditer(part))
        return part.format_map(row) if known else None

    outer = filled(_OPTIONAL.sub("", template))
    if outer is None:
        return "-"
    whole = _OPTIONAL.sub(lambda found: found[1] if filled(found[1]) is not None else "", template)
    return whole.format_map(row)


class Table(Protocol):
    """What a marker names."""

    def text(self, results: Path) -> str:
        """The table in Markdown, from a folder of CSV files."""


@dataclass(frozen=True)
class Rows:
    """Rows of one CSV file whose columns have one of the values in `where`, with `columns` as heading to template."""

    source: str
    columns: Mapping[str, str]
    where: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def text(self, results: Path) -> str:
        """The table in Markdown."""
        rows = [
            typed(row)
            for row in read_rows(self.source, results)
            if all(row[name] in values for name, values in self.where.items())
        ]
        return markdown([*self.columns], [[cell(template, row) for template in self.columns.values()] for row in rows])


@dataclass(frozen=True)
class SideBySide:
    """One line for rows that agree in `columns` (heading to template), with a cell of `template` for each value of the
    column `across`: its heading by value.
    """

    source: str
    columns: Mapping[str, str]
    across: str
    headings: Mapping[str, str]
    template: str
    where: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def text(self, results: Path) -> str:
        """The table in Markdown."""
        lines: dict[tuple[str, ...], dict[str, str]] = {}
        for row in read_rows(self.source, results):
            if all(row[name] in values for name, values in self.where.items()):
                key = tuple(cell(template, typed(row)) for template in self.columns.values())
                lines.setdefault(key, {})[row[self.across]] = cell(self.template, typed(row))
        cells = [[*key, *(found[value] for value in self.headings)] for key, found in lines.items()]
        return markdown([*self.columns, *self.headings.values()], cells)


@dataclass(frozen=True)
class Promise:
    """One line of a table of error rates: the worst of all worlds of some sections of a file of rates.

    `events`: what must be rare; `control`: the (section, event) that shows a broken rule. `broken`: its name,
    where the event does not say it.
    """

    what: str
    source: str
    sections: Sequence[str]
    events: Sequence[str] = ("wrong",)
    control: tuple[str, str] | None = None
    broken: str = ""
    alpha: float = 0.05

    def cells(self, results: Path) -> list[str]:
        """The cells of the line."""
        rates = [row for row in map(typed, read_rows(self.source, results)) if row["alpha"] == self.alpha]
        held = [row for row in rates if row["section"] in self.sections and row["event"] in self.events]
        held = [row for row in held if row["limit"] != ""]
        worst = max(held, key=lambda row: float(row["share"]) / float(row["limit"]))
        worlds = {row["world"]: row["studies"] for row in held}
        studies = sum(float(count) for count in worlds.values() if count != "")
        event = "" if worst["event"] == self.events[0] else f"{worst['event']}: "
        return [
            self.what,
            f"{len(worlds)}",
            f"{studies:,.0f}" if studies else "computed",
            f"{float(worst['limit']):g}",
            f"{float(worst['share']):.4g}{_below(worst)}",
            f"{event}{worst['world']}",
            self._control(rates),
        ]

    def _control(self, rates: Sequence[Row]) -> str:
        if self.control is None:
            return "-"
        section, event = self.control
        found = [row for row in rates if row["section"] == section and str(row["event"]).startswith(event)]
        if not found:
            return "-"
        worst = max(found, key=lambda row: float(row["share"]))
        broken = str(worst["event"]).partition(": ")[2] or self.broken
        return f"{broken}: {float(worst['share']):.3g}"


@dataclass(frozen=True)
class Beside:
    """The shares of several events of one section of a file of rates, side by side for each world.

    `events`: heading to event; `worlds`: the beginnings of the names of the worlds that are shown.
    """

    source: str
    section: str
    events: Mapping[str, str]
    worlds: Sequence[str]
    alpha: float = 0.05

    def text(self, results: Path) -> str:
        """The table in Markdown."""
        found: dict[str, dict[str, str]] = {}
        for row in map(typed, read_rows(self.source, results)):
            world = str(row["world"])
            if row["section"] == self.section and row["alpha"] == self.alpha and world.startswith(tuple(self.worlds)):
                found.setdefault(world, {})[str(row["event"])] = f"{float(row['share']):.3f}"
        rows = [[world, *(shares.get(event, "-") for event in self.events.values())] for world, shares in found.items()]
        return markdown(["world", *self.events], rows)


def _below(row: Row) -> str:
    """The upper end of the 95% interval of a simulated share."""
    if row["studies"] == "":
        return ""
    runs = int(float(row["studies"]))
    high = row["high"] if row["high"] != "" else wilson_interval(round(float(row["share"]) * runs), runs)[1]
    return f" (< {float(high):.3g})"


@dataclass(frozen=True)
class Promises:
    """A table of error rates."""

    lines: Sequence[Promise]

    def text(self, results: Path) -> str:
        """The table in Markdown."""
        header = ["what", "worlds", "studies", "at most", "worst", "worst world", "control"]
        return markdown(header, [line.cells(results) for line in self.lines])


ONE_LOOK = (
    Promise("one outcome an item", "one_look", ["outcomes"], control=("outcomes", "control"), broken="z test"),
    Promise("the same, a pool", "one_look", ["pools"], control=("pools", "control"), broken="corrected z test"),
    Promise("mean labels", "one_look", ["means"], control=("means", "control"), broken="t test"),
    Promise("mean ratings", "one_look", ["mean ratings"], control=("mean ratings", "control"), broken="t test"),
    Promise("clusters", "one_look", ["clusters"], control=("clusters", "second"), broken="sign test of items"),
    Promise("metrics", "one_look", ["metrics"], control=("metrics", "control"), broken="smaller final variance"),
    Promise("severe raters", "one_look", ["raters"], control=("raters", "control"), broken="`--raters any`"),
    Promise("people at random", "one_look", ["people"], control=("people", "control"), broken="t test of items"),
    Promise("repeated labels", "one_look", ["repeats"], control=("repeats", "control"), broken="sign test of rows"),
    Promise("all pairs, Holm", "one_look", ["families"], ["any holm"], ("families", "any none"), "no correction"),
    Promise("all pairs, `fdr`", "one_look", ["families"], ["false fdr"], ("families", "false none"), "no correction"),
    Promise("intervals of outcomes", "one_look", ["coverage", "pool coverage"], ["missed"]),
    Promise("other intervals", "one_look", ["simulated coverage"], ["missed"]),
)

EVERY_LOOK = (
    Promise("outcomes", "every_look", ["outcomes"], control=("sign test", "control"), broken="sign test"),
    Promise("pools and means", "every_look", ["pools and means"]),
    Promise("equivalence", "every_look", ["equivalence of outcomes", "equivalence on a pool"]),
    Promise("metrics", "every_look", ["metric, linear", "metric, regression"]),
    Promise("`watch`", "watch", ["covered"], control=("covered", "control")),
    Promise("ratings, width", "scores", ["every look"], ["width"], ("every look", "control"), "t at every look"),
)

_TOPICS = {
    "several annotators an item": "Several people an item",
    "late and missing answers": "Late and missing answers",
    "order, sides, documents": "Order of items, sides, documents",
    "16 systems, 120 pairs": "Sixteen systems",
}
CAMPAIGNS = (
    *(
        Promise(what, "campaigns", [topic], ["wrong", "false discoveries"], (topic, "control"), "each pair by itself")
        for what, topic in _TOPICS.items()
    ),
    Promise("choice of pairs", "campaigns", ["Choice of pairs"], control=("Choice of pairs", "control"), alpha=0.2),
)

_FIGURES = ["mean", "mean with", "difference", "difference with", "sigma_f2", "sigma_a2", "gamma", "efficiency"]
_AUDIT = ["agreement", "decided", "a preferred", "kappa", "people", "judge", "difference", "corrected"]
_AUDIT += ["corrected by chances", "flips", "errors of two", "Brier", "log loss", "too sure", "reliability"]
OTHERS = (
    Promise("`estimate`", "scores", ["estimate"], _FIGURES, ("estimate", "control"), "every rating an output"),
    Promise("`audit`", "scores", ["audit"], _AUDIT, ("audit", "by the judge alone"), "the judge alone"),
    Promise("rating campaigns", "scores", ["whole campaigns"], ["width"]),
    Promise(
        "`rank`: intervals, places",
        "rank",
        ["leaderboards"],
        ["any interval", "any place"],
        ("leaderboards", "control"),
        "games alone",
    ),
    Promise("`rank`: one scale", "rank", ["one scale"]),
)

_LABELS = {
    "rule": "{rule}",
    "claim": "{claim}",
    "metric": "{metric}",
    "bound": "{bound:,.0f}",
    "labels": "{labels:,.0f} ± {error:.0f}",
    "undecided": "{undecided:.0%}",
}

_SPEED = {
    "what": "{what}",
    "unit": "{measure}",
    "tiebreak": "{tiebreak:,g}",
    "alternative": "{alternative}: {alternative figure:,g}",
    "ratio": "{ratio:,g}",
}
_CASES = [
    "compare, SummEval: 480 pairs, 19,200 ratings",
    "compare, 100 systems, 2,475,000 labels",
    "rank, 100 systems, 1,000,000 labels",
    "compare --metric, 100 systems, 100,000 items",
    "simulate, 16 systems",
    "a label, 2 systems",
    "a label, 50 systems",
]

TABLES: dict[str, Table] = {
    "one-look": Promises(ONE_LOOK),
    "every-look": Promises(EVERY_LOOK),
    "campaigns": Promises(CAMPAIGNS),
    "other-promises": Promises(OTHERS),
    "power": Beside(
        "one_look",
        "power",
        {"`compare`": "power", "exact sign test": "sign test"},
        ("100 items, 30%", "100 items, 80%"),
    ),
    "panels": Beside(
        "one_look",
        "panel power",
        {"`compare`": "power", "sign test of majorities": "sign test"},
        ("15 items, 3 people",),
    ),
    "labels": Rows(
        "every_look_labels",
        _LABELS,
        {
            "alpha": ["0.05"],
            "ties": ["0.3"],
            "rule": ["outcomes", "pools and means", "metric, regression"],
            "metric": ["", "rho 0.9"],
            "difference": ["0.1"],
        },
    ),
    "planned": SideBySide(
        "planned",
        {"plan": "{plan:,.0f}", "difference": "{difference:g}"},
        "rule",
        {"one test": "one look", "anytime": "`anytime`", "ten looks": "ten looks", "open end": "open end"},
        "{found:.0%}/{items:,.0f}",
        {
            "arriving": ["150", "300", "1000"],
            "ties": ["0.3"],
            "difference": ["0.18", "0.15", "0.1", "0.2"],
        },
    ),
    "real-studies": Rows(
        "one_look_real",
        {
            "study": "{study}",
            "pairs": "{pairs:.0f}",
            "every look": "{decided at every look:.0f}",
            "one look": "{decided in one look:.0f}",
            "against a sign test": "{against a sign test:.0f}",
        },
        {"study": ["summeval", "llmfao", "pandalm", "wmt21-en-de"]},
    ),
    "beside": SideBySide(
        "other_packages",
        {"package": "{package}"},
        "world",
        {
            "100 items, pass or fail, 30% ties": "100 items",
            "20 items, pass or fail, 30% ties": "20 items",
            "20 clusters of 2 to 20 items, 30% ties": "20 clusters of items",
        },
        "{wrong by interval:.1%}, {width:.2f}",
        {
            "world": [
                "100 items, pass or fail, 30% ties",
                "20 items, pass or fail, 30% ties",
                "20 clusters of 2 to 20 items, 30% ties",
            ]
        },
    ),
    "other-packages": SideBySide(
        "other_packages",
        {"package": "{package}"},
        "world",
        {
            "30 items, means of 3 people, 5% of items strongly the first's": "30 items, 5% strongly the first's",
            "20 clusters of 2 to 20 items, 30% ties": "20 clusters of 2 to 20 items",
            "5 systems, 10 pairs, 100 items, pass or fail": "5 systems, 10 pairs, 100 items",
        },
        "{wrong by p:.1%}, {wrong by interval:.1%}[, {power by p:.0%}]",
        {
            "world": [
                "30 items, means of 3 people, 5% of items strongly the first's",
                "20 clusters of 2 to 20 items, 30% ties",
                "5 systems, 10 pairs, 100 items, pass or fail",
            ]
        },
    ),
    "speed": Rows("speed", _SPEED, {"what": _CASES}),
    "pages": Rows(
        "pages",
        {
            "answers": "{requests:,.0f}",
            "p50": "{p50:.0f} ms",
            "p95": "{p95:.0f} ms",
            "p99": "{p99:.0f} ms",
            "p99 of an idle page": "{alternative p99:.0f} ms",
        },
        {"what": ["an answer"]},
    ),
    "pages-start": Rows("pages_start", {"labels in the log": "{labels:,.0f}", "start": "{seconds:.0f} s"}),
}
