"""A plan in the terminal: the answer first, then what was assumed, the alternatives, and what a budget finds.

Plans of ratings in the terminal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from tiebreak.cli.terminal import Cell, Name, Terminal
from tiebreak.numbers import (
    counted,
    in_percent,
    interval,
    money,
    number,
    percent,
    plain,
    price_of_about,
    rounded,
    significant,
)
from tiebreak.planning.assumptions import PLANNED, PlanSettings
from tiebreak.planning.plan import FIXED, WITH_METRIC
from tiebreak.planning.rating_plan import RatingPlan, RatingTerms
from tiebreak.planning.records import PeoplePlan, PlanResult, PlanRow, Range
from tiebreak.rules.power import CHANCE
from tiebreak.rules.registry import RULES

_PAIRS_SHOWN = 30


def show_plan(result: PlanResult, console: Terminal) -> None:
    """Print the whole plan."""
    _show_heading(result, console)
    _show_rows(result, console)
    if result.pair_plans:
        _show_pairs(result, console)
    if result.reach:
        _show_power(result, console)
    if result.people is not None:
        _show_people(result.people, console)


def _show_heading(result: PlanResult, console: Terminal) -> None:
    settings, rates = result.settings, result.rates
    who = f" of {counted(result.number_of_systems, 'system')}" if result.number_of_systems is not None else ""
    scope = "inputs like these" if settings.target == "inputs" else f"these {settings.number_of_items:,} items"
    rule = RULES[settings.rule]
    together = "tested together" if rule.controls_error else "each by itself"
    tests = f"{result.number_of_pairs:,} pairs{who}, {together}" if result.number_of_pairs > 1 else f"1 pair{who}"
    margin = f", margin {plain(settings.margin)}" if settings.margin is not None else ""
    claim = f"{rule.level} {plain(settings.alpha)}{margin}, a claim about {scope}"
    how = "measured" if result.agreement_known and result.source is not None else "assumed"
    agreement = f"two people's labels correlate by {number(rates.agreement)} ({how})"
    basis = f"{in_percent(rates.ties)} ties, {agreement}"
    if result.source is not None:
        basis = f"From the pilot {result.source}: {basis}; the differences are as uncertain as it leaves them."
    else:
        metric = result.metric_correlation
        basis += "" if metric is None else f", a metric that correlates by {number(metric)}"
        basis = f"Assumed: a difference of {plain(round(rates.difference, 4))} in every pair, {basis}."
    console.say(_summary(result), style="bold")
    if result.budget is not None:
        console.say()
        console.say(result.budget.words, style="yellow" if result.budget.ways else "green")
        if result.budget.ways:
            console.say("What would help:")
            console.bullets(result.budget.ways)
    console.say()
    console.say(f"{tests}, {claim}.")
    console.say(basis)
    if settings.rule != PLANNED:
        promise = rule.guarantee((), settings.decision(1))
        console.say(f"Rule {rule.name}: {rule.title}. Its verdicts {promise}.")
    if result.items_a_cluster is not None:
        console.say(
            f"Items of the pilot are in clusters, of {result.items_a_cluster:.1f} labelled items on average. This plan "
            "takes items for independent, but a cluster is one unit of evidence, however many items it has: where they "
            "always agree, as many clusters are needed as it says items. tiebreak simulate --replay shows "
            "what the pilot's own would have cost."
        )


def _summary(result: PlanResult) -> str:
    """How many items to plan for, and what that costs."""
    row, settings = result.planned, result.settings
    what = "one label each" if row.policy in ("one", "fixed") else f"{_policy_words(row, result)} on each"
    metric = ", with the metric" if row.rule == WITH_METRIC else ""
    pairs = "per pair" if result.number_of_pairs > 1 else "on the pair"
    cost = f"{_span(row.total, rounded)} labels"
    if settings.price is not None:
        cost += f", {_span(row.total, _price_words(settings))}"
    if row.days is not None and row.hours is not None:
        people = counted(settings.crowd, "person")
        cost += f", {_span(row.hours, _decimal)} hours, {_span(row.days, _decimal)} days for {people}"
    found = "of the pairs" if result.number_of_pairs > 1 else "of campaigns"
    items = f"{row.planned or 0:,} items {pairs} ({what}{metric})"
    said = f"Plan for {items}: that decides {in_percent(row.right)} {found}."
    if row.right < CHANCE:
        said = f"Too few items: {items} decide {in_percent(row.right)} {found}."
    return f"{said} Cost, on average (in brackets 8 of 10 campaigns): {cost}."


def _policy_words(row: PlanRow, result: PlanResult) -> str:
    return f"majority of {result.settings.per_item}" if row.policy == "majority" else row.policy


def _show_rows(result: PlanResult, console: Terminal) -> None:
    all_pairs = ", all pairs" if result.number_of_pairs > 1 else ""
    columns = [Name("labelling"), Name("stopping"), "items", "labels", "10-90%"]
    columns += [f"money{all_pairs}", f"days{all_pairs}", "decided"]
    rows: list[tuple[Cell, ...]] = [
        (
            _policy_words(row, result),
            _stopping_words(row),
            rounded(row.items.mean),
            rounded(row.labels.mean),
            _ends(row.labels),
            "" if result.settings.price is None else _price_words(result.settings)(row.total.mean),
            "" if row.days is None else _decimal(row.days.mean),
            in_percent(row.right),
        )
        for row in result.rows
    ]
    console.heading("One pair (means)")
    console.table(columns, rows)
    if any(row.rule == FIXED for row in result.rows):
        console.say("one look: all items are labelled before anybody looks", style="dim")


def _stopping_words(row: PlanRow) -> str:
    if row.rule == FIXED:
        return "one look"
    if row.rule in (PLANNED, WITH_METRIC):
        return f"planned for {row.planned or 0:,}" + (", metric" if row.rule == WITH_METRIC else "")
    return f"{row.rule}, up to {row.planned or 0:,}"


def _show_pairs(result: PlanResult, console: Terminal) -> None:
    columns = [Name("Pair"), "items in pilot", "difference", "10-90%", "labels", "10-90%", "decided"]
    rows: list[tuple[Cell, ...]] = [
        (
            f"{pair.system_a} : {pair.system_b}",
            pair.pilot_items,
            number(pair.difference),
            interval(pair.low, pair.high),
            rounded(pair.labels.mean),
            _ends(pair.labels),
            in_percent(pair.right),
        )
        for pair in (pair.better_first() for pair in sorted(result.pair_plans, key=lambda pair: pair.labels.mean))
    ]
    console.heading(f"Pair by pair, {_policy_words(result.planned, result)}, from a fresh start")
    console.table(columns, rows, most=_PAIRS_SHOWN, rest="--json")


def _show_power(result: PlanResult, console: Terminal) -> None:
    differences = [f"finds {plain(curve.difference)}" for curve in result.curves]
    columns = ["planned labels on a pair", *differences, "finds in 80%"]
    rows: list[tuple[Cell, ...]] = []
    for reach in result.reach:
        chances = [in_percent(curve.chance_of(reach.labels)) for curve in result.curves]
        found = "nothing" if reach.difference is None else f"{number(reach.difference)} or more"
        rows.append((reach.labels, *chances, found))
    console.heading("What a plan finds (one label per item)")
    console.table(columns, rows)


def _show_people(plan: PeoplePlan, console: Terminal) -> None:
    console.heading("Verdicts about people like these (compare --people random)")
    columns = ["people", "smallest difference found", f"items for {number(plan.difference)}"]
    rows: list[tuple[Cell, ...]] = [
        (row.people, number(row.floor), "none" if row.items is None else rounded(row.items)) for row in plan.rows
    ]
    console.table(columns, rows)
    enough = "more than 1,000" if plan.enough is None else f"{plan.enough:,}"
    console.say(
        f"People's own differences spread by {number(plan.tastes)} around the mean. To find {number(plan.difference)} "
        f"in 80% takes {enough} people, however many items they label; with fewer, ask more people."
    )


def _price_words(settings: PlanSettings) -> Callable[[float], str]:
    """Labels as the price of as many as are printed."""
    return partial(price_of_about, price=settings.price or 0.0, currency=settings.currency)


def _ends(costs: Range, show: Callable[[float], str] = rounded) -> str:
    low, high = show(costs.low), show(costs.high)
    return low if low == high else f"{low} to {high}"


def _span(costs: Range, show: Callable[[float], str]) -> str:
    """`about 640 (150 to 1,200)`."""
    return f"about {show(costs.mean)} ({_ends(costs, show)})"


def _decimal(value: float) -> str:
    return f"{value:.1f}" if value < 10 else rounded(value)


def show_rating_plans(plans: Sequence[RatingPlan], terms: RatingTerms, currency: str, console: Terminal) -> None:
    """All criteria, one after the other, and questions by what they cost."""
    for plan in plans:
        _show(plan, terms, currency, console)
    (first, *_) = plans
    console.say()
    console.say(
        "One look: outputs of each system, as many as are fixed beforehand, for tiebreak estimate --confidence "
        f"{plain(first.confidence)}. Every look: a campaign, which stops by itself; ratings and money are those of it."
    )
    if len(plans) > 1:
        console.say("People answer about all criteria at once, so that the one that needs most decides.")
    console.say(
        f"A pilot of {first.pilot} outputs, of all systems together, which two people rate each, tells these numbers "
        "to within about 30% in eight of ten cases."
    )
    few = [plan for plan in plans if plan.outputs is not None and plan.outputs < plan.pilot]
    if few:
        told = " and ".join(f"{plan.outputs or 0:,} on {plan.criterion.name}" for plan in few)
        console.say(f"{first.source} has fewer ({told}): numbers may be far off.", style="yellow")
    if first.prompts:
        console.heading("Questions by what the same certainty costs: price × (1 + gamma)")
        columns = [Name("Question"), "Price", "Gamma", "Price × (1 + gamma)"]
        rows = [(one.name, money(one.price, currency), number(one.gamma), number(one.cost)) for one in first.prompts]
        console.table(columns, rows)


def _show(plan: RatingPlan, terms: RatingTerms, currency: str, console: Terminal) -> None:
    of = plan.criterion
    console.heading(f"{of.name} ({plain(of.low)} to {plain(of.high)})", "bold underline")
    what = "every system's mean" if plan.assumed.until == "means" else "the difference of any two means"
    at_once = f", all {plan.measures:,} at once" if plan.measures > 1 else ""
    scope = "inputs like these" if terms.target == "inputs" else f"these {terms.items or 0:,} items"
    console.say(
        f"To know {what} to ±{significant(plan.assumed.half_width or 0.0)} ({percent(1 - terms.alpha)}{at_once}; "
        f"{counted(plan.systems, 'system')}; {scope}):"
    )
    basis = "Assumed" if plan.source is None else f"From the pilot {plan.source}"
    console.say(
        f"{basis}: outputs of one system differ by a variance of {significant(plan.sigma_f2)}, ratings of one output "
        f"by {significant(plan.sigma_a2)} (gamma {number(plan.gamma)})."
    )
    columns = [Name("Per output"), "One look", "With the metric", "Every look", "Ratings", "Money"]
    rows = [
        (
            counted(row.people, "person"),
            _count(row.one_look),
            "" if plan.assumed.metric_rho is None else _count(row.with_metric),
            _count(row.every_look),
            _count(row.ratings),
            "" if row.money is None else money(row.money, currency),
        )
        for row in plan.rows
    ]
    console.table(columns, rows)
    if plan.cheapest is None:
        console.say("There are not enough items for this width: add items, or ask for a wider one.")
    else:
        why = ": a new output tells more than a second rating of one" if plan.cheapest == 1 else ", for want of items"
        console.say(f"Cheapest: {counted(plan.cheapest, 'person')} per output{why}.")


def _count(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"
