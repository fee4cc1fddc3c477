"""`tiebreak report`: the verdicts on a study as one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from tiebreak.cli.setting_options import OwnAnalysisOption, PlaceArgument, option, with_settings
from tiebreak.cli.terminal import write_remark
from tiebreak.files import refuse_inside
from tiebreak.places import result_at, study_behind
from tiebreak.report.document import check_report_path, html
from tiebreak.results.settings import CompareSettings


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
    check_report_path(out)
    refuse_inside(study, out)
    html(result_at(study, settings, own_analysis=own_analysis), out, study_behind(study))
    write_remark(f"Wrote {out}")
