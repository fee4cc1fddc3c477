"""`tiebreak plan`: how many labels, how much money and time, before spending any."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from tiebreak.cli.rating_plans import show_plans_of_ratings
from tiebreak.cli.setting_options import Changes, JsonOption, RateOption, argument, option, with_changes
from tiebreak.cli.show_plan import show_plan
from tiebreak.cli.terminal import write_json, write_remark
from tiebreak.errors import UsageError
from tiebreak.files import refuse_inside
from tiebreak.places import study_at
from tiebreak.planning.assumptions import Assumptions, PilotSettings, PlanSettings, RatingAssumptions, pairs_of
from tiebreak.planning.pilot import read_pilot
from tiebreak.planning.plan import plan, plan_from_pilot
from tiebreak.planning.records import PlanResult
from tiebreak.settings.setting import settings_of


@with_changes({"assumed": Assumptions, "pilot": PilotSettings, "settings": PlanSettings, "ratings": RatingAssumptions})
def plan_command(
    study: Annotated[
        Path | None,
        argument("A pilot study, instead of assumptions.", "[STUDY]"),
    ] = None,
    *,
    rate: RateOption = None,
    changes: Changes,
    plot: Annotated[
        Path | None,
        option("Also draw the power curve: .svg, .png or .pdf.", "FILE"),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Plan a comparison: labels, money and days until a verdict, and what a budget can find.

    From assumptions about the pairs, or from a pilot study. With --half-width, the ratings that means or differences
    of mean ratings need.

    Example: tiebreak plan --difference 0.1 --number-of-systems 4 --price 0.1 --max-money 200

    Example: tiebreak plan --rate fluency=1:5 --half-width 0.2 --number-of-systems 4 --sigma-a 0.8 --price 0.1
    """
    assumed, of_pilot, settings = (dict(changes[table]) for table in ("assumed", "pilot", "settings"))
    if rate or changes["ratings"]:
        show_plans_of_ratings(study, changes, rate or (), plot, as_json=as_json)
        return
    _check_source(study, assumed, of_pilot)
    _check_plot(study, plot)
    if study is None:
        result = plan(_assumptions(assumed), PlanSettings(**settings))
    else:
        result = _from_pilot(study, PilotSettings(**of_pilot), settings, assumed.get("metric_correlation"))
    if plot is not None:
        _draw(result, plot)
    if as_json:
        write_json(result.to_dict())
    else:
        show_plan(result)


def _check_source(study: Path | None, assumed: Mapping[str, Any], of_pilot: Mapping[str, Any]) -> None:
    """Refuse options that belong to the other source."""
    if study is None and "difference" not in assumed:
        raise UsageError("plan from what? Give a --difference to find, such as 0.1, or the folder of a pilot study")
    if study is None:
        for named in settings_of(PilotSettings):
            if named.name in of_pilot:
                raise UsageError(
                    f"{named.option} is for a pilot study; with assumptions say --number-of-systems or "
                    "--number-of-pairs"
                )
        return
    for named in settings_of(Assumptions):
        if named.name in assumed and named.name != "metric_correlation":
            raise UsageError(f"a pilot has its own differences, ties and pairs: leave {named.option} out")


def _assumptions(given: dict[str, Any]) -> Assumptions:
    """The assumptions; without a number of pairs, all pairs of the systems."""
    if "number_of_pairs" in given:
        return Assumptions(**{"number_of_systems": None, **given})
    assumed = Assumptions(**given)
    return replace(assumed, number_of_pairs=pairs_of(assumed.number_of_systems or 2, baseline=False))


def _check_plot(study: Path | None, plot: Path | None) -> None:
    if plot is None:
        return
    from tiebreak.report.figures.canvas import check_figure_path

    check_figure_path(plot)
    if study is not None:
        refuse_inside(study, plot)


def _from_pilot(study: Path, of: PilotSettings, given: dict[str, Any], correlation: float | None) -> PlanResult:
    """Price and seconds are the pilot's where no option gives them."""
    data = study_at(study)
    chosen = data if of.systems is None else data.select(systems=of.systems)
    pilot = read_pilot(chosen, of.criterion, of.baseline, of.tie_threshold)
    known = {"price": pilot.price or None, "seconds": pilot.seconds}
    settings = PlanSettings(**{**known, **given}, currency=pilot.currency)
    return plan_from_pilot(pilot, settings, correlation)


def _draw(result: PlanResult, path: Path) -> None:
    from tiebreak.report.figures.canvas import save
    from tiebreak.report.figures.curves import PowerLine, power_curve

    lines = [PowerLine(curve.difference, curve.labels, curve.chances) for curve in result.curves]
    labels = result.settings.budget_in_labels
    save(power_curve(lines, budget=None if labels is None else labels // result.number_of_pairs), path)
    write_remark(f"Wrote {path}")
