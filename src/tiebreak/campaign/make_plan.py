"""From a protocol and a study to the plan of a campaign, checked."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from tiebreak.campaign.can_decide import check_can_decide, check_can_reach
from tiebreak.campaign.plan import (
    CampaignPlan,
    LeftOutItems,
    Measure,
    TrackPlan,
    listed_order,
    most_units,
    needs_of,
    rating_plan,
    sealed_order,
    unit_starts,
)
from tiebreak.campaign.protocol import RANKED_SYSTEMS, Protocol
from tiebreak.campaign.protocol_parts import ProtocolError
from tiebreak.data.study import Study
from tiebreak.errors import UsageError, did_you_mean
from tiebreak.evidence.automatic import AutomaticValues, automatic_values, combined
from tiebreak.evidence.items import ItemIndex
from tiebreak.kernels.control_variate import most_with_companions, reserve_size
from tiebreak.rules.registry import RULES
from tiebreak.rules.rule import MeasureFacts, PlanError

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
Askable = Mapping[tuple[str, ...], frozenset[str]]


def make_plan(protocol: Protocol, study: Study, askable: Askable | None = None) -> CampaignPlan:
    """The plan of a protocol for a study, for a campaign that is to begin; `askable` as in `plan_again`.

    Raises:
        ProtocolError: systems, metrics or gold tasks that the study does not have, or a budget that cannot decide.
    """
    plan = plan_again(protocol, study, askable)
    check = check_can_reach if protocol.rates else check_can_decide
    check(plan)
    return plan


def plan_again(protocol: Protocol, study: Study, askable: Askable | None = None) -> CampaignPlan:
    """The plan of a campaign that has begun: that it can decide something was found then.

    `askable`: for the systems of each track, in alphabetical order, the items that anybody can be asked about (a
    replay has no more labels than it has); None: all. Other items leave the pair's pool, but a metric's values of them
    still count where they may: for the posterior, and for a claim about inputs like these. A pair about which nobody
    can be asked is left out, as long as there is another one.

    Raises:
        ProtocolError: systems, metrics or gold tasks that the study does not have.
    """
    systems, index = _systems(protocol, study), ItemIndex.of(study)
    if protocol.rates:
        values = [_automatic(protocol, study, index, of.name) for of in protocol.rated_criteria]
        return rating_plan(protocol, study, index, systems, _pair_names(protocol, systems), values)
    automatic = _automatic(protocol, study, index, protocol.criterion)
    tracks, facts, left_out = _plan_tracks(protocol, study, index, automatic, askable)
    _check_gold(protocol, study, {(track.system_a, track.system_b) for track in tracks})
    measures = _measures(protocol, tracks)
    rule = RULES[protocol.decision.rule]
    try:
        rule_plans = rule.prepare([facts[of.tracks[0]] for of in measures], protocol.decision)
    except PlanError as error:
        key = _automatic_key(protocol) if error.key == "decision.metrics" else error.key
        raise ProtocolError(key, protocol.setting(key), str(error)) from error
    asked = {name for track in tracks for name in track.systems}
    return CampaignPlan(
        protocol,
        study.fingerprint,
        tuple(name for name in systems if name in asked),
        index.items,
        tuple(tracks),
        measures,
        tuple(rule_plans),
        tuple(left_out),
    )


def _measures(protocol: Protocol, tracks: Sequence[TrackPlan]) -> tuple[Measure, ...]:
    """The pairs of each track that are asked for: of a ranking several."""
    wanted = {frozenset(pair) for track in tracks for pair in _pair_names(protocol, track.systems)}
    return tuple(
        Measure((k,), pair, part, track.most_units)
        for k, track in enumerate(tracks)
        for part, pair in enumerate(itertools.combinations(track.systems, 2))
        if frozenset(pair) in wanted
    )


def _systems(protocol: Protocol, study: Study) -> tuple[str, ...]:
    in_pairs = tuple(dict.fromkeys(itertools.chain.from_iterable(protocol.only_pairs)))
    baseline = () if protocol.baseline is None else (protocol.baseline,)
    for key, named in (("systems", protocol.systems), ("baseline", baseline), ("only_pairs", in_pairs)):
        for name in named:
            if name not in study.systems:
                hint = did_you_mean(name, study.systems) or f"; it has {', '.join(study.systems[:8])}"
                raise ProtocolError(key, name, f"is not a system of the study {study.name}{hint}")
    everything = [name for name in study.systems if name in {*study.candidates, *baseline}]  # references are not
    found = in_pairs or protocol.systems or everything
    if len(found) < 2 and not (protocol.rates and found):
        raise ProtocolError("systems", list(found), f"the study {study.name} needs outputs of two systems or more")
    return tuple(found)


def _pair_names(protocol: Protocol, systems: Sequence[str]) -> list[tuple[str, str]]:
    """(system_a, system_b): by name, or with the baseline as system_b."""
    baseline = protocol.baseline
    if protocol.only_pairs:
        return sorted((min(pair), max(pair)) for pair in protocol.only_pairs)
    if baseline is not None:
        return [(name, baseline) for name in sorted(systems) if name != baseline]
    return list(itertools.combinations(sorted(systems), 2))


def _asked_together(protocol: Protocol, systems: Sequence[str]) -> list[tuple[str, ...]]:
    """The systems of each track: pairs, or of a ranking all systems at once, a baseline last.

    Raises:
        ProtocolError: too few systems for a ranking, or too many.
    """
    if protocol.labels.kind != "ranking":
        return [*_pair_names(protocol, systems)]
    fewest, most = RANKED_SYSTEMS
    if not fewest <= len(systems) <= most:
        message = f"people rank the outputs of {fewest} to {most} systems; name which (--systems)"
        raise ProtocolError("systems", list(systems), message)
    return [tuple(sorted(systems, key=lambda name: (name == protocol.baseline, name)))]


def _common_items(index: ItemIndex, systems: Sequence[str]) -> Indices:
    """Items that the systems have in common."""
    return reduce(np.intersect1d, [index.pool(*pair) for pair in itertools.pairwise(systems)])


def _same_outputs(index: ItemIndex, systems: Sequence[str], pool: Indices) -> Indices:
    """Items for which all systems wrote the same text."""
    return reduce(np.intersect1d, [index.identical_outputs(*pair, pool)[0] for pair in itertools.pairwise(systems)])


def _nothing_to_ask(index: ItemIndex, allowed: Indices | None, systems: Sequence[str]) -> str:
    """Why nobody can be asked about these systems; "" where somebody can."""
    pool = _common_items(index, systems)
    of_them = "both" if len(systems) == 2 else "all"
    if not pool.size:
        return f"no item has an output of {of_them}"
    if allowed is not None:
        pool = np.intersect1d(pool, allowed)
        if not pool.size:
            return "no item has as many labels as the labelling policy may need"
    if np.isin(pool, _same_outputs(index, systems, pool)).all():
        return f"{of_them} wrote the same text for every item"
    return ""


def _no_pair(left_out: Sequence[LeftOutItems]) -> str:
    """That no pair is left, with the reason of each; many pairs mostly have few reasons."""
    first = {of.why: of for of in reversed(left_out)}
    reasons = "; ".join(f"{why} ({' and '.join(of.systems)})" for why, of in reversed(first.items()))
    return f"have no pair that anybody can be asked about: {reasons}"


def _plan_tracks(
    protocol: Protocol, study: Study, index: ItemIndex, automatic: AutomaticValues | None, askable: Askable | None
) -> tuple[list[TrackPlan], list[MeasureFacts], list[LeftOutItems]]:
    """Of all systems about which somebody can be asked together, and the others."""
    systems, listed = _systems(protocol, study), listed_order(study, index)
    asked, left_out = [], []
    for together in _asked_together(protocol, systems):
        names = () if askable is None else askable.get(tuple(sorted(together)), ())
        numbers = np.array(sorted(index.position[name] for name in names), dtype=np.intp)
        allowed = None if askable is None else numbers
        why = _nothing_to_ask(index, allowed, together)
        if why:
            left_out.append(LeftOutItems(together, why))
        else:
            asked.append((allowed, together))
    if not asked:
        key = "only_pairs" if protocol.only_pairs else "systems"
        raise ProtocolError(key, protocol.only_pairs or list(systems), _no_pair(left_out))
    most_items = protocol.most_items(len(asked))
    planned = [_plan_track(protocol, index, automatic, listed, most_items, *of) for of in asked]
    return [track for track, _ in planned], [facts for _, facts in planned], left_out


def _plan_track(
    protocol: Protocol,
    index: ItemIndex,
    automatic: AutomaticValues | None,
    listed: Indices,
    most_items: int | None,
    allowed: Indices | None,
    systems: tuple[str, ...],
) -> tuple[TrackPlan, MeasureFacts]:
    pool = _pool(protocol, index, systems)
    unasked = _unasked(protocol, automatic, pool, allowed)
    if allowed is not None:
        pool = np.intersect1d(pool, allowed)
    all_same = _same_outputs(index, systems, pool)
    same = np.intersect1d(all_same, pool)
    of_items = protocol.decision.target == "items"
    if same.size == pool.size:
        message = "leave this pair only items with the same text of both: nothing to ask"
        raise ProtocolError("people.gold", list(systems), message)
    left = np.setdiff1d(pool, same) if of_items else pool
    clusters = np.arange(index.clusters.size) if of_items else index.clusters
    order = sealed_order(protocol, left, clusters, listed, systems)
    starts = unit_starts(clusters[order])
    units = starts.size - 1
    everything = pool.size + unasked.size
    unasked = np.setdiff1d(unasked, all_same) if of_items else unasked
    if unasked.size:
        rest = sealed_order(protocol, unasked, clusters, listed, systems)
        order = np.concatenate([order, rest])
        starts = np.concatenate([starts, starts[-1] + unit_starts(clusters[rest])[1:]])
    known = np.isin(order, same)
    needs = needs_of(known, starts)
    most = most_units(needs[:units], most_items)
    track = TrackPlan(systems, order, starts, known, needs, most, most < units, int(same.size))
    metric, outcomes = _metric_values(automatic, track, protocol)
    alone = starts.size - 1 == order.size
    facts = MeasureFacts(
        most_units=most,
        outcomes_only=alone,
        pool_size=units if of_items else None,
        scale=order.size / everything if of_items else 1.0,
        metric=metric,
        metric_outcomes=outcomes,
        sizes=None if alone else np.diff(starts).astype(np.int64),
        asked=None if alone else np.add.reduceat((~known).astype(np.int64), starts[:-1]),
        known=known if alone else None,
        known_ties=int(known[: starts[units]].sum()),
        batch=protocol.pairs.batch,
        forced_choice=not protocol.labels.ties,
    )
    return track, facts


def _pool(protocol: Protocol, index: ItemIndex, systems: tuple[str, ...]) -> Indices:
    """Items with an output of each system, without the pair's check tasks: a known answer is no evidence."""
    pool, gold = _common_items(index, systems), protocol.people.gold
    checks = {
        task.item for task in gold if {task.system_a, task.system_b} == set(systems) and task.item in index.position
    }
    left = np.setdiff1d(pool, np.array([index.position[item] for item in sorted(checks)], dtype=np.intp))
    if not left.size:
        raise ProtocolError("people.gold", list(systems), "takes every item of this pair; leave some to ask")
    return left


