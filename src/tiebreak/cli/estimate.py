"""`tiebreak estimate`: mean ratings with intervals, and what metrics save."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

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
from tiebreak.cli.show_estimates import show_estimates, show_examples, show_measured
from tiebreak.cli.terminal import write_json, write_remark
from tiebreak.errors import UsageError
from tiebreak.files import check_place, refuse_inside, write_bytes
from tiebreak.places.estimates import campaign_estimates_at, estimate_at
from tiebreak.places.pictures import page_of_estimates, points_of
from tiebreak.report.formats import PAGE_ENDINGS, check_table, write_systems, write_table
from tiebreak.results.estimate_settings import EstimateSettings
from tiebreak.results.measured import MeasuredResult


@with_settings(EstimateSettings)
def estimate_command(
    study: PlaceArgument,
    settings: EstimateSettings,
    own_analysis: OwnAnalysisOption = False,
    strict: StrictOption = False,
    everything: AllOption = False,
    as_json: JsonOption = False,
    out: Annotated[
        Path | None,
        option(f"Also write the means: {PAGE_ENDINGS}, the last a page with pictures and outputs to read.", "FILE"),
    ] = None,
    table: TableOption = TableChoice.all,
    examples: Annotated[
        bool, option("Show outputs on which people and metrics agree or differ most.", "", "--examples")
    ] = False,
) -> None:
    """Estimate the mean rating of every system, with intervals, from few ratings and free metrics.

    Per system and criterion: the mean rating, alone and with the metrics that you name (control variates); differences
    between systems, item by item; what ratings vary by; how many ratings each metric saves, and what no metric could.

    Example: tiebreak estimate my-study --metric bleu
    """
    page = out is not None and _is_page(out)
    if out is not None:
        check_place(out) if page else check_table(out, PAGE_ENDINGS)
        refuse_inside(study, out)
    own = None if own_analysis else campaign_estimates_at(study)
    if own is not None:
        _show_campaign(own, study, settings, out, table, examples=examples, as_json=as_json)
        return
    result = estimate_at(study, settings, own_analysis=own_analysis, strict=strict)
    if out is not None:
        if page:
            write_bytes(out, page_of_estimates(study, result).encode())
        else:
            (write_systems if table == TableChoice.systems else write_table)(result, out)
        write_remark(f"Wrote {out}")
    points = points_of(study, result) if examples else ()
    if as_json:
        write_json(result.to_dict() | ({"examples": [of.to_dict() for of in points]} if examples else {}))
        return
    show_estimates(result, everything=everything)
    if examples:
        show_examples(points)


def _show_campaign(
    own: MeasuredResult,
    path: Path,
    settings: EstimateSettings,
    out: Path | None,
    table: TableChoice,
    *,
    examples: bool,
    as_json: bool,
) -> None:
    """The estimates of a campaign go by its own protocol."""
    if settings != EstimateSettings() or examples or table != TableChoice.all or (out is not None and _is_page(out)):
        raise UsageError(
            f"{path} is a campaign of ratings, whose estimates go by its own protocol: leave out other options, or add "
            "--own-analysis to analyse its labels afresh"
        )
    if out is not None:
        write_table(own, out)
        write_remark(f"Wrote {out}")
    if as_json:
        write_json(own.to_dict())
    else:
        show_measured(own)


def _is_page(out: Path) -> bool:
    return out.suffix.lower() in (".html", ".htm")
