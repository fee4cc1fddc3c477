"""`tiebreak simulate`: what a campaign would come to, by simulated people or with labels that exist.

From the options of `tiebreak simulate` to a protocol and an experiment.
"""

from __future__ import annotations

import io
import os
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final

import numpy as np
import polars as pl

from tiebreak.campaign import Protocol
from tiebreak.cli.campaign.create import protocol_text, text_of
from tiebreak.cli.progress import progress_bar
from tiebreak.cli.setting_options import Changes, JsonOption, RateOption, given_options, option, with_changes
from tiebreak.cli.show_simulation import show_rating_simulation, show_simulation, simulation_document
from tiebreak.cli.terminal import console_for_messages, console_for_results, write_json
from tiebreak.cli.writing import check_files, check_picture, write_files
from tiebreak.errors import UsageError, did_you_mean
from tiebreak.files import check_place, write_bytes
from tiebreak.live.new_protocol import changed, file_settings, with_ratings
from tiebreak.messages.campaign import left_out_notice
from tiebreak.places import study_at
from tiebreak.settings.protocol import PROTOCOL_TABLES, QuestionSettings
from tiebreak.simulate.people.agents import World
from tiebreak.simulate.people.crowd import Habits
from tiebreak.simulate.people.metrics import METRIC, RatingWorld, SimulatedMetric
from tiebreak.simulate.people.workers import Worker
from tiebreak.simulate.people.world_toml import draw_crowd, world_from_toml
from tiebreak.simulate.replay import OldLabels, Replay
from tiebreak.simulate.runs.quick_engine import repeat_quickly, why_not_quick
from tiebreak.simulate.runs.rating_runs import RatingSummary, repeat_ratings, summarise_ratings
from tiebreak.simulate.runs.repeat import AgentExperiment, ReplayExperiment, repeat
from tiebreak.simulate.runs.table import RunTable, run_frame, summarise
from tiebreak.simulate.settings import (
    QUICK,
    STEPS,
    CrowdSettings,
    RaterSettings,
    ReplaySettings,
    RunSettings,
    SimulatedSystems,
)
from tiebreak.tabular.cells import csv_text

_RATING_RUNS: Final = 20
_WORLD: Final = {"systems": SimulatedSystems, "people": CrowdSettings}
_OF_RATINGS: Final = ("number_of_items", "metric_quality_correlation")
"""Settings of simulated systems that hold where outputs are rated, too."""


ProtocolFile = Annotated[
    Path | None, option("Protocol: a TOML file, dialogue, or naturalness; options change it.", "FILE", panel="Protocol")
]
WorldFile = Annotated[
    Path | None, option("World in TOML: systems, items, people, metrics and judges.", "FILE", panel="Simulated systems")
]
ReplayedStudy = Annotated[
    Path | None, option("Study whose labels to use instead of simulated people.", "STUDY", panel="Replay")
]
TableFile = Annotated[Path | None, option("Also write every run and pair: .parquet or .csv.", "FILE")]
PlotFile = Annotated[Path | None, option("Also draw the share decided against labels: .svg, .png or .pdf.", "FILE")]


@with_changes(
    {"": QuestionSettings, **PROTOCOL_TABLES},
    leave_out=("question", "instructions", "labels.ties", "labels.markdown", "order.seed"),
    panel="Protocol",
)
@with_changes(
    {**_WORLD, "raters": RaterSettings, "habits": Habits, "replay": ReplaySettings, "runs": RunSettings}, name="others"
)
def simulate_command(
    protocol: ProtocolFile = None,
    *,
    rate: RateOption = None,
    changes: Changes,
    world: WorldFile = None,
    replay: ReplayedStudy = None,
    others: Changes,
    as_json: JsonOption = False,
    out: TableFile = None,
    plot: PlotFile = None,
) -> None:
    """Run a campaign many times before you pay for it once: by simulated people, or with labels that exist.

    Prints per pair how often it ended with which verdict and at what price, with 95% intervals over the runs. With
    --replay it says what a campaign would have cost whose labels you have already. With --rate people rate outputs, and
    the campaign runs until means or differences are known.

    Example: tiebreak simulate --qualities 0.3,0.1,0 --number-of-items 300 --price 0.10 --alpha 0.05

    Example: tiebreak simulate --replay my-study --labelling max-three --repetitions 200

    Example: tiebreak simulate --rate fluency=1:5 --half-width 0.2 --means 3.1,3.5 --repetitions 50
    """
    settings = RunSettings(**others["runs"])
    check_files(replay, (out, _check_table), (plot, check_picture))
    _check_world(others, world, replay)
    base, said = file_settings(protocol_text(protocol), str(protocol))
    seed = settings.seed
    wanted = changed(base, with_ratings(changes, said, rate or (), None))
    if wanted.rates:
        _check_ratings(others, world, replay, out, plot, settings.engine)
        of_ratings = _run_ratings(wanted, others, settings)
        if as_json:
            write_json({"protocol": wanted.to_dict(), "seed": seed, "summary": of_ratings.to_dict()})
        else:
            show_rating_simulation(of_ratings, console_for_results(), protocol=wanted)
        return
    experiment = _experiment(wanted, others, world, replay, seed)
    habits = Habits(**others["habits"])
    chosen, why = choose_engine(settings.engine, experiment, habits)
    runs = settings.repetitions or (1000 if chosen == QUICK else 100)
    table = _run(experiment, habits, chosen, runs, seed, settings.workers or os.cpu_count() or 1)
    summary = summarise(table)
    write_files((out, partial(_write_runs, table)), (plot, partial(_draw, table)))
    if as_json:
        write_json(simulation_document(experiment, summary, chosen, why, seed))
    else:
        show_simulation(experiment, summary, chosen, why, console_for_results())


