"""A campaign in the terminal: how far it is and what comes next, verdicts, what was spent, people.

What a new campaign will ask, what it costs at most, and how to go on.

How a campaign stands, whatever people are asked in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from tiebreak.campaign import Protocol
from tiebreak.campaign.estimates import estimates, items_if_uniform
from tiebreak.campaign.kinds import kind_of
from tiebreak.campaign.labelling import LABELLING_POLICIES
from tiebreak.cli.show_comparison import show_order, show_pairs
from tiebreak.cli.show_estimates import show_measures, show_metric_use
from tiebreak.cli.terminal import (
    Cell,
    Name,
    bullets,
    console_for_results,
    heading,
    say,
    say_command,
    show_table,
)
from tiebreak.live import LiveCampaign
from tiebreak.live.result import Outlook, Standing, headline_of, names_given_away, outlook
from tiebreak.messages.campaign import exclusion_words, left_out_notice, spending_words
from tiebreak.messages.claims import account_of_pairs, interval_words
from tiebreak.messages.measured import question_words
from tiebreak.numbers import counted, in_percent, listed_names, money, number, plain
from tiebreak.records import Notice
from tiebreak.results.measured import MeasuredResult
from tiebreak.results.progress import CampaignAccount, CampaignProgress
from tiebreak.results.records import CompareResult
from tiebreak.rules.power import ASSUMED_TIES, PlannedPower
from tiebreak.rules.registry import RULES


def progress_of(found: Standing) -> CampaignProgress:
    """Where the campaign stands whose result this is."""
    if found.campaign is None:
        raise ValueError("this is no campaign's result")
    return found.campaign


def show_status(live: LiveCampaign, found: CompareResult) -> None:
    """Print everything."""
    console = console_for_results()
    progress, (criterion,) = progress_of(found), found.results
    say(console, Text.assemble((str(live.folder), "bold"), f": {live.protocol.asked}"))
    say(console, headline_of(found))
    show_next(live, progress, console)
    show_order(criterion, console)
    show_pairs(criterion, found, console)
    say(console)
    for sentence in spending_words(progress, found.undecided):
        say(console, sentence)
    show_metric_use(criterion, console)
    say(console, f"Verdicts {found.terms.guarantee}.", style="dim")
    say(console, f"Intervals {interval_words(criterion.pairs, found.terms)}", style="dim")
    _show_rest(found.warnings, progress, console)


def show_rating_status(live: LiveCampaign, found: MeasuredResult) -> None:
    """Print everything of a campaign of ratings."""
    console, progress = console_for_results(), found.campaign
    say(console, Text.assemble((str(live.folder), "bold"), f": {question_words(found)}"))
    say(console, headline_of(found))
    show_next(live, progress, console)
    show_measures(found, console)
    say(console)
    for sentence in spending_words(progress, found.undecided, "ratings go on"):
        say(console, sentence)
    _show_rest(found.warnings, progress, console)


def _show_rest(warnings: Sequence[Notice], progress: CampaignProgress, console: Console) -> None:
    if warnings:
        heading(console, "Warnings", "bold yellow")
        bullets(console, [warning.text for warning in warnings])
    if progress.people:
        say(console)
        _show_people(progress.people, console)
        for line in exclusion_words(progress):
            say(console, line)


def show_next(live: LiveCampaign, progress: CampaignProgress, console: Console) -> None:
    """The commands that come next."""
    if progress.ended is not None:
        if live.protocol.rates:
            say_command(console, "estimate", live.folder, before="Next: ")
        else:
            say_command(console, "report", live.folder, "-o", "report.html", before="Next: ")
        say_command(console, "campaign", "export", live.folder, "-o", "EXPORT", before="Or: ")
        return
    sheet: tuple[str | Path, ...] = ("campaign", "sheet", live.folder, "--annotator", "NAME", "-o", "FILE.xlsx")
    collect: tuple[str | Path, ...] = ("campaign", "collect", live.folder, "FILE.xlsx")
    all_given = progress.labels_left is not None and progress.labels_left <= progress.labels_out
    steps = [sheet, collect] if progress.labels_out else [sheet]
    if progress.labels_out and (progress.labels_waiting or all_given):  # what is out holds everything up
        steps = [collect] if all_given else [collect, sheet]
    for step, before in zip(steps, ("Next: ", "Or: "), strict=False):
        say_command(console, *step, before=before)


def _show_people(people: tuple[CampaignAccount, ...], console: Console) -> None:
    columns = [Name("Annotator"), "Labels", "Open", "Seconds per label", "First text chosen", "Checks right", "Pay"]
    rows: list[tuple[Cell, ...]] = [
        (
            person.annotator + (" (excluded)" if person.excluded else ""),
            person.labels,
            person.open,
            "" if person.seconds_per_label is None else f"{person.seconds_per_label:,.0f}",
            "" if person.first_text is None else in_percent(person.first_text),
            f"{person.checks_right} of {person.checks}" if person.checks else "",
            "" if person.pay is None else money(person.pay, person.currency),
        )
        for person in people
    ]
    show_table(console, columns, rows)


def show_created(campaign: LiveCampaign) -> None:
    """Print it."""
    console = console_for_results()
    found, protocol, folder = outlook(campaign.state), campaign.protocol, campaign.folder
    sizes = counted(found.systems, "system") + ("" if protocol.rates else f", {counted(found.pairs, 'pair')}")
    items = counted(len(campaign.state.plan.items), "item")
    kind = "a campaign of ratings" if protocol.rates else "a campaign"
    say(console, Text.assemble((str(folder), "bold"), f": {kind} with {sizes}, {items}"))
    say(console, kind_of(protocol).asks(protocol))
    policy = LABELLING_POLICIES[protocol.labels.labelling].in_words(protocol.labels.per_item)
    if protocol.rates:
        policy = policy.replace("per item", "per output")
    say(console, f"Labels: {policy}; {kind_of(protocol).policy(protocol).title}.")
    say(console, _decision_words(campaign))
    if protocol.rates:
        say(console, f"{question_words(estimates(campaign.state))}.{_need_words(campaign)}")
    if text := _plan_words(campaign):
        say(console, text)
    if found.known:
        say(console, f"{counted(found.known, 'comparison')} with identical outputs: ties, without asking anyone.")
    say(console, _most_words(found, protocol))
    if text := _companions_words(protocol):
        say(console, text)
    for text in _notices(campaign):
        say(console, text, style="yellow")
    say(
        console,
        f"A task without an answer goes to somebody else after {plain(protocol.people.hours)} hours, or sooner where "
        "answers wait for it.",
    )
    say(
        console,
        "The protocol is fixed from now on. Keep the folder to yourself: it holds the order of items and names the "
        "systems. Let people answer in a browser, or give them sheets:",
    )
    say_command(console, "campaign", "serve", folder, indent=2)
    say_command(console, "campaign", "sheet", folder, "--annotator", "NAME", "-o", "sheet.xlsx", indent=2)


def created_document(campaign: LiveCampaign) -> dict[str, object]:
    """The same for programs."""
    found = outlook(campaign.state)
    return {
        "campaign": str(campaign.folder),
        "protocol": campaign.protocol.to_dict(),
        "fingerprint": campaign.protocol.fingerprint,
        "systems": list(campaign.state.plan.systems),
        "pairs": found.pairs,
        "items": len(campaign.state.plan.items),
        "identical": found.known,
        "most_labels": found.labels,
        "most_money": found.money,
        "currency": campaign.protocol.labels.currency,
        "warnings": list(_notices(campaign)),
    }


def _notices(campaign: LiveCampaign) -> tuple[str, ...]:
    """What may surprise: pairs that are left out, and texts that give systems away."""
    left_out = left_out_notice([(of.systems, of.why) for of in campaign.state.plan.left_out])
    return (*(notice.text for notice in left_out), *blinding_notices(campaign))


def blinding_notices(campaign: LiveCampaign) -> list[str]:
    """Where annotators could read the name of a system."""
    told, outputs = names_given_away(campaign.state, campaign.study)
    found = []
    if told:
        found.append(f"The question or the instructions name a system ({listed_names(told)}): people will look for it.")
    if outputs:
        found.append(
            f"{counted(outputs, 'output')} {'names' if outputs == 1 else 'name'} the system that wrote "
            f"{'it' if outputs == 1 else 'them'}, which people will read."
        )
    return found


def _companions_words(protocol: Protocol) -> str:
    """Why not all items are labelled, where that is so for the metrics' sake."""
    decision, limit = protocol.decision, protocol.budget.items_per_pair
    if not (decision.metrics or decision.judges) or decision.target != "inputs":
        return ""
    if not RULES[decision.rule].predicts:
        return ""
    names = listed_names((*decision.metrics, *decision.judges))
    return (
        f"{names} can help only through items that nobody labels: of a pair at most {counted(limit or 0, 'item')} "
        f"{'is' if limit == 1 else 'are'} labelled (--items-per-pair)."
    )


