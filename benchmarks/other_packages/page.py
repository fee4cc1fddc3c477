"""The page docs/other_packages.md."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill

from benchmarks.other_packages.asked import ALPHA, PACKAGES, Package
from benchmarks.other_packages.measured import Measured, Rate
from benchmarks.other_packages.real import Decided, RealRow
from benchmarks.other_packages.worlds import RUNS, World
from benchmarks.pages import table

_READS = {
    "tiebreak": (
        "`compare`, rule `fixed`",
        "preferences a, tie, b or ratings, by several people; items in clusters; pairs that share no items",
        "the difference of the shares of items on which either is better",
        "false directions at most alpha (exact tests) or about alpha, over all pairs (Holm); interval and verdict from "
        "one test",
    ),
    "evalstats": (
        '`compare(load_from(table), factors="model")`, all by default; `score_range` for ratings',
        "a score per system and item, every system on the same items, at least 15; runs of a system; no preferences, "
        "no clusters of items",
        "the difference of mean scores",
        "95% intervals and p-values that its authors chose by simulation, corrected over all pairs",
    ),
    "truescore": (
        "`mcnemar` of pass and fail, else `paired_bootstrap`, with `clusters` where there are any; `holm` for several "
        "pairs",
        "a score per example of two systems, and clusters; no preferences, no families but a list of p-values",
        "the difference of mean scores",
        "95% intervals that its authors check by simulation, each for itself; p-values adjusted over all pairs",
    ),
}
"""Function, what it reads, what is estimated, what is promised: from the documentation of each."""


def page(
    measured: Sequence[tuple[World, Sequence[Measured]]],
    packages: Sequence[Package],
    real: Sequence[RealRow],
    command: str,
    scale: float,
) -> str:
    """In Markdown; packages that were not there are not in it, and it says so."""
    versions = ", ".join(f"{found.name} {found.version}" for found in packages) or "no other package"
    missing = [name for name in PACKAGES if name not in [found.name for found in packages]]
    absent = f" Not at hand: {', '.join(missing)}." if missing else ""
    runs = [max(1, round(count * scale)) for count in RUNS]
    parts = [
        "# Other packages on the same labels",
        f"`compare` beside {versions}, on the same simulated and real studies. Made by `{command}`.{absent} "
        "Neither package is needed by tiebreak. Each is asked in the form that it reads and by the function that its "
        "own documentation suggests.",
        "## What each reads and promises",
        _reads(packages),
        "A preference becomes two scores: 1 for the better system, 0 for the other, 1/2 for both where neither is. Its "
        "difference of means is then the difference of tiebreak, so that intervals can be compared. Labels of several "
        "people per item are averaged for both packages.",
        "## Error, coverage, width and power",
        f"Alpha is {ALPHA:g}. {runs[0]:,} studies without a difference and {runs[1]:,} with one, unless a heading says "
        f"otherwise; ± is one Monte Carlo standard error (at 5%: {_at_level(runs[0])} points of {runs[0]:,} studies, "
        f"{_at_level(runs[1])} of {runs[1]:,}). *Wrong*: studies without a difference in which any pair is decided, by "
        "p-value and by interval. *Missed*: studies, with and without a difference, in which any interval does not "
        "hold the true one. *Power*: pairs with a difference that are decided for the better system. *Contradictions*: "
        "pairs that are decided by the p-value or by the interval, and not by the other. **Bold**: above 5% by more "
        "than three standard errors; power beside it is in brackets. *Not claimed*: "
        "the documentation does not say that it handles this; the figure shows what happens.",
        *(_world(world, found, scale) for world, found in measured),
        "A Wilcoxon test asks whether differences are symmetric about 0, which is not the question whether their mean "
        "is 0: where few items are strongly one system's, its error is no fault of its arithmetic.",
        "## Pairs decided on real studies",
        "By p-value / by interval. Which of these verdicts are right is not known. tiebreak counts on how many items a "
        "system is better, the packages take means of scores: on ratings these are different questions. On random "
        "parts, the number of parts on which the pair is decided.",
        _real(real, packages),
    ]
    return "\n\n".join(_wrapped(part) for part in "\n\n".join(parts).split("\n\n")) + "\n"


def _wrapped(part: str) -> str:
    """A paragraph in lines; headings and tables as they are."""
    return part if part.startswith(("#", "|")) else fill(part, 120, break_on_hyphens=False, break_long_words=False)


def _reads(packages: Sequence[Package]) -> str:
    rows = []
    for name in ("tiebreak", *(found.name for found in packages)):
        function, reads, estimates, promises = _READS[name]
        rows.append([name, function, reads, estimates, promises])
    return table(["package", "function used", "reads", "estimates", "promises"], rows)


def _world(world: World, found: Sequence[Measured], scale: float) -> str:
    runs = [max(1, round(count * scale)) for count in world.runs]
    words = [] if world.runs == RUNS else [f"{runs[0]:,} studies without a difference, {runs[1]:,} with one."]
    if world.difference is None:
        words.append("No study with a difference.")
    else:
        better = "the first system beats the others by" if world.systems > 2 else "the difference is"
        words.append(f"Where there is one, {better} {world.difference:g}.")
    unclaimed = dict(world.unclaimed)
    words += [f"Not claimed by {name}: {what}." for name, what in world.unclaimed if name in [m.name for m in found]]
    rows = [_measured(each, each.name in unclaimed) for each in found]
    heads = ["package", "method", "wrong by p", "wrong by interval", "missed", "mean width", "power by p"]
    return "\n\n".join(
        [f"### {world.name}", " ".join(words), table([*heads, "power by interval", "contradictions"], rows)]
    )


def _measured(found: Measured, unclaimed: bool) -> list[str]:
    """Power beside an error that is too high is put in brackets: it is no merit."""
    method = "; ".join(found.methods) or "rule `fixed`"
    method += f"; refused {found.refused:,} studies" if found.refused else ""
    return [
        found.name + (" (see above)" if unclaimed else ""),
        method,
        _error(found.wrong_by_p),
        _error(found.wrong_by_interval),
        _error(found.missed),
        f"{found.width:.3f}",
        _power(found.power_by_p, found.wrong_by_p),
        _power(found.power_by_interval, found.wrong_by_interval),
        str(found.contradictions),
    ]


def _error(rate: Rate) -> str:
    return f"**{rate}**" if rate.above(ALPHA) else str(rate)


def _power(rate: Rate, wrong: Rate) -> str:
    return f"({rate})" if wrong.above(ALPHA) and rate.runs else str(rate)


def _at_level(runs: int) -> str:
    return f"{100 * (ALPHA * (1 - ALPHA) / runs) ** 0.5:.1f}"


def _real(rows: Sequence[RealRow], packages: Sequence[Package]) -> str:
    if not rows:
        return "The real studies were not at hand."
    names = ["tiebreak", *(found.name for found in packages)]
    body = [[row.study, str(row.pairs), *(_decided(row.decided[name]) for name in names)] for row in rows]
    return table(["study", "pairs or parts", *names], body)


def _decided(found: Decided) -> str:
    if isinstance(found, str):
        return found
    by_p, by_interval = found
    return f"{by_p} / {'-' if by_interval is None else by_interval}"