def _check_ratings(
    others: Changes, world: Path | None, replay: Path | None, out: Path | None, plot: Path | None, engine: str
) -> None:
    """Refuse what is for comparisons."""
    given = {"--world": world, "--replay": replay, "--out": out, "--plot": plot}
    named = [option for option, value in given.items() if value is not None]
    named += given_options(CrowdSettings, others["people"], ("crowd",))
    named += given_options(SimulatedSystems, others["systems"], _OF_RATINGS)
    if engine == QUICK:
        named.append(f"--engine {QUICK}")
    if named:
        raise UsageError(f"{', '.join(named)} cannot be given with ratings: it is for comparisons")


def _run_ratings(protocol: Protocol, others: Changes, settings: RunSettings) -> RatingSummary:
    shared = {name: others["systems"].get(name) for name in _OF_RATINGS} | {"raters": others["people"].get("crowd")}
    raters = RaterSettings(**others["raters"], **{name: value for name, value in shared.items() if value is not None})
    _check_metric(protocol, raters.metric_quality_correlation)
    world, habits = RatingWorld(raters), Habits(**others["habits"])
    runs = settings.repetitions or _RATING_RUNS
    with progress_bar("campaigns", runs) as bar:
        found = repeat_ratings(
            protocol, world, runs, settings.seed, habits=habits, workers=settings.workers or os.cpu_count() or 1,
            on_done=bar.advance,
        )  # fmt: skip
    return summarise_ratings(protocol, world, found)


def _experiment(
    protocol: Protocol, others: Changes, world: Path | None, replay: Path | None, seed: int
) -> AgentExperiment | ReplayExperiment:
    """Simulated people of a world file or of options, or the labels of a study."""
    people = CrowdSettings(**others["people"])
    if world is not None:
        return world_for(protocol, world, seed)
    if replay is None:
        return agents_for(protocol, SimulatedSystems(**others["systems"]), people, seed)
    return replay_for(protocol, replay, ReplaySettings(**others["replay"]), people)


def choose_engine(engine: str, experiment: Any, habits: Habits) -> tuple[str, str | None]:
    """The engine, and why it is not the vectorised one (None where it is, or was not wanted).

    Raises:
        UsageError: "vectorised" where it cannot run the experiment.
    """
    if engine == STEPS:
        return STEPS, None
    why = why_not_quick(experiment, habits) if isinstance(experiment, AgentExperiment) else "labels that exist"
    if why is None:
        return QUICK, None
    if engine == QUICK:
        raise UsageError(f"--engine {QUICK} cannot run this: {why}; use --engine auto")
    return STEPS, why


def _run(experiment: Any, habits: Habits, engine: str, runs: int, seed: int, workers: int) -> RunTable:
    """All campaigns, with a progress bar on standard error where that is a terminal."""
    with progress_bar("campaigns", runs) as bar:
        if engine == QUICK:
            return repeat_quickly(experiment, runs, seed, workers=workers, on_done=bar.advance)
        return repeat(experiment, runs, seed, habits=habits, workers=workers, on_done=bar.advance)


def _check_world(others: Changes, world: Path | None, replay: Path | None) -> None:
    """Refuse what would say the same thing twice."""
    if world is None:
        return
    if replay is not None:
        raise UsageError("--world and --replay exclude each other: labels that exist need no simulated people")
    for table, record in _WORLD.items():
        for named in given_options(record, others[table]):
            raise UsageError(f"{named} cannot be given with --world: say it in {world}")


