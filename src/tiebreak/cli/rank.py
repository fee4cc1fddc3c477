"""`tiebreak rank`: ratings and leaderboards."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from tiebreak.cli.setting_options import (
    AllOption,
    JsonOption,
    OwnAnalysisOption,
    PlaceArgument,
    StrictOption,
    option,
    with_settings,
)
from tiebreak.cli.show_ranks import show_ranks
from tiebreak.cli.terminal import write_json, write_remark
from tiebreak.files import refuse_inside
from tiebreak.places.estimates import rank_at
from tiebreak.report.document import check_report_path
from tiebreak.report.formats import ENDINGS, check_table, write_table
from tiebreak.report.leaderboard import write_leaderboard
from tiebreak.results.rank_settings import RankSettings


@with_settings(RankSettings)
def rank_command(
    study: PlaceArgument,
    settings: RankSettings,
    own_analysis: OwnAnalysisOption = False,
    strict: StrictOption = False,
    everything: AllOption = False,
    as_json: JsonOption = False,
    out: Annotated[
        Path | None,
        option(f"Also write the leaderboard: {ENDINGS}.", "FILE"),
    ] = None,
    report: Annotated[
        Path | None,
        option("Also write the leaderboard with pictures: .html.", "FILE"),
    ] = None,
) -> None:
    """Rate every system from comparisons: a leaderboard with intervals, ranges of places and tiers.

    Ratings by Davidson's model, on the Elo scale, from human preferences or ratings, from judges, or from several of
    them. It says what a rating rests on, and where one scale does not fit.

    Example: tiebreak rank my-study --anchor gpt-4 --out leaderboard.tex
    """
    if out is not None:
        check_table(out)
        refuse_inside(study, out)
    if report is not None:
        check_report_path(report)
        refuse_inside(study, report)
    result = rank_at(study, settings, own_analysis=own_analysis, strict=strict)
    for target, write in ((out, write_table), (report, write_leaderboard)):
        if target is not None:
            write(result, target)
            write_remark(f"Wrote {target}")
    if as_json:
        write_json(result.to_dict())
    else:
        show_ranks(result, everything=everything)
