"""Plans of ratings in the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console

from tiebreak.cli.tables import Column, name_column, show_table
from tiebreak.cli.terminal import console_for_results, heading, say
from tiebreak.planning.rating_plan import RatingPlan, RatingTerms
from tiebreak.results.numbers import counted, money, number, percent, plain, significant


def show_rating_plans(plans: Sequence[RatingPlan], terms: RatingTerms, currency: str) -> None:
    """All criteria, one after the other, and questions by what they cost."""
    console = console_for_results()
    for plan in plans:
        _show(plan, terms, currency, console)
    (first, *_) = plans
    say(console)
    say(
        console,
        "One look: outputs of each system, as many as are fixed beforehand, for tiebreak estimate --confidence "
        f"{plain(first.confidence)}. Every look: a campaign, which stops by itself; ratings and money are those of it.",
    )
    if len(plans) > 1:
        say(console, "People answer about all criteria at once, so that the one that needs most decides.")
    say(
        console,
        f"A pilot of {first.pilot} outputs, of all systems together, which two people rate each, tells these numbers "
        "to within about 30% in eight of ten cases.",
    )
    few = [plan for plan in plans if plan.outputs is not None and plan.outputs < plan.pilot]
    if few:
        told = " and ".join(f"{plan.outputs or 0:,} on {plan.criterion.name}" for plan in few)
        say(console, f"{first.source} has fewer ({told}): numbers may be far off.", style="yellow")
    if first.prompts:
        _show_prompts(first, currency, console)


def _show(plan: RatingPlan, terms: RatingTerms, currency: str, console: Console) -> None:
    of = plan.criterion
    heading(console, f"{of.name} ({plain(of.low)} to {plain(of.high)})", "bold underline")
    what = "every system's mean" if plan.assumed.until == "means" else "the difference of any two means"
    at_once = f", all {plan.measures:,} at once" if plan.measures > 1 else ""
    scope = "inputs like these" if terms.target == "inputs" else f"these {terms.items or 0:,} items"
    say(
        console,
        f"To know {what} to ±{significant(plan.assumed.half_width or 0.0)} ({percent(1 - terms.alpha)}{at_once}; "
        f"{counted(plan.systems, 'system')}; {scope}):",
    )
    basis = "Assumed" if plan.source is None else f"From the pilot {plan.source}"
    say(
        console,
        f"{basis}: outputs of one system differ by a variance of {significant(plan.sigma_f2)}, ratings of one output "
        f"by {significant(plan.sigma_a2)} (gamma {number(plan.gamma)}).",
    )
    columns = [
        name_column("Per output"),
        Column("One look", said="{} outputs per system at one look"),
        Column("With the metric", said="{} with the metric"),
        Column("Every look", said="{} outputs per system at every look"),
        Column("Ratings", said="{} ratings in all"),
        Column("Money"),
    ]
    rows = [
        (
            _people(row.people),
            _count(row.one_look),
            "" if plan.assumed.metric_rho is None else _count(row.with_metric),
            _count(row.every_look),
            _count(row.ratings),
            "" if row.money is None else money(row.money, currency),
        )
        for row in plan.rows
    ]
    show_table(console, columns, rows)
    if plan.cheapest is None:
        say(console, "There are not enough items for this width: add items, or ask for a wider one.")
    else:
        why = ": a new output tells more than a second rating of one" if plan.cheapest == 1 else ", for want of items"
        say(console, f"Cheapest: {_people(plan.cheapest)} per output{why}.")


def _people(count: int) -> str:
    return "1 person" if count == 1 else f"{count} people"


def _count(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"


def _show_prompts(plan: RatingPlan, currency: str, console: Console) -> None:
    heading(console, "Questions by what the same certainty costs: price × (1 + gamma)")
    columns = [name_column("Question"), Column("Price"), Column("Gamma"), Column("Price × (1 + gamma)")]
    rows = [(one.name, money(one.price, currency), number(one.gamma), number(one.cost)) for one in plan.prompts]
    show_table(console, columns, rows)