def _check_table(out: Path) -> None:
    if out.suffix.lower() not in (".parquet", ".csv"):
        raise UsageError(f"--out {out} must end in .parquet or .csv")
    check_place(out)


def _write_runs(table: RunTable, out: Path) -> None:
    frame, content = run_frame(table), io.BytesIO()
    if out.suffix.lower() == ".parquet":
        frame.write_parquet(content)
    else:
        texts = pl.selectors.string()  # people open it in spreadsheets, which would run what looks like a formula
        frame.with_columns(texts.map_elements(csv_text, return_dtype=pl.String)).write_csv(content)
    write_bytes(out, content.getvalue())


def _draw(table: RunTable, plot: Path) -> None:
    from tiebreak.report.figures.canvas import save
    from tiebreak.report.figures.curves import simulation

    save(simulation(table), plot)


_CROWD: Final = 10


def agents_for(protocol: Protocol, systems: SimulatedSystems, people: CrowdSettings, seed: int) -> AgentExperiment:
    """A world and its people; the capabilities of the people are drawn once, by the seed.

    Raises:
        UsageError: impossible values.
    """
    crowd = _CROWD if people.crowd is None else people.crowd
    if crowd < protocol.most_labels_per_item:
        raise UsageError(f"--crowd {crowd} is too small: an item may need {protocol.most_labels_per_item} people")
    low, high = people.capability[0], people.capability[-1]
    drawn = np.random.default_rng([seed, 1]).uniform(low, high, crowd)
    alike = (people.indifference, people.side, people.spam, people.seconds)
    workers = tuple(Worker(float(c), *alike) for c in drawn)
    correlation = systems.metric_quality_correlation
    metrics = () if correlation is None else (SimulatedMetric(METRIC, correlation),)
    laid_out = (systems.number_of_items, systems.spread, systems.cluster_size, systems.intraclass)
    world = World(systems.qualities, *laid_out, metrics=metrics)
    _check_metric(protocol, correlation)
    return AgentExperiment(protocol, world, workers)


def _check_metric(protocol: Protocol, correlation: float | None) -> None:
    """Raise UsageError for a metric or judge that simulated systems do not have."""
    used = (*protocol.decision.metrics, *protocol.decision.judges)
    if used and (correlation is None or used != (METRIC,)):
        others = "" if protocol.rates else "; describe others in a file, and name it with --world"
        raise UsageError(
            f'simulated systems have one metric, called "{METRIC}", and only with --metric-quality-correlation{others}'
        )


def world_for(protocol: Protocol, file: Path, seed: int) -> AgentExperiment:
    """The world and the people of a file; capabilities are drawn once, by the seed.

    Raises:
        InputError: the file cannot be read, or what it says cannot be.
        UsageError: too few people, or a metric or judge that the file does not name.
    """
    world, groups = world_from_toml(text_of(file), str(file))
    workers = draw_crowd(groups, np.random.default_rng([seed, 1]))
    if len(workers) < protocol.most_labels_per_item:
        raise UsageError(f"{file} has {len(workers)} people, but an item may need {protocol.most_labels_per_item}")
    for kind, used, known in (
        ("metric", protocol.decision.metrics, world.metrics),
        ("judge", protocol.decision.judges, world.judges),
    ):
        names = [helper.name for helper in known]
        for name in used:
            if name not in names:
                hint = did_you_mean(name, names) or (f"; it has {', '.join(names)}" if names else "; it has none")
                raise UsageError(f"{file} has no {kind} {name!r}{hint}")
    return AgentExperiment(protocol, world, workers)


def replay_for(protocol: Protocol, study: Path, settings: ReplaySettings, people: CrowdSettings) -> ReplayExperiment:
    """The labels of a study, and the protocol with its price and criterion where it names none.

    Raises:
        InputError, UsageError: the study, or what cannot be replayed.
    """
    data = study_at(study)
    if settings.annotators:
        data = data.select(annotators=settings.annotators)
    labels = OldLabels.of(data, protocol.criterion, settings.ratings, settings.tie_threshold)
    if protocol.labels.price is None and data.settings.price_per_label is not None:
        price = replace(protocol.labels, price=data.settings.price_per_label, currency=data.settings.currency)
        protocol = replace(protocol, labels=price)
    protocol = replace(protocol, criterion=labels.criterion)
    replayed = Replay(protocol, data, labels, people.seconds, people.crowd)
    notices = left_out_notice([(of.systems, of.why) for of in replayed.left_out()])
    console_for_messages().say_each(notice.text for notice in notices)
    return ReplayExperiment(replayed)
