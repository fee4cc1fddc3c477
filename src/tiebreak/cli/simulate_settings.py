"""From the options of `tiebreak simulate` to a protocol and an experiment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tiebreak.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from tiebreak.campaign import Protocol
    from tiebreak.simulate.runs.repeat import AgentExperiment, ReplayExperiment

_METRIC: Final = "metric"


def protocol_from(file: Path | None, given: Mapping[str, Mapping[str, Any]]) -> Protocol:
    """The protocol of a file (None: the defaults) with the options `given` (by table; "" outside tables; None: not
    given).

    Raises:
        InputError: the file cannot be read, or what it says cannot be.
        ProtocolError: a protocol that cannot be.
    """
    from tiebreak.cli.campaign.protocol_settings import file_settings

    base, _ = file_settings(file)
    changes = {
        table: {name: value for name, value in values.items() if value is not None} for table, values in given.items()
    }
    parts = {table: replace(getattr(base, table), **values) for table, values in changes.items() if table and values}
    return replace(base, **changes.get("", {}), **parts)


def numbers(text: str, option: str, least: int = 1) -> tuple[float, ...]:
    """`"0.2,0"` as (0.2, 0.0).

    Raises:
        UsageError: something that is no number, or fewer than `least` of them.
    """
    try:
        found = tuple(float(part) for part in text.split(","))
    except ValueError as error:
        raise UsageError(f"{option} {text!r} must be numbers separated by commas, such as 0.2,0") from error
    if len(found) < least:
        raise UsageError(f"{option} {text!r} must be {least} numbers or more, separated by commas")
    return found


def agents_for(
    protocol: Protocol,
    *,
    qualities: str,
    items: int,
    spread: float,
    cluster_size: int,
    intraclass: float,
    correlation: float | None,
    crowd: int,
    capability: str,
    indifference: float,
    side: float,
    spam: float,
    seconds: float,
    seed: int,
) -> AgentExperiment:
    """A world and its people; the capabilities of the people are drawn once, by the seed.

    Raises:
        UsageError: impossible values.
    """
    import numpy as np

    from tiebreak.simulate.people.agents import World
    from tiebreak.simulate.people.metrics import SimulatedMetric
    from tiebreak.simulate.people.workers import Worker
    from tiebreak.simulate.runs.repeat import AgentExperiment

    if crowd < protocol.most_labels_per_item:
        raise UsageError(f"--crowd {crowd} is too small: an item may need {protocol.most_labels_per_item} people")
    if crowd > 1000:
        raise UsageError(f"--crowd {crowd} must be at most 1,000")
    ends = numbers(capability, "--capability")
    low, high = ends[0], ends[-1]
    if len(ends) > 2 or not 0 <= low <= high <= 1:
        raise UsageError(f"--capability {capability!r} must be a number or LOW,HIGH, both from 0 to 1")
    drawn = np.random.default_rng([seed, 1]).uniform(low, high, crowd)
    workers = tuple(Worker(float(c), indifference, side, spam, seconds) for c in drawn)
    metrics = () if correlation is None else (SimulatedMetric(_METRIC, correlation),)
    world = World(numbers(qualities, "--qualities", 2), items, spread, cluster_size, intraclass, metrics=metrics)
    used = (*protocol.decision.metrics, *protocol.decision.judges)
    if used and (correlation is None or used != (_METRIC,)):
        raise UsageError(
            f'simulated systems have one metric, called "{_METRIC}", and only with --correlation; '
            "describe others in a file, and name it with --world"
        )
    return AgentExperiment(protocol, world, workers)


def world_for(protocol: Protocol, file: Path, seed: int) -> AgentExperiment:
    """The world and the people of a file; capabilities are drawn once, by the seed.

    Raises:
        InputError: the file cannot be read, or what it says cannot be.
        UsageError: too few people, or a metric or judge that the file does not name.
    """
    import numpy as np

    from tiebreak.cli.campaign.protocol_settings import text_of
    from tiebreak.simulate.people.world_toml import draw_crowd, world_from_toml
    from tiebreak.simulate.runs.repeat import AgentExperiment

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


def replay_for(
    protocol: Protocol,
    study: Path,
    *,
    ratings: str,
    tie_threshold: float,
    annotators: list[str] | None,
    seconds: float,
    crowd: int | None,
) -> ReplayExperiment:
    """The labels of a study, and the protocol with its price and criterion where it names none.

    Raises:
        InputError, UsageError: the study, or what cannot be replayed.
    """
    from tiebreak.data.readers import read_study
    from tiebreak.simulate.replay.study import OldLabels, Replay
    from tiebreak.simulate.runs.repeat import ReplayExperiment

    data = read_study(study)
    if annotators:
        data = data.select(annotators=annotators)
    labels = OldLabels.of(data, protocol.criterion, ratings, tie_threshold)  # type: ignore[arg-type]  # checked there
    if protocol.labels.price is None and data.settings.price_per_label is not None:
        price = replace(protocol.labels, price=data.settings.price_per_label, currency=data.settings.currency)
        protocol = replace(protocol, labels=price)
    protocol = replace(protocol, criterion=labels.criterion)
    return ReplayExperiment(Replay(protocol, data, labels, seconds, crowd))
