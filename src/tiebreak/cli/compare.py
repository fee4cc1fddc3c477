"""`tiebreak compare`: the main job."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tiebreak.cli.setting_options import (
    AllOption,
    JsonOption,
    OwnAnalysisOption,
    PlaceArgument,
    StrictOption,
    TableChoice,
    TableOption,
    option,
    with_settings,
)
from tiebreak.cli.show_comparison import show_against, show_comparison
from tiebreak.cli.terminal import write_json, write_remark
from tiebreak.comparison.against import evaluate_against, load_result
from tiebreak.comparison.condition import condition_from
from tiebreak.files import refuse_inside
from tiebreak.places import result_at, study_behind
from tiebreak.report.document import check_report_path, html
from tiebreak.report.formats import ENDINGS, check_table, write_systems, write_table
from tiebreak.results.records import CompareResult
from tiebreak.results.settings import CompareSettings
from tiebreak.settings.shared import MORE


@with_settings(CompareSettings)
def compare_command(
    study: PlaceArgument,
    settings: CompareSettings,
    against: Annotated[
        Path | None,
        option("Count errors against a saved --json.", "RESULT.json", panel=MORE),
    ] = None,
    own_analysis: OwnAnalysisOption = False,
    strict: StrictOption = False,
    everything: AllOption = False,
    fail_unless: Annotated[
        list[str] | None,
        option("Exit with 3 unless A is better ('A >= B': or equivalent); repeatable.", "'A > B'"),
    ] = None,
    as_json: JsonOption = False,
    out: Annotated[
        Path | None,
        option(f"Also write the table: {ENDINGS}.", "FILE"),
    ] = None,
    table: TableOption = TableChoice.all,
    report: Annotated[
        Path | None,
        option("Also write the report with pictures: .html.", "FILE"),
    ] = None,
) -> None:
    """Decide which system is better, for every pair, from human labels, and metrics if you name them.

    The verdicts are for one look at a finished set of labels. Per pair: a verdict in words, the difference P(A
    preferred) - P(B preferred) with its interval, the labels used, or about how many more are needed. Of a campaign or
    its export: the campaign's own verdict.

    Example: tiebreak compare my-study --margin 0.1 --out verdicts.md
    """
    conditions = [condition_from(text) for text in fail_unless or ()]
    _check_files(study, out, report)
    reference = None if against is None else load_result(against)
    result = result_at(study, settings, own_analysis=own_analysis, strict=strict)
    unmet = {str(condition): why for condition in conditions if (why := condition.unmet(result))}
    _write_files(study, result, out, table, report)
    comparison = None if reference is None else evaluate_against(result, reference, reference_name=str(against))
    if as_json:
        document = result.to_dict() | ({} if comparison is None else {"against": comparison.to_dict()})
        write_json(document | ({"unmet": unmet} if conditions else {}))
    else:
        show_comparison(result, everything=everything)
        if comparison is not None:
            show_against(comparison)
    for condition, why in unmet.items():
        write_remark(f"Not shown: {condition} ({'; '.join(why)})")
    if unmet:
        raise typer.Exit(3)


def _check_files(study: Path, out: Path | None, report: Path | None) -> None:
    """Refuse impossible files before any work is done."""
    if out is not None:
        check_table(out)
        refuse_inside(study, out)
    if report is not None:
        check_report_path(report)
        refuse_inside(study, report)


def _write_files(study: Path, result: CompareResult, out: Path | None, table: TableChoice, report: Path | None) -> None:
    if out is not None:
        (write_systems if table == TableChoice.systems else write_table)(result, out)
        write_remark(f"Wrote {out}")
    if report is not None:
        html(result, report, study_behind(study))
        write_remark(f"Wrote {report}")
