"""What a campaign may ask and cost at most, and what of it could give the systems away."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from tiebreak.campaign import State
from tiebreak.campaign.estimates import estimates, items_if_uniform
from tiebreak.campaign.kinds import kind_of
from tiebreak.data.study import Study
from tiebreak.messages.campaign import left_out_notice
from tiebreak.messages.measured import question_words
from tiebreak.messages.outlook import blinding_words
from tiebreak.results.progress import Outlook, PlannedItems
from tiebreak.rules.power import ASSUMED_TIES, PlannedPower

_SHORTEST_NAME: Final = 3  # "a" or "B" stand in every text


def outlook(state: State, study: Study) -> Outlook:
    """Of a campaign that has just begun, before any label."""
    plan, protocol = state.plan, state.protocol
    asked = [int((~pair.known[: pair.starts[pair.most_units]]).sum()) for pair in plan.tracks]
    labels = sum(asked) * protocol.most_labels_per_item
    budget = protocol.most_labels
    most = labels if budget is None else min(labels, budget)
    price, rule = protocol.labels.price, state.rule
    left_out = left_out_notice(plan.left_out)
    return Outlook(
        systems=len(plan.systems),
        pairs=len(plan.measures),
        study_items=len(plan.items),
        items=sum(asked),
        known=sum(pair.identical for pair in plan.tracks),
        labels=most,
        within_budget=budget is not None
        and (budget < labels or (protocol.pays_for_fewer(len(plan.tracks)) and any(of.limited for of in plan.tracks))),
        money=None if price is None else round(most * price, 2),
        currency=protocol.labels.currency,
        rates=protocol.rates,
        asks=kind_of(protocol).asks(protocol),
        labelling=f"{protocol.labels_in_words}; {kind_of(protocol).policy(protocol).title}",
        rule=rule.described(plan.rule_plans),
        decision=protocol.decision,
        wants=question_words(estimates(state)) if protocol.rates else "",
        look=rule.looks == "one",
        needs=max((count for count in items_if_uniform(state) if count is not None), default=None)
        if protocol.rates
        else None,
        plan=_planned(state),
        companions=_companions(state),
        hours=protocol.people.hours,
        notices=(*(notice.text for notice in left_out), *blinding_words(*names_given_away(state, study))),
    )


def _planned(state: State) -> PlannedItems | None:
    """What the shortest plan of a pair finds, and what another plan would; None where nothing is planned."""
    plan = state.plan
    if not state.rule.plans_items or any(of.walk is None for of in plan.rule_plans):
        return None
    power = PlannedPower(plan.rule_plans[0].bets.level, 1 - ASSUMED_TIES)
    planned, items = min((track.most_units, len(track.needs)) for track in plan.tracks)
    others = min(2 * planned, items) if items > planned else planned // 2
    finds, others_find = (power.found(count) if count else None for count in (planned, others))
    return PlannedItems(planned, finds, others, others_find)


def _companions(state: State) -> int | None:
    """Most items of a pair that are labelled, where metrics can help through the others only."""
    decision, limit = state.protocol.decision, state.protocol.budget.items_per_pair
    helped = (decision.metrics or decision.judges) and decision.target == "inputs" and state.rule.predicts
    return limit or 0 if helped else None


def names_given_away(state: State, study: Study) -> tuple[tuple[str, ...], int]:
    """Systems whose names stand in the question or the instructions, and how many outputs name their own system."""
    protocol, systems = state.protocol, [name for name in state.plan.systems if len(name) >= _SHORTEST_NAME]
    told = tuple(name for name in systems if _names(name, (protocol.question, state.instructions)))
    outputs = 0
    if study.outputs is not None:
        for (system,), frame in study.outputs.group_by(["system"]):
            if system in systems:
                outputs += _names(str(system), frame["text"].drop_nulls())
    return told, outputs


def _names(name: str, texts: Iterable[str]) -> int:
    """Texts with the name in them, as a word of its own, in capitals or not."""
    pattern = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE)
    return sum(pattern.search(text) is not None for text in texts)
