"""The kinds of pictures by name, for the command line. Naming them loads no library that draws."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from tiebreak.errors import UsageError, did_you_mean
from tiebreak.settings.checks import written_names

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from tiebreak.results.order import EvidenceCurve
    from tiebreak.results.records import CompareResult

KINDS: Final[dict[str, str]] = {
    "systems": "the win rate, or the mean rating, of every system, and letters for those not told apart",
    "matrix": "every verdict in one square",
    "intervals": "the difference of every pair with its interval",
    "evidence": "the evidence on one pair against its items, by --rule anytime",
    "learning": "how near every pair came to a verdict against its items, by --rule anytime",
    "preferences": "how often each system was preferred",
    "annotators": "labels per annotator",
    "metric": "what metrics and judges said against what people said",
}

ESTIMATE_KINDS: Final[dict[str, str]] = {
    "means": "the mean rating of every system with its interval",
    "widths": "widths of a mean rating's interval against the number of ratings, with a metric",
    "correlations": "how each metric goes with people's ratings, system by system",
    "ratings": "what people and a metric say of every output and system, with quadrants",
    "efficiency": "how many ratings each metric saves, by its correlation and by how much people differ",
}
"""Pictures of what `estimate` finds."""

PANEL_KINDS: Final[dict[str, str]] = {
    "agreement": "how far each annotator agrees with the others",
}
"""Pictures of what `annotators` finds."""

RANK_KINDS: Final[dict[str, str]] = {
    "leaderboard": "ratings with their intervals and the places that systems may have",
    "win-rates": "how often each system won against each other one, in one square",
}
"""Pictures of what `rank` finds."""


def check_kind(kind: str) -> None:
    """Raise UsageError for a kind of picture that does not exist."""
    known = (*KINDS, *ESTIMATE_KINDS, *PANEL_KINDS, *RANK_KINDS)
    if kind not in known:
        raise UsageError(f"no kind of picture {kind!r}{did_you_mean(kind, known)}; choose from {', '.join(known)}")


def draw(kind: str, result: CompareResult, pair: Sequence[str] | None = None) -> Figure:
    """The picture of this kind; `pair`: the two systems whose evidence to draw, needed where there are several pairs.

    Raises:
        UsageError: no such kind or pair, several criteria for evidence, or nothing to draw.
    """
    from tiebreak.report import figures
    from tiebreak.report.figures.canvas import by_criterion

    check_kind(kind)
    if pair is not None and kind != "evidence":
        raise UsageError(f"a picture of kind {kind} shows all pairs; --pair is for evidence")
    if kind == "evidence":
        figure = figures.evidence(_curve(result, pair))
    elif kind == "systems":
        figure = figures.systems(result)
    else:
        figure = by_criterion(getattr(figures, kind), result)  # each kind has the name of what draws it
    return _marked(figure, result)


def _marked(figure: Figure, result: CompareResult) -> Figure:
    """A picture of an own analysis says so, lest it be taken for the verdict of the campaign or the looks."""
    from tiebreak.messages.own_analysis import whose_labels
    from tiebreak.report.style import short_names

    if result.own_analysis is not None:
        own = result.own_analysis
        (name,) = short_names([own.name]).values()
        text = f"Own analysis of {whose_labels(replace(own, name=name))}, not its verdict"
        figure.suptitle(text, fontsize="small", parse_math=False)
    return figure


def _curve(result: CompareResult, pair: Sequence[str] | None) -> EvidenceCurve:
    from tiebreak.report.figures.canvas import criterion_of

    curves = [one.curve for one in criterion_of(result.results, None).pairs if one.curve is not None]
    if not curves:
        raise UsageError(f"the rule {result.terms.rule} has no evidence that grows with labels; use --rule anytime")
    if pair is None:
        if len(curves) > 1:
            example = shlex.quote(written_names([curves[0].system_a, curves[0].system_b]))
            raise UsageError(
                f"there are {len(curves):,} pairs; name the one to draw with --pair A,B, as in --pair {example}"
            )
        return curves[0]
    for curve in curves:
        if sorted(pair) == sorted((curve.system_a, curve.system_b)):
            return curve
    known = sorted({name for curve in curves for name in (curve.system_a, curve.system_b)})
    wrong = [name for name in pair if name not in known]
    if wrong:
        raise UsageError(f"no system {wrong[0]!r}{did_you_mean(wrong[0], known)}")
    raise UsageError(
        f"no pair {', '.join(pair)} was compared: --pair takes two systems, as in --pair "
        f"{shlex.quote(written_names(known[:2]))}"
    )
