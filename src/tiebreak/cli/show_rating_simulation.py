"""Simulated campaigns of ratings in the terminal."""

from __future__ import annotations

from tiebreak.campaign import Protocol
from tiebreak.campaign.stopping import STOPPING_RULES
from tiebreak.cli.tables import ShownColumn, name_column, show_table
from tiebreak.cli.terminal import console_for_results, heading, say
from tiebreak.results.numbers import counted, in_percent, money, number, plain
from tiebreak.simulate.engines.step_engine import RUN_ENDS
from tiebreak.simulate.runs.rating_runs import RatingSummary


def show_rating_simulation(protocol: Protocol, found: RatingSummary) -> None:
    """How the campaigns ended, what they took, and whether their intervals held."""
    console = console_for_results()
    title = STOPPING_RULES[protocol.decision.rule].title
    say(console, f"{counted(found.runs, 'simulated campaign')} of ratings: {title}, "
                 f"alpha {plain(protocol.decision.alpha)}.")  # fmt: skip
    ends = ", ".join(f"{RUN_ENDS[why]} {count:,}" for why, count in found.ended.items())  # type: ignore[index]
    say(console, f"Ended: {ends}.")
    cost = "" if protocol.labels.price is None else f", {money(found.cost, protocol.labels.currency)}"
    say(
        console,
        f"Ratings: {found.labels:,.0f} on average ({found.labels_low:,.0f} to {found.labels_high:,.0f} in eight of "
        f"ten){cost}.",
    )
    say(console, f"All intervals held at once in {in_percent(found.covers)} of the campaigns.")
    if protocol.ratings.until == "directions":
        say(console, f"A wrong direction was found in {in_percent(found.wrong)} of them.")
    heading(console, "Measures")
    columns = [
        name_column("System" if all(len(of.systems) == 1 for of in found.measures) else "Difference"),
        ShownColumn("Criterion", said="on {}"),
        ShownColumn("Truth", said="truth {}"),
        ShownColumn("Known", said="known in {}"),
        ShownColumn("Interval held", said="interval held in {}"),
        ShownColumn("Items", said="{} items"),
    ]
    rows = [
        (
            " - ".join(of.systems),
            of.criterion,
            number(of.truth),
            in_percent(of.known),
            in_percent(of.covers),
            f"{of.items:,.0f}",
        )
        for of in found.measures
    ]
    show_table(console, columns, rows)
