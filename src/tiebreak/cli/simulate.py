"""`tiebreak simulate`: what a campaign would come to, by simulated people or with labels that exist."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from tiebreak.cli import simulate_options as options

if TYPE_CHECKING:
    from tiebreak.simulate.people.answers import Habits
    from tiebreak.simulate.runs.repeat import AgentExperiment, ReplayExperiment
    from tiebreak.simulate.runs.table import RunTable

_STEPS, _QUICK = "steps", "vectorised"
_OF_THE_WORLD = (
    "qualities",
    "items",
    "spread",
    "cluster_size",
    "intraclass",
    "correlation",
    "crowd",
    "capability",
    "indifference",
    "side",
    "spam",
    "seconds",
)


def simulate_command(
    context: typer.Context,
    protocol: options.ProtocolFile = None,
    rule: options.Rule = None,
    alpha: options.Alpha = None,
    margin: options.Margin = None,
    target: options.Target = None,
    multiplicity: options.Multiplicity = None,
    labelling: options.Labelling = None,
    people: options.People = None,
    pairs: options.Pairs = None,
    batch: options.Batch = None,
    items_per_pair: options.ItemsPerPair = None,
    budget_labels: options.BudgetLabels = None,
    budget_money: options.BudgetMoney = None,
    price: options.Price = None,
    criterion: options.Criterion = None,
    systems: options.Systems = None,
    baseline: options.Baseline = None,
    metric: options.Metric = None,
    judge: options.Judge = None,
    order: options.Order = None,
    world: options.World = None,
    qualities: options.Qualities = "0.2,0",
    items: options.Items = 500,
    spread: options.Spread = 0.2,
    cluster_size: options.ClusterSize = 1,
    intraclass: options.Intraclass = 0.0,
    correlation: options.Correlation = None,
    crowd: options.Crowd = None,
    capability: options.Capability = "0.8,1",
    indifference: options.Indifference = 0.1,
    side: options.Side = 0.0,
    spam: options.Spam = 0.0,
    seconds: options.Seconds = 30.0,
    hand: options.Hand = 1,
    forgets: options.Forgets = 0.0,
    leaves: options.Leaves = 0.0,
    replay: options.Replay = None,
    ratings: options.Ratings = "mean",
    tie_threshold: options.TieThreshold = 0.0,
    annotators: options.Annotators = None,
    repetitions: options.Repetitions = None,
    seed: options.Seed = 0,
    engine: options.Engine = "auto",
    workers: options.Workers = None,
    as_json: options.AsJson = False,
    out: options.Out = None,
    plot: options.Plot = None,
) -> None:
    """Run a campaign many times before you pay for it once: by simulated people, or with labels that exist.

    Prints per pair how often it ended with which verdict and at what price, with 95 % intervals over the runs. With
    --replay it says what a campaign would have cost whose labels you have already.

    Example: tiebreak simulate --qualities 0.3,0.1,0 --items 300 --price 0.10 --alpha 0.05

    Example: tiebreak simulate --replay my-study --labelling max-three --repetitions 200
    """
    from tiebreak.cli.options import names
    from tiebreak.cli.show_simulation import show_simulation, simulation_document
    from tiebreak.cli.simulate_settings import agents_for, protocol_from, replay_for, world_for
    from tiebreak.simulate.people.answers import Habits
    from tiebreak.simulate.runs.table import summarise

    _check_files(out, plot, replay)
    _check_numbers(repetitions, seed, workers)
    _check_world(context, world, replay)
    listed = names(systems)
    settings = protocol_from(
        protocol,
        {
            "": {"systems": None if listed is None else tuple(listed), "baseline": baseline, "criterion": criterion},
            "labels": {"policy": labelling, "annotators": people, "price": price},
            "pairs": {"policy": pairs, "batch": batch},
            "budget": {"labels": budget_labels, "money": budget_money, "items_per_pair": items_per_pair},
            "decision": {
                "rule": rule,
                "alpha": alpha,
                "margin": margin,
                "target": target,
                "multiplicity": multiplicity,
                "metrics": tuple(metric) if metric else None,
                "judges": tuple(judge) if judge else None,
            },
            "order": {"items": order},
        },
    )
    experiment: AgentExperiment | ReplayExperiment
    if world is not None:
        experiment = world_for(settings, world, seed)
    elif replay is None:
        experiment = agents_for(
            settings,
            qualities=qualities,
            items=items,
            spread=spread,
            cluster_size=cluster_size,
            intraclass=intraclass,
            correlation=correlation,
            crowd=10 if crowd is None else crowd,
            capability=capability,
            indifference=indifference,
            side=side,
            spam=spam,
            seconds=seconds,
            seed=seed,
        )
    else:
        experiment = replay_for(
            settings,
            replay,
            ratings=ratings,
            tie_threshold=tie_threshold,
            annotators=annotators,
            seconds=seconds,
            crowd=crowd,
        )
    habits = Habits(hand, forgets, leaves)
    chosen, why = choose_engine(engine, experiment, habits)
    runs = repetitions if repetitions is not None else (1000 if chosen == _QUICK else 100)
    table = _run(experiment, habits, chosen, runs, seed, workers or os.cpu_count() or 1)
    summary = summarise(table)
    _write_files(table, out, plot)
    if as_json:
        document = simulation_document(experiment, summary, chosen, why, seed)
        sys.stdout.write(json.dumps(document, ensure_ascii=False, allow_nan=False) + "\n")
        return
    show_simulation(experiment, summary, chosen, why)


def choose_engine(engine: str, experiment: Any, habits: Habits) -> tuple[str, str | None]:
    """The engine, and why it is not the vectorised one (None where it is, or was not wanted).

    Raises:
        UsageError: an unknown engine, or "vectorised" where it cannot run the experiment.
    """
    from tiebreak.errors import UsageError
    from tiebreak.simulate.runs.quick_engine import why_not_quick
    from tiebreak.simulate.runs.repeat import AgentExperiment

    if engine not in ("auto", _STEPS, _QUICK):
        raise UsageError(f"--engine {engine!r} must be auto, {_STEPS} or {_QUICK}")
    if engine == _STEPS:
        return _STEPS, None
    why = why_not_quick(experiment, habits) if isinstance(experiment, AgentExperiment) else "labels that exist"
    if why is None:
        return _QUICK, None
    if engine == _QUICK:
        raise UsageError(f"--engine {_QUICK} cannot run this: {why}; use --engine auto")
    return _STEPS, why


def _run(experiment: Any, habits: Habits, engine: str, runs: int, seed: int, workers: int) -> RunTable:
    """All campaigns, with a progress bar on standard error where that is a terminal."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from tiebreak.cli.terminal import console_for_messages
    from tiebreak.simulate.runs.quick_engine import repeat_quickly
    from tiebreak.simulate.runs.repeat import repeat

    console = console_for_messages()
    columns = (TextColumn("campaigns"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        bar = progress.add_task("campaigns", total=runs)

        def done(count: int) -> None:
            progress.advance(bar, count)

        if engine == _QUICK:
            return repeat_quickly(experiment, runs, seed, workers=workers, on_done=done)
        return repeat(experiment, runs, seed, habits=habits, workers=workers, on_done=done)


def _check_numbers(repetitions: int | None, seed: int, workers: int | None) -> None:
    from tiebreak.errors import UsageError

    for name, value, least in (("--repetitions", repetitions, 1), ("--workers", workers, 1), ("--seed", seed, 0)):
        if value is not None and value < least:
            raise UsageError(f"{name} must be at least {least}, not {value}")


def _check_world(context: typer.Context, world: Path | None, replay: Path | None) -> None:
    """Refuse what would say the same thing twice."""
    from tiebreak.errors import UsageError

    if world is None:
        return
    if replay is not None:
        raise UsageError("--world and --replay exclude each other: labels that exist need no simulated people")
    for name in _OF_THE_WORLD:
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            raise UsageError(f"--{name.replace('_', '-')} cannot be given with --world: say it in {world}")


def _check_files(out: Path | None, plot: Path | None, study: Path | None) -> None:
    """Refuse impossible files before any work is done."""
    from tiebreak.errors import UsageError
    from tiebreak.files import check_place
    from tiebreak.report.tables import refuse_inside

    if out is not None:
        if out.suffix.lower() not in (".parquet", ".csv"):
            raise UsageError(f"--out {out} must end in .parquet or .csv")
        check_place(out)
    if plot is not None:
        from tiebreak.report.figures.canvas import check_figure_path

        check_figure_path(plot)
    for file in (out, plot):
        if file is not None and study is not None:
            refuse_inside(study, file)


def _write_files(table: RunTable, out: Path | None, plot: Path | None) -> None:
    if out is not None:
        import io

        from tiebreak.files import write_bytes
        from tiebreak.simulate.runs.frame import run_frame

        frame, content = run_frame(table), io.BytesIO()
        if out.suffix.lower() == ".parquet":
            frame.write_parquet(content)
        else:
            frame.write_csv(content)
        write_bytes(out, content.getvalue())
        sys.stderr.write(f"Wrote {out}\n")
    if plot is not None:
        from tiebreak.report.figures.canvas import save
        from tiebreak.report.figures.simulation import simulation

        save(simulation(table), plot)
        sys.stderr.write(f"Wrote {plot}\n")