def _unasked(protocol: Protocol, automatic: AutomaticValues | None, pool: Indices, allowed: Indices | None) -> Indices:
    """Items that nobody can be asked about, but of which the metric tells something that counts.

    For a claim about these items by betting they are outside the claim.
    """
    decision = protocol.decision
    if allowed is None or automatic is None or (RULES[decision.rule].predicts and decision.target == "items"):
        return np.empty(0, dtype=np.intp)
    return np.setdiff1d(pool, allowed)


# ---- room for companions ---------------------------------------------------------------------------------------


def with_room_for_companions(protocol: Protocol, study: Study) -> Protocol:
    """The protocol with a budget of items, where it has none and its metrics help only through items that nobody
    labels: the most of every pair that leave enough of these.

    Raises:
        ProtocolError: systems or metrics that the study does not have.
    """
    decision, budget = protocol.decision, protocol.budget
    by_unlabelled = decision.target == "inputs" and RULES[decision.rule].predicts
    if not (decision.metrics or decision.judges) or not by_unlabelled or budget.items_per_pair is not None:
        return protocol
    index = ItemIndex.of(study)
    pairs, _, _ = _plan_tracks(protocol, study, index, _automatic(protocol, study, index, protocol.criterion), None)
    return replace(protocol, budget=replace(budget, items_per_pair=max(min(map(_room, pairs)), 1)))


