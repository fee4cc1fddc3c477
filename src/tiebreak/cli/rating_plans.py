"""`tiebreak plan --half-width`: from options, or from a pilot of ratings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from tiebreak.cli.setting_options import Changes
from tiebreak.cli.show_plan import show_rating_plans
from tiebreak.cli.terminal import write_json
from tiebreak.errors import UsageError
from tiebreak.estimation.estimate import estimate_with
from tiebreak.live.new_protocol import rated_criterion
from tiebreak.messages.estimates import WHY_NO_GAMMA
from tiebreak.numbers import listed_names, quoted
from tiebreak.places import study_at
from tiebreak.planning.assumptions import RatingAssumptions
from tiebreak.planning.rating_plan import RatingPlan, RatingTerms, plan_ratings
from tiebreak.results.estimate_settings import EstimateSettings
from tiebreak.settings.protocol import RatedCriterion

_TAKEN: Final = {
    "assumed": ("number_of_systems",),
    "pilot": ("systems", "criterion"),
    "settings": ("alpha", "target", "number_of_items", "price"),
}
"""Options of a plan of comparisons that one of ratings has too."""


def show_plans_of_ratings(
    study: Path | None, changes: Changes, rate: Sequence[str], plot: Path | None, *, as_json: bool
) -> None:
    """Print the plans of all criteria.

    Raises:
        UsageError: options that are for comparisons; no scale; a pilot that does not know its variances.
    """
    _check(changes, plot)
    settings, assumed = changes["settings"], RatingAssumptions(**changes["ratings"])
    if assumed.half_width is None:
        raise UsageError("say how well means are to be known, in points of the ratings: --half-width, such as 0.2")
    if settings.get("target") == "items" and settings.get("number_of_items") is None:
        raise UsageError("a claim about these items needs their number: add --number-of-items")
    terms = RatingTerms(
        settings.get("alpha", 0.05),
        settings.get("target", "inputs"),
        settings.get("number_of_items"),
        settings.get("price"),
    )
    if study is None:
        plans, currency = _from_options(changes, rate, assumed, terms), "$"
    else:
        plans, currency, terms = _from_pilot(study, changes, rate, assumed, terms)
    if as_json:
        write_json({"plans": [plan.to_dict() for plan in plans]})
    else:
        show_rating_plans(plans, terms, currency)


def _check(changes: Changes, plot: Path | None) -> None:
    """Refuse what is for comparisons."""
    other = [
        f"--{name.replace('_', '-')}" for table, taken in _TAKEN.items() for name in changes[table] if name not in taken
    ]
    if plot is not None:
        other.append("--plot")
    if other:
        raise UsageError(f"{', '.join(other)} cannot be given with a plan of ratings: it is for comparisons")


def _from_options(
    changes: Changes, rate: Sequence[str], assumed: RatingAssumptions, terms: RatingTerms
) -> list[RatingPlan]:
    if not rate:
        raise UsageError("say what is rated and its scale: --rate NAME=LOW:HIGH, such as fluency=1:5")
    systems = changes["assumed"].get("number_of_systems", 2)
    rated = [rated_criterion(words, None) for words in rate]
    return [plan_ratings(of, assumed, terms, systems, criteria=len(rated)) for of in rated]


def _from_pilot(
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
