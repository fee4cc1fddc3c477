"""The page docs/certification_scores.md, from what came of the cells."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

from benchmarks.one_look.found import LUCK, Found, too_high
from benchmarks.pages import table
from benchmarks.scores import audits, estimates, prose
from benchmarks.scores.intervals import ALPHA, missed

SECTIONS: Final = {
    "estimate": "`estimate`, one look",
    "audit": "`audit`, one look",
    "every look": "campaigns of ratings, every look",
    "whole campaigns": "campaigns of ratings, where a width ends them",
}
PROMISES: Final = {1.0: "0.05", 1.1: "0.055", 1.6: "0.08"}

_AGREEMENT: Final = ("agreement", "decided", "a preferred", "kappa", "flips", "errors of two")
_WIN_RATES: Final = ("people", "judge", "difference", "corrected", "corrected by chances")
_CHANCES: Final = ("Brier", "log loss", "too sure", "reliability")


def page(found: Sequence[Found], command: str, minutes: float) -> str:
    """The whole page."""
    failed = {(id(each), event) for each, event in too_high(list(found))}
    by = {name: [each for each in found if each.cell.section == name] for name in SECTIONS}

    def rows(section: str, names: Sequence[str], control: str | None = None) -> str:
        shown = dict.fromkeys(names) | ({control: None} if control else {})
        return _table(by[section], {name: _TITLES.get(name, name) for name in shown}, failed)

    return "\n".join(
        [
            prose.INTRODUCTION.format(
                command=command,
                cells=len(found),
                studies=f"{sum(each.runs for each in found):,}",
                minutes=minutes,
                luck=round(1 / LUCK),
            ),
            _summary(by, failed),
            prose.ESTIMATE,
            rows("estimate", [*estimates.FIGURES]),
            prose.AUDIT,
            rows("audit", _AGREEMENT, "single comparisons"),
            prose.WIN_RATES,
            rows("audit", _WIN_RATES, "by the judge alone"),
            prose.CHANCES,
            rows("audit", _CHANCES),
            prose.LOOKS,
            rows("every look", ("width", "bernstein"), "control"),
            prose.CAMPAIGNS,
            _campaigns(by["whole campaigns"], failed),
            prose.MORE,
        ]
    )


_TITLES: Final[Mapping[str, str]] = {
    **estimates.FIGURES,
    **{name: name for name in audits.FIGURES},
    "single comparisons": "by itself",
    "by the judge alone": "judge alone",
    "corrected by chances": "corrected by probabilities",
    "width": "`width`",
    "bernstein": "`bernstein`",
}


def _share(of: Found, name: str, failed: set[tuple[int, str]]) -> str:
    share = of.share(missed(name))
    if math.isnan(share):
        return "-"
    return f"**{share:.3f}**" if (id(of), missed(name)) in failed else f"{share:.3f}"


def _table(found: Sequence[Found], titles: Mapping[str, str], failed: set[tuple[int, str]]) -> str:
    header = ["world", "studies", "corner", *titles.values()]
    rows = [
        [each.cell.world, f"{each.runs:,}", each.cell.because or "-", *(_share(each, name, failed) for name in titles)]
        for each in found
    ]
    return table(header, rows)


def _campaigns(found: Sequence[Found], failed: set[tuple[int, str]]) -> str:
    rows = [
        [each.cell.world, f"{each.runs:,}", _share(each, "width", failed), f"{each.share('ratings'):.0f}"]
        for each in found
    ]
    return table(["world", "campaigns", "any interval wrong", "ratings, mean"], rows)


def _summary(by: Mapping[str, Sequence[Found]], failed: set[tuple[int, str]]) -> str:
    """Per section and limit: the worst share, and how high it may truly be."""
    rows = []
    for section, title in SECTIONS.items():
        for times, limit in PROMISES.items():
            own = [
                (each, event)
                for each in by[section]
                for event in each.cell.limited
                if each.cell.times(event) == times and each.total(event) and event in each.counts
            ]
            if not own:
                continue
            worst = max(own, key=lambda of: of[0].share(of[1]))
            fails = sum((id(each), event) in failed for each, event in own)
            mean = sum(each.share(event) for each, event in own) / len(own)
            shown = f"{worst[0].share(worst[1]):.3f} (< {worst[0].highest(worst[1]):.3f})"
            what = f"{worst[1].removesuffix(f' {ALPHA:g}')}: {worst[0].cell.world}"
            holds = f"**fails in {fails}**" if fails else "holds"
            rows.append([title, limit, str(len(own)), f"{mean:.3f}", shown, what, holds])
    return table(["what", "at most", "shares", "mean", "worst", "which", "promise"], rows)
