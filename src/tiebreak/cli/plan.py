"""`tiebreak plan`: how many labels, how much money and time, before spending any."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tiebreak.cli.number_options import number

if TYPE_CHECKING:
    from tiebreak.planning.assumptions import PlanSettings
    from tiebreak.planning.result import PlanResult


def plan_command(
    study: Annotated[
        Path | None,
        typer.Argument(metavar="[STUDY]", help="A pilot study, instead of assumptions.", show_default=False),
    ] = None,
    difference: Annotated[
        float | None,
        typer.Option(metavar="NUMBER", help="P(A preferred) - P(B preferred) in each pair.", show_default=False),
    ] = None,
    ties: Annotated[float, typer.Option(metavar="NUMBER", help="Share of ties among single answers.")] = 0.3,
    agreement: Annotated[
        float | None,
        typer.Option(metavar="NUMBER", help="Correlation of two people's answers (usual: 0.3).", show_default=False),
    ] = None,
    systems: Annotated[
        str | None,
        typer.Option(metavar="N", help="How many systems (2); of a pilot: only these, A,B,...", show_default=False),
    ] = None,
    pairs: Annotated[
        int | None,
        typer.Option(metavar="N", help="How many pairs, if not all: systems - 1 with a baseline.", show_default=False),
    ] = None,
    baseline: Annotated[
        str | None, typer.Option(metavar="SYSTEM", help="Only pairs with this system.", show_default=False)
    ] = None,
    criterion: Annotated[
        str | None, typer.Option(metavar="NAME", help="Which criterion of a pilot.", show_default=False)
    ] = None,
    tie_threshold: Annotated[
        float, typer.Option(metavar="NUMBER", help="Ratings this close or closer are a tie.")
    ] = 0.0,
    alpha: Annotated[
        float,
        typer.Option(metavar="NUMBER", help="Chance of any wrong verdict.", parser=number("--alpha", share=True)),
    ] = 0.05,
    margin: Annotated[
        float | None,
        typer.Option(
            metavar="NUMBER",
            help="Smallest difference that matters.",
            show_default=False,
            parser=number("--margin", share=True),
        ),
    ] = None,
    target: Annotated[
        str, typer.Option(metavar="NAME", help="inputs (inputs like these) | items (these items only).")
    ] = "inputs",
    pool: Annotated[int | None, typer.Option(metavar="N", help="How many items there are.", show_default=False)] = None,
    correlation: Annotated[
        float | None,
        typer.Option(metavar="NUMBER", help="Of a metric or judge with single answers.", show_default=False),
    ] = None,
    price: Annotated[float | None, typer.Option(metavar="MONEY", help="Of one answer.", show_default=False)] = None,
    seconds: Annotated[
        float | None, typer.Option(metavar="NUMBER", help="That one answer takes.", show_default=False)
    ] = None,
    people: Annotated[int, typer.Option(metavar="N", help="Who label at the same time.")] = 1,
    hours_per_day: Annotated[float, typer.Option(metavar="NUMBER", help="That each of them labels.")] = 4.0,
    budget: Annotated[
        float | None, typer.Option(metavar="MONEY", help="What it may cost in all.", show_default=False)
    ] = None,
    labels: Annotated[
        int | None, typer.Option(metavar="N", help="The budget in answers instead.", show_default=False)
    ] = None,
    policy: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="one | fixed | max-three | majority-N; repeatable.", show_default=False),
    ] = None,
    runs: Annotated[int, typer.Option(metavar="N", help="Simulated campaigns.")] = 500,
    seed: Annotated[int, typer.Option(metavar="NUMBER", help="Of the simulation.")] = 1,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Also draw the power curve: .svg, .png or .pdf.", show_default=False),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Plan a comparison: answers, money and days until a verdict, and what a budget can find.

    From assumptions about the pairs, or from a pilot study; by simulated
    campaigns under the rules that give the verdicts later.

    Example: tiebreak plan --difference 0.1 --systems 4 --price 0.1 --budget 200
    """
    from tiebreak.cli.show_plan import show_plan
    from tiebreak.planning.assumptions import POLICIES, Assumptions, PlanSettings, pairs_of
    from tiebreak.simulate.engines.labelling import LabellingPolicy

    _check_source(study, difference, pairs, baseline, criterion)
    _check_plot(study, plot)
    chosen = tuple(dict.fromkeys(LabellingPolicy.parse(name) for name in policy)) if policy else POLICIES
    settings = PlanSettings(
        alpha=alpha,
        margin=margin,
        target=target,  # type: ignore[arg-type]  # checked by PlanSettings
        pool=pool,
        price=price,
        seconds=seconds,
        people=people,
        hours_per_day=hours_per_day,
        # A price may still come from the pilot.
        budget=budget if study is None else None,
        labels=labels,
        policies=chosen,
        runs=runs,
        seed=seed,
    )
    if study is None:
        from tiebreak.planning.plan import plan

        count = _system_count(systems)
        known = None if systems is None and pairs is not None else count
        tested = pairs_of(count, baseline=False) if pairs is None else pairs
        result = plan(Assumptions(difference or 0.0, ties, agreement, known, tested, correlation), settings)
    else:
        result = _from_pilot(study, systems, baseline, criterion, tie_threshold, correlation, settings, budget)
    if plot is not None:
        _draw(result, plot)
    if as_json:
        sys.stdout.write(json.dumps(result.to_dict(), ensure_ascii=False, allow_nan=False) + "\n")
    else:
        show_plan(result)


