"""`tiebreak report`: the verdicts on a study as one HTML file.

`tiebreak plot`: one picture of a comparison, for a paper.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Annotated

from tiebreak.cli.setting_options import (
    Changes,
    OwnAnalysisOption,
    PlaceArgument,
    argument,
    given_options,
    option,
    with_changes,
    with_settings,
)
from tiebreak.cli.terminal import write_remark
from tiebreak.cli.writing import check_files, check_picture
from tiebreak.errors import UsageError
from tiebreak.places import result_at, study_behind
from tiebreak.places.pictures import draw_estimates, draw_panel, draw_ranks
from tiebreak.report.document import check_report_path, html
from tiebreak.report.kinds import ESTIMATE_KINDS, KINDS, PANEL_KINDS, RANK_KINDS, check_kind, draw
from tiebreak.results.settings import CompareSettings, RankSettings
from tiebreak.settings.checks import read_names
from tiebreak.settings.setting import settings_of


@with_settings(CompareSettings)
def report_command(
    study: PlaceArgument,
    settings: CompareSettings,
    out: Annotated[Path, option("Where to write it: .html.", "FILE", "--out", "-o")],
    own_analysis: OwnAnalysisOption = False,
) -> None:
    """Write the verdicts on a study, or those of a campaign, with pictures, as one HTML file.

    The file needs no network and no other file: mail it, print it, open it on a phone. The options are those of
    compare.

    Example: tiebreak report my-study -o report.html
    """
    check_files(study, (out, check_report_path))
    html(result_at(study, settings, own_analysis=own_analysis), out, study_behind(study))
    write_remark(f"Wrote {out}")


_LISTED = ", ".join(f"{name} ({words})" for name, words in (KINDS | ESTIMATE_KINDS | PANEL_KINDS | RANK_KINDS).items())
_SEEN = ("sources", "anchor", "anchor_rating", "left_advantage")
_UNSEEN = [f"rank.{named.name}" for named in settings_of(RankSettings) if named.name not in _SEEN]
"""Settings of rank that compare has, too, or that are not seen in a picture."""


@with_settings(CompareSettings)
@with_changes({"rank": RankSettings}, leave_out=_UNSEEN, panel="Of leaderboard and win-rates", name="ranks")
def plot_command(
    kind: Annotated[str, argument(f"One of: {_LISTED}.", "KIND")],
    study: PlaceArgument,
    settings: CompareSettings,
    ranks: Changes,
    out: Annotated[Path, option("Where to write it: .svg, .png or .pdf.", "FILE", "--out", "-o")],
    pair: Annotated[str | None, option("Only this pair of systems.", "A,B")] = None,
    own_analysis: OwnAnalysisOption = False,
) -> None:
    """Write one picture of the result of a study or campaign as SVG, PNG or PDF.

    The options are those of compare, and for two kinds some of rank; of several criteria name one with --criterion.

    Example: tiebreak plot evidence my-study --rule anytime --pair gpt-4,claude -o evidence.svg
    """
    from tiebreak.report.figures.canvas import save

    check_kind(kind)
    check_files(study, (out, check_picture))
    if ranks["rank"] and kind not in RANK_KINDS:
        given = ", ".join(given_options(RankSettings, ranks["rank"]))
        raise UsageError(f"a picture of kind {kind} takes the options of compare, not {given}")
    if pair is not None and kind not in KINDS:
        raise UsageError(f"a picture of kind {kind} shows systems, not pairs: leave out --pair")
    with warnings.catch_warnings(record=True) as raised:
        warnings.simplefilter("always")
        if kind in KINDS:
            result = result_at(study, settings, own_analysis=own_analysis)
            figure = draw(kind, result, None if pair is None else read_names(pair))
        elif kind in PANEL_KINDS:
            figure = draw_panel(study, settings)
        elif kind in ESTIMATE_KINDS:
            figure = draw_estimates(kind, study, settings, own_analysis=own_analysis)
        else:
            figure = draw_ranks(kind, study, settings, ranks=ranks["rank"], own_analysis=own_analysis)
        save(figure, out)
    glyphs = [warning for warning in raised if "missing from font" in str(warning.message)]
    for warning in raised:
        if warning not in glyphs:
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
    if glyphs:
        write_remark("No installed font has all characters of the names: those without one are drawn as boxes.")
    write_remark(f"Wrote {out}")
