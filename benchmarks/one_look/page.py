"""The page docs/one_look.md, from what came of the cells."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from benchmarks.one_look import prose
from benchmarks.one_look.cells import ALPHAS
from benchmarks.one_look.counts import EXAMPLES
from benchmarks.one_look.families import PROCEDURES, TITLES
from benchmarks.one_look.found import LUCK, Found, too_high
from benchmarks.pages import table

SECTIONS = {
    "outcomes": "one outcome per item, `inputs`",
    "pools": "one outcome per item, `items`",
    "means": "means of panels",
    "clusters": "clusters",
    "metrics": "metrics",
    "raters": "raters of unequal severity",
    "repeats": "judgements made again",
    "families": "families of all pairs",
    "coverage": "intervals of outcomes, `inputs`",
    "pool coverage": "intervals of outcomes, `items`",
    "simulated coverage": "intervals of means, clusters and metrics",
}
PROMISES = {"exact": "alpha", "ordinary": "1.1 alpha", "corner": "1.6 alpha"}

Cells = Callable[[Found], list[str]]


def page(found: Sequence[Found], command: str, minutes: float, real: str, planned: int) -> str:
    """The whole page."""
    failed = {(id(each), event) for each, event in too_high(list(found))}
    by = {name: [each for each in found if each.cell.section == name] for name in (*SECTIONS, "power", "width", "gain")}

    def mark(each: Found, event: str) -> str:
        return f"**{each.text(event)}**" if (id(each), event) in failed else each.text(event)

    def rates(kind: str, *others: str) -> Cells:
        names = [f"{of} {alpha}" for of in (kind, *others) for alpha in ALPHAS]
        return lambda each: [mark(each, name) for name in names]

    simulated = sum(each.runs for each in found)
    return "\n".join(
        [
            prose.INTRODUCTION.format(
                command=command,
                minutes=minutes,
                cells=len(found),
                studies=_so_far(simulated, planned),
                luck=round(1 / LUCK),
            ),
            _summary(by, failed),
            prose.OUTCOMES,
            _exact(by["outcomes"], rates("wrong"), "items, family", "wrong directions", "control"),
            prose.POWER,
            _power(by["power"]),
            prose.WIDTH.format(widths=_widths(by["width"])),
            prose.INTERVALS.format(side=_worst_side([*by["coverage"], *by["pool coverage"]])),
            _coverage(by["coverage"], rates("missed", "one side")),
            prose.POOL_INTERVALS,
            _coverage(by["pool coverage"], rates("missed", "one side")),
            prose.OTHER_INTERVALS,
            _coverage(by["simulated coverage"], rates("missed"), simulated=True),
            prose.POOLS,
            _exact(by["pools"], rates("wrong"), "items drawn, family", "wrong directions", "control"),
            prose.MEANS,
            _simulated(by["means"], rates("wrong"), "the control"),
            prose.CLUSTERS,
            _clusters(by["clusters"], rates("wrong")),
            prose.METRICS,
            _metrics(by["metrics"], rates("wrong")),
            prose.GAIN,
            _gain(by["gain"]),
            prose.RATERS,
            _simulated(by["raters"], rates("wrong"), "`--raters any`"),
            prose.REPEATS,
            _simulated(by["repeats"], rates("wrong"), "sign test of all rows"),
            prose.FAMILIES,
            _families(by["families"], mark),
            prose.REAL,
            real,
            prose.MORE,
        ]
    )


def _so_far(simulated: int, planned: int) -> str:
    """Studies, and of how many, where the run is not over."""
    return f"{simulated:,}" if simulated >= planned else f"{simulated:,} of {planned:,}"


def _summary(by: dict[str, list[Found]], failed: set[tuple[int, str]]) -> str:
    """Per section and promise: the worst cell beside its limit, at both levels."""
    rows = []
    for section, title in SECTIONS.items():
        for promise, limit in PROMISES.items():
            own = [each for each in by[section] if each.cell.promise == promise and each.cell.limited]
            if not own:
                continue
            worst = []
            for alpha in ALPHAS:
                shares = [
                    each.share(event)
                    for each in own
                    for event in each.cell.limited
                    if event.endswith(f" {alpha}") and event in each.counts
                ]
                worst.append(f"{max(shares, default=0.0):.4f}")
            fails = sum((id(each), event) in failed for each in own for event in each.cell.limited)
            holds = "holds" if not fails else f"**fails in {fails}**"
            how = "computed" if not own[0].runs else f"{sum(each.runs for each in own):,} studies"
            rows.append([title, str(len(own)), how, limit, *worst, holds])
    header = ["what", "worlds", "how", "at most", *(f"worst world, alpha {alpha:g}" for alpha in ALPHAS), "promise"]
    return table(header, rows)


def _exact(found: Sequence[Found], rates: Cells, first: str, wrong: str, control: str) -> str:
    header = [first, *(f"{wrong}, {alpha:g}" for alpha in ALPHAS)]
    header += [f"worst share of ties, {alpha:g}" for alpha in ALPHAS]
    header += [f"{control}, {alpha:g}" for alpha in ALPHAS]
    rows = [
        [
            each.cell.world,
            *rates(each),
            *(f"{each.share(f'ties {alpha}'):.0%}" for alpha in ALPHAS),
            *(each.text(f"control {alpha}") for alpha in ALPHAS),
        ]
        for each in found
    ]
    return table(header, rows)


def _simulated(found: Sequence[Found], rates: Cells, control: str) -> str:
    header = ["equal systems", "studies", "at most", *(f"wrong directions, {alpha:g}" for alpha in ALPHAS)]
    header += [f"{control}, {alpha:g}" for alpha in ALPHAS]
    rows = [
        [
            each.cell.world,
            f"{each.runs:,}",
            PROMISES[each.cell.promise],
            *rates(each),
            *(f"{each.share(f'control {alpha}'):.4f}" for alpha in ALPHAS),
        ]
        for each in found
    ]
    return table(header, rows)


def _clusters(found: Sequence[Found], rates: Cells) -> str:
    header = ["equal systems", "studies", "at most", *(f"wrong directions, {alpha:g}" for alpha in ALPHAS)]
    header += [f"{name}, {alpha:g}" for name in ("CR2",) for alpha in ALPHAS] + ["sign test of items, 0.05"]
    rows = [
        [
            each.cell.world,
            f"{each.runs:,}",
            PROMISES[each.cell.promise],
            *rates(each),
            *(f"{each.share(f'control {alpha}'):.4f}" for alpha in ALPHAS),
            f"{each.share('second 0.05'):.4f}",
        ]
        for each in found
    ]
    return table(header, rows)


def _metrics(found: Sequence[Found], rates: Cells) -> str:
    header = ["equal systems", "studies", "at most", *(f"wrong directions, {alpha:g}" for alpha in ALPHAS)]
    header += [*(f"smaller final variance, {alpha:g}" for alpha in ALPHAS), "width / without"]
    rows = [
        [
            each.cell.world,
            f"{each.runs:,}",
            PROMISES[each.cell.promise],
            *rates(each),
            *(f"{each.share(f'control {alpha}'):.4f}" for alpha in ALPHAS),
            f"{each.counts['width'] / each.counts['width without']:.3f}",
        ]
        for each in found
    ]
    return table(header, rows)


def _gain(found: Sequence[Found]) -> str:
    rows = [
        [each.cell.world, f"{each.runs:,}", *(f"{each.share(name):.3f}" for name in ("with", "without", "smaller"))]
        for each in found
    ]
    return table(["metrics", "studies", "decided", "without metrics", "by the smaller final variance"], rows)


def _coverage(found: Sequence[Found], rates: Cells, *, simulated: bool = False) -> str:
    header = ["world", *(["studies"] if simulated else []), "at most"]
    header += [f"missed, {alpha:g}" for alpha in ALPHAS]
    header += [] if simulated else [f"twice the worse side, {alpha:g}" for alpha in ALPHAS]
    rows = [
        [each.cell.world, *([f"{each.runs:,}"] if simulated else []), PROMISES[each.cell.promise], *rates(each)]
        for each in found
        if each.counts
    ]
    return table(header, rows)


def _power(found: Sequence[Found]) -> str:
    header = ["items", "ties", "difference", "power", "power of the exact sign test", "width / Wald's"]
    rows = []
    for each in found:
        for ties, difference in EXAMPLES:
            at = f"{ties} {difference}"
            shown = [f"{each.counts[f'{name} {at}']:.3f}" for name in ("power", "sign")]
            ratio = f"{each.counts[f'width {at}']:.2f}" if f"width {at}" in each.counts else "-"
            rows.append([each.cell.world, f"{ties:.0%}", f"{difference:g}", *shown, ratio])
    return table(header, rows)


def _widths(found: Sequence[Found]) -> str:
    return ", ".join(
        f"{each.counts['most']:.3f} at {each.cell.world} items ({each.counts['ties']:.0%} ties, difference "
        f"{each.counts['difference']:g})"
        for each in found
    )


def _families(found: Sequence[Found], mark: Callable[[Found, str], str]) -> str:
    header = ["systems", "studies", "procedure"]
    header += [f"{kind}, {alpha:g}" for alpha in ALPHAS for kind in ("any wrong direction", "false discovery rate")]
    rows = []
    for each in found:
        for procedure in PROCEDURES:
            shares = [mark(each, f"{kind} {procedure} {alpha}") for alpha in ALPHAS for kind in ("any", "false")]
            power = each.share(f"power {procedure} 0.05")
            rows.append(
                [each.cell.world, f"{each.runs:,}", TITLES[procedure], *shares, f"{power:.3f}" if power else "-"]
            )
    return table([*header, "power, 0.05"], rows)


def _worst_side(found: Sequence[Found]) -> str:
    """Times its level, the most that one side of a computed interval errs."""
    sides = [each.share(f"one side {alpha}") / alpha for each in found for alpha in ALPHAS if each.counts]
    return f"{max(sides, default=0.0):.2f}"