def _check_source(
    study: Path | None, difference: float | None, pairs: int | None, baseline: str | None, criterion: str | None
) -> None:
    """Refuse options that belong to the other source."""
    from tiebreak.errors import UsageError

    if study is None and difference is None:
        raise UsageError("plan from what? Give a --difference to find, such as 0.1, or the folder of a pilot study")
    if study is not None and (difference is not None or pairs is not None):
        raise UsageError("a pilot has its own differences and pairs: leave --difference and --pairs out")
    if study is None and (baseline is not None or criterion is not None):
        raise UsageError("--baseline and --criterion are for a pilot; with assumptions say how many --pairs there are")


def _check_plot(study: Path | None, plot: Path | None) -> None:
    if plot is None:
        return
    from tiebreak.report.figures.canvas import check_figure_path
    from tiebreak.report.tables import refuse_inside

    check_figure_path(plot)
    if study is not None:
        refuse_inside(study, plot)


def _system_count(systems: str | None) -> int:
    from tiebreak.errors import UsageError

    if systems is None:
        return 2
    if not systems.isdigit():
        raise UsageError(f"with assumptions --systems is how many there are, such as 4, not {systems!r}")
    return int(systems)


def _from_pilot(
    study: Path,
    systems: str | None,
    baseline: str | None,
    criterion: str | None,
    tie_threshold: float,
    correlation: float | None,
    settings: PlanSettings,
    budget: float | None,
) -> PlanResult:
    """Price and seconds are the pilot's where no option gives them."""
    from dataclasses import replace

    from tiebreak.cli.options import names
    from tiebreak.data.readers import read_study
    from tiebreak.planning.pilot import read_pilot
    from tiebreak.planning.plan import plan_from_pilot

    data = read_study(study)
    listed = names(systems)
    pilot = read_pilot(data if listed is None else data.select(systems=listed), criterion, baseline, tie_threshold)
    settings = replace(
        settings,
        price=settings.price or pilot.price or None,
        seconds=settings.seconds or pilot.seconds,
        currency=pilot.currency,
        budget=budget,
    )
    return plan_from_pilot(pilot, settings, correlation)


def _draw(result: PlanResult, path: Path) -> None:
    from tiebreak.report.figures.canvas import save
    from tiebreak.report.figures.power_curve import PowerLine, power_curve

    lines = [PowerLine(curve.difference, curve.answers, curve.chances) for curve in result.curves]
    labels = result.settings.budget_in_labels
    save(power_curve(lines, budget=None if labels is None else labels // result.pairs), path)
    sys.stderr.write(f"Wrote {path}\n")