def _room(pair: TrackPlan) -> int:
    """Most items of a pair to ask about, so that its first units, with the known ties among them, leave enough."""
    asked, most = [sum(unit) for unit in pair.needs[: pair.most_units]], most_with_companions(pair.order.size)
    return sum(asked) if most >= len(asked) else max(0, sum(asked[: most + 1]) - 1)


# ---- metrics ---------------------------------------------------------------------------------------------------


def _automatic(protocol: Protocol, study: Study, index: ItemIndex, criterion: str | None) -> AutomaticValues | None:
    decision = protocol.decision
    if not decision.metrics and not decision.judges:
        return None
    try:
        return automatic_values(study, criterion, index, decision.metrics, decision.judges)
    except UsageError as error:
        key = _automatic_key(protocol)
        raise ProtocolError(key, protocol.setting(key), str(error)) from error


def _automatic_key(protocol: Protocol) -> str:
    """Where to look if something is wrong with metrics or judges."""
    return "decision.judges" if protocol.decision.judges and not protocol.decision.metrics else "decision.metrics"


def _metric_values(
    automatic: AutomaticValues | None, pair: TrackPlan, protocol: Protocol
) -> tuple[Floats | None, Floats | None]:
    """One value and one outcome per unit in the sealed order, where units are items.

    Several metrics and judges enter as the mean of their values in units of each one's size (for a claim about inputs,
    of that on the reserved items: the size of a bet may not know what the others say); a judge without an answer says
    nothing (0). The outcome is the side that more of them favour.
    """
    if automatic is None:
        return None, None
    values = automatic.of_pair(pair.system_a, pair.system_b)[pair.order]
    metrics = len(protocol.decision.metrics)
    for k, name in enumerate(protocol.decision.metrics):
        missing = np.isnan(values[:, k])
        if missing.any():
            raise ProtocolError(
                "decision.metrics",
                name,
                f"has no score for {int(missing.sum()):,} of {missing.size:,} items of {pair.system_a} and "
                f"{pair.system_b}; run it on all items, or leave it out",
            )
    outcomes = combined(automatic.outcomes_of_pair(pair.system_a, pair.system_b)[pair.order], 0.0)
    if np.isnan(values[:, metrics:]).all() and not metrics:
        raise ProtocolError(
            "decision.judges",
            list(protocol.decision.judges),
            f"gave no answer on {pair.system_a} and {pair.system_b}; run it on them, or leave it out",
        )
    values = np.where(np.isnan(values), 0.0, values)
    basis = values
    if protocol.decision.target == "inputs" and pair.most_units < values.shape[0]:
        others = values[pair.most_units :]
        basis = others[: max(1, reserve_size(others.shape[0]))]
    spread = np.sqrt((basis**2).mean(axis=0))
    return (values / np.where(spread > 0, spread, 1.0)).mean(axis=1), outcomes


# ---- checks ----------------------------------------------------------------------------------------------------


def _check_gold(protocol: Protocol, study: Study, pairs: set[tuple[str, str]]) -> None:
    known = ItemIndex.of(study).position if protocol.people.gold else {}
    for gold in protocol.people.gold:
        if gold.item not in known:
            hint = did_you_mean(gold.item, known)
            raise ProtocolError("people.gold", gold.item, f"is not an item of the study{hint}")
        if (gold.system_a, gold.system_b) not in pairs:
            raise ProtocolError("people.gold", [gold.system_a, gold.system_b], "is not a pair of this campaign")
        if gold.outcome == "tie" and not protocol.labels.ties:
            raise ProtocolError("people.gold", "tie", "cannot be the answer where labels.ties is false")
