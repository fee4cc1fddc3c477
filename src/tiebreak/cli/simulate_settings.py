"""From the options of `tiebreak simulate` to a protocol and an experiment."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tiebreak.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from tiebreak.campaign import Protocol
    from tiebreak.simulate.runs.repeat import AgentExperiment, ReplayExperiment
    from tiebreak.simulate.settings import CrowdSettings, ReplaySettings, SystemSettings

_METRIC: Final = "metric"
_CROWD: Final = 10


def agents_for(protocol: Protocol, systems: SystemSettings, people: CrowdSettings, seed: int) -> AgentExperiment:
    """A world and its people; the capabilities of the people are drawn once, by the seed.

    Raises:
        UsageError: impossible values.
    """
    import numpy as np

    from tiebreak.simulate.people.agents import World
    from tiebreak.simulate.people.metrics import SimulatedMetric
    from tiebreak.simulate.people.workers import Worker
    from tiebreak.simulate.runs.repeat import AgentExperiment

    crowd = _CROWD if people.crowd is None else people.crowd
    if crowd < protocol.most_labels_per_item:
        raise UsageError(f"--crowd {crowd} is too small: an item may need {protocol.most_labels_per_item} people")
    low, high = people.capability[0], people.capability[-1]
    drawn = np.random.default_rng([seed, 1]).uniform(low, high, crowd)
    alike = (people.indifference, people.side, people.spam, people.seconds)
    workers = tuple(Worker(float(c), *alike) for c in drawn)
    correlation = systems.metric_quality_correlation
    metrics = () if correlation is None else (SimulatedMetric(_METRIC, correlation),)
    laid_out = (systems.number_of_items, systems.spread, systems.cluster_size, systems.intraclass)
    world = World(systems.qualities, *laid_out, metrics=metrics)
    used = (*protocol.decision.metrics, *protocol.decision.judges)
    if used and (correlation is None or used != (_METRIC,)):
        raise UsageError(
            f'simulated systems have one metric, called "{_METRIC}", and only with --metric-quality-correlation; '
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


def replay_for(protocol: Protocol, study: Path, settings: ReplaySettings, people: CrowdSettings) -> ReplayExperiment:
    """The labels of a study, and the protocol with its price and criterion where it names none.

    Raises:
        InputError, UsageError: the study, or what cannot be replayed.
    """
    from tiebreak.cli.terminal import console_for_messages, say
    from tiebreak.places import study_at
    from tiebreak.results.words.campaign import left_out_notice
    from tiebreak.simulate.replay.study import OldLabels, Replay
    from tiebreak.simulate.runs.repeat import ReplayExperiment

    data = study_at(study)
    if settings.annotators:
        data = data.select(annotators=settings.annotators)
    labels = OldLabels.of(data, protocol.criterion, settings.ratings, settings.tie_threshold)
    if protocol.labels.price is None and data.settings.price_per_label is not None:
        price = replace(protocol.labels, price=data.settings.price_per_label, currency=data.settings.currency)
        protocol = replace(protocol, labels=price)
    protocol = replace(protocol, criterion=labels.criterion)
    replayed = Replay(protocol, data, labels, people.seconds, people.crowd)
    for notice in left_out_notice([(pair.system_a, pair.system_b, pair.why) for pair in replayed.left_out()]):
        say(console_for_messages(), notice.text)
    return ReplayExperiment(replayed)