def _plan_words(campaign: LiveCampaign) -> str:
    """What the shortest plan of a pair finds, and what another plan would; "" where nothing is planned."""
    plan, rule = campaign.state.plan, RULES[campaign.protocol.decision.rule]
    if not rule.plans_items or any(of.walk is None for of in plan.rule_plans):
        return ""
    power = PlannedPower(plan.rule_plans[0].bets.level, 1 - ASSUMED_TIES)
    planned, items = min((track.most_units, len(track.needs)) for track in plan.tracks)
    other = min(2 * planned, items) if items > planned else planned // 2
    found, beside = (power.found(count) if count else None for count in (planned, other))
    if found is None:
        return f"{counted(planned, 'item')} of a pair are too few to find any difference with a chance of 80%."
    at = f"with a chance of 80%, if {in_percent(ASSUMED_TIES)} of items are ties"
    more = "" if beside is None else f"; a plan for {other:,} items finds {number(beside)}"
    return f"This plan finds a difference of {number(found)} or more {at}{more}."


def _decision_words(campaign: LiveCampaign) -> str:
    protocol, pairs = campaign.protocol, len(campaign.state.measures)
    decision = protocol.decision
    rule = RULES[decision.rule].described(campaign.state.plan.rule_plans)
    parts = [f"Stops by: {rule}", f"alpha {plain(decision.alpha)}"]
    if protocol.rates and pairs > 1:
        parts.append("each by itself" if decision.multiplicity == "none" else f"all {pairs:,} intervals at once")
    elif pairs > 1:
        parts.append(account_of_pairs(decision))
    if decision.margin is not None:
        parts.append(f"margin {plain(decision.margin)}")
    parts.append("a claim about " + ("inputs like these" if decision.target == "inputs" else "these items only"))
    if decision.metrics or decision.judges:
        parts.append(f"with {listed_names((*decision.metrics, *decision.judges))}")
    return ", ".join(parts) + "."


def _most_words(found: Outlook, protocol: Protocol) -> str:
    cost = "" if found.money is None else f", {money(found.money, protocol.labels.currency)}"
    most = f"At most {counted(found.labels, 'label')}{cost}"
    if RULES[protocol.decision.rule].looks == "one":
        why = " (the budget)" if found.within_budget else ""
        return f"{most}{why}; all pairs are decided together, when each has its items."
    if protocol.rates:
        why = "the budget" if found.within_budget else "if every output had to be rated"
        return f"{most} ({why}); a system of which enough is known is asked about no more."
    why = "the budget" if found.within_budget else "if every item of every pair had to be asked"
    return f"{most} ({why}); a pair that is decided is asked no more."


def _need_words(campaign: LiveCampaign) -> str:
    """What a campaign may take: if ratings take all values of their scales equally often."""
    needs = [count for count in items_if_uniform(campaign.state) if count is not None]
    if not needs:
        return ""
    return f" If all ratings of a scale come equally often, that takes about {counted(max(needs), 'item')} per system."
