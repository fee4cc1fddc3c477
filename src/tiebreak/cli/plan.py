"""`tiebreak plan`: what a comparison, or a campaign of ratings, will take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from tiebreak.cli.setting_options import Changes, JsonOption, RateOption, argument, given_options, option, with_changes
from tiebreak.cli.show_plan import show_plan, show_rating_plans
from tiebreak.cli.terminal import console_for_results, write_json
from tiebreak.cli.writing import check_files, check_picture, print_result, write_files
from tiebreak.errors import UsageError
from tiebreak.estimation.estimate import estimate_with
from tiebreak.live.new_protocol import rated_criterion
from tiebreak.messages.estimates import WHY_NO_GAMMA
from tiebreak.numbers import listed_names, quoted
from tiebreak.places import study_at
from tiebreak.planning.assumptions import Assumptions, PilotSettings, PlanSettings, RatingAssumptions, pairs_of
from tiebreak.planning.pilot import read_pilot
from tiebreak.planning.plan import plan, plan_from_pilot
from tiebreak.planning.rating_plan import RatingPlan, RatingTerms, plan_ratings
from tiebreak.planning.records import PlanResult
from tiebreak.results.settings import EstimateSettings
from tiebreak.settings.protocol import RatedCriterion


@with_changes({"assumed": Assumptions, "pilot": PilotSettings, "settings": PlanSettings, "ratings": RatingAssumptions})
def plan_command(
    study: Annotated[Path | None, argument("A pilot study, instead of assumptions.", "[STUDY]")] = None,
    *,
    rate: RateOption = None,
    changes: Changes,
    plot: Annotated[Path | None, option("Also draw the power curve: .svg, .png or .pdf.", "FILE")] = None,
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
    check_files(study, (plot, check_picture))
    if study is None:
        result = plan(_assumptions(assumed), PlanSettings(**settings))
    else:
        result = _from_pilot(study, PilotSettings(**of_pilot), settings, assumed.get("metric_correlation"))
    write_files((plot, partial(_draw, result)))
    print_result(result, show_plan, as_json=as_json)


def _check_source(study: Path | None, assumed: Mapping[str, Any], of_pilot: Mapping[str, Any]) -> None:
    """Refuse options that belong to the other source."""
    if study is None and "difference" not in assumed:
        raise UsageError("plan from what? Give a --difference to find, such as 0.1, or the folder of a pilot study")
    if study is None and (named := given_options(PilotSettings, of_pilot)):
        raise UsageError(
            f"{named[0]} is for a pilot study; with assumptions say --number-of-systems or --number-of-pairs"
        )
    if study is not None and (named := given_options(Assumptions, assumed, ("metric_correlation",))):
        raise UsageError(f"a pilot has its own differences, ties and pairs: leave {named[0]} out")


def _assumptions(given: dict[str, Any]) -> Assumptions:
    """The assumptions; without a number of pairs, all pairs of the systems."""
    if "number_of_pairs" in given:
        return Assumptions(**{"number_of_systems": None, **given})
    assumed = Assumptions(**given)
    return replace(assumed, number_of_pairs=pairs_of(assumed.number_of_systems or 2, baseline=False))


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


def show_plans_of_ratings(
    study: Path | None, changes: Changes, rate: Sequence[str], plot: Path | None, *, as_json: bool
) -> None:
    """Print the plans of all criteria.

    Raises:
        UsageError: options that are for comparisons; no scale; a pilot that does not know its variances.
    """
    other = [
        *given_options(Assumptions, changes["assumed"], ("number_of_systems",)),
        *given_options(PilotSettings, changes["pilot"], ("systems", "criterion")),
        *given_options(PlanSettings, changes["settings"], ("alpha", "target", "number_of_items", "price")),
        *([] if plot is None else ["--plot"]),
    ]
    if other:
        raise UsageError(f"{', '.join(other)} cannot be given with a plan of ratings: it is for comparisons")
    assumed = RatingAssumptions(**changes["ratings"])
    if assumed.half_width is None:
        raise UsageError("say how well means are to be known, in points of the ratings: --half-width, such as 0.2")
    settings = PlanSettings(**changes["settings"])
    terms = RatingTerms(settings.alpha, settings.target, settings.number_of_items, settings.price)
    if study is None:
        plans, currency = _from_options(changes, rate, assumed, terms), "$"
    else:
        plans, currency, terms = _ratings_from_pilot(study, changes, rate, assumed, terms)
    if as_json:
        write_json({"plans": [plan.to_dict() for plan in plans]})
    else:
        show_rating_plans(plans, terms, currency, console_for_results())


def _from_options(
    changes: Changes, rate: Sequence[str], assumed: RatingAssumptions, terms: RatingTerms
) -> list[RatingPlan]:
    if not rate:
        raise UsageError("say what is rated and its scale: --rate NAME=LOW:HIGH, such as fluency=1:5")
    systems = changes["assumed"].get("number_of_systems", 2)
    rated = [rated_criterion(words, None) for words in rate]
    return [plan_ratings(of, assumed, terms, systems, criteria=len(rated)) for of in rated]


def _ratings_from_pilot(
    path: Path, changes: Changes, rate: Sequence[str], assumed: RatingAssumptions, terms: RatingTerms
) -> tuple[list[RatingPlan], str, RatingTerms]:
    """Variances of a study's ratings, within systems; its price where no option gives one."""
    given = [name for name in ("sigma_f", "sigma_a") if name in changes["ratings"]]
    if given or "number_of_systems" in changes["assumed"]:
        raise UsageError(
            "a pilot has its own variances and systems: leave --sigma-f, --sigma-a and --number-of-systems out"
        )
    data = study_at(path)
    said = {name: value for name, value in changes["pilot"].items() if value is not None}
    asked: dict[str, Any] = {"systems": said.get("systems")}
    scales = {of.name: of for of in (rated_criterion(words, data) for words in rate)}
    if scales or "criterion" in said:
        asked["criteria"] = (said["criterion"],) if "criterion" in said else tuple(scales)
    found = estimate_with(data, EstimateSettings(**asked))
    scales = {of.criterion: RatedCriterion(of.criterion, *of.scale) for of in found.results if of.scale} | scales
    if unknown := [of.criterion for of in found.results if of.criterion not in scales]:
        options = " ".join(f"--rate {quoted(f'{name}=LOW:HIGH')}" for name in unknown)
        raise UsageError(f"the scale of {listed_names(unknown)} is not known: add {options}, or [scale] to study.toml")
    if terms.price is None:
        terms = replace(terms, price=data.settings.price_per_label)
    plans = []
    for of in found.results:
        sigma_f2, sigma_a2 = of.variance.sigma_f2.estimate, of.variance.sigma_a2.estimate
        if not sigma_f2 or sigma_a2 is None:
            why = WHY_NO_GAMMA[of.variance.reason] if of.variance.reason else "outputs do not differ"
            raise UsageError(f"the pilot does not tell the variances of {of.criterion}: {why}")
        plans.append(
            plan_ratings(
                scales[of.criterion], assumed, terms, len(of.systems),
                sigma_f2=sigma_f2, sigma_a2=sigma_a2, source=data.name, outputs=of.variance.outputs,
                criteria=len(found.results),
            )
        )  # fmt: skip
    return plans, data.settings.currency, terms
